#include "core/draw/utilisationfigure.h"

#include "core/draw/nicestep.h"
#include "core/draw/numbertext.h"

#include <algorithm>
#include <cmath>

namespace fabricscope {

namespace {

using Anchor = TextShape::Anchor;

constexpr double kLabels = 150; ///< As beside the timeline, so that the time axes of both figures agree.
constexpr double kRuler = 20;
constexpr double kChart = 60;
constexpr double kBetween = 12;
constexpr double kRight = 8;
constexpr double kColumn = 2;   ///< Pixels of one stretch.

class UtilisationCharts {
public:
    UtilisationCharts(SimTime finish, double width) : m_finish{std::max<std::int64_t>(finish.ps, 1)}, m_width(width), m_span(width - kLabels - kRight) {}

    Drawing draw(const std::vector<UtilisationCurve>& curves)
    {
        m_drawing.title = "Use of the links over time";
        const double height = kRuler + static_cast<double>(curves.size()) * (kChart + kBetween) + kBetween / 2;
        m_drawing.size = SizeF(m_width, height);
        m_drawing.box(RectF(0.5, 0.5, m_width - 1, height - 1), 0, Tone::View, DrawPen{Tone::Line});
        ruler(height);
        double top = kRuler + kBetween / 2;
        for (const UtilisationCurve& curve : curves) {
            chart(curve, top);
            top += kChart + kBetween;
        }
        return std::move(m_drawing);
    }

private:
    double xOf(std::int64_t ps) const { return kLabels + static_cast<double>(ps) / static_cast<double>(m_finish.ps) * m_span; }

    void ruler(double height)
    {
        constexpr std::int64_t kSteps = 6;
        const std::string finish = numbertext::time(m_finish);
        const double finishLeft = m_width - kRight - textWidth(finish, 10.5, true);
        LinesShape grid;
        grid.pen = {Tone::Grid};
        const std::int64_t step = niceStep(m_finish.ps, kSteps);
        for (std::int64_t i = 0; i <= m_finish.ps / step; ++i) { // The end of the clock is less than a step away from some.
            const std::int64_t at = i * step;
            const double x = std::floor(xOf(at)) + 0.5;
            grid.lines.emplace_back(x, kRuler, x, height - 1);
            const std::string text = at == 0 ? "0" : numbertext::time({at}, 1);
            if (x + textWidth(text, 10.5) + 8 < finishLeft)
                m_drawing.text({x + 2.5, 14}, text, 10.5, Tone::Text3);
        }
        m_drawing.add(std::move(grid));
        m_drawing.text({m_width - kRight, 14}, finish, 10.5, Tone::Text, Anchor::Right, true);
        m_drawing.line({0, kRuler - 0.5}, {m_width, kRuler - 0.5}, DrawPen{Tone::Line});
    }

    void label(const UtilisationCurve& curve, double top, const std::string& mean)
    {
        double left = 8;
        if (curve.dimension >= 0) {
            const DrawColor color = DrawColor::dimension(curve.dimension);
            const RectF chip(left, top, 22, 14);
            m_drawing.box(chip, 3, color);
            m_drawing.text({chip.center().x(), chip.center().y() + 3.6}, curve.name, 10, color.ink(), Anchor::Middle, true);
        } else if (left + textWidth(curve.name, 10.5) < kLabels - 40) {
            m_drawing.text({left, top + 11}, curve.name, 10.5, Tone::Text2);
        }
        m_drawing.text({left, top + 30}, "mean " + mean, 10.5, Tone::Text);
    }

    void chart(const UtilisationCurve& curve, double top)
    {
        const DimensionUse& use = *curve.use;
        const std::string mean = numbertext::percent(use.busyPs, use.links, m_finish.ps);
        m_drawing.begin("utilisation " + curve.name);
        label(curve, top, mean);
        m_drawing.description += (m_drawing.description.empty() ? "" : "; ") + curve.name + " mean " + mean;
        const double bottom = top + kChart;
        LinesShape grid;
        grid.pen = {Tone::Grid};
        for (const double level : {top, (top + bottom) / 2})
            grid.lines.emplace_back(kLabels, std::floor(level) + 0.5, kLabels + m_span, std::floor(level) + 0.5);
        m_drawing.add(std::move(grid));
        m_drawing.text({kLabels - 8, top + 4}, "100\xE2\x80\xAF%", 10, Tone::Text3, Anchor::Right);
        m_drawing.text({kLabels - 8, bottom + 2}, "0", 10, Tone::Text3, Anchor::Right);
        m_drawing.line({kLabels, bottom + 0.5}, {kLabels + m_span, bottom + 0.5}, DrawPen{Tone::Outline});
        const std::vector<UtilisationPoint> points = utilisationOf(use, m_finish, static_cast<std::size_t>(m_span / kColumn));
        if (points.empty())
            m_drawing.text({kLabels + 8, bottom - 8}, use.busyPs > 0 ? "not followed over time by this model" : "idle", 10.5, Tone::Text2);
        else
            steps(points, curve.dimension >= 0 ? DrawColor::dimension(curve.dimension) : DrawColor(Tone::Outline), bottom);
        if (!points.empty() && use.links > 0) {
            const double y = yOf(static_cast<double>(use.busyPs) / (static_cast<double>(use.links) * static_cast<double>(m_finish.ps)), bottom);
            m_drawing.line({kLabels, y}, {kLabels + m_span, y}, DrawPen{Tone::Text2, 1, 1, 4});
        }
        m_drawing.end();
    }

    static double yOf(double share, double bottom) { return bottom - std::floor(std::clamp(share, 0.0, 1.0) * kChart * 2 + 0.5) / 2; }

    /// A filled area below a stepped line.
    void steps(const std::vector<UtilisationPoint>& points, DrawColor color, double bottom)
    {
        std::vector<PointF> line;
        for (const UtilisationPoint& point : points) {
            const double y = yOf(point.share, bottom);
            if (line.empty() || line.back().y() != y)
                line.emplace_back(xOf(point.beginPs), y);
            else if (line.size() > 1 && line[line.size() - 2].y() == y)
                line.pop_back(); // Only the ends of a level stretch are kept.
            line.emplace_back(xOf(point.endPs), y);
        }
        std::vector<PointF> area{PointF(line.front().x(), bottom)};
        area.insert(area.end(), line.begin(), line.end());
        area.emplace_back(line.back().x(), bottom);
        m_drawing.add(PathShape{std::move(area), true, color, 0.25, {}});
        m_drawing.add(PathShape{std::move(line), false, {}, 1, DrawPen{color, 1.2}});
    }

    SimTime m_finish;
    double m_width;
    double m_span;
    Drawing m_drawing;
};

} // namespace

std::vector<UtilisationPoint> utilisationOf(const DimensionUse& use, SimTime finish, std::size_t most)
{
    std::vector<UtilisationPoint> points;
    if (finish.ps <= 0 || use.links <= 0 || use.busy.total() <= 0)
        return points;
    const std::int64_t width = use.busy.bucketPs();
    const std::vector<std::int64_t>& busy = use.busy.busyPs();
    const auto buckets = static_cast<std::size_t>((finish.ps + width - 1) / width);
    const std::size_t count = std::min(buckets, most);
    for (std::size_t i = 0; i < count; ++i) {
        const std::size_t first = i * buckets / count;
        const std::size_t end = (i + 1) * buckets / count;
        std::int64_t sum = 0;
        for (std::size_t bucket = first; bucket < std::min(end, busy.size()); ++bucket)
            sum += busy[bucket];
        const std::int64_t beginPs = static_cast<std::int64_t>(first) * width;
        const std::int64_t endPs = std::min(static_cast<std::int64_t>(end) * width, finish.ps);
        points.push_back({beginPs, endPs, static_cast<double>(sum) / (static_cast<double>(use.links) * static_cast<double>(endPs - beginPs))});
    }
    return points;
}

Drawing utilisationFigure(const std::vector<UtilisationCurve>& curves, SimTime finish, double width)
{
    return UtilisationCharts(finish, width).draw(curves);
}

} // namespace fabricscope
