#pragma once

#include "core/base/result.h"
#include "core/platform/platform.h"

#include <cstdint>
#include <span>
#include <vector>

namespace fabricscope {

/// Directed links between ranks, and switches that pass data on: what synthesisers work on. Made from a platform and a group.
struct SynthesisGraph {
    struct Link {
        std::int32_t from = 0;          ///< Vertex.
        std::int32_t to = 0;
        std::int64_t bytesPerSecond = 0;
        std::int64_t latencyPs = 0;
        std::vector<std::int64_t> route; ///< Links (LinkId) of the platform behind it; empty for a graph of its own.
    };
    std::int32_t ranks = 0;             ///< Vertices 0..ranks-1 hold data.
    std::int32_t vertices = 0;          ///< The others are switches.
    std::vector<Link> links;
};

/// Members of a group on a platform. Vertex i < members.size() is member i; NPUs that are no members and switches follow as switches.
/// Errors: a platform with more than 2^20 links; a group of less than 2.
Result<SynthesisGraph> synthesisGraph(const Platform& platform, std::span<const NodeId> members);
/// The same without switches: every pair of ranks whose route leads over switches only becomes a link of its own (shared capacity is divided
/// evenly among the links of one rank).
SynthesisGraph unwound(const SynthesisGraph& graph);
/// The same links the other way.
SynthesisGraph reversed(const SynthesisGraph& graph);

} // namespace fabricscope
