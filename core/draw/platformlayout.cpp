#include "core/draw/platformlayout.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

namespace fabricscope {

namespace {

constexpr int kCircleLimit = 64;      ///< More NPUs of a fully connected group stand in a grid,
constexpr int kGroupCircleLimit = 8;  ///< and more groups of NPUs.
constexpr double kWanted = 1.9;   ///< Width to height of the whole.

/// Cell of place `index` on a closed walk through a grid with an even number of rows: along the first row, back and forth through the
/// others without their first column, up the first column. Neighbours on the walk are neighbours in the grid.
PointF walkCell(int index, int columns, int rows)
{
    const auto at = [](int column, int row) { return PointF(column, row); };
    if (columns == 1)
        return at(0, index);
    if (index < columns)
        return at(index, 0);
    index -= columns;
    for (int row = 1; row < rows; ++row) {
        const bool last = row == rows - 1;
        const int length = last ? columns : columns - 1;
        if (index < length)
            return at(row % 2 == 1 ? columns - 1 - index : 1 + index, row);
        index -= length;
    }
    return at(0, rows - 2 - index);
}

int walkIndex(int column, int row, int columns, int rows)
{
    if (columns == 1)
        return row;
    if (row == 0)
        return column;
    if (column == 0 && row < rows - 1)
        return columns + (rows - 2) * (columns - 1) + columns + (rows - 2 - row);
    const int before = columns + (row - 1) * (columns - 1);
    return before + (row % 2 == 1 ? columns - 1 - column : column - 1);
}

double shapeCost(double width, double height)
{
    return std::abs(std::log(width / height / kWanted));
}

} // namespace

PlatformLayout::PlatformLayout(const Platform& platform) : m_platform(platform)
{
    if (platform.isExplicit())
        layoutExplicit();
    else
        layoutLevels();
}

void PlatformLayout::layoutLevels()
{
    const auto dimensions = m_platform.dimensions();
    SizeF child(kPitch, kPitch);
    std::int64_t childNodes = 1;
    for (std::size_t d = 0; d < dimensions.size();) {
        if (dimensions[d].size <= 1) {
            ++d;
            continue;
        }
        Level level;
        level.dimension = static_cast<int>(d);
        level.childNodes = childNodes;
        level.child = child;
        level.count = dimensions[d].size;
        const bool leaf = m_levels.empty();
        const auto isRing = [&](std::size_t i) { return i < dimensions.size() && dimensions[i].shape == Shape::Ring && dimensions[i].size >= 3; };
        std::size_t next = d + 1;
        while (next < dimensions.size() && dimensions[next].size <= 1)
            ++next;
        if (isRing(d) && isRing(next)) {
            level.kind = Kind::Torus;
            level.columns = dimensions[d].size;
            level.rows = dimensions[next].size;
            level.count = level.columns * level.rows;
            ++next;
        } else if (dimensions[d].shape == Shape::Ring) {
            level.kind = Kind::Ring;
        } else {
            level.kind = dimensions[d].shape == Shape::Switch ? Kind::Switch : Kind::FullyConnected;
        }
        d = next;

        // Every level doubles the distance; bundles of links need room to be seen.
        level.gap = leaf ? 0 : std::min(8.0 * std::pow(2.0, static_cast<double>(m_levels.size())), 64.0);
        if (!leaf && (level.kind == Kind::Ring || level.kind == Kind::Torus || level.kind == Kind::FullyConnected))
            level.gap = std::max(level.gap, 44.0);
        if (level.kind == Kind::Switch) {
            level.bar = leaf ? 6 : 26;
            level.band = leaf ? 16 : 26 + 56;
        }
        level.padding = leaf ? 4 : 14;
        const bool nested = std::any_of(dimensions.begin() + static_cast<std::ptrdiff_t>(d), dimensions.end(), [](const Dimension& other) { return other.size > 1; });
        level.caption = !nested ? 0 : leaf ? 16 : 22;
        const auto extent = [&](int columns, int rows) {
            return SizeF(2 * level.padding + columns * child.width() + (columns - 1) * level.gap,
                          2 * level.padding + level.caption + rows * (child.height() + level.band) + (rows - 1) * level.gap);
        };
        if (level.kind == Kind::FullyConnected && leaf && level.count <= kCircleLimit) {
            level.circle = true;
            level.caption = 0;
            level.radius = std::max(34.0, level.count * 17.0 / (2 * std::numbers::pi));
            level.size = SizeF(2 * level.radius + kPitch + 8, 2 * level.radius + kPitch + 8);
        } else if (level.kind == Kind::FullyConnected && level.count >= 3 && level.count <= kGroupCircleLimit) {
            level.circle = true;
            const double side = std::hypot(child.width(), child.height());
            level.radius = std::max(side * 0.75, (side + level.gap) * level.count / (2 * std::numbers::pi));
            const double across = 2 * (level.radius + level.padding);
            level.size = SizeF(across + child.width(), across + child.height() + level.caption);
        } else if (level.kind == Kind::Torus) {
            level.size = extent(level.columns, level.rows);
        } else {
            double best = std::numeric_limits<double>::max();
            for (int columns = 1; columns <= level.count; ++columns) {
                int rows = (level.count + columns - 1) / columns;
                if (level.kind == Kind::Ring && rows % 2 == 1)
                    ++rows; // a closed walk needs an even number
                if (level.kind == Kind::Ring && columns * rows - level.count >= columns && level.count > 3)
                    continue;
                const SizeF size = extent(columns, rows);
                double cost = shapeCost(size.width(), size.height()) + (level.kind == Kind::Ring ? 4.0 : 1.5) * (columns * rows - level.count) / level.count;
                if (level.kind == Kind::Switch && rows > 1)
                    cost += leaf ? 0.6 : 0.5; // one bar tells more than several
                if (cost < best) {
                    best = cost;
                    level.columns = columns;
                    level.rows = rows;
                    level.size = size;
                }
            }
        }
        childNodes *= level.count;
        child = level.size;
        m_levels.push_back(level);
    }
    m_size = m_levels.empty() ? SizeF(kPitch, kPitch) : m_levels.back().size;
}

PointF PlatformLayout::cell(const Level& level, int child) const
{
    if (level.kind == Kind::Ring) {
        const int cells = level.columns * level.rows;
        const int place = static_cast<int>(std::int64_t{child} * cells / level.count);
        return walkCell(place, level.columns, level.rows);
    }
    return PointF(child % level.columns, child / level.columns);
}

int PlatformLayout::childInCell(const Level& level, int column, int row) const
{
    if (column < 0 || row < 0 || column >= level.columns || row >= level.rows)
        return -1;
    if (level.kind == Kind::Ring) {
        const std::int64_t cells = std::int64_t{level.columns} * level.rows;
        const std::int64_t place = walkIndex(column, row, level.columns, level.rows);
        const auto child = static_cast<int>((place * level.count + cells - 1) / cells);
        return child < level.count && child * cells / level.count == place ? child : -1;
    }
    const int child = row * level.columns + column;
    return child < level.count ? child : -1;
}

RectF PlatformLayout::childRect(const Level& level, int child) const
{
    if (level.circle) {
        const double angle = (child + 0.5) * 2 * std::numbers::pi / level.count - std::numbers::pi / 2;
        const PointF centre(level.size.width() / 2 + level.radius * std::cos(angle), (level.size.height() - level.caption) / 2 + level.radius * std::sin(angle));
        return {centre.x() - level.child.width() / 2, centre.y() - level.child.height() / 2, level.child.width(), level.child.height()};
    }
    const PointF at = cell(level, child);
    return {level.padding + at.x() * (level.child.width() + level.gap),
            level.padding + level.band + at.y() * (level.child.height() + level.gap + level.band), level.child.width(), level.child.height()};
}

PointF PlatformLayout::blockOrigin(std::size_t wanted, NodeId npu) const
{
    PointF origin(0, 0);
    for (std::size_t i = m_levels.size(); i-- > wanted + 1;) {
        const Level& level = m_levels[i];
        origin += childRect(level, static_cast<int>(npu / level.childNodes % level.count)).topLeft();
    }
    return origin;
}

PointF PlatformLayout::npuCentre(NodeId npu) const
{
    if (isExplicit())
        return m_positions[static_cast<std::size_t>(npu)];
    if (m_levels.empty())
        return {kPitch / 2, kPitch / 2};
    return blockOrigin(0, npu) + childRect(m_levels[0], static_cast<int>(npu % m_levels[0].count)).center();
}

std::optional<NodeId> PlatformLayout::nodeAt(PointF point, double reach) const
{
    if (isExplicit()) {
        std::optional<NodeId> found;
        double best = reach * reach;
        for (std::size_t i = 0; i < m_positions.size(); ++i) {
            const PointF d = m_positions[i] - point;
            if (PointF::dotProduct(d, d) <= best) {
                best = PointF::dotProduct(d, d);
                found = static_cast<NodeId>(i);
            }
        }
        return found;
    }
    std::int64_t node = 0;
    for (std::size_t i = m_levels.size(); i-- > 0;) {
        const Level& level = m_levels[i];
        int child = -1;
        if (level.circle) {
            for (int c = 0; c < level.count && child < 0; ++c) {
                const RectF rect = childRect(level, c);
                const PointF d = rect.center() - point;
                if (i > 0 ? rect.contains(point) : std::hypot(d.x(), d.y()) <= reach)
                    child = c;
            }
        } else {
            const int column = static_cast<int>(std::floor((point.x() - level.padding + level.gap / 2) / (level.child.width() + level.gap)));
            const int row = static_cast<int>(std::floor((point.y() - level.padding - level.band + level.gap / 2) / (level.child.height() + level.gap + level.band)));
            child = childInCell(level, column, row);
        }
        if (child < 0)
            return std::nullopt;
        node += child * level.childNodes;
        point -= childRect(level, child).topLeft();
    }
    const PointF d = point - PointF(kPitch / 2, kPitch / 2);
    if (std::hypot(d.x(), d.y()) > reach)
        return std::nullopt;
    return static_cast<NodeId>(node);
}

} // namespace fabricscope
