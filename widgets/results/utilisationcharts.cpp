#include "widgets/results/utilisationcharts.h"

#include "core/base/index.h"

#include "widgets/base/apptheme.h"
#include "widgets/base/partsbar.h"
#include "widgets/base/tablecontent.h"
#include "widgets/base/texts.h"
#include "widgets/results/words.h"

#include <QBarCategoryAxis>
#include <QBarSet>
#include <QBoxLayout>
#include <QChart>
#include <QChartView>
#include <QLabel>
#include <QLegend>
#include <QLocale>
#include <QPainter>
#include <QStackedBarSeries>
#include <QValueAxis>

#include <algorithm>
#include <cmath>

namespace fabricscope {

namespace {

constexpr int kTicks = 6;
constexpr double kTickSpace = 26; ///< Pixels at the base size that a label and the next need.

/// A row of square markers with names, at the top left.
class LegendRow : public QWidget
{
public:
    using QWidget::QWidget;
    struct Entry {
        QString name;
        QColor color;
        bool hatched;
    };
    void setEntries(std::vector<Entry> entries, const Theme& theme)
    {
        m_entries = std::move(entries);
        m_theme = theme;
        setFont(theme.font(TextStyle::Label));
        QStringList names;
        for (const Entry& entry : m_entries)
            names.append(entry.name);
        setAccessibleName(names.join(QStringLiteral(", ")));
        place();
        update();
    }

protected:
    void resizeEvent(QResizeEvent*) override { place(); }
    void paintEvent(QPaintEvent*) override
    {
        QPainter painter(this);
        painter.setRenderHint(QPainter::Antialiasing);
        const double side = m_theme.scaled(10);
        for (std::size_t i = 0; i < m_entries.size(); ++i) {
            const Entry& entry = m_entries[i];
            const QRectF line = m_places[i];
            const QRectF square(line.left(), line.center().y() - side / 2, side, side);
            painter.setPen(entry.hatched ? QPen(entry.color, 1) : QPen(Qt::NoPen));
            painter.setBrush(entry.hatched ? QBrush(entry.color, Qt::BDiagPattern) : QBrush(entry.color));
            painter.drawRect(square);
            painter.setPen(m_theme.color(Role::Text2));
            painter.drawText(line.adjusted(side + m_theme.scaled(4), 0, 2, 0), Qt::AlignVCenter, entry.name);
        }
    }

private:
    /// From left to right, as many lines as it takes.
    void place()
    {
        const int line = m_theme.scaled(18);
        const int left = m_theme.scaled(12);
        m_places.clear();
        int x = left;
        int y = 0;
        for (const Entry& entry : m_entries) {
            const int wide = m_theme.scaled(14) + fontMetrics().horizontalAdvance(entry.name);
            if (x > left && x + wide > width()) {
                x = left;
                y += line;
            }
            m_places.emplace_back(x, y, wide, line);
            x += wide + left;
        }
        setFixedHeight(m_entries.empty() ? 0 : y + line);
    }

    std::vector<Entry> m_entries;
    std::vector<QRectF> m_places;
    Theme m_theme;
};

/// As many round steps as fit, at most five.
int ticksFor(double top, double pixels, double space)
{
    const int most = std::clamp(static_cast<int>(pixels / space), 1, kTicks - 1);
    for (int steps = most; steps > 1; --steps) {
        const double step = top / steps;
        const double digits = step / std::pow(10.0, std::floor(std::log10(step)) - 2);
        if (std::abs(digits - std::round(digits)) < 1e-6)
            return steps + 1;
    }
    return 2;
}

/// Above the values, with at most six round steps.
double niceTop(double largest)
{
    if (!(largest > 0))
        return 1;
    const double power = std::pow(10.0, std::floor(std::log10(largest)));
    for (const double step : {1.0, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 6.0, 8.0, 10.0})
        if (step * power >= largest * 0.999999)
            return step * power;
    return 10 * power;
}

} // namespace

UtilisationCharts::UtilisationCharts(QWidget* parent)
    : QWidget(parent), m_layout(new QBoxLayout(QBoxLayout::LeftToRight, this)), m_dimensions(makePanel(tr("Busy share by dimension"))),
      m_classes(makePanel(tr("Time by class of ranks")))
{
    setAccessibleName(tr("Charts"));
    setAutoFillBackground(true);
    m_layout->setContentsMargins(0, 0, 0, 0);
    m_layout->setSpacing(0);
    m_layout->addWidget(m_dimensions.box, 2);
    m_layout->addWidget(m_classes.box, 3);
    m_later.setSingleShot(true);
    connect(&m_later, &QTimer::timeout, this, &UtilisationCharts::draw);
    followTheme(this, &UtilisationCharts::setTheme);
}

UtilisationCharts::Panel UtilisationCharts::makePanel(const QString& name)
{
    Panel panel;
    panel.box = new QWidget(this);
    panel.title = new QLabel(name, panel.box);
    panel.title->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Fixed);
    panel.legend = new LegendRow(panel.box);
    panel.chart = new QChart;
    panel.chart->setTheme(QChart::ChartThemeLight);
    panel.chart->setAnimationOptions(QChart::NoAnimation);
    QLocale ungrouped;
    ungrouped.setNumberOptions(QLocale::OmitGroupSeparator);
    panel.chart->setLocale(ungrouped);
    panel.chart->setLocalizeNumbers(true);
    panel.chart->setBackgroundRoundness(0);
    panel.chart->setDropShadowEnabled(false);
    panel.chart->legend()->hide();
    panel.chart->addAxis(new QBarCategoryAxis(panel.chart), Qt::AlignBottom);
    panel.chart->addAxis(new QValueAxis(panel.chart), Qt::AlignLeft);
    panel.view = new QChartView(panel.chart, panel.box); // takes the chart over
    panel.view->setAccessibleName(name);
    panel.view->setFrameShape(QFrame::NoFrame);
    panel.view->setFocusPolicy(Qt::StrongFocus);
    connect(panel.chart, &QChart::plotAreaChanged, this, [this, chart = panel.chart](const QRectF& area) {
        auto* up = static_cast<QValueAxis*>(chart->axes(Qt::Vertical).constFirst());
        up->setTickCount(ticksFor(up->max(), area.height(), m_theme.scaled(kTickSpace)));
    });
    auto* column = new QVBoxLayout(panel.box);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(panel.title);
    column->addWidget(panel.legend);
    column->addWidget(panel.view, 1);
    return panel;
}

void UtilisationCharts::setResult(RunResultPtr result)
{
    m_result = std::move(result);
    if (!m_sinceDrawn.isValid() || m_sinceDrawn.elapsed() >= kPauseMs)
        draw();
    else if (!m_later.isActive())
        m_later.start(kPauseMs - static_cast<int>(m_sinceDrawn.elapsed()));
}

void UtilisationCharts::setTheme(const Theme& theme)
{
    m_theme = theme;
    draw();
}

void UtilisationCharts::draw()
{
    m_later.stop();
    QPalette colors = palette();
    colors.setColor(QPalette::Window, m_theme.color(Role::View));
    setPalette(colors);
    drawDimensions();
    drawClasses();
    arrange();
    if (m_result)
        m_sinceDrawn.start();
}

void UtilisationCharts::fill(Panel& panel, const QStringList& categories, const std::vector<Bars>& series, double top, const QString& unit, bool legend)
{
    panel.title->setFont(m_theme.font(TextStyle::Section));
    panel.title->setContentsMargins(m_theme.scaled(12), m_theme.scaled(6), m_theme.scaled(12), 0);
    QPalette colors = panel.title->palette();
    colors.setColor(QPalette::WindowText, m_theme.color(Role::Text2));
    panel.title->setPalette(colors);

    QChart& chart = *panel.chart;
    chart.removeAllSeries(); // deletes them
    chart.setBackgroundBrush(m_theme.color(Role::View));
    chart.setMargins(QMargins(8, 4, 8, 4));
    panel.view->setBackgroundBrush(m_theme.color(Role::View));

    auto* bars = new QStackedBarSeries;
    bars->setBarWidth(0.6);
    std::vector<LegendRow::Entry> entries;
    QStringList described;
    for (const Bars& one : series) {
        auto* set = new QBarSet(one.name);
        for (const double value : one.values)
            set->append(value);
        set->setPen(one.hatched ? QPen(one.color, 1) : QPen(Qt::NoPen));
        set->setBrush(one.hatched ? QBrush(one.color, Qt::BDiagPattern) : QBrush(one.color));
        bars->append(set);
        if (legend)
            entries.push_back({one.name, one.color, one.hatched});
    }
    for (qsizetype c = 0; c < categories.size(); ++c) {
        QStringList values;
        for (const Bars& one : series)
            if (const double value = one.values[at(c)]; value > 0)
                values.append(one.name + QLatin1Char(' ') + texts::number(value, 3) + QLatin1Char(' ') + unit);
        described.append(categories[c] + QStringLiteral(": ") + values.join(QStringLiteral(", ")));
    }
    panel.view->setAccessibleDescription(described.join(QStringLiteral("; ")));
    static_cast<LegendRow*>(panel.legend)->setEntries(std::move(entries), m_theme);

    chart.addSeries(bars);
    auto* across = static_cast<QBarCategoryAxis*>(chart.axes(Qt::Horizontal).constFirst());
    auto* up = static_cast<QValueAxis*>(chart.axes(Qt::Vertical).constFirst());
    across->setCategories(categories);
    across->setGridLineVisible(false);
    up->setRange(0, niceTop(top));
    up->setTickCount(ticksFor(up->max(), chart.plotArea().height(), m_theme.scaled(kTickSpace)));
    up->setLabelFormat(QStringLiteral("%.3g"));
    up->setGridLinePen(QPen(m_theme.color(Role::Grid), 1));
    for (QAbstractAxis* axis : {static_cast<QAbstractAxis*>(across), static_cast<QAbstractAxis*>(up)}) {
        axis->setLabelsFont(m_theme.font(TextStyle::Label));
        axis->setLabelsBrush(m_theme.color(Role::Text2));
        axis->setLinePen(QPen(m_theme.color(Role::Line2), 1));
        bars->attachAxis(axis);
    }
    const bool any = !categories.isEmpty();
    across->setVisible(any);
    up->setVisible(any);
}

void UtilisationCharts::drawDimensions()
{
    QStringList categories;
    std::vector<Bars> series;
    double top = 0;
    if (m_result) {
        const RunRecord& record = m_result->record();
        const bool isExplicit = m_result->scenario->structure->platform.isExplicit();
        const SimTime finish = record.cutAt.value_or(record.finish);
        const std::size_t shown = std::min(record.dimensions.size(), static_cast<std::size_t>(kMostCategories));
        for (std::size_t d = 0; d < shown; ++d) {
            const QString name = isExplicit ? tr("Links") : QStringLiteral("D%1").arg(d);
            categories.append(name);
            Bars one{name, m_theme.dimension(static_cast<int>(d)), false, std::vector<double>(shown, 0.0)};
            one.values[d] = record.dimensions[d].busyShare(finish) * 100;
            top = std::max(top, one.values[d]);
            series.push_back(std::move(one));
        }
    }
    m_dimensions.title->setText(tr("Busy share by dimension, %"));
    fill(m_dimensions, categories, series, top, QStringLiteral("%"), false);
}

void UtilisationCharts::drawClasses()
{
    QStringList categories;
    std::vector<Bars> series{{tr("Compute"), m_theme.activity(Activity::Compute), false, {}},
                             {tr("Exposed communication"), m_theme.color(Role::Exposed), true, {}},
                             {tr("Memory"), m_theme.activity(Activity::Memory), false, {}},
                             {tr("Waiting or idle"), m_theme.color(Role::Line2), false, {}}};
    double top = 0;
    QString unit = QStringLiteral("ms");
    QString left;
    if (m_result) {
        const RunRecord& record = m_result->record();
        const SimTime finish = record.cutAt.value_or(record.finish);
        std::vector<RankClass> classes = resultRows(record);
        if (classes.size() > static_cast<std::size_t>(kMostCategories)) {
            left = tr(", slowest %1 of %2").arg(kMostCategories).arg(classes.size());
            std::stable_sort(classes.begin(), classes.end(), [](const RankClass& a, const RankClass& b) { return a.times.finish > b.times.finish; });
            classes.resize(static_cast<std::size_t>(kMostCategories));
            std::sort(classes.begin(), classes.end(), [](const RankClass& a, const RankClass& b) {
                return a.ranks.intervals().front().first < b.ranks.intervals().front().first;
            });
        }
        const ColumnUnit time = ColumnUnit::ofTime(finish.ps);
        unit = time.name;
        for (const RankClass& one : classes) {
            QString name = texts::rankNumbers(one.ranks);
            // Categories with the same text would be one bar.
            while (categories.contains(name))
                name += QLatin1Char(' ');
            categories.append(name);
            std::int64_t rest = finish.ps;
            const std::int64_t amounts[] = {one.times.compute.ps, one.times.exposedComm.ps, one.times.memory.ps};
            for (std::size_t i = 0; i < std::size(amounts); ++i) {
                const std::int64_t amount = std::clamp<std::int64_t>(amounts[i], 0, rest);
                series[i].values.push_back(static_cast<double>(amount) / time.divisor);
                rest -= amount;
            }
            series.back().values.push_back(static_cast<double>(rest) / time.divisor);
        }
        top = static_cast<double>(finish.ps) / time.divisor;
    }
    m_classes.title->setText(tr("Time by class of ranks, %1").arg(unit) + left);
    fill(m_classes, categories, series, top, unit, m_result != nullptr);
}

void UtilisationCharts::arrange()
{
    m_layout->setDirection(width() >= height() ? QBoxLayout::LeftToRight : QBoxLayout::TopToBottom);
}

void UtilisationCharts::resizeEvent(QResizeEvent* event)
{
    QWidget::resizeEvent(event);
    arrange();
}

QSize UtilisationCharts::sizeHint() const
{
    return {m_theme.scaled(680), m_theme.scaled(188)};
}

QSize UtilisationCharts::minimumSizeHint() const
{
    return {m_theme.scaled(240), m_theme.scaled(120)};
}

} // namespace fabricscope
