#include "core/draw/timelinefigure.h"

#include "core/draw/nicestep.h"
#include "core/draw/numbertext.h"
#include "core/draw/rankstext.h"

#include <array>
#include <map>

namespace fabricscope {

namespace {

using Anchor = TextShape::Anchor;
using Kind = TimelineTrack::Kind;

constexpr double kLabels = 150;  ///< Width of the label column.
constexpr double kRuler = 20;
constexpr double kRow = 16;
constexpr double kBar = 12;
constexpr double kBusyRow = 24;
constexpr double kGroupGap = 6;

/// Classes with task times, the one that finishes last first.
std::vector<std::size_t> drawnClasses(const TimelineSource& source, std::size_t most)
{
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i < source.classes().size(); ++i)
        if (source.classes()[i].trackCount > 0)
            order.push_back(i);
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return source.classes()[a].finish > source.classes()[b].finish; });
    order.resize(std::min(order.size(), most));
    return order;
}

/// Which row of its class a track is drawn in: lanes of one kind share a row.
enum class Row : std::uint8_t { Compute, Communication, Memory };

Row rowOf(Kind kind)
{
    switch (kind) {
    case Kind::Compute:
    case Kind::Host: return Row::Compute;
    case Kind::Memory: return Row::Memory;
    case Kind::Collective:
    case Kind::PointToPoint:
    case Kind::Waiting:
    case Kind::Busy: break;
    }
    return Row::Communication;
}

std::string rowText(Row row)
{
    switch (row) {
    case Row::Compute: return "Compute";
    case Row::Memory: return "Memory";
    case Row::Communication: break;
    }
    return "Communication";
}

/// As many intervals as have room.
std::string ranksOf(const RankSet& ranks, std::int64_t all)
{
    const std::string text = ranksText(ranks, all, ranks.intervals().size() + 1);
    const bool fits = textWidth(text, 11, true) <= kLabels - 60;
    return (ranks.count() == 1 ? "Rank " : "Ranks ") + (fits ? text : ranksText(ranks, all, 2));
}

class Figure {
public:
    Figure(const TimelineSource& source, const TimelineFigureOptions& options)
        : m_source(source), m_finish{std::max<std::int64_t>(source.finish().ps, 1)}, m_width(options.width), m_span(options.width - kLabels - 8), m_dimensions(options.dimensions),
          m_classes(drawnClasses(source, options.classes))
    {
    }

    Drawing draw()
    {
        m_drawing.title = "Timeline";
        m_drawing.description = "Rows of the slowest rank classes and the busy share of every dimension over " + numbertext::time(m_finish) + ".";
        m_y = kRuler;
        for (const std::size_t index : m_classes)
            classRows(m_source.classes()[index]);
        busyRows();
        m_drawing.size = SizeF(m_width, std::ceil(m_y + 4));
        Drawing whole;
        whole.size = m_drawing.size;
        whole.title = m_drawing.title;
        whole.description = m_drawing.description;
        whole.box(RectF(0.5, 0.5, m_width - 1, m_drawing.size.height() - 1), 0, Tone::View, DrawPen{Tone::Line});
        ruler(whole);
        for (DrawShape& shape : m_drawing.shapes)
            whole.add(std::move(shape));
        return whole;
    }

private:
    double xOf(std::int64_t ps) const { return kLabels + static_cast<double>(ps) / static_cast<double>(m_finish.ps) * m_span; }

    void ruler(Drawing& drawing) const
    {
        const std::int64_t step = niceStep(m_finish.ps, 6);
        LinesShape grid;
        grid.pen = {Tone::Grid};
        for (std::int64_t i = 0; i <= m_finish.ps / step; ++i) { // The end of the clock is less than a step away from some.
            const std::int64_t at = i * step;
            const double x = std::floor(xOf(at)) + 0.5;
            grid.lines.emplace_back(x, kRuler, x, drawing.size.height() - 1);
        }
        drawing.add(std::move(grid));
        const std::string finish = numbertext::time(m_finish);
        const double finishLeft = m_width - 8 - textWidth(finish, 10.5, true);
        for (std::int64_t i = 0; i <= m_finish.ps / step; ++i) {
            const std::int64_t at = i * step;
            const std::string text = numbertext::time({at}, at == 0 ? 0 : 1);
            if (xOf(at) + textWidth(text, 10.5) + 8 < finishLeft)
                drawing.text({std::floor(xOf(at)) + 3, 14}, at == 0 ? "0" : text, 10.5, Tone::Text3);
        }
        drawing.text({m_width - 8, 14}, finish, 10.5, Tone::Text, Anchor::Right, true);
        drawing.line({kLabels + m_span + 0.5, 2}, {kLabels + m_span + 0.5, drawing.size.height() - 1}, DrawPen{Tone::Text2});
        drawing.line({0, kRuler - 0.5}, {m_width, kRuler - 0.5}, DrawPen{Tone::Line});
    }

    void classRows(const TimelineClass& ranks)
    {
        m_drawing.line({0, m_y + 0.5}, {m_width, m_y + 0.5}, DrawPen{Tone::Line});
        m_y += 3;
        m_drawing.text({8, m_y + 12}, ranksOf(ranks.ranks, rankBound(m_source.classes())), 11, Tone::Text, Anchor::Left, true);
        m_y += 16;
        std::map<Row, std::vector<std::size_t>> rows;
        for (std::int32_t i = 0; i < ranks.trackCount; ++i) {
            const auto track = static_cast<std::size_t>(ranks.firstTrack + i);
            if (m_source.tracks()[track].kind != Kind::Waiting && m_source.intervalCount(track) > 0)
                rows[rowOf(m_source.tracks()[track].kind)].push_back(track);
        }
        for (const auto& [row, tracks] : rows) {
            m_drawing.text({20, m_y + 11}, rowText(row), 10.5, Tone::Text2);
            activities(tracks);
            m_y += kRow;
        }
        m_y += kGroupGap;
    }

    /// One column per pixel; neighbours of one kind and height are one box.
    void activities(const std::vector<std::size_t>& tracks)
    {
        const auto columns = static_cast<std::size_t>(m_span);
        std::vector<TimelineBucket> best(columns);
        std::vector<TimelineBucket> pixels(columns);
        for (const std::size_t track : tracks) {
            m_source.buckets(track, {0}, m_finish, pixels);
            for (std::size_t i = 0; i < columns; ++i)
                if (pixels[i].count > 0 && pixels[i].busyPs >= best[i].busyPs)
                    best[i] = pixels[i];
        }
        const std::int64_t pixelPs = std::max<std::int64_t>(m_finish.ps / static_cast<std::int64_t>(columns), 1);
        const auto heightOf = [&](const TimelineBucket& bucket) {
            // Eighths: fewer boxes, and nothing shorter can be seen.
            return bucket.count == 0 ? std::int64_t{0} : std::clamp<std::int64_t>((bucket.busyPs * 8 + pixelPs - 1) / pixelPs, 1, 8);
        };
        std::map<Activity, BoxesShape> boxes;
        for (std::size_t i = 0; i < columns;) {
            const std::int64_t height = heightOf(best[i]);
            std::size_t end = i + 1;
            while (end < columns && heightOf(best[end]) == height && (height == 0 || best[end].dominant == best[i].dominant))
                ++end;
            if (height > 0) {
                const double tall = kBar * static_cast<double>(height) / 8;
                BoxesShape& shape = boxes[best[i].dominant];
                shape.fill = DrawColor::activity(best[i].dominant);
                shape.rects.emplace_back(kLabels + static_cast<double>(i), m_y + 2 + kBar - tall, static_cast<double>(end - i), tall);
            }
            i = end;
        }
        for (auto& [activity, shape] : boxes)
            m_drawing.add(std::move(shape));
    }

    void busyRows()
    {
        bool any = false;
        for (std::size_t track = 0; track < m_source.tracks().size(); ++track) {
            const TimelineTrack& busy = m_source.tracks()[track];
            if (busy.kind != Kind::Busy)
                continue;
            if (!any)
                m_drawing.line({0, m_y + 0.5}, {m_width, m_y + 0.5}, DrawPen{Tone::Line});
            any = true;
            m_y += 3;
            busyRow(track, busy);
            m_y += kBusyRow;
        }
    }

    void busyRow(std::size_t track, const TimelineTrack& busy)
    {
        const bool isDimension = busy.dimension >= 0 && busy.dimension < m_dimensions;
        const DrawColor color = isDimension ? DrawColor::dimension(busy.dimension) : DrawColor(Tone::Outline);
        double left = 8;
        if (isDimension) {
            const RectF chip(8, m_y + 4, 22, 14);
            m_drawing.box(chip, 3, color);
            m_drawing.text({chip.center().x(), chip.center().y() + 3.6}, "D" + std::to_string(busy.dimension), 10, color.ink(), Anchor::Middle, true);
            left = chip.right() + 6;
        }
        const std::string name = isDimension ? "links busy" : busy.name;
        if (left + textWidth(name, 10.5) < kLabels - 44)
            m_drawing.text({left, m_y + 15}, name, 10.5, Tone::Text2);
        m_drawing.text({kLabels - 8, m_y + 15}, numbertext::percent(static_cast<std::int64_t>(busy.busyShare * 1e6 + 0.5), 1, 1'000'000), 10.5, Tone::Text, Anchor::Right);
        const auto columns = static_cast<std::size_t>(m_span);
        std::vector<TimelineBucket> pixels(columns);
        m_source.buckets(track, {0}, m_finish, pixels);
        const auto pixelPs = static_cast<double>(m_finish.ps) / static_cast<double>(columns);
        const double bottom = m_y + kBusyRow - 3;
        BoxesShape shape{{}, color};
        for (std::size_t i = 0; i < columns;) {
            const auto heightOf = [&](std::size_t at) { return std::floor(std::min(1.0, static_cast<double>(pixels[at].busyPs) / pixelPs) * 2 * (kBusyRow - 5) + 0.5) / 2; };
            const double height = heightOf(i);
            std::size_t end = i + 1;
            while (end < columns && heightOf(end) == height)
                ++end;
            if (height > 0)
                shape.rects.emplace_back(kLabels + static_cast<double>(i), bottom - height, static_cast<double>(end - i), height);
            i = end;
        }
        m_drawing.add(std::move(shape));
        m_drawing.line({kLabels, bottom + 0.5}, {kLabels + m_span, bottom + 0.5}, DrawPen{Tone::Line});
    }

    const TimelineSource& m_source;
    SimTime m_finish;
    double m_width;
    double m_span; ///< Width of the time axis.
    int m_dimensions;
    std::vector<std::size_t> m_classes;
    Drawing m_drawing;
    double m_y = 0;
};

} // namespace

std::string activityText(Activity activity)
{
    switch (activity) {
    case Activity::Compute: return "Compute";
    case Activity::Memory: return "Memory";
    case Activity::AllReduce: return "All-reduce";
    case Activity::AllGather: return "All-gather";
    case Activity::ReduceScatter: return "Reduce-scatter";
    case Activity::AllToAll: return "All-to-all";
    case Activity::SendReceive: return "Send and receive";
    case Activity::Broadcast: return "Broadcast and other";
    case Activity::Barrier: return "Barrier";
    case Activity::Waiting: break;
    }
    return "Waiting";
}

Drawing timelineFigure(const TimelineSource& source, const TimelineFigureOptions& options)
{
    return Figure(source, options).draw();
}

Drawing activityLegend(const TimelineSource& source, const TimelineFigureOptions& options)
{
    std::array<bool, kActivityCount> seen{};
    std::vector<TimelineBucket> pixels(static_cast<std::size_t>(options.width - kLabels - 8));
    for (const std::size_t index : drawnClasses(source, options.classes)) {
        const TimelineClass& ranks = source.classes()[index];
        for (std::int32_t i = 0; i < ranks.trackCount; ++i) {
            const auto track = static_cast<std::size_t>(ranks.firstTrack + i);
            if (source.tracks()[track].kind == Kind::Waiting)
                continue;
            source.buckets(track, {0}, source.finish(), pixels);
            for (const TimelineBucket& bucket : pixels)
                if (bucket.count > 0)
                    seen[static_cast<std::size_t>(bucket.dominant)] = true;
        }
    }
    std::vector<Activity> activities;
    for (std::size_t i = 0; i < kActivityCount; ++i)
        if (seen[i])
            activities.push_back(static_cast<Activity>(i));
    return activityKeys(activities, "Colours: kinds of activity");
}

Drawing activityKeys(const std::vector<Activity>& activities, std::string title)
{
    Drawing drawing;
    drawing.title = std::move(title);
    double x = 0;
    for (const Activity activity : activities) {
        drawing.box(RectF(x, 3, 9, 9), 2, DrawColor::activity(activity));
        const std::string text = activityText(activity);
        drawing.text({x + 13, 11.5}, text, 10.5, Tone::Text2);
        x += 13 + textWidth(text, 10.5) + 14;
    }
    drawing.size = SizeF(std::max(1.0, std::ceil(x - 10)), 15);
    return drawing;
}

} // namespace fabricscope
