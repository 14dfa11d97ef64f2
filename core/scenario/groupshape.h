#pragma once

#include "core/hierarchy/grouplevels.h"
#include "core/platform/placement.h"
#include "core/platform/platform.h"
#include "core/scenario/scenario.h"

#include <memory>
#include <vector>

namespace fabricscope {

/// How a communicator group lies in the platform: the axes its program runs over.
struct GroupShape {
    GroupLayout layout;
    /// Platform dimension of each axis; -1 for the one axis of a group that is not a product of coordinate sets.
    std::vector<std::int32_t> dimensionOfAxis;
    /// Levels of a group on a graph, one used for each axis; null: none were asked for.
    std::shared_ptr<const GroupLevels> levels{};

    /// What joins the NPUs along an axis; absent: a network of switches. Of one axis without levels Ring: members in listed order.
    std::optional<Shape> shapeOf(const Platform& platform, std::size_t axis) const;
};

/// What finds the levels a collective goes by: none for an all-to-all, unless the design lists algorithms by level or the graph is a product of dimensions. In
/// networks its messages share one cable of an NPU on all levels, and by levels it would go over it several times.
const LevelFinder* finderFor(const LevelFinder* finder, CollectiveOp op, std::size_t algorithms);

/// A group whose members' nodes are a product of coordinate sets gets one axis per dimension in which they differ, positions in
/// ascending coordinate; a group of an explicit graph one per level with `finder`; any other group (and with `flat`) one axis in listed order.
/// O(members), O(dimensions) for the whole machine and for strided groups over whole dimensions of a fully used machine; that of LevelFinder::find() on graphs.
GroupShape groupShape(const Platform& platform, const Placement& placement, const GroupFamily& family, std::int64_t group, bool flat, const LevelFinder* finder = nullptr);

} // namespace fabricscope
