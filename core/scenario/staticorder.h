#pragma once

#include "core/workload/taskgraph.h"

#include <stop_token>
#include <vector>

namespace fabricscope {

/// The collectives of one rank graph, family by family, in static order: a topological order in which, of several
/// tasks that could come next, the one with the lowest source id does. O(tasks log tasks).
struct StaticOrder {
    std::vector<std::vector<TaskIndex>> collectives; ///< By family.
    std::vector<std::int32_t> ordinal;               ///< By task: place in its family's list; -1: no collective.
};

/// \pre graph is acyclic. `families` is Workload::families.size().
StaticOrder staticOrder(const RankGraph& graph, std::size_t families, const std::stop_token& stop = {});

} // namespace fabricscope
