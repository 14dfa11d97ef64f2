#pragma once

#include "core/platform/explicitgraph.h"

#include <functional>
#include <vector>

namespace fabricscope {

/// Appends a way with the fewest links there are when every NPU hands on what is not for it, also those that else end ways; memories do not. Of several links that
/// lead as near the first listed. False, and nothing appended: there is none. `open`: the links that may be used. O(nodes + links).
bool appendHandedOn(const ExplicitGraph& graph, NodeId from, NodeId to, const std::function<bool(LinkId)>& open, std::vector<LinkId>& links);

} // namespace fabricscope
