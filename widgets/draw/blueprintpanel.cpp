#include "widgets/draw/blueprintpanel.h"

#include "widgets/base/elidedlabel.h"
#include "widgets/base/texts.h"
#include "widgets/design/document.h"
#include "widgets/draw/grapheditor.h"
#include "widgets/step/paneheader.h"

#include <QCheckBox>
#include <QFrame>
#include <QGridLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSignalBlocker>
#include <QSpinBox>
#include <QVBoxLayout>
#include <QWheelEvent>

namespace fabricscope {

namespace {

/// The wheel counts where the keys do: over a field that only lies on the way of it the panel scrolls.
class CountOfCopies : public QSpinBox
{
public:
    CountOfCopies() { setFocusPolicy(Qt::StrongFocus); }

protected:
    void wheelEvent(QWheelEvent* event) override
    {
        if (hasFocus())
            QSpinBox::wheelEvent(event);
        else
            event->ignore();
    }
};

} // namespace

BlueprintPanel::BlueprintPanel(GraphEditor* editor, QWidget* parent)
    : QWidget(parent), m_editor(editor), m_header(new StepHeader(tr("Blueprint"))), m_fields(new QWidget), m_name(new QLineEdit), m_count(new CountOfCopies),
      m_onlyThis(new QCheckBox), m_enter(new QPushButton), m_ungroup(new QPushButton(tr("Ungroup"))), m_group(new QPushButton(tr("Group into a blueprint")))
{
    auto* rows = new QGridLayout(m_fields);
    rows->setContentsMargins(12, 8, 12, 0);
    rows->setSpacing(8);
    rows->setColumnStretch(1, 1);
    rows->addWidget(new QLabel(tr("Name")), 0, 0);
    rows->addWidget(m_name, 0, 1, 1, 2);
    rows->addWidget(new QLabel(tr("Copies")), 1, 0);
    rows->addWidget(m_count, 1, 1, 1, 2);
    rows->addWidget(m_onlyThis, 2, 0, 1, 3);
    auto* buttons = new QHBoxLayout;
    buttons->setSpacing(8);
    buttons->addWidget(m_enter);
    buttons->addWidget(m_ungroup);
    rows->addLayout(buttons, 3, 0, 1, 3);
    m_name->setAccessibleName(tr("Name of the blueprint"));
    m_count->setAccessibleName(tr("Copies of the blueprint"));
    m_count->setRange(1, PartCopies::kMost);
    m_count->setKeyboardTracking(false);
    m_count->setButtonSymbols(QAbstractSpinBox::NoButtons); // The wheel and the arrow keys count.
    m_onlyThis->setToolTip(tr("Rates and latencies become overrides of this copy (Ctrl+Alt+click a part)"));
    m_ungroup->setToolTip(tr("Its parts are edited one by one again (Ctrl+Shift+G)"));
    m_group->setToolTip(tr("Drawn once, used several times (Ctrl+G)"));
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(m_header);
    column->addWidget(m_fields);
    auto* below = new QVBoxLayout;
    below->setContentsMargins(12, 8, 12, 0);
    below->addWidget(m_group);
    column->addLayout(below);

    connect(m_name, &QLineEdit::editingFinished, this, [this] {
        if (m_name->isModified())
            m_editor->renameBlueprint(m_name->text());
        m_name->setModified(false);
        showBlueprint(); // A name that was refused gives way to the one there is.
    });
    connect(m_count, &QSpinBox::valueChanged, this, [this](int count) { m_editor->setCopies(count, QStringLiteral("copies")); });
    connect(m_count, &QSpinBox::editingFinished, this, [this] {
        if (m_editor->document())
            m_editor->document()->endMerge();
    });
    connect(m_onlyThis, &QCheckBox::toggled, m_editor, &GraphEditor::setOnlyThisCopy);
    connect(m_enter, &QPushButton::clicked, this, [this] {
        if (const auto copy = m_editor->selectedCopy(); copy && !m_editor->inside())
            m_editor->enter(copy->blueprint, copy->copy);
        else
            m_editor->leave();
    });
    connect(m_ungroup, &QPushButton::clicked, m_editor, &GraphEditor::ungroup);
    connect(m_group, &QPushButton::clicked, this, [this] {
        m_editor->group();
        takeFocus();
    });
    for (const auto signal : {&GraphEditor::selectionChanged, &GraphEditor::changed, &GraphEditor::insideChanged})
        connect(editor, signal, this, &BlueprintPanel::showBlueprint);
    showBlueprint();
}

void BlueprintPanel::takeFocus()
{
    if (m_editor->selectedCopy()) {
        m_count->setFocus();
        m_count->selectAll();
    }
}

void BlueprintPanel::showBlueprint()
{
    const auto copy = m_editor->selectedCopy();
    const CopiedParts& copies = m_editor->copies();
    bool ofNone = !m_editor->nodes().empty();
    for (const std::size_t node : m_editor->nodes())
        ofNone = ofNone && (copies.isEmpty() || !copies.placeOf(node));
    setVisible(copy || ofNone);
    m_fields->setVisible(copy.has_value());
    m_group->setVisible(ofNone);
    m_header->setHint(copy ? tr("part of %1").arg(m_editor->copyName(*copy)) : tr("none"));
    if (!copy)
        return;
    const PartCopies& said = copies.blueprints()[copy->blueprint];
    if (!(m_name->hasFocus() && m_name->isModified()))
        m_name->setText(QString::fromStdString(said.of));
    const QSignalBlocker count(m_count);
    const QSignalBlocker only(m_onlyThis);
    m_count->setValue(said.count);
    m_onlyThis->setText(tr("Change only %1").arg(m_editor->copyName(*copy)));
    m_onlyThis->setChecked(m_editor->isOnlyThisCopy());
    m_enter->setText(m_editor->inside() ? tr("Leave") : tr("Enter"));
    m_enter->setToolTip(m_editor->inside() ? tr("New parts are parts of no blueprint again (Esc)") : tr("New parts become parts of every copy (Return)"));
}

BlueprintBanner::BlueprintBanner(GraphEditor* editor, QWidget* parent) : QWidget(parent), m_editor(editor), m_text(new ElidedLabel), m_leave(new QPushButton)
{
    setAttribute(Qt::WA_NoMousePropagation); // What lies below is drawn on.
    auto* frame = new QFrame;
    frame->setProperty("banner", QStringLiteral("info"));
    auto* row = new QHBoxLayout(frame);
    row->setContentsMargins(12, 6, 12, 6);
    row->setSpacing(8);
    row->addWidget(m_text, 1);
    row->addWidget(m_leave);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->addWidget(frame);
    m_text->setObjectName(QStringLiteral("blueprintBanner"));
    connect(m_leave, &QPushButton::clicked, this, [this] { m_editor->isOnlyThisCopy() ? m_editor->setOnlyThisCopy(false) : m_editor->leave(); });
    for (const auto signal : {&GraphEditor::selectionChanged, &GraphEditor::changed, &GraphEditor::insideChanged})
        connect(editor, signal, this, &BlueprintBanner::showState);
    showState();
}

void BlueprintBanner::showState()
{
    const auto copy = m_editor->selectedCopy();
    const bool alone = m_editor->isOnlyThisCopy() && copy;
    const auto& inside = m_editor->inside();
    setVisible(alone || inside);
    if (alone)
        m_text->setText(tr("Changes of what is selected are made in %1 alone, as overrides.").arg(m_editor->copyName(*copy)));
    else if (inside)
        m_text->setText(tr("Every change here is made in all %1 copies of %2 at once, in one undo step.").arg(texts::count(m_editor->copies().blueprints()[inside->blueprint].count), QString::fromStdString(m_editor->copies().blueprints()[inside->blueprint].of)));
    m_leave->setText(alone ? tr("Change all copies") : tr("Back to the drawing"));
}

} // namespace fabricscope
