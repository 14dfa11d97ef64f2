#pragma once

#include "core/draw/geometry.h"
#include "core/draw/palette.h"

#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace fabricscope {

struct DrawPen {
    DrawColor color;
    double width = 1;
    double opacity = 1; ///< 0..1.
    double dash = 0;    ///< Length of dashes and gaps; 0: a full line.
};

/// One rectangle, filled, framed or both.
struct BoxShape {
    RectF rect;
    double radius = 0;
    std::optional<DrawColor> fill;
    std::optional<DrawPen> pen;
};

/// Many rectangles of one colour.
struct BoxesShape {
    std::vector<RectF> rects;
    DrawColor fill;
};

/// Many lines of one pen.
struct LinesShape {
    std::vector<LineF> lines;
    DrawPen pen;
};

struct PathShape {
    std::vector<PointF> points;
    bool closed = false;
    std::optional<DrawColor> fill;
    double opacity = 1; ///< Of the fill.
    std::optional<DrawPen> pen;
};

struct CircleShape {
    PointF centre;
    double radius = 1;
    std::optional<DrawColor> fill;
    std::optional<DrawPen> pen;
};

/// Lines at 45 degrees, rising to the right, inside a rectangle.
struct HatchShape {
    RectF rect;
    DrawPen pen;
    double pitch = 6; ///< Distance of neighbouring lines.
};

struct TextShape {
    enum class Anchor : std::uint8_t { Left, Middle, Right };
    PointF at;          ///< On the base line.
    std::string text;   ///< UTF-8.
    double size = 11;
    bool strong = false;
    Anchor anchor = Anchor::Left;
    DrawColor color = Tone::Text;
};

/// Start of a named group, or with an empty name its end.
struct GroupMark {
    std::string name;
};

using DrawShape = std::variant<BoxShape, BoxesShape, LinesShape, PathShape, CircleShape, HatchShape, TextShape, GroupMark>;

/// A picture as a list of shapes, painted in order. Colours are tokens, lengths are pixels of the screen. A plain value.
struct Drawing {
    SizeF size;
    std::string title;       ///< What it shows, for people who do not see it.
    std::string description;
    std::vector<DrawShape> shapes;

    bool isEmpty() const { return shapes.empty(); }
    void add(DrawShape shape) { shapes.push_back(std::move(shape)); }
    void box(const RectF& rect, double radius, std::optional<DrawColor> fill, std::optional<DrawPen> pen = {}) { add(BoxShape{rect, radius, fill, pen}); }
    void line(const PointF& from, const PointF& to, const DrawPen& pen) { add(LinesShape{{LineF(from, to)}, pen}); }
    void text(const PointF& at, std::string words, double height, DrawColor color, TextShape::Anchor anchor = TextShape::Anchor::Left, bool strong = false)
    {
        add(TextShape{at, std::move(words), height, strong, anchor, color});
    }
    void begin(std::string name) { add(GroupMark{std::move(name)}); }
    void end() { add(GroupMark{}); }
};

/// Lines of a hatch, cut at the edges of its rectangle.
std::vector<LineF> hatchLines(const HatchShape& hatch);

/// Width of a text from a built-in table of advances, about that of Noto Sans: the same on every machine, on the wide side.
double textWidth(std::string_view text, double size, bool strong = false);

} // namespace fabricscope
