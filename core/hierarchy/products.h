#pragma once

#include "core/hierarchy/levelgraph.h"
#include "core/platform/platform.h"

#include <vector>

namespace fabricscope {

struct ProductAxes {
    std::vector<NpuAxis> axes{}; ///< Empty: the graph is no product.
    bool open = false;           ///< Along some axis the NPUs stand in a line that is not closed: a mesh.
};

/// Coordinates of a graph that is a product of rings, lines, full meshes and switches written out, NPU numbers counted along them, the first axis the fastest: links and
/// nodes are exactly those of the same dimensions, or of a mesh, and more than three quarters of the links of an axis have one rate, in a line all.
/// O(links log) and a few tries at the first NPU. Private to core/hierarchy.
ProductAxes productAxes(const LevelGraph& graph);

} // namespace fabricscope
