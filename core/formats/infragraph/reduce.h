#pragma once

#include "core/formats/infragraph/expandinstances.h"
#include "core/platform/platform.h"

#include <cstdint>
#include <functional>
#include <stop_token>
#include <string>
#include <vector>

namespace fabricscope {

/// Nodes of the expanded graph that count as one.
struct InfraGroup {
    std::int32_t node = 0;   ///< The node it is known by.
    std::string name;
    NodeKind kind = NodeKind::Switch;
    InfraChoice choice = InfraChoice::Switch;
    bool kept = true;
};

/// What joins two groups: an edge, `planes` equal edges side by side, or several edges in a row.
struct InfraCable {
    std::int32_t a = 0;
    std::int32_t b = 0;
    std::int32_t link = 0;      ///< Uses, as in InfraEdge.
    std::int32_t bandwidth = -1;
    std::int32_t latency = -1;
    std::size_t edge = 0;       ///< Index into InfraExpansion::edges().
    bool betweenInstances = false;
    std::int32_t planes = 1;
    std::vector<std::size_t> parts; ///< Into InfraReduction::merged; empty: a single edge.
};

struct InfraReduction {
    std::vector<InfraGroup> groups;
    std::vector<std::int32_t> accelerators; ///< Groups, in node order.
    std::vector<InfraCable> cables;         ///< Between groups that are kept, in the order of the edges.
    std::vector<InfraCable> merged;         ///< Parts of rows.
    std::vector<std::string> remarks;       ///< What was left out or put together, for people.
};

/// The graph without what a simulation need not see (the rules are listed at platformFromInfraGraph). `hasFigures`: somebody gives the edge a
/// bandwidth, so that a port behind it is a node of its own. Told to stop: throws StopRequested (stop.h). O(nodes + edges log edges).
InfraReduction reduceInfraGraph(const InfraDocument& document, const InfraExpansion& graph, const std::function<bool(const InfraEdge&)>& hasFigures,
                                const std::stop_token& stop = {});

} // namespace fabricscope
