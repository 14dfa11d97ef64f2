#include "widgets/results/rooflineview.h"

#include "core/base/stop.h"
#include "widgets/base/apptheme.h"
#include "widgets/base/background.h"
#include "widgets/base/showntexts.h"
#include "widgets/base/tablemodel.h"
#include "widgets/base/texts.h"
#include "widgets/results/rooflinechart.h"
#include "widgets/results/rooflinetable.h"
#include "widgets/results/table.h"
#include "widgets/results/words.h"

#include <QBoxLayout>
#include <QStackedWidget>
#include <QToolButton>

#include <algorithm>
#include <cmath>
#include <utility>

namespace fabricscope {

namespace {

constexpr double kSameRoof = 0.005; ///< Roofs that differ by less are one line, the higher: sizes that do not divide are rounded.
constexpr std::size_t kNoRoof = SIZE_MAX;

bool isSamePart(double a, double b)
{
    return std::abs(a - b) <= kSameRoof * std::max(a, b);
}

/// Number of the roof among those that are there.
std::size_t roofNumber(const RooflineRoof& roof, std::vector<RooflineRoof>& roofs)
{
    for (std::size_t i = 0; i < roofs.size(); ++i) {
        if (!isSamePart(roofs[i].slope, roof.slope) || !isSamePart(roofs[i].flat, roof.flat))
            continue;
        if (roof.flat > roofs[i].flat)
            roofs[i].flat = roof.flat;
        return i;
    }
    roofs.push_back(roof);
    return roofs.size() - 1;
}

/// Of a power of ten.
QString bytesTick(double bytes)
{
    return bytes >= 1 ? texts::bytes(std::llround(bytes), 0) : texts::number(bytes, 3);
}

QString intensityTick(double flopPerByte)
{
    return texts::number(flopPerByte, flopPerByte >= 1 ? 0 : static_cast<int>(std::ceil(-std::log10(flopPerByte) - 1e-9)));
}

QString rateTick(double rate)
{
    return texts::rate(rate, 0);
}

} // namespace

RooflineView::RooflineView(QWidget* parent)
    : QWidget(parent), m_pages(new QStackedWidget), m_compute(new RooflineChart(tr("Computations"))), m_network(new RooflineChart(tr("Collectives and messages"))), m_points(new TableModel(this)),
      m_table(new ResultTable), m_tableButton(new QToolButton(this))
{
    setAccessibleName(tr("Rooflines"));
    auto* const column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->addWidget(m_pages);
    auto* const charts = new QWidget;
    m_charts = new QBoxLayout(QBoxLayout::LeftToRight, charts);
    m_charts->setContentsMargins(0, 0, 0, 0);
    m_charts->setSpacing(0);
    m_charts->addWidget(m_compute, 1);
    m_charts->addWidget(m_network, 1);
    m_pages->addWidget(charts);
    m_pages->addWidget(m_table);
    m_table->setModel(m_points, tr("Roofline"));
    m_compute->setAxes({tr("FLOP per byte of memory"), intensityTick}, {tr("FLOP/s of an NPU"), texts::flops});
    m_network->setAxes({tr("bytes each NPU sends"), bytesTick}, {tr("bytes/s of an NPU"), rateTick});
    m_tableButton->setText(tr("Table"));
    m_tableButton->setToolTip(tr("The points as a table"));
    m_tableButton->setCheckable(true);
    m_tableButton->hide();
    connect(m_tableButton, &QToolButton::toggled, this, &RooflineView::setTableShown);
    for (RooflineChart* chart : {m_compute, m_network}) {
        connect(chart, &RooflineChart::chosen, this, &RooflineView::choose);
        connect(chart, &RooflineChart::activated, this, &RooflineView::activate);
    }
    connect(m_table, &ResultTable::rowSelected, this, &RooflineView::choose);
    connect(m_table, &ResultTable::rowActivated, this, &RooflineView::activate);
    followTheme(this, &RooflineView::setTheme);
    work();
}

RooflineView::~RooflineView()
{
    m_stop.request_stop();
}

QWidget* RooflineView::tableBar() const
{
    return m_table->bar();
}

bool RooflineView::isTableShown() const
{
    return m_pages->currentWidget() == m_table;
}

void RooflineView::setTableShown(bool shown)
{
    if (shown == isTableShown())
        return;
    m_pages->setCurrentIndex(shown ? 1 : 0);
    m_tableButton->setChecked(shown);
    emit tableShown(shown);
}

void RooflineView::setTheme(const Theme& theme)
{
    m_theme = theme;
    fill();
}

void RooflineView::setResult(RunResultPtr result)
{
    m_result = std::move(result);
    work();
}

void RooflineView::work()
{
    m_stop.request_stop();
    m_stop = std::stop_source();
    const int number = ++m_number;
    m_working = false;
    m_stale = !isVisible();
    if (m_stale)
        return;
    m_problem.clear();
    if (!m_result) {
        m_roofline = {};
        return fill();
    }
    m_working = true;
    const auto points = [result = m_result, stop = m_stop.get_token()] { return untilStopped([&]() -> Result<Roofline> { return rooflineOf(*result, stop); }); };
    inBackground(this, points, [this, number](Result<Roofline> roofline) {
        if (number != m_number)
            return;
        m_working = false;
        m_problem = roofline ? QString() : QString::fromStdString(roofline.error().message);
        m_roofline = roofline ? std::move(roofline).value() : Roofline();
        fill();
    });
}

QString RooflineView::whyEmpty(const QString& none) const
{
    if (!m_problem.isEmpty())
        return m_problem;
    return m_result ? none : tr("Nothing has run yet.");
}

void RooflineView::fill()
{
    m_table->setEmptyText(whyEmpty(tr("The run has no computations that say their FLOP, and no collectives and messages with a known roof.")));
    m_points->setContent(rooflineContent(m_roofline));
    fillCompute();
    fillNetwork();
}

void RooflineView::fillCompute()
{
    std::vector<RooflinePoint> points;
    std::vector<RooflineRoof> roofs;
    for (std::size_t i = 0; i < m_roofline.kernels.size(); ++i) {
        const RooflineKernel& kernel = m_roofline.kernels[i];
        RooflinePoint point;
        point.id = static_cast<qint64>(i);
        point.name = texts::kernel(kernel);
        point.x = kernel.intensity();
        point.y = kernel.rate();
        point.color = m_theme.activity(Activity::Compute);
        point.roof = kernel.peak > 0 || kernel.memoryRate > 0
            ? roofNumber({kernel.memoryRate, kernel.peak, tr("memory %1").arg(texts::rate(kernel.memoryRate, 2)), tr("peak %1").arg(texts::flops(kernel.peak))}, roofs)
            : kNoRoof;
        QStringList lines{point.name};
        lines << (kernel.roof() > 0 ? tr("%1 of %2, %3: %4").arg(texts::flops(kernel.rate()), texts::flops(kernel.roof()), texts::percent(kernel.rate() / kernel.roof()), texts::roof(kernel))
                                    : texts::flops(kernel.rate()));
        lines << (kernel.bytes > 0 ? texts::intensity(kernel.intensity()) : tr("It says no bytes: memory does not hold it up."));
        lines << tr("%1 tasks of %2, %3 on average").arg(texts::count(kernel.count), texts::inSentence(texts::ranks(kernel.ranks)), texts::time({std::llround(kernel.busyPs / static_cast<double>(kernel.count))}));
        if (kernel.recorded)
            lines << tr("Its time is given: it may lie above the roof.");
        point.about = lines.join(QLatin1Char('\n'));
        points.push_back(std::move(point));
    }
    m_compute->setContent(std::move(points), std::move(roofs), whyEmpty(tr("No computation says its FLOP.")));
}

void RooflineView::fillNetwork()
{
    std::vector<RooflinePoint> points;
    std::vector<RooflineRoof> roofs;
    for (std::size_t i = 0; i < m_roofline.collectives.size(); ++i) {
        const RooflineCollective& collective = m_roofline.collectives[i];
        const CollectiveBoundRow& row = collective.row;
        const std::optional<CollectiveOp> op = valueOf(kCollectiveKeys, row.op);
        RooflinePoint point;
        point.id = static_cast<qint64>(m_roofline.kernels.size() + i);
        point.name = texts::collective(collective);
        point.x = collective.bytesPerNpu;
        point.y = collective.rate();
        point.low = row.worst > row.best ? collective.slowestRate() : 0;
        point.color = m_theme.activity(op ? activityOf(*op) : Activity::SendReceive);
        const double slope = row.latency.ps > 0 ? 1e12 / static_cast<double>(row.latency.ps) : 0;
        point.roof = roofNumber({slope, collective.bandwidth(), tr("latency %1").arg(texts::time(row.latency)), tr("bandwidth %1").arg(texts::rate(collective.bandwidth()))}, roofs);
        QStringList lines{point.name};
        lines << tr("%1 of %2, %3: %4").arg(texts::rate(collective.rate()), texts::rate(collective.roof()), texts::percent(collective.rate() / collective.roof()), texts::roof(collective));
        lines << tr("Each NPU sends %1 in %2").arg(texts::size(std::llround(collective.bytesPerNpu)), texts::time(row.best))
                + (row.worst > row.best ? tr(", in %1 at worst").arg(texts::time(row.worst)) : QString());
        lines << tr("%1 by %2; narrowest: %3").arg(texts::count(row.count), texts::shown(row.algorithm), texts::shown(row.cut));
        point.about = lines.join(QLatin1Char('\n'));
        points.push_back(std::move(point));
    }
    addMessages(points, roofs);
    QString none = tr("The run has no collectives and no messages.");
    if (m_result && !m_roofline.noNetworkRoof.empty() && !traitsOf(m_result->record().model).keepsRates)
        none = tr("There is no roof under %1, which does not keep all traffic to the rates of the links; links and flow do.").arg(QLatin1String(modelName(m_result->record().model)));
    else if (m_result && !m_result->summary.boundsNote.empty())
        none = texts::atStart(texts::shown(m_result->summary.boundsNote)) + QLatin1Char('.');
    else if (!m_roofline.noNetworkRoof.empty())
        none = texts::atStart(texts::shown(m_roofline.noNetworkRoof)) + QLatin1Char('.');
    m_network->setContent(std::move(points), std::move(roofs), whyEmpty(none));
}

void RooflineView::addMessages(std::vector<RooflinePoint>& points, std::vector<RooflineRoof>& roofs) const
{
    for (std::size_t i = 0; i < m_roofline.messages.size(); ++i) {
        const RooflineMessages& messages = m_roofline.messages[i];
        RooflinePoint point;
        point.id = static_cast<qint64>(m_roofline.kernels.size() + m_roofline.collectives.size() + i);
        point.name = texts::messages(messages);
        point.x = static_cast<double>(messages.bytes);
        point.y = messages.rate();
        point.low = messages.worst > messages.best ? messages.slowestRate() : 0;
        point.color = m_theme.activity(Activity::SendReceive);
        const double slope = messages.latency.ps > 0 ? 1e12 / static_cast<double>(messages.latency.ps) : 0;
        point.roof = roofNumber({slope, messages.linkRate(), tr("latency %1").arg(texts::time(messages.latency)), tr("bandwidth %1").arg(texts::rate(messages.linkRate()))}, roofs);
        const QStringList lines{point.name,
                                tr("%1 of %2, %3: %4").arg(texts::rate(messages.rate()), texts::rate(messages.roof()), texts::percent(messages.rate() / messages.roof()), texts::roof(messages)),
                                tr("Of %1 the fastest took %2, the slowest %3.").arg(texts::count(messages.count), texts::time(messages.best), texts::time(messages.worst))};
        point.about = lines.join(QLatin1Char('\n'));
        points.push_back(std::move(point));
    }
}

/// While another run is looked at, the numbers on show are of the one before.
void RooflineView::choose(qint64 id)
{
    if (id < 0 || m_working)
        return;
    m_compute->setCurrent(id);
    m_network->setCurrent(id);
    m_table->selectId(id);
    const auto number = static_cast<std::size_t>(id);
    if (number < m_roofline.kernels.size())
        return emit taskChosen(m_roofline.kernels[number].rank, m_roofline.kernels[number].task);
    const std::size_t behind = number - m_roofline.kernels.size();
    if (behind >= m_roofline.collectives.size()) {
        const RooflineMessages& messages = m_roofline.messages[behind - m_roofline.collectives.size()];
        return emit taskChosen(messages.rank, messages.task);
    }
    if (m_roofline.collectives[behind].instance >= 0)
        emit collectiveChosen(m_roofline.collectives[behind].instance);
}

void RooflineView::activate(qint64 id)
{
    if (id < 0 || m_working)
        return;
    const std::size_t behind = static_cast<std::size_t>(id) - m_roofline.kernels.size();
    if (static_cast<std::size_t>(id) < m_roofline.kernels.size() || behind >= m_roofline.collectives.size())
        choose(id);
    else if (m_roofline.collectives[behind].instance >= 0)
        emit collectiveActivated(m_roofline.collectives[behind].instance);
}

QSize RooflineView::minimumSizeHint() const
{
    return {m_theme.scaled(240), m_theme.scaled(120)};
}

void RooflineView::resizeEvent(QResizeEvent* event)
{
    QWidget::resizeEvent(event);
    m_charts->setDirection(width() >= height() ? QBoxLayout::LeftToRight : QBoxLayout::TopToBottom);
}

void RooflineView::showEvent(QShowEvent* event)
{
    QWidget::showEvent(event);
    if (m_stale)
        work();
}

} // namespace fabricscope
