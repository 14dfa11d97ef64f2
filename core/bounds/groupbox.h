#pragma once

#include "core/bounds/bounds.h"
#include "core/bounds/cutset.h"

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace fabricscope {

/// Where a group lies in a platform of dimensions: the coordinates its messages may touch, dimension by dimension. Private to core/bounds.
struct GroupBox {
    struct Axis {
        std::size_t dimension = 0;
        Shape shape = Shape::Ring;
        std::int32_t extent = 1;               ///< Coordinates used, > 1.
        std::vector<std::int32_t> coordinates; ///< Ascending; empty: all.
        std::int64_t linkRate = 0;             ///< Bytes/s, without overrides.
        std::int64_t npuRate = 0;              ///< Of the links of one NPU to others of the box.
        std::int64_t hopLatencyPs = 0;         ///< To a neighbour (Switch: up and down), the least of all links with overrides.

        bool has(std::int32_t coordinate) const;
        /// Latency between two coordinates.
        std::int64_t latencyPs(std::int32_t a, std::int32_t b, std::int32_t size) const;
    };
    std::vector<Axis> axes;
    std::vector<std::pair<std::size_t, std::int32_t>> fixed; ///< Dimensions without an axis: the one coordinate messages stay at.
    std::int64_t positions = 1;                ///< Product of the extents.
    bool full = false;                         ///< Every position is a member.
    bool alike = false;                        ///< No overrides or removals: all links of a dimension are the same.

    bool hasNpu(const Platform& platform, NodeId npu) const;
};

/// O(members * dimensions), O(dimensions) for all NPUs of a platform. \pre dimension-based.
GroupBox groupBox(const Platform& platform, std::span<const NodeId> members, BoundScope scope);

/// Cuts along the dimensions: every NPU, every line, plane, ... of the box against the rest, and halves of dimensions; and the farthest pair.
/// All of them are exact where the box is full and alike and no budget binds (checked against max-flow). O(2^axes), else O(members 2^axes) for few axes.
/// `reduces`: a switch may reduce or copy. In boxcuts.cpp.
void considerBox(const Platform& platform, const GroupBox& box, std::span<const NodeId> members, CollectiveOp op, std::int32_t root, bool reduces,
                 CutCollector& cuts);

} // namespace fabricscope
