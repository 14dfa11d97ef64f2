#include "core/insight/designsfigure.h"

#include "core/draw/platformscale.h"
#include "core/scenario/scenario.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace fabricscope {

namespace {

constexpr double kBetween = 16;
constexpr double kTitleHeight = 20;
constexpr double kMostHigh = 260;
constexpr double kNameSize = 11;

const Platform* platformIn(const ComparedDesign& design)
{
    return design.scenario && design.scenario->structure ? &design.scenario->structure->platform : nullptr;
}

void shift(std::vector<PointF>& points, PointF by)
{
    for (PointF& point : points)
        point += by;
}

RectF shifted(const RectF& rect, PointF by) { return {rect.left() + by.x(), rect.top() + by.y(), rect.width(), rect.height()}; }

/// Shapes of a picture elsewhere on another.
struct ShiftShape {
    PointF by;
    void operator()(BoxShape& shape) const { shape.rect = shifted(shape.rect, by); }
    void operator()(BoxesShape& shape) const
    {
        for (RectF& rect : shape.rects)
            rect = shifted(rect, by);
    }
    void operator()(LinesShape& shape) const
    {
        for (LineF& line : shape.lines)
            line = LineF(line.p1() + by, line.p2() + by);
    }
    void operator()(PathShape& shape) const { shift(shape.points, by); }
    void operator()(CircleShape& shape) const { shape.centre += by; }
    void operator()(HatchShape& shape) const { shape.rect = shifted(shape.rect, by); }
    void operator()(TextShape& shape) const { shape.at += by; }
    void operator()(GroupMark&) const {}
};

/// As much of a name as there is room for.
std::string shortened(const std::string& name, double room)
{
    if (textWidth(name, kNameSize, true) <= room)
        return name;
    std::string text = name;
    while (!text.empty() && textWidth(text + "\xE2\x80\xA6", kNameSize, true) > room) {
        while (text.size() > 1 && (static_cast<unsigned char>(text.back()) & 0xC0U) == 0x80U) // Of a letter of several bytes all.
            text.pop_back();
        text.pop_back();
    }
    return text + "\xE2\x80\xA6";
}

} // namespace

Drawing designsFigure(const DesignSet& set, double width)
{
    std::vector<std::size_t> shown;
    bool differ = false;
    for (std::size_t i = 0; i < set.designs.size(); ++i) {
        const Platform* const platform = platformIn(set.designs[i]);
        if (!platform)
            continue;
        differ = differ || (!shown.empty() && !(platform->spec() == platformIn(set.designs[shown.front()])->spec()));
        shown.push_back(i);
    }
    Drawing drawing;
    if (shown.size() < 2 || !differ)
        return drawing;
    PlatformFigureOptions options;
    options.width = std::floor((width - kBetween) / 2);
    options.mostHeight = kMostHigh;
    double scale = std::numeric_limits<double>::max();
    for (const std::size_t design : shown)
        scale = std::min(scale, platformFigureScale(*platformIn(set.designs[design]), options));
    double top = 0;
    for (std::size_t i = 0; i < shown.size(); i += 2) {
        double high = 0;
        for (std::size_t k = i; k < std::min(i + 2, shown.size()); ++k) {
            const ComparedDesign& design = set.designs[shown[k]];
            const Platform& platform = *platformIn(design);
            const double left = k == i ? 0 : options.width + kBetween;
            Drawing part = platformFigureAt(platform, design.summary.record ? PlatformHeat::fromRecord(platform, *design.summary.record) : PlatformHeat(), scale, options);
            drawing.text({left, top + 13}, shortened(std::string(1, DesignSet::letter(shown[k])) + "  " + nameOf(set, shown[k]), options.width), kNameSize, Tone::Text, TextShape::Anchor::Left, true);
            for (DrawShape& shape : part.shapes) {
                std::visit(ShiftShape{PointF(left, top + kTitleHeight)}, shape);
                drawing.add(std::move(shape));
            }
            high = std::max(high, kTitleHeight + part.size.height());
        }
        top += high + (i + 2 < shown.size() ? kBetween : 0);
    }
    drawing.size = SizeF(width, std::ceil(top));
    drawing.title = "Platforms of the designs";
    for (const std::size_t design : shown)
        drawing.description += (drawing.description.empty() ? "" : " ") + std::string(1, DesignSet::letter(design)) + ": " + platformSentence(*platformIn(set.designs[design]));
    return drawing;
}

} // namespace fabricscope
