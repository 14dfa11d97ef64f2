#include "widgets/results/inspector.h"

#include "widgets/base/apptheme.h"
#include "widgets/base/inked.h"
#include "widgets/base/chip.h"
#include "widgets/base/collapsible.h"
#include "widgets/base/icons.h"
#include "widgets/base/texts.h"
#include "widgets/base/valuerows.h"
#include "widgets/results/explanationview.h"
#include "widgets/results/section.h"
#include "widgets/results/words.h"

#include <QFrame>
#include <QGraphicsOpacityEffect>
#include <QHBoxLayout>
#include <QLabel>
#include <QLocale>
#include <QPainter>
#include <QPushButton>
#include <QScrollBar>
#include <QVBoxLayout>

namespace fabricscope {

namespace {

constexpr int kWidth = 320;
constexpr int kSmallestWidth = 280;
constexpr double kFaded = 0.6;

QFrame* ruleIn(QWidget* parent)
{
    auto* rule = new QFrame(parent);
    rule->setProperty("rule", true);
    return rule;
}

/// "D2" in the colour of the dimension, as chips are everywhere.
QPixmap chipPixmap(const Theme& theme, int dimension, double ratio)
{
    const QSize size(theme.scaled(24), theme.scaled(16));
    QPixmap pixmap(size * ratio);
    pixmap.setDevicePixelRatio(ratio);
    pixmap.fill(Qt::transparent);
    QPainter painter(&pixmap);
    painter.setRenderHint(QPainter::Antialiasing);
    const QColor fill = theme.dimension(dimension);
    painter.setPen(Qt::NoPen);
    painter.setBrush(fill);
    painter.drawRoundedRect(QRectF(QPointF(), QSizeF(size)), 3, 3);
    painter.setPen(theme.ink(fill));
    painter.setFont(theme.font(TextStyle::LabelStrong));
    painter.drawText(QRectF(QPointF(), QSizeF(size)), Qt::AlignCenter, QStringLiteral("D%1").arg(dimension));
    return pixmap;
}

} // namespace

Inspector::Inspector(QWidget* parent)
    : QScrollArea(parent), m_resultHead(new Collapsible(tr("Result"))), m_explanationHead(new Collapsible(tr("Why"))), m_selectionHead(new Collapsible(tr("Selection"))), m_explanation(new ExplanationView), m_resultSection(new ResultSection),
      m_fade(new QGraphicsOpacityEffect(m_resultSection)), m_status(new QLabel)
{
    setAccessibleName(tr("Inspector"));
    setFrameShape(QFrame::NoFrame);
    setWidgetResizable(true);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    auto* content = new QWidget;
    content->setProperty("surface", QStringLiteral("panel"));
    auto* column = new QVBoxLayout(content);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);

    m_fade->setOpacity(kFaded);
    m_fade->setEnabled(false);
    m_resultSection->setGraphicsEffect(m_fade);
    m_resultHead->setContent(m_resultSection);
    m_status->setObjectName(QStringLiteral("status"));
    m_resultHead->addToHead(m_status);
    column->addWidget(m_resultHead);
    buildDiagnosis(content);
    column->addWidget(m_rules[0] = ruleIn(content));
    column->addWidget(m_diagnosis);
    column->addWidget(m_rules[1] = ruleIn(content));
    m_explanationHead->setContent(m_explanation);
    connect(m_explanation, &ExplanationView::tryEdit, this, &Inspector::tryEdit);
    column->addWidget(m_explanationHead);
    buildSelection();
    column->addWidget(m_selectionHead);
    column->addStretch(1);
    setWidget(content);
    followTheme(this, &Inspector::setTheme);
    setResult({});
}

void Inspector::buildDiagnosis(QWidget* parent)
{
    m_diagnosis = new QFrame(parent);
    m_diagnosis->setProperty("banner", QStringLiteral("warn"));
    m_diagnosisIcon = new QLabel(m_diagnosis);
    m_diagnosisIcon->setAccessibleName(tr("Finding"));
    m_diagnosisTitle = new QLabel(m_diagnosis);
    m_diagnosisText = new QLabel(m_diagnosis);
    for (QLabel* label : {m_diagnosisTitle, m_diagnosisText}) {
        label->setTextFormat(Qt::PlainText);
        label->setWordWrap(true);
    }
    m_try = new QPushButton(m_diagnosis);
    m_show = new QPushButton(m_diagnosis);
    m_show->setProperty("link", true);
    auto* buttons = new QHBoxLayout;
    buttons->addWidget(m_try);
    buttons->addWidget(m_show);
    buttons->addStretch(1);
    auto* texts = new QVBoxLayout;
    texts->addWidget(m_diagnosisTitle);
    texts->addWidget(m_diagnosisText);
    texts->addLayout(buttons);
    auto* row = new QHBoxLayout(m_diagnosis);
    row->addWidget(m_diagnosisIcon, 0, Qt::AlignTop);
    row->addLayout(texts, 1);
    connect(m_try, &QPushButton::clicked, this, [this] {
        if (m_finding)
            emit tryEdit(m_finding->tryField, m_finding->tryValue);
    });
    connect(m_show, &QPushButton::clicked, this, [this] {
        if (!m_finding)
            return;
        if (m_finding->link >= 0)
            emit selectLink(m_finding->link);
        else
            emit showOnTimeline(m_finding->rank);
    });
}

void Inspector::buildSelection()
{
    m_selectionBody = new QWidget;
    m_selectionMark = new QLabel(m_selectionBody);
    m_selectionTitle = new QLabel(m_selectionBody);
    m_selectionText = new QLabel(m_selectionBody);
    for (QLabel* label : {m_selectionTitle, m_selectionText}) {
        label->setTextFormat(Qt::PlainText);
        label->setWordWrap(true);
    }
    m_selectionRows = new ValueRows(m_selectionBody);
    m_selectionRows->setObjectName(QStringLiteral("selection"));
    m_why = new QWidget(m_selectionBody);
    m_whyTitle = new QLabel(m_why);
    m_whyUnit = new QLabel(m_why);
    m_whyRows = new ValueRows(m_why);
    m_whyRows->setObjectName(QStringLiteral("why"));
    m_step = new QPushButton(tr("Step through"), m_selectionBody);
    m_onTimeline = new QPushButton(tr("Show on timeline"), m_selectionBody);
    m_onTimeline->setProperty("link", true);

    auto* title = new QHBoxLayout;
    title->addWidget(m_selectionMark, 0, Qt::AlignVCenter);
    title->addWidget(m_selectionTitle, 1);
    auto* whyHead = new QHBoxLayout;
    whyHead->addWidget(m_whyTitle, 1);
    whyHead->addWidget(m_whyUnit);
    auto* why = new QVBoxLayout(m_why);
    why->setContentsMargins(0, 0, 0, 0);
    why->addLayout(whyHead);
    why->addWidget(m_whyRows);
    auto* buttons = new QHBoxLayout;
    buttons->addWidget(m_step);
    buttons->addWidget(m_onTimeline);
    buttons->addStretch(1);
    auto* column = new QVBoxLayout(m_selectionBody);
    column->addLayout(title);
    column->addWidget(m_selectionText);
    column->addWidget(m_selectionRows);
    column->addWidget(m_why);
    column->addLayout(buttons);
    m_selectionHead->setContent(m_selectionBody);
    connect(m_step, &QPushButton::clicked, this, [this] {
        if (m_selection)
            emit stepThrough(m_selection->instance);
    });
    connect(m_onTimeline, &QPushButton::clicked, this, [this] {
        if (m_selection)
            emit showOnTimeline(m_selection->rank);
    });
}

void Inspector::setResult(RunResultPtr current, RunResultPtr previous, const QString& sinceText)
{
    m_result = std::move(current);
    m_finding = m_result ? diagnose(*m_result) : std::nullopt;
    setExplanation(m_explanation->explanation());
    m_explanation->setExplainable(m_result && m_result->record().complete && !m_result->isPartial());
    m_explanationHead->setVisible(m_result != nullptr);
    m_resultSection->setResult(m_result, std::move(previous), sinceText);
    if (m_selection && m_describe && m_result)
        m_selection = m_describe(*m_result);
    refreshStatus();
    refreshDiagnosis();
    refreshSelection();
}

void Inspector::setExplanation(const ExplainedRunPtr& explained)
{
    m_explanation->setExplanation(explained && explained->of == m_result ? explained : nullptr);
    refreshDiagnosis();
}

void Inspector::setUpdating(bool updating)
{
    m_updating = updating;
    m_fade->setEnabled(updating);
    refreshStatus();
}

void Inspector::setOutdated(bool outdated)
{
    m_outdated = outdated;
    refreshStatus();
}

void Inspector::refreshStatus()
{
    m_status->setToolTip(m_outdated && !m_updating ? texts::earlierInputsExplained() : QString());
    m_status->setVisible(m_result != nullptr || m_updating);
    if (m_updating)
        setChip(*m_status, "info", tr("Updating"));
    else if (!m_result)
        m_status->clear();
    else if (m_outdated)
        setChip(*m_status, "warn", texts::earlierInputs());
    else if (m_result->isPartial())
        setChip(*m_status, "warn", tr("Partial to %1").arg(texts::time(*m_result->record().cutAt, 1)));
    else if (!m_result->record().complete)
        setChip(*m_status, "err", tr("Stuck"));
    else
        setChip(*m_status, "ok", tr("Complete"));
}

void Inspector::refreshDiagnosis()
{
    // The first thing an explanation says is about as much, with more behind it.
    const bool shown = m_finding && !m_explanation->explanation();
    m_diagnosis->setVisible(shown);
    m_rules[1]->setVisible(shown);
    if (!m_finding)
        return;
    m_diagnosisTitle->setText(m_finding->title);
    m_diagnosisText->setText(m_finding->text);
    m_diagnosis->setAccessibleName(m_finding->title);
    m_diagnosis->setAccessibleDescription(m_finding->text);
    m_try->setVisible(!m_finding->tryField.isEmpty());
    m_try->setText(tr("Try %1").arg(QString(m_finding->tryValue).replace(QLatin1Char('.'), QLocale().decimalPoint())));
    m_show->setVisible(m_finding->link >= 0 || m_finding->rank >= 0);
    m_show->setText(m_finding->link >= 0 ? tr("Show the link") : tr("Show on timeline"));
}

void Inspector::refreshSelection()
{
    m_selectionHead->setVisible(m_selection.has_value());
    if (!m_selection)
        return;
    const SelectionDetails& shown = *m_selection;
    m_selectionMark->setVisible(shown.swatch.has_value() || shown.dimension >= 0);
    if (shown.swatch)
        m_selectionMark->setPixmap(ValueRows::swatch(m_theme, *shown.swatch, false, devicePixelRatioF()));
    else if (shown.dimension >= 0)
        m_selectionMark->setPixmap(chipPixmap(m_theme, shown.dimension, devicePixelRatioF()));
    m_selectionMark->setAccessibleName(shown.dimension >= 0 ? tr("Dimension %1").arg(shown.dimension) : tr("Kind"));
    m_selectionTitle->setText(shown.title);
    m_selectionText->setText(shown.subtitle);
    m_selectionText->setVisible(!shown.subtitle.isEmpty());
    m_selectionRows->setRows(shown.rows);
    m_why->setVisible(!shown.why.empty());
    m_whyTitle->setText(shown.whyTitle);
    m_whyUnit->setText(shown.whyUnit);
    m_whyRows->setRows(shown.why);
    m_step->setVisible(shown.instance >= 0);
    m_onTimeline->setVisible(shown.rank >= 0 && !shown.swatch);
}

void Inspector::select(std::function<SelectionDetails(const RunResult&)> describe, bool follows)
{
    if (!m_result)
        return;
    m_selection = describe(*m_result);
    m_describe = follows ? std::move(describe) : nullptr;
    if (m_selection->title.isEmpty())
        m_selection.reset();
    refreshSelection();
}

void Inspector::showEvent(const TimelineEvent& event, std::int32_t rankClass, TaskIndex task)
{
    select([event, rankClass, task](const RunResult& result) { return eventDetailsOf(result, event, rankClass, task); }, false);
}

void Inspector::showLink(LinkId link)
{
    select([link](const RunResult& result) { return linkDetails(result, link); }, true);
}

void Inspector::showNpu(NodeId npu)
{
    select([npu](const RunResult& result) { return npuDetails(result, npu); }, true);
}

void Inspector::showDimension(int dimension)
{
    select([dimension](const RunResult& result) { return dimensionDetails(result, dimension); }, true);
}

void Inspector::showRange(const TimeRange& range, const TimelineSums& sums)
{
    select([range, sums](const RunResult&) { return rangeDetails(range, sums); }, false);
}

void Inspector::clearSelection()
{
    m_selection.reset();
    m_describe = nullptr;
    refreshSelection();
}

void Inspector::setTheme(const Theme& theme)
{
    m_theme = theme;
    restyle();
    refreshSelection();
}

void Inspector::restyle()
{
    const auto inked = [this](QLabel* label, TextStyle style, Role role) { ink(*label, m_theme, style, role); };
    const int edge = m_theme.scaled(12);
    m_diagnosisIcon->setPixmap(icon("warning", IconColors::plain(m_theme.color(Role::Warn))).pixmap(QSize(m_theme.scaled(16), m_theme.scaled(16)), devicePixelRatioF()));
    inked(m_diagnosisTitle, TextStyle::BodyStrong, Role::Text);
    inked(m_diagnosisText, TextStyle::Table, Role::Text);
    inked(m_selectionTitle, TextStyle::BodyStrong, Role::Text);
    inked(m_selectionText, TextStyle::Hint, Role::Text2);
    inked(m_whyTitle, TextStyle::BodyStrong, Role::Text);
    inked(m_whyUnit, TextStyle::Hint, Role::Text3);
    m_diagnosis->layout()->setContentsMargins(edge, m_theme.scaled(10), edge, m_theme.scaled(10));
    m_diagnosis->layout()->setSpacing(m_theme.scaled(8));
    m_selectionBody->layout()->setContentsMargins(edge, 0, edge, m_theme.scaled(10));
    m_selectionBody->layout()->setSpacing(m_theme.scaled(6));
    m_why->layout()->setSpacing(m_theme.scaled(2));
    m_status->setFixedHeight(m_theme.scaled(20));
    setMinimumWidth(m_theme.scaled(kSmallestWidth));
}

QSize Inspector::sizeHint() const
{
    return {m_theme.scaled(kWidth), m_theme.scaled(600)};
}

QSize Inspector::minimumSizeHint() const
{
    return {m_theme.scaled(kSmallestWidth), m_theme.scaled(120)};
}

} // namespace fabricscope
