#pragma once

#include "core/hierarchy/levelgraph.h"
#include "core/platform/platform.h"

#include <vector>

namespace fabricscope {

/// Coordinates of a graph that is a product of rings, full meshes and switches written out, NPU numbers counted along them, the first axis the fastest: links and
/// nodes are exactly those of the same dimensions, and more than three quarters of the links of an axis have one rate. Empty: it is none. O(links log) and a few tries at the first NPU. Private to core/hierarchy.
std::vector<NpuAxis> productAxes(const LevelGraph& graph);

} // namespace fabricscope
