#pragma once

#include "core/draw/geometry.h"
#include "core/platform/platform.h"

#include <optional>
#include <vector>

namespace fabricscope {

/// Where things of a platform are drawn, in scene units (one is a pixel at 100 %). No widget, no painter.
///
/// Dimension-based: blocks inside blocks, dimension 0 innermost; two neighbouring Ring dimensions share a level as a torus. Positions are
/// computed, never stored: 2^20 NPUs cost nothing. Explicit graphs: switches in rows above the NPUs they serve, positions stored.
class PlatformLayout {
public:
    enum class Kind { FullyConnected, Ring, Torus, Switch };

    /// One level of nesting: `count` children of equal size.
    struct Level {
        Kind kind = Kind::Ring;
        int dimension = 0;       ///< Lowest dimension of the level; a torus also holds the next one.
        int count = 1;
        int columns = 1;
        int rows = 1;
        bool circle = false;     ///< Children on a circle (small fully connected groups).
        double radius = 0;       ///< Of that circle, through the middles of the children.
        std::int64_t childNodes = 1; ///< NPUs of one child.
        SizeF child;            ///< Of one child.
        double gap = 8;
        double band = 0;         ///< Height of a switch bar with its trunks above every row of children.
        double bar = 0;          ///< Height of the bar alone.
        double padding = 0;      ///< Inside the frame.
        double caption = 0;      ///< Height of the caption below.
        SizeF size;             ///< Of the whole block.
    };

    explicit PlatformLayout(const Platform& platform);

    const Platform& platform() const { return m_platform; }
    SizeF size() const { return m_size; }
    bool isExplicit() const { return m_platform.isExplicit(); }
    /// Innermost first; empty: a single NPU or an explicit graph.
    const std::vector<Level>& levels() const { return m_levels; }
    const std::vector<PointF>& positions() const { return m_positions; } ///< Explicit graphs: of every node.

    /// Place of a child inside its block.
    RectF childRect(const Level& level, int child) const;
    /// Child in a cell of the grid, or -1 for an empty one. \pre not a circle.
    int childInCell(const Level& level, int column, int row) const;
    /// Top left corner of the block of a level that holds an NPU. level == levels().size() - 1: the whole.
    PointF blockOrigin(std::size_t level, NodeId npu) const;
    PointF npuCentre(NodeId npu) const; ///< O(levels). Explicit graphs: any node.
    /// The NPU (explicit: node) within `reach` of a point. O(levels), explicit O(nodes).
    std::optional<NodeId> nodeAt(PointF point, double reach) const;

    static constexpr double kPitch = 20; ///< Distance of NPUs.
    static constexpr double kNode = 8;   ///< Side of an NPU in a group.

private:
    void layoutLevels();
    void layoutExplicit(); // explicitlayout.cpp
    PointF cell(const Level& level, int child) const; ///< Column and row.

    Platform m_platform;
    std::vector<Level> m_levels;
    std::vector<PointF> m_positions;
    SizeF m_size;
};

} // namespace fabricscope
