#include "core/insight/waterfallfigure.h"

#include "core/base/showntext.h"
#include "core/draw/nicestep.h"
#include "core/draw/numbertext.h"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace fabricscope {

namespace {

using Anchor = TextShape::Anchor;

constexpr double kNamePart = 0.37; ///< Of the width.
constexpr double kRuler = 24;
constexpr double kDesignRow = 26;
constexpr double kStepRow = 36;    ///< A field, and below it its two values.
constexpr double kBarHeight = 13;
constexpr double kTextSize = 10.5;
constexpr double kValueSize = 9.5;
constexpr double kGap = 14;
constexpr double kLeastBar = 1.5;  ///< What changes something is never invisible.
constexpr std::string_view kArrow = " \xE2\x86\x92 ";
constexpr std::string_view kEllipsis = "\xE2\x80\xA6";
constexpr std::string_view kThinSpace = "\xE2\x80\xAF";

bool insideCharacter(char c)
{
    return (static_cast<unsigned char>(c) & 0xC0U) == 0x80U;
}

/// Cut at its end, or at its beginning, so that it is not wider.
std::string fittedText(const std::string& text, double size, bool strong, double width, bool keepEnd)
{
    if (textWidth(text, size, strong) <= width)
        return text;
    std::string rest = text;
    while (!rest.empty() && textWidth(rest, size, strong) + textWidth(kEllipsis, size, strong) > width) {
        std::size_t cut = 1;
        if (keepEnd) {
            while (cut < rest.size() && insideCharacter(rest[cut]))
                ++cut;
            rest.erase(0, cut);
        } else {
            while (cut < rest.size() && insideCharacter(rest[rest.size() - cut]))
                ++cut;
            rest.resize(rest.size() - cut);
        }
    }
    return keepEnd ? std::string(kEllipsis) + rest : rest + std::string(kEllipsis);
}

/// One bar and what stands beside it.
struct WaterfallRow {
    std::string name;
    std::string values; ///< Of the field; empty: a design.
    SimTime from;
    SimTime to;
    std::string change;
    bool design = false;
};

class WaterfallPicture {
public:
    WaterfallPicture(const DesignSet& set, const DesignPath& path, double width)
        : m_set(set), m_path(path), m_made(*path.waterfall), m_unit(unitOf(m_made)), m_span(spanOf(m_made)), m_width(width), m_left(std::floor(width * kNamePart))
    {
        const char a = DesignSet::letter(set.baseline);
        const char b = DesignSet::letter(path.to);
        const auto order = m_made.b <=> m_made.a;
        m_drawing.title = order < 0 ? std::string("Why ") + b + " is faster than " + a : order > 0 ? std::string("Why ") + b + " is slower than " + a : std::string(1, b) + " takes as long as " + a;
    }

    Drawing draw()
    {
        makeRows();
        measure();
        m_drawing.begin("waterfall");
        ruler();
        double top = kRuler;
        for (std::size_t i = 0; i < m_rows.size(); ++i) {
            row(i, top);
            top += heightOf(m_rows[i]);
        }
        m_drawing.end();
        return std::move(m_drawing);
    }

private:
    static double heightOf(const WaterfallRow& row) { return row.design ? kDesignRow : kStepRow; }

    std::string designName(std::size_t number) const { return std::string(1, DesignSet::letter(number)) + ' ' + nameOf(m_set, number); }

    void makeRows()
    {
        const std::string unit = std::string(kThinSpace) + m_unit.name();
        const SimTime left{std::max<std::int64_t>(m_span.low.ps, 0)}; // Sums of means may lie below zero, designs do not.
        m_rows.push_back({designName(m_set.baseline), {}, left, m_made.a, {}, true});
        std::size_t number = 0;
        for (const WaterfallItem& item : m_made.items) {
            const DesignChange& change = m_path.changes.rows()[item.change];
            const auto value = [](const std::string& text) { return text.empty() ? std::string("(not there)") : shownText(text); };
            const std::string values = change.whole ? "all of it that differs" : value(change.a) + std::string(kArrow) + value(change.b);
            m_rows.push_back({std::to_string(++number) + "  " + shownText(change.field), values, item.from, item.to, item.apart ? m_unit.signedText(item.delta()) : "with the next", false});
        }
        const std::string sum = m_unit.signedText(m_made.b - m_made.a);
        m_rows.push_back({designName(m_path.to), {}, left, m_made.b, sum, true});
        for (const WaterfallRow& row : m_rows) {
            m_drawing.description += (m_drawing.description.empty() ? "" : "; ") + row.name + ": ";
            if (!row.change.empty())
                m_drawing.description += (row.design ? "sum " : "") + row.change + (row.change == "with the next" ? ", " : unit + ", ");
            m_drawing.description += m_unit.text(row.to) + unit;
        }
    }

    /// Columns of numbers at the right, and the height.
    void measure()
    {
        double change = textWidth(changeTitle(), kTextSize);
        double time = textWidth(timeTitle(), kTextSize);
        double height = kRuler;
        for (const WaterfallRow& row : m_rows) {
            change = std::max(change, textWidth(row.change, kTextSize, true));
            time = std::max(time, textWidth(m_unit.text(row.to), kTextSize, true));
            height += heightOf(row);
        }
        m_timeRight = m_width - 2;
        m_changeRight = m_timeRight - time - kGap;
        m_right = std::max(m_changeRight - change - kGap, m_left + 1);
        m_drawing.size = SizeF(m_width, height + 2);
    }

    std::string changeTitle() const { return "change, " + m_unit.name(); }
    std::string timeTitle() const { return "time, " + m_unit.name(); }

    double xOf(SimTime time) const
    {
        const auto span = static_cast<double>(std::max<std::int64_t>(m_span.high.ps - m_span.low.ps, 1));
        return m_left + (m_right - m_left) * static_cast<double>(time.ps - m_span.low.ps) / span;
    }

    void ruler()
    {
        constexpr std::int64_t kSteps = 4;
        const std::int64_t step = niceStep(m_span.high.ps - m_span.low.ps, kSteps);
        const std::int64_t unit = numbertext::timeUnitPs(m_span.high);
        int decimals = 0;
        for (std::int64_t digit = unit; digit > 1 && step % digit != 0 && decimals < 9; digit /= 10)
            ++decimals;
        LinesShape grid;
        grid.pen = {Tone::Grid};
        double free = 0; ///< Where the text before ends.
        for (std::int64_t i = (m_span.low.ps + step - 1) / step; i <= m_span.high.ps / step; ++i) {
            const double x = std::floor(xOf({i * step})) + 0.5;
            grid.lines.emplace_back(x, kRuler - 4, x, m_drawing.size.height() - 2);
            const std::string text = i == 0 ? "0" : numbertext::ratio(i * step, unit, decimals) + std::string(kThinSpace) + numbertext::timeUnit(m_span.high);
            const double half = textWidth(text, kTextSize) / 2;
            const double middle = std::clamp(x, m_left + half, std::max(m_right - half, m_left + half));
            if (middle - half < free)
                continue;
            m_drawing.text({middle, 12}, text, kTextSize, Tone::Text3, Anchor::Middle);
            free = middle + half + 6;
        }
        m_drawing.add(std::move(grid));
        m_drawing.text({m_changeRight, 12}, changeTitle(), kTextSize, Tone::Text3, Anchor::Right);
        m_drawing.text({m_timeRight, 12}, timeTitle(), kTextSize, Tone::Text3, Anchor::Right);
    }

    void row(std::size_t number, double top)
    {
        const WaterfallRow& shown = m_rows[number];
        const double middle = top + heightOf(shown) / 2;
        const double base = middle + kTextSize * 0.36;
        const double room = m_left - kGap;
        if (shown.design) {
            m_drawing.text({0, base}, fittedText(shown.name, kTextSize, true, room, false), kTextSize, Tone::Text, Anchor::Left, true);
        } else {
            m_drawing.text({0, middle - 3}, fittedText(shown.name, kTextSize, false, room, true), kTextSize, Tone::Text);
            m_drawing.text({0, middle + kValueSize + 0.5}, fittedText(shown.values, kValueSize, false, room, false), kValueSize, Tone::Text2);
        }
        const SimTime delta = shown.to - shown.from;
        const DrawColor color = shown.design ? Tone::Outline : delta.ps < 0 ? Tone::Ok : Tone::Err;
        const DrawColor ink = shown.design || delta.ps == 0 ? DrawColor(Tone::Text) : color;
        m_drawing.text({m_changeRight, base}, shown.change, kTextSize, ink, Anchor::Right, shown.design);
        m_drawing.text({m_timeRight, base}, m_unit.text(shown.to), kTextSize, Tone::Text, Anchor::Right, shown.design);
        if (number + 1 < m_rows.size()) {
            const double x = xOf(shown.to);
            m_drawing.line({x, middle}, {x, top + heightOf(shown) + heightOf(m_rows[number + 1]) / 2}, DrawPen{Tone::Outline});
        }
        if (delta.ps != 0)
            bar(shown, middle, color);
    }

    void bar(const WaterfallRow& shown, double middle, DrawColor color)
    {
        const double left = xOf(std::min(shown.from, shown.to));
        const double length = std::max(xOf(std::max(shown.from, shown.to)) - left, kLeastBar);
        const RectF rect(left, middle - kBarHeight / 2, length, kBarHeight);
        m_drawing.box(rect, 0, color);
        if (!shown.design || m_span.low.ps <= 0 || length < 14)
            return;
        // The axis is broken here.
        const double x = left + 6;
        m_drawing.add(PathShape{{PointF(x, rect.top() - 1), PointF(x + 4, middle), PointF(x, rect.bottom() + 1)}, false, {}, 1, DrawPen{Tone::View, 2.5}});
    }

    const DesignSet& m_set;
    const DesignPath& m_path;
    const Waterfall& m_made;
    WaterfallUnit m_unit;
    WaterfallSpan m_span;
    double m_width;
    double m_left;
    double m_right = 0;
    double m_changeRight = 0;
    double m_timeRight = 0;
    std::vector<WaterfallRow> m_rows;
    Drawing m_drawing;
};

} // namespace

std::string WaterfallUnit::name() const
{
    return numbertext::timeUnit({ps});
}

std::string WaterfallUnit::text(SimTime time) const
{
    return numbertext::ratio(time.ps, ps, decimals);
}

std::string WaterfallUnit::signedText(SimTime change) const
{
    if (change.ps == 0)
        return "0";
    return (change.ps > 0 ? "+" : "") + text(change);
}

WaterfallUnit unitOf(const Waterfall& waterfall)
{
    constexpr std::int64_t kThousand = 1000;
    const auto fits = [&](std::int64_t part) {
        return waterfall.a.ps % part == 0 && waterfall.b.ps % part == 0
            && std::all_of(waterfall.items.begin(), waterfall.items.end(), [part](const WaterfallItem& item) { return item.to.ps % part == 0; });
    };
    WaterfallUnit unit{numbertext::timeUnitPs(std::max(waterfall.a, waterfall.b)), 0};
    while (unit.ps > 1 && !fits(unit.ps / kThousand))
        unit.ps /= kThousand;
    unit.decimals = fits(unit.ps) ? 0 : 3;
    return unit;
}

Drawing waterfallFigure(const DesignSet& set, const DesignPath& path, double width)
{
    assert(path.waterfall);
    return WaterfallPicture(set, path, width).draw();
}

} // namespace fabricscope
