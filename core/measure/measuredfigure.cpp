#include "core/measure/measuredfigure.h"

#include "core/base/decimal.h"
#include "core/draw/numbertext.h"

#include <algorithm>
#include <cmath>
#include <tuple>

namespace fabricscope {

namespace {

using Anchor = TextShape::Anchor;

constexpr double kLeft = 70;
constexpr double kTop = 28;
constexpr double kPlot = 300;
constexpr double kBelow = 24;
constexpr double kLegendRow = 18;
constexpr double kTextSize = 10.5;
constexpr double kRadius = 3.5;

/// Rows that lie on one line.
struct Series {
    std::string name;
    std::vector<const PredictedTransfer*> rows; ///< Ascending by bytes.
};

std::vector<Series> seriesOf(const std::vector<PredictedTransfer>& rows)
{
    const auto key = [](const PredictedTransfer* row) {
        const MeasuredTransfer& transfer = row->transfer;
        return std::tuple(transfer.message, transfer.message ? CollectiveOp::AllReduce : transfer.op, transfer.nodes, transfer.gpus);
    };
    std::vector<const PredictedTransfer*> sorted;
    for (const PredictedTransfer& row : rows)
        sorted.push_back(&row);
    std::stable_sort(sorted.begin(), sorted.end(), [&](const PredictedTransfer* a, const PredictedTransfer* b) { return std::pair(key(a), a->transfer.bytes) < std::pair(key(b), b->transfer.bytes); });
    std::vector<Series> all;
    for (const PredictedTransfer* row : sorted) {
        if (all.empty() || key(all.back().rows.front()) != key(row)) {
            const MeasuredTransfer& transfer = row->transfer;
            all.push_back({(transfer.message ? "send" : std::string(collectiveKey(transfer.op))) + ", " + std::to_string(transfer.gpus) + " GPUs" + (transfer.nodes > 1 ? " on " + std::to_string(transfer.nodes) + " nodes" : ""), {}});
        }
        all.back().rows.push_back(row);
    }
    return all;
}

/// Powers of a number as the places of an axis.
class PowerAxis {
public:
    PowerAxis(double base, double least, double most, double from, double to)
        : m_base(std::log(base)), m_low(std::floor(std::log(least) / m_base + 1e-9)), m_high(std::max(m_low + 1, std::ceil(std::log(most) / m_base - 1e-9))), m_from(from), m_to(to)
    {
    }
    double at(double value) const { return m_from + (std::log(value) / m_base - m_low) / (m_high - m_low) * (m_to - m_from); }
    int first() const { return static_cast<int>(m_low); }
    int last() const { return static_cast<int>(m_high); }

private:
    double m_base, m_low, m_high, m_from, m_to;
};

class MeasuredPlot {
public:
    MeasuredPlot(const std::vector<PredictedTransfer>& rows, double width) : m_series(seriesOf(rows)), m_width(width), m_right(width - 16)
    {
        for (const PredictedTransfer& row : rows) {
            const auto bytes = static_cast<double>(row.transfer.bytes);
            m_bytes = {std::min(m_bytes.first, bytes), std::max(m_bytes.second, bytes)};
            for (const double seconds : {row.transfer.seconds, *row.predicted})
                m_seconds = {std::min(m_seconds.first, seconds), std::max(m_seconds.second, seconds)};
        }
    }

    Drawing draw()
    {
        const double height = kTop + kPlot + kBelow + kLegendRow * static_cast<double>(m_series.size()) + 8;
        m_drawing.size = SizeF(m_width, height);
        m_drawing.title = "Measured times beside simulated ones";
        m_drawing.box(RectF(0.5, 0.5, m_width - 1, height - 1), 0, Tone::View, DrawPen{Tone::Line});
        m_drawing.text({kLeft, 18}, "time by size: circles measured, lines simulated", kTextSize, Tone::Text2);
        const PowerAxis across(2, m_bytes.first, m_bytes.second, kLeft, m_right);
        const PowerAxis up(10, m_seconds.first, m_seconds.second, kTop + kPlot, kTop);
        axes(across, up);
        double legend = kTop + kPlot + kBelow + 14;
        for (std::size_t i = 0; i < m_series.size(); ++i) {
            series(m_series[i], DrawColor::dimension(static_cast<int>(i)), across, up, legend);
            legend += kLegendRow;
        }
        return std::move(m_drawing);
    }

private:
    void axes(const PowerAxis& across, const PowerAxis& up)
    {
        LinesShape grid;
        grid.pen = {Tone::Grid};
        const int step = std::max(1, (across.last() - across.first()) / 8);
        for (int power = std::max(0, across.first()); power <= across.last(); power += step) {
            const double x = std::floor(across.at(std::exp2(power))) + 0.5;
            grid.lines.emplace_back(x, kTop, x, kTop + kPlot);
            m_drawing.text({x, kTop + kPlot + 15}, showBytes({std::int64_t{1} << std::min(power, 62)}), kTextSize, Tone::Text3, Anchor::Middle);
        }
        for (int power = up.first(); power <= up.last(); ++power) {
            const double seconds = std::pow(10, power);
            const double y = std::floor(up.at(seconds)) + 0.5;
            grid.lines.emplace_back(kLeft, y, m_right, y);
            m_drawing.text({kLeft - 6, y + 3.5}, numbertext::time({std::max<std::int64_t>(1, std::llround(seconds * 1e12))}, 0), kTextSize, Tone::Text3, Anchor::Right);
        }
        m_drawing.add(std::move(grid));
    }

    void series(const Series& of, DrawColor color, const PowerAxis& across, const PowerAxis& up, double legend)
    {
        m_drawing.begin(of.name);
        PathShape line;
        line.pen = DrawPen{color, 1.5};
        std::vector<std::pair<double, double>> pairs;
        for (const PredictedTransfer* row : of.rows) {
            const double x = across.at(static_cast<double>(row->transfer.bytes));
            line.points.emplace_back(x, up.at(*row->predicted));
            m_drawing.add(CircleShape{{x, up.at(row->transfer.seconds)}, kRadius, {}, DrawPen{color, 1.5}});
            pairs.emplace_back(*row->predicted, row->transfer.seconds);
        }
        m_drawing.add(std::move(line));
        const std::string error = shortDecimal(std::llround(errorFigures(pairs).errorPct * 10), 1) + " % off";
        m_drawing.line({kLeft, legend - 3.5}, {kLeft + 22, legend - 3.5}, DrawPen{color, 1.5});
        m_drawing.add(CircleShape{{kLeft + 11, legend - 3.5}, kRadius, {}, DrawPen{color, 1.5}});
        m_drawing.text({kLeft + 30, legend}, of.name + ": " + error, kTextSize, Tone::Text);
        m_drawing.description += (m_drawing.description.empty() ? "" : "; ") + of.name + ' ' + error;
        m_drawing.end();
    }

    std::vector<Series> m_series;
    double m_width;
    double m_right;
    std::pair<double, double> m_bytes{INFINITY, 1};
    std::pair<double, double> m_seconds{INFINITY, 1e-12};
    Drawing m_drawing;
};

} // namespace

Drawing measuredFigure(const std::vector<PredictedTransfer>& rows, double width)
{
    return MeasuredPlot(rows, width).draw();
}

} // namespace fabricscope
