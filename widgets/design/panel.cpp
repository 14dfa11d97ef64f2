#include "widgets/design/panel.h"

#include "widgets/base/apptheme.h"
#include "widgets/design/editactions.h"

#include <QHBoxLayout>
#include <QHeaderView>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QScrollBar>
#include <QStyledItemDelegate>
#include <QVBoxLayout>

namespace fabricscope {

namespace {

constexpr int kOverrideRows = 8; ///< More of them scroll.

/// Diamond, name, value, change and a cross at the right of the row under the pointer or the selected one.
class OverrideDelegate : public QStyledItemDelegate
{
public:
    using QStyledItemDelegate::QStyledItemDelegate;
    Theme theme;

    void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override
    {
        painter->save();
        painter->setRenderHint(QPainter::Antialiasing);
        const bool selected = option.state.testFlag(QStyle::State_Selected);
        const bool hovered = option.state.testFlag(QStyle::State_MouseOver);
        painter->fillRect(option.rect, theme.color(selected ? Role::Sel : hovered ? Role::Hover : Role::Panel));
        QRect rect = option.rect.adjusted(4, 0, index.column() == OverridesModel::Change ? -12 : -4, 0);
        if (index.column() == OverridesModel::Name) {
            const double half = theme.scaled(5);
            const QPointF middle(rect.left() + theme.scaled(8) + half, rect.center().y() + 0.5);
            painter->setPen(QPen(theme.color(Role::Warn), 2));
            painter->setBrush(theme.color(Role::View));
            painter->drawPolygon(QPolygonF{middle + QPointF(0, -half), middle + QPointF(half, 0), middle + QPointF(0, half), middle + QPointF(-half, 0)});
            rect.setLeft(static_cast<int>(middle.x() + half) + theme.scaled(8));
        }
        painter->setFont(theme.font(index.column() == OverridesModel::Change ? TextStyle::Hint : TextStyle::Body));
        painter->setPen(theme.color(index.column() == OverridesModel::Change ? Role::Text3 : Role::Text));
        const auto alignment = index.data(Qt::TextAlignmentRole).value<Qt::Alignment>();
        painter->drawText(rect, static_cast<int>(alignment), painter->fontMetrics().elidedText(index.data().toString(), Qt::ElideMiddle, rect.width()));
        painter->restore();
    }
};

} // namespace

DesignPanel::DesignPanel(QWidget* parent)
    : QWidget(parent), m_title(new QLabel(tr("Design"), this)), m_tableButton(new QToolButton(this)), m_textButton(new QToolButton(this)), m_banner(new QLabel(this)),
      m_pages(new QStackedWidget(this)), m_scroll(new QScrollArea), m_table(new DimensionTable), m_sliders(new DimensionSliders), m_slidersRule(rule()), m_element(new ElementEditor),
      m_elementRule(rule()), m_overrides(new QTableView), m_overridesModel(new OverridesModel(this)), m_npu(new NpuFacts), m_workload(new WorkloadFacts), m_collectives(new CollectiveFacts),
      m_question(new QuestionEdit), m_yaml(new YamlView)
{
    setProperty("surface", QStringLiteral("panel"));
    setAttribute(Qt::WA_StyledBackground);
    auto* outer = new QVBoxLayout(this);
    outer->setContentsMargins(0, 0, 0, 0);
    outer->setSpacing(0);
    auto* head = new QHBoxLayout;
    head->setContentsMargins(12, 4, 8, 4);
    head->setSpacing(0);
    head->addWidget(m_title, 1);
    for (QToolButton* button : {m_tableButton, m_textButton}) {
        button->setCheckable(true);
        button->setAutoExclusive(true);
        button->setToolButtonStyle(Qt::ToolButtonTextOnly);
        button->setFocusPolicy(Qt::StrongFocus);
        head->addWidget(button);
    }
    m_tableButton->setText(tr("Table"));
    m_tableButton->setAccessibleName(tr("Design as a table"));
    m_tableButton->setProperty("segment", QStringLiteral("first"));
    m_textButton->setText(tr("YAML"));
    m_textButton->setAccessibleName(tr("Design as YAML"));
    m_textButton->setProperty("segment", QStringLiteral("last"));
    m_tableButton->setChecked(true);
    connect(m_tableButton, &QToolButton::toggled, this, [this](bool on) { m_pages->setCurrentIndex(on ? 0 : 1); });
    outer->addLayout(head);
    outer->addWidget(rule());
    m_banner->setTextFormat(Qt::RichText);
    m_banner->setWordWrap(true);
    m_banner->setContentsMargins(12, 6, 12, 6);
    m_banner->setTextInteractionFlags(Qt::LinksAccessibleByMouse | Qt::LinksAccessibleByKeyboard);
    m_banner->hide();
    connect(m_banner, &QLabel::linkActivated, this, [this] {
        const int line = m_document && !m_document->issues().empty() ? m_document->issues().front().place.line : 1;
        focusField({}, std::max(1, line));
    });
    outer->addWidget(m_banner);
    outer->addWidget(m_pages, 1);

    auto* content = new QWidget;
    content->setProperty("surface", QStringLiteral("panel"));
    content->setAttribute(Qt::WA_StyledBackground);
    auto* column = new QVBoxLayout(content);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(m_table);
    column->addWidget(m_slidersRule);
    column->addWidget(m_sliders);
    column->addWidget(m_elementRule);
    column->addWidget(m_element);
    makeOverrides();
    m_overridesSection = section(tr("Overrides"), m_overrides, &m_overridesCount);
    column->addWidget(m_overridesSection);
    column->addWidget(section(tr("NPU"), m_npu));
    column->addWidget(section(tr("Workload"), m_workload));
    column->addWidget(section(tr("Collectives"), m_collectives));
    column->addWidget(section(tr("Question"), m_question));
    column->addStretch(1);
    m_scroll->setWidget(content);
    content->installEventFilter(this);
    m_scroll->setWidgetResizable(true);
    m_scroll->setFrameShape(QFrame::NoFrame);
    m_scroll->setFocusPolicy(Qt::NoFocus);
    m_scroll->setAccessibleName(tr("Design"));
    m_pages->addWidget(m_scroll);
    m_pages->addWidget(m_yaml);

    connect(m_table->view(), &DimensionView::dimensionSelected, this, [this](int dimension) {
        m_sliders->setDimension(dimension);
        m_slidersRule->setVisible(!m_sliders->isHidden());
        emit dimensionSelected(dimension);
    });
    followTheme(this, &DesignPanel::setTheme);
    update();
}

QFrame* DesignPanel::rule()
{
    auto* line = new QFrame(this);
    line->setProperty("rule", true);
    line->setFixedHeight(1);
    return line;
}

QWidget* DesignPanel::section(const QString& title, QWidget* content, QLabel** count)
{
    auto* box = new QWidget(this);
    auto* column = new QVBoxLayout(box);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(rule());
    auto* inner = new QVBoxLayout;
    const bool table = content == m_overrides;
    inner->setContentsMargins(table ? 0 : 12, 8, table ? 0 : 12, 8);
    inner->setSpacing(4);
    auto* head = new QHBoxLayout;
    head->setContentsMargins(table ? 12 : 0, 0, 0, 0);
    auto* label = new QLabel(title, box);
    label->setProperty("role", QStringLiteral("section"));
    m_sectionTitles.push_back(label);
    head->addWidget(label);
    if (count) {
        *count = new QLabel(box);
        (*count)->setAlignment(Qt::AlignCenter);
        head->addWidget(*count);
    }
    head->addStretch(1);
    inner->addLayout(head);
    inner->addWidget(content);
    column->addLayout(inner);
    return box;
}

void DesignPanel::makeOverrides()
{
    m_overrides->setModel(m_overridesModel);
    m_overrides->setItemDelegate(new OverrideDelegate(m_overrides));
    m_overrides->setAccessibleName(tr("Overrides"));
    m_overrides->setSelectionBehavior(QAbstractItemView::SelectRows);
    m_overrides->setSelectionMode(QAbstractItemView::SingleSelection);
    m_overrides->setTabKeyNavigation(false);
    m_overrides->setShowGrid(false);
    m_overrides->setFrameShape(QFrame::NoFrame);
    m_overrides->setMouseTracking(true);
    m_overrides->setWordWrap(false);
    m_overrides->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_overrides->horizontalHeader()->hide();
    m_overrides->horizontalHeader()->setMinimumSectionSize(1);
    m_overrides->verticalHeader()->hide();
    m_overrides->verticalHeader()->setMinimumSectionSize(1);
    m_overrides->installEventFilter(this);
    m_overrides->viewport()->installEventFilter(this);
    m_overrides->setContextMenuPolicy(Qt::ActionsContextMenu);
    auto* reset = new QAction(tr("Reset override"), m_overrides);
    reset->setShortcut(QKeySequence(Qt::Key_Delete));
    reset->setShortcutContext(Qt::WidgetShortcut);
    m_overrides->addAction(reset);
    connect(reset, &QAction::triggered, this, [this] {
        if (m_overrides->currentIndex().isValid())
            static_cast<void>(m_overridesModel->reset(m_overrides->currentIndex().row()));
    });
    connect(m_overrides->selectionModel(), &QItemSelectionModel::selectionChanged, this, [this] {
        // Not the current row: that is also set by the focus passing through.
        const QModelIndex current = m_overrides->currentIndex();
        if (!current.isValid() || !m_overrides->selectionModel()->isSelected(current))
            return;
        const LinkId link = m_overridesModel->linkOf(current.row());
        const NodeId npu = m_overridesModel->npuOf(current.row());
        if (link >= 0)
            m_element->setLink(link);
        else if (npu >= 0)
            m_element->setNpu(npu);
        m_elementRule->setVisible(!m_element->isHidden());
        emit elementSelected(npu, link);
    });
}

void DesignPanel::layoutOverrides()
{
    const int rows = std::min(m_overridesModel->rowCount(), kOverrideRows);
    m_overrides->setFixedHeight(rows * m_overrides->verticalHeader()->defaultSectionSize() + 1);
    const QFontMetrics body(m_theme.font(TextStyle::Body));
    const QFontMetrics hint(m_theme.font(TextStyle::Hint));
    int value = 0;
    int change = 0;
    for (int i = 0; i < m_overridesModel->rowCount(); ++i) {
        value = std::max(value, body.horizontalAdvance(m_overridesModel->index(i, OverridesModel::Value).data().toString()));
        change = std::max(change, hint.horizontalAdvance(m_overridesModel->index(i, OverridesModel::Change).data().toString()));
    }
    const int changeWidth = change == 0 ? m_theme.scaled(8) : change + m_theme.scaled(22);
    m_overrides->horizontalHeader()->resizeSection(OverridesModel::Value, value + 10);
    m_overrides->horizontalHeader()->resizeSection(OverridesModel::Change, changeWidth);
    m_overrides->horizontalHeader()->resizeSection(OverridesModel::Name, std::max(40, m_overrides->viewport()->width() - value - 10 - changeWidth));
}

bool DesignPanel::eventFilter(QObject* watched, QEvent* event)
{
    // Narrower, text would be cut. Where the window says how narrow it must be able to be, one scrolls sideways.
    if (watched == m_scroll->widget() && event->type() == QEvent::LayoutRequest)
        m_scroll->setMinimumWidth(minimumWidth() > 0 ? 0 : m_scroll->widget()->minimumSizeHint().width() + m_scroll->verticalScrollBar()->sizeHint().width());
    if (watched == m_overrides->viewport() && event->type() == QEvent::Resize)
        layoutOverrides();
    return QWidget::eventFilter(watched, event);
}

void DesignPanel::setDocument(DesignDocument* document)
{
    if (m_document)
        disconnect(m_document, nullptr, this, nullptr);
    m_document = document;
    m_table->setDocument(document);
    m_sliders->setDocument(document);
    m_element->setDocument(document);
    m_overridesModel->setDocument(document);
    m_npu->setDocument(document);
    m_workload->setDocument(document);
    m_collectives->setDocument(document);
    m_question->setDocument(document);
    m_yaml->setDocument(document);
    if (document) {
        connect(document, &DesignDocument::replaced, this, [this] { m_overrides->setCurrentIndex({}); });
        connect(document, &DesignDocument::changed, this, &DesignPanel::update);
    }
    update();
}

void DesignPanel::setTheme(const Theme& theme)
{
    m_theme = theme;
    m_title->setFont(theme.font(TextStyle::BodyStrong));
    for (QToolButton* button : {m_tableButton, m_textButton})
        button->setFont(theme.font(TextStyle::Hint));
    for (QLabel* label : m_sectionTitles)
        label->setFont(theme.font(TextStyle::Section));
    m_banner->setFont(theme.font(TextStyle::Hint));
    m_banner->setStyleSheet(QStringLiteral("QLabel { background: %1; color: %2; }").arg(theme.color(Role::ErrBg).name(), theme.color(Role::Text).name()));
    m_overridesCount->setFont(theme.font(TextStyle::LabelStrong));
    m_overridesCount->setStyleSheet(QStringLiteral("QLabel { background: %1; color: %2; border-radius: 8px; padding: 1px 6px; }").arg(theme.color(Role::Pressed).name(), theme.color(Role::Text2).name()));
    static_cast<OverrideDelegate*>(m_overrides->itemDelegate())->theme = theme;
    m_overrides->verticalHeader()->setDefaultSectionSize(theme.scaled(24));
    m_overrides->setStyleSheet(QStringLiteral("QTableView { background: %1; }").arg(theme.color(Role::Panel).name()));
    m_table->view()->setStyleSheet(QStringLiteral("QTableView { background: %1; }").arg(theme.color(Role::Panel).name()));
    layoutOverrides();
}

void DesignPanel::update()
{
    const int overrides = m_overridesModel->rowCount();
    m_overridesSection->setVisible(overrides > 0);
    m_overridesCount->setText(QString::number(overrides));
    layoutOverrides();
    const int dimensions = m_table->view()->dimensions()->rowCount();
    if (dimensions > 0 && selectedDimension() < 0)
        m_table->view()->selectDimension(dimensions - 1); // the sliders always have something to move
    m_sliders->setDimension(selectedDimension());
    m_slidersRule->setVisible(!m_sliders->isHidden());
    m_elementRule->setVisible(!m_element->isHidden());
    const bool broken = m_document && !m_document->yaml();
    m_banner->setVisible(broken);
    if (broken && !m_document->issues().empty())
        m_banner->setText(tr("The text has an error in line %1. <a href=\"line\">Show it</a>").arg(m_document->issues().front().place.line));
}

void DesignPanel::selectDimension(int dimension)
{
    m_table->view()->selectDimension(dimension);
}

void DesignPanel::selectNpu(NodeId npu)
{
    m_element->setNpu(npu);
    m_elementRule->setVisible(!m_element->isHidden());
    const int row = m_overridesModel->rowOf(-1, npu);
    const QSignalBlocker quiet(m_overrides->selectionModel());
    m_overrides->setCurrentIndex(row >= 0 ? m_overridesModel->index(row, 0) : QModelIndex());
    m_overrides->viewport()->update();
}

void DesignPanel::selectLink(LinkId link)
{
    m_element->setLink(link);
    m_elementRule->setVisible(!m_element->isHidden());
    if (m_document && m_document->platform() && link >= 0 && link < m_document->platform()->linkCount()) {
        const std::int32_t dimension = m_document->platform()->linkInfo(link).dimension;
        if (dimension >= 0 && dimension < m_table->view()->dimensions()->rowCount())
            selectDimension(dimension);
    }
    const int row = m_overridesModel->rowOf(link, -1);
    const QSignalBlocker quiet(m_overrides->selectionModel());
    m_overrides->setCurrentIndex(row >= 0 ? m_overridesModel->index(row, 0) : QModelIndex());
    m_overrides->viewport()->update();
}

void DesignPanel::clearElement()
{
    m_element->clear();
    m_elementRule->hide();
}

void DesignPanel::showText(bool text)
{
    (text ? m_textButton : m_tableButton)->setChecked(true);
    m_pages->setCurrentIndex(text ? 1 : 0);
}

void DesignPanel::focusField(const QString& field, int line)
{
    const auto enter = [this](QWidget* editor) {
        showText(false);
        editor->setFocus(Qt::OtherFocusReason);
        m_scroll->ensureWidgetVisible(editor);
    };
    const bool readable = m_document && m_document->yaml();
    const QString npuSection = QStringLiteral("platform.npu.");
    const QString overrides = QStringLiteral("platform.overrides.");
    if (readable && field.startsWith(QLatin1String("platform.dimensions"))) {
        const QModelIndex cell = m_table->view()->dimensions()->indexOf(field);
        if (cell.isValid()) {
            showText(false);
            m_scroll->ensureWidgetVisible(m_table);
            m_table->view()->editCell(cell);
            return;
        }
    } else if (readable && field.startsWith(npuSection) && m_npu->field(field.mid(npuSection.size()))) {
        return enter(m_npu->field(field.mid(npuSection.size())));
    } else if (readable && field == QLatin1String("notes")) {
        return enter(m_question);
    } else if (readable && m_collectives->isEnabled() && field == QLatin1String("collectives.default.chunks")) {
        return enter(m_collectives->chunks());
    } else if (readable && m_collectives->isEnabled() && field.startsWith(QLatin1String("collectives.default.algorithm")) && m_collectives->algorithm(0)) {
        const int number = field.section(QLatin1Char('['), 1).section(QLatin1Char(']'), 0, 0).toInt();
        QComboBox* box = m_collectives->algorithm(number);
        return enter(box ? box : m_collectives->algorithm(0));
    } else if (readable && field.startsWith(overrides)) {
        for (int row = 0; row < m_overridesModel->rowCount(); ++row) {
            if (!field.startsWith(m_overridesModel->field(row)))
                continue;
            const LinkId link = m_overridesModel->linkOf(row);
            const NodeId npu = m_overridesModel->npuOf(row);
            m_overrides->setCurrentIndex(m_overridesModel->index(row, 0));
            const QString key = field.mid(m_overridesModel->field(row).size() + 1);
            if (link >= 0 && (key == QLatin1String("bandwidth") || key == QLatin1String("latency")))
                return enter(key == QLatin1String("latency") ? m_element->latencyField() : m_element->bandwidthField());
            if (npu >= 0 && key == QLatin1String("speed"))
                return enter(m_element->speedField());
            break; // its name: only the text has that
        }
    }
    if (line < 1 && m_document)
        line = m_document->design()->place(field.toStdString()).line;
    const int column = m_document && !field.isEmpty() ? m_document->design()->place(field.toStdString()).column : 0;
    showText(true);
    m_yaml->goTo(std::max(1, line), column);
    m_yaml->setFocus(Qt::OtherFocusReason);
}

} // namespace fabricscope
