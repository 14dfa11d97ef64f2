#include "widgets/draw/snapping.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

namespace fabricscope {

namespace {

/// Of one direction: begin, middle and end of a rectangle.
using Marks = std::array<double, 3>;

Marks marksOf(const RectF& rect, bool x)
{
    return x ? Marks{rect.left(), rect.center().x(), rect.right()} : Marks{rect.top(), rect.center().y(), rect.bottom()};
}

double onGrid(double value)
{
    return std::round(value / kSnapGrid) * kSnapGrid;
}

} // namespace

PointF snapPoint(PointF point)
{
    return {onGrid(point.x()), onGrid(point.y())};
}

Snapped snapRect(const RectF& moved, std::span<const RectF> others, double reach)
{
    Snapped out;
    std::array<double, 2> shift{};
    for (const bool x : {true, false}) {
        const Marks mine = marksOf(moved, x);
        double best = reach;
        bool found = false;
        double by = 0;
        double line = 0;
        for (const RectF& other : others) {
            const Marks theirs = marksOf(other, x);
            for (std::size_t mark = 0; mark < mine.size(); ++mark) {
                const double away = theirs[mark] - mine[mark]; // Edges with the same edge, middles with middles.
                if (std::abs(away) < best || (!found && std::abs(away) <= best)) {
                    best = std::abs(away);
                    by = away;
                    line = theirs[mark];
                    found = true;
                }
            }
        }
        if (found)
            out.guides.push_back({x, line});
        shift[x ? 0 : 1] = found ? by : onGrid(mine[1]) - mine[1];
    }
    out.shift = {shift[0], shift[1]};
    return out;
}

std::vector<PointF> alignShifts(std::span<const RectF> rects, Alignment alignment)
{
    std::vector<PointF> shifts;
    if (rects.empty())
        return shifts;
    RectF all = rects.front();
    for (const RectF& rect : rects)
        all = all.united(rect);
    for (const RectF& rect : rects) {
        switch (alignment) {
        case Alignment::Left: shifts.emplace_back(all.left() - rect.left(), 0.0); break;
        case Alignment::Centre: shifts.emplace_back(all.center().x() - rect.center().x(), 0.0); break;
        case Alignment::Right: shifts.emplace_back(all.right() - rect.right(), 0.0); break;
        case Alignment::Top: shifts.emplace_back(0.0, all.top() - rect.top()); break;
        case Alignment::Middle: shifts.emplace_back(0.0, all.center().y() - rect.center().y()); break;
        case Alignment::Bottom: shifts.emplace_back(0.0, all.bottom() - rect.bottom()); break;
        }
    }
    return shifts;
}

std::vector<PointF> distributeShifts(std::span<const RectF> rects, bool across)
{
    std::vector<PointF> shifts(rects.size());
    if (rects.size() < 3)
        return shifts;
    const auto middle = [&](std::size_t i) { return across ? rects[i].center().x() : rects[i].center().y(); };
    std::vector<std::size_t> order(rects.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) { return middle(a) < middle(b); });
    const double first = middle(order.front());
    const double step = (middle(order.back()) - first) / static_cast<double>(rects.size() - 1);
    for (std::size_t k = 0; k < order.size(); ++k) {
        const double by = first + step * static_cast<double>(k) - middle(order[k]);
        shifts[order[k]] = across ? PointF(by, 0) : PointF(0, by);
    }
    return shifts;
}

} // namespace fabricscope
