#pragma once

#include "core/draw/geometry.h"

#include <span>
#include <vector>

namespace fabricscope {

/// A line that something being moved lies on with something else.
struct SnapGuide {
    bool vertical = true;
    double at = 0; ///< x of a vertical one, y of a horizontal one.
};

/// How far something is moved on, so that it stands well, and why.
struct Snapped {
    PointF shift;
    std::vector<SnapGuide> guides;
};

constexpr double kSnapGrid = 8;
constexpr double kSnapReach = 6;

/// Where a rectangle stands best: its edges or middle on those of others within `reach`, each direction by itself; else its middle on the grid. O(others).
Snapped snapRect(const RectF& moved, std::span<const RectF> others, double reach = kSnapReach);
/// The nearest crossing of the grid.
PointF snapPoint(PointF point);

/// How things are put in line.
enum class Alignment { Left, Centre, Right, Top, Middle, Bottom };
/// Shifts that put rectangles in line with the outermost of them, or for Centre and Middle with the middle of all.
std::vector<PointF> alignShifts(std::span<const RectF> rects, Alignment alignment);
/// Shifts that make the distances between middles equal, from the first to the last.
std::vector<PointF> distributeShifts(std::span<const RectF> rects, bool across);

} // namespace fabricscope
