#pragma once

#include "core/platform/platform.h"

#include <cstdint>
#include <vector>

namespace fabricscope {

/// What the generator of a graph declares of its nodes, as far as ways go by it. Plain value; what a fabric does not have is empty.
struct DeclaredNodes {
    /// Grids of NPUs (ring, mesh, torus, hypercube, TPU v4) or of switches (HyperX): NPUs or switches of each axis, the first fastest.
    std::vector<std::int32_t> sizes;
    NodeId firstOfGrid = 0;
    /// Dragonflies: groups, and the group of each node; -1: a switch inside of a host.
    std::int32_t groups = 0;
    std::vector<std::int32_t> group;
    /// Rails: NPUs of a host, of which the r-th is on rail r, and the host of each node; -1: none.
    std::int32_t rails = 0;
    std::vector<std::int32_t> host;

    /// Of a platform that a generator wrote out as nodes and links; of any other nothing. O(nodes).
    static DeclaredNodes of(const PlatformSpec& spec);

    bool hasAxes() const { return !sizes.empty(); }
    bool hasGroups() const { return groups > 0; }
    bool hasRails() const { return rails > 0; }
    /// The only axis along which two nodes of the grid differ; -1: they differ along several, or one is not of the grid. O(axes).
    std::int32_t axisBetween(NodeId a, NodeId b) const;
};

} // namespace fabricscope
