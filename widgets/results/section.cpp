#include "widgets/results/section.h"

#include "core/base/index.h"
#include "core/report/planfigures.h"
#include "widgets/base/apptheme.h"
#include "widgets/base/background.h"
#include "widgets/base/chip.h"
#include "widgets/base/partsbar.h"
#include "widgets/base/tablecontent.h"
#include "widgets/base/texts.h"
#include "widgets/base/valuerows.h"
#include "widgets/results/planrows.h"
#include "widgets/results/words.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QStyle>
#include <QVBoxLayout>

#include <algorithm>

namespace fabricscope {

QString deltaText(SimTime before, SimTime now)
{
    if (before == now)
        return ResultSection::tr("No change");
    const SimTime change = now - before;
    const QChar sign(change.ps < 0 ? 0x25BC : 0x25B2);
    const SimTime absolute{change.ps < 0 ? -change.ps : change.ps};
    QString text = QString(sign) + QLatin1Char(' ') + texts::time(absolute);
    if (before.ps > 0) {
        const double share = static_cast<double>(change.ps) / static_cast<double>(before.ps);
        text += QStringLiteral(" (%1%2)").arg(change.ps > 0 ? QStringLiteral("+") : QString(), texts::percent(share));
    }
    return text;
}

ResultSection::ResultSection(QWidget* parent)
    : QWidget(parent), m_headline(new QLabel(this)), m_delta(new QLabel(this)), m_since(new QLabel(this)), m_change(new QHBoxLayout), m_bar(new PartsBar(this)), m_missing(new QLabel(this)), m_rows(new ValueRows(this)),
      m_planTitle(new QLabel(tr("Of the plan"), this)), m_plan(new ValueRows(this))
{
    m_headline->setObjectName(QStringLiteral("headline"));
    m_delta->setObjectName(QStringLiteral("delta"));
    m_since->setObjectName(QStringLiteral("since"));
    m_rows->setObjectName(QStringLiteral("parts"));
    m_missing->setObjectName(QStringLiteral("missing")); // In the place of parts there was no memory or no thread for.
    m_headline->setTextFormat(Qt::RichText);
    m_headline->setWordWrap(true);
    m_since->setWordWrap(true);
    m_missing->setWordWrap(true);
    m_missing->setText(texts::notShown());
    m_missing->hide();
    connect(m_missing, &QLabel::linkActivated, this, [this] { setResult(m_result, m_previous, m_sinceText); });
    m_since->setProperty("role", QStringLiteral("hint"));
    m_change->addWidget(m_delta, 0, Qt::AlignTop | Qt::AlignLeft);
    m_change->addWidget(m_since, 1);
    auto* column = new QVBoxLayout(this);
    column->addWidget(m_headline);
    column->addLayout(m_change);
    column->addWidget(m_bar);
    column->addWidget(m_missing);
    column->addWidget(m_rows);
    column->addWidget(m_planTitle);
    column->addWidget(m_plan);
    m_plan->setObjectName(QStringLiteral("plan"));
    followTheme(this, &ResultSection::setTheme);
}

void ResultSection::setResult(RunResultPtr current, RunResultPtr previous, const QString& sinceText)
{
    m_result = std::move(current);
    m_previous = std::move(previous);
    m_sinceText = sinceText;
    const int wanted = ++m_wanted;
    m_missing->hide();
    if (!m_result) {
        m_parts = {};
        refresh();
        return;
    }
    const RunRecord& record = m_result->record();
    const std::int32_t slowest = slowestClass(record);
    const auto compute = [result = m_result, slowest] { return resultParts(result->record(), *result->scenario->structure->workload, slowest); };
    const bool large = slowest >= 0 && record.classes[at(slowest)].tasks
        && record.classes[at(slowest)].tasks->issuePs.size() > kTasksAtOnce;
    if (!large) {
        showParts(compute());
        return;
    }
    refresh();
    inBackground(this, compute, [this, wanted](Result<ResultParts> parts) {
        if (wanted != m_wanted)
            return;
        // No parts, rather than those of another run.
        m_missing->setVisible(!parts);
        showParts(parts ? std::move(parts).value() : ResultParts());
    });
}

void ResultSection::arrangeChange()
{
    const int room = width() - m_delta->sizeHint().width() - m_theme.scaled(36);
    const bool beside = m_since->fontMetrics().horizontalAdvance(m_since->text()) <= room;
    m_change->setDirection(beside ? QBoxLayout::LeftToRight : QBoxLayout::TopToBottom);
    m_change->setSpacing(m_theme.scaled(beside ? 8 : 4));
}

void ResultSection::resizeEvent(QResizeEvent* event)
{
    QWidget::resizeEvent(event);
    arrangeChange();
}

void ResultSection::showParts(ResultParts parts)
{
    m_parts = std::move(parts);
    refresh();
}

void ResultSection::setTheme(const Theme& theme)
{
    m_theme = theme;
    layout()->setContentsMargins(theme.scaled(12), theme.scaled(4), theme.scaled(12), theme.scaled(10));
    layout()->setSpacing(theme.scaled(8));
    m_delta->setFixedHeight(theme.scaled(20));
    m_planTitle->setFont(theme.font(TextStyle::BodyStrong));
    refresh();
}

void ResultSection::refresh()
{
    m_bar->setVisible(!m_parts.parts.empty());
    m_delta->setVisible(m_result && m_previous);
    m_since->setVisible(m_result && m_previous);
    const bool planned = m_result && m_result->summary.plan;
    m_plan->setRows(planned ? simulatedPlanRows(*m_result->summary.plan, m_result->record().finish.ps) : std::vector<ValueRow>());
    m_planTitle->setVisible(!m_plan->rows().empty());
    m_plan->setVisible(!m_plan->rows().empty());
    if (!m_result) {
        m_headline->setText(tr("Nothing has run yet."));
        m_rows->setRows({});
        m_bar->setParts({});
        return;
    }
    const RunRecord& record = m_result->record();
    const SimTime finish = record.cutAt.value_or(record.finish);
    const QFont large = m_theme.font(TextStyle::Headline);
    m_headline->setText(QStringLiteral("<span style=\"font-size:%1px;font-weight:600;color:%2\">%3</span>&nbsp; <span style=\"font-size:%4px;color:%5\">%6</span>")
                            .arg(large.pixelSize())
                            .arg(m_theme.color(Role::Text).name(), texts::time(finish))
                            .arg(m_theme.font(TextStyle::Body).pixelSize())
                            .arg(m_theme.color(Role::Text2).name(), texts::whatWasRun(*m_result).toHtmlEscaped().replace(QLatin1Char(' '), QStringLiteral("&nbsp;"))));
    m_headline->setAccessibleName(texts::time(finish) + QLatin1Char(' ') + texts::whatWasRun(*m_result));
    if (m_previous) {
        const RunRecord& before = m_previous->record();
        const SimTime was = before.cutAt.value_or(before.finish);
        setChip(*m_delta, finish < was ? "ok" : finish > was ? "err" : "info", deltaText(was, finish));
        m_since->setText(m_sinceText.isEmpty() ? tr("since the run before") : m_sinceText);
        arrangeChange();
    }

    const Workload& workload = *m_result->scenario->structure->workload;
    std::vector<std::int64_t> amounts;
    for (const ResultPart& part : m_parts.parts)
        amounts.push_back(part.ps);
    // Rounded together, so that the shown digits add up to the headline.
    const std::int64_t unit = static_cast<std::int64_t>(ColumnUnit::ofTime(finish.ps).divisor);
    const std::int64_t step = std::max<std::int64_t>(unit / 1000, 1);
    const std::vector<std::int64_t> shown = sharedRounding(amounts, m_parts.total.ps, step);
    const int decimals = unit > 1 ? 3 : 0;
    std::vector<ValueRow> rows;
    std::vector<PartsBar::Part> bar;
    for (std::size_t i = 0; i < m_parts.parts.size(); ++i) {
        const ResultPart& part = m_parts.parts[i];
        const bool exposed = part.kind == ResultPart::Kind::Exposed && part.activity != Activity::Memory;
        const QString name = texts::part(part, workload);
        const QString value = texts::number(static_cast<double>(shown[i]) * static_cast<double>(step) / static_cast<double>(unit), decimals);
        const double share = m_parts.total.ps > 0 ? static_cast<double>(part.ps) / static_cast<double>(m_parts.total.ps) : 0;
        rows.push_back({name, value, texts::percent(share), part.activity, exposed});
        bar.push_back({name + QLatin1Char(' ') + value + QLatin1Char(' ') + texts::timeUnit(finish), part.activity, exposed, part.ps});
    }
    if (record.lowerBound && record.lowerBound->ps > 0 && finish.ps > 0 && !record.cutAt) {
        const double reached = static_cast<double>(record.lowerBound->ps) / static_cast<double>(finish.ps);
        ValueRow bound{tr("Lower bound, %1 reached").arg(texts::percent(reached)),
                       texts::number(static_cast<double>(record.lowerBound->ps) / static_cast<double>(unit), decimals)};
        rows.push_back(bound);
    }
    m_bar->setParts(std::move(bar));
    m_rows->setRows(std::move(rows));
}

} // namespace fabricscope
