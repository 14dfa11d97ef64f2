#pragma once

#include "core/platform/platform.h"
#include "core/scenario/scenario.h"

#include <vector>

namespace fabricscope {

/// How a communicator group lies in the platform: the axes its program runs over.
struct GroupShape {
    GroupLayout layout;
    /// Platform dimension of each axis; -1 for the one axis of a group that is not a product of coordinate sets.
    std::vector<std::int32_t> dimensionOfAxis;
};

/// A group whose members' nodes are a product of coordinate sets gets one axis per dimension in which they differ, positions in
/// ascending coordinate; any other group (and every group of an explicit graph, or with `flat`) one axis in listed order.
/// O(members), O(dimensions) for the whole machine and for strided groups over whole dimensions of a fully used machine.
GroupShape groupShape(const Platform& platform, const Placement& placement, const GroupFamily& family, std::int64_t group, bool flat);

} // namespace fabricscope
