#include "widgets/results/explanationview.h"

#include "core/base/index.h"
#include "core/insight/explaintext.h"
#include "widgets/base/apptheme.h"
#include "widgets/base/inked.h"
#include "widgets/base/showntexts.h"
#include "widgets/base/texts.h"
#include "widgets/base/valuerows.h"
#include "widgets/results/sensitivitychart.h"
#include "widgets/results/words.h"

#include <QFrame>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QVBoxLayout>

#include <algorithm>

namespace fabricscope {

namespace {

constexpr std::size_t kMostEffects = 6;

QLabel* plainLabel(const char* name)
{
    auto* label = new QLabel;
    label->setObjectName(QString::fromLatin1(name));
    label->setTextFormat(Qt::PlainText);
    label->setWordWrap(true);
    return label;
}

double shareOf(std::int64_t part, std::int64_t whole)
{
    return whole > 0 ? static_cast<double>(part) / static_cast<double>(whole) : 0;
}

} // namespace

ExplanationView::ExplanationView(QWidget* parent)
    : QWidget(parent), m_state(plainLabel("state")), m_act(new QPushButton), m_body(new QWidget), m_parts(new ValueRows), m_bound(plainLabel("bound")), m_list(new QVBoxLayout),
      m_sensitivity(plainLabel("sensitivity")), m_chart(new SensitivityChart), m_notes(plainLabel("notes"))
{
    m_parts->setObjectName(QStringLiteral("pathparts"));
    m_sensitivity->setText(tr("If 10 % faster, and how far that holds"));
    auto* column = new QVBoxLayout(this);
    addState(column);
    auto* body = new QVBoxLayout(m_body);
    body->setContentsMargins(0, 0, 0, 0);
    for (QWidget* part : std::initializer_list<QWidget*>{m_parts, m_bound})
        body->addWidget(part);
    body->addLayout(m_list);
    for (QWidget* part : std::initializer_list<QWidget*>{m_sensitivity, m_chart, m_notes})
        body->addWidget(part);
    column->addWidget(m_body);
    followTheme(this, &ExplanationView::setTheme);
    refresh();
}

void ExplanationView::addState(QVBoxLayout* column)
{
    auto* row = new QHBoxLayout;
    row->addWidget(m_state, 1);
    row->addWidget(m_act);
    m_act->setObjectName(QStringLiteral("explain"));
    connect(m_act, &QPushButton::clicked, this, [this] { m_busy ? emit stopWanted() : emit explainWanted(); });
    column->addLayout(row);
}

void ExplanationView::setExplanation(const ExplainedRunPtr& explained)
{
    m_explained = explained;
    m_problem.clear();
    refresh();
}

void ExplanationView::setExplainable(bool can)
{
    m_can = can;
    refresh();
}

void ExplanationView::setBusy(bool busy)
{
    m_busy = busy;
    setProgress(0, m_explained != nullptr);
    refresh();
}

void ExplanationView::setProgress(double share, bool ranging)
{
    if (m_busy)
        m_state->setText((ranging ? tr("How far each number may change: %1") : tr("Going back from the end: %1")).arg(texts::percent(share, 0)));
}

void ExplanationView::setProblem(const QString& text)
{
    m_explained = nullptr;
    m_problem = text;
    refresh();
}

void ExplanationView::refresh()
{
    m_body->setVisible(m_explained != nullptr);
    m_act->setText(m_busy ? tr("Stop") : tr("Explain"));
    m_act->setVisible(m_busy || !m_explained || !m_explained->ranged);
    m_act->setEnabled(m_busy || m_can);
    if (!m_busy && !m_problem.isEmpty())
        m_state->setText(m_problem);
    else if (!m_busy)
        m_state->setText(m_explained ? (m_explained->ranged ? QString() : tr("Ranges were not looked for.")) : tr("What the finish hangs on, from the end of the run back to its start."));
    m_state->setVisible(!m_state->text().isEmpty());
    if (m_explained) {
        showParts();
        showItems();
    }
}

void ExplanationView::showParts()
{
    const Explanation& explanation = m_explained->explanation;
    const SimTime whole{explanation.path.toPs - explanation.path.fromPs};
    std::vector<ValueRow> rows;
    for (const auto& [cause, ps] : causesOf(explanation.path))
        rows.push_back({texts::atStart(QString::fromStdString(causeText(cause))), texts::timeIn({ps}, whole, 3), texts::percent(shareOf(ps, whole.ps))});
    rows.push_back({tr("Critical path"), texts::timeIn(whole, whole, 3), {}, {}, false, true});
    m_parts->setRows(std::move(rows));
    const std::optional<RunBound>& bound = explanation.bound;
    m_bound->setVisible(bound && bound->ps > 0);
    if (bound)
        m_bound->setText(tr("Lower bound %1, %2 reached. It is set by %3.")
                             .arg(texts::time({bound->ps}), texts::percent(shareOf(bound->ps, explanation.run->record().finish.ps)), texts::shown(bound->binds)));
    std::vector<ParameterEffect> effects = explanation.parameters;
    effects.resize(std::min(effects.size(), kMostEffects));
    m_sensitivity->setVisible(!effects.empty());
    m_chart->setVisible(!effects.empty());
    m_chart->setEffects(std::move(effects), m_explained->ranged);
    QStringList notes;
    for (const std::string& note : explanation.notes)
        notes.append(texts::atStart(texts::shown(note)) + QLatin1Char('.'));
    m_notes->setText(notes.join(QLatin1Char('\n')));
    m_notes->setVisible(!notes.isEmpty());
}

ExplanationView::Item ExplanationView::makeItem(std::size_t number)
{
    Item item{new QFrame, plainLabel("item"), plainLabel("gain"), new QPushButton, new QPushButton(tr("Show on timeline"))};
    if (number == 0)
        item.frame->setProperty("banner", QStringLiteral("warn"));
    item.gain->setWordWrap(false);
    item.act->setObjectName(QStringLiteral("try"));
    item.show->setObjectName(QStringLiteral("show"));
    item.show->setProperty("link", true);
    auto* head = new QHBoxLayout;
    head->addWidget(item.text, 1);
    head->addWidget(item.gain, 0, Qt::AlignTop);
    auto* buttons = new QHBoxLayout;
    buttons->addWidget(item.act);
    buttons->addWidget(item.show);
    buttons->addStretch(1);
    auto* column = new QVBoxLayout(item.frame);
    column->addLayout(head);
    column->addLayout(buttons);
    connect(item.act, &QPushButton::clicked, this, [this, number] {
        const DiagnosisItem& shown = m_explained->explanation.diagnosis[number];
        emit tryEdit(QString::fromStdString(shown.field), QString::fromStdString(shown.value));
    });
    connect(item.show, &QPushButton::clicked, this, [this, number] { emit showPiece(*m_explained->explanation.diagnosis[number].piece); });
    m_list->addWidget(item.frame);
    return item;
}

void ExplanationView::showItems()
{
    const std::vector<DiagnosisItem>& found = m_explained->explanation.diagnosis;
    while (m_items.size() < found.size()) {
        m_items.push_back(makeItem(m_items.size()));
        restyle();
    }
    for (std::size_t i = 0; i < m_items.size(); ++i) {
        const Item& item = m_items[i];
        item.frame->setVisible(i < found.size());
        if (i >= found.size())
            continue;
        const DiagnosisItem& shown = found[i];
        const QString sentence = texts::atStart(texts::shown(shown.text)) + QLatin1Char('.');
        item.text->setText(QStringLiteral("%1  %2").arg(i + 1).arg(sentence));
        item.gain->setText(shown.gainPs > 0 ? QStringLiteral("\u25BC ") + texts::time({shown.gainPs}) : QString());
        item.frame->setAccessibleName(sentence);
        item.frame->setAccessibleDescription(tr("shown by %1").arg(texts::shown(shown.evidence)));
        item.frame->setToolTip(texts::toolTip(tr("Shown by %1").arg(texts::shown(shown.evidence))));
        item.act->setVisible(!shown.field.empty());
        item.act->setText(tr("Try %1").arg(texts::shown(shown.value)));
        item.act->setToolTip(texts::toolTip(tr("Sets %1; can be undone").arg(texts::shown(shown.field))));
        item.show->setVisible(shown.piece.has_value());
    }
}

void ExplanationView::setTheme(const Theme& theme)
{
    m_theme = theme;
    restyle();
}

void ExplanationView::restyle()
{
    const auto inked = [this](QLabel* label, TextStyle style, Role role) { ink(*label, m_theme, style, role); };
    const int edge = m_theme.scaled(12);
    layout()->setContentsMargins(edge, 0, edge, m_theme.scaled(10));
    layout()->setSpacing(m_theme.scaled(8));
    m_body->layout()->setSpacing(m_theme.scaled(8));
    m_list->setSpacing(m_theme.scaled(4));
    inked(m_state, TextStyle::Table, Role::Text2);
    inked(m_bound, TextStyle::Table, Role::Text2);
    inked(m_notes, TextStyle::Hint, Role::Text2);
    inked(m_sensitivity, TextStyle::BodyStrong, Role::Text);
    for (const Item& item : m_items) {
        const bool first = item.frame == m_items.front().frame;
        inked(item.text, TextStyle::Table, Role::Text);
        inked(item.gain, TextStyle::BodyStrong, Role::Text);
        const int inner = first ? m_theme.scaled(8) : 0;
        item.frame->layout()->setContentsMargins(inner, inner, inner, inner);
        item.frame->layout()->setSpacing(m_theme.scaled(4));
    }
}

} // namespace fabricscope
