#pragma once

#include "core/bounds/flowgraph.h"
#include "core/bounds/groupbox.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace fabricscope {

/// A platform, or the part of it a group uses, as a graph of rates. Private to core/bounds.
struct BoundGraph {
    FlowGraph flow;                  ///< Compute vertex i is member i.
    std::vector<std::string> names;  ///< By member.
};

/// Links of the platform, or of the box in one of dimensions, with overrides and without what is removed. Where NPUs have budgets a member is a
/// vertex of its own behind the one that forwards, so that transit passes the budget by; a switch with a crossbar limit is an arc of that rate. Absent with more than `maxLinks` links.
/// `box`: null for explicit graphs. Throws StopRequested.
std::optional<BoundGraph> boundGraph(const Platform& platform, const GroupBox* box, std::span<const NodeId> members, std::int64_t maxLinks,
                                     const std::stop_token& stop = {});

/// Cuts by max-flow; exact for every collective but all-to-all and, where no switch reduces, all-reduce (which are exact when they meet what
/// the others reach). Without `search` only the links of each member are looked at. Blocks of `levels` are looked at where that is not exact. Throws
/// StopRequested. In graphcuts.cpp.
void considerGraph(const BoundGraph& graph, CollectiveOp op, std::int32_t root, bool reduces, bool search,
                   std::span<const BoundLevel> levels, CutCollector& cuts, const std::stop_token& stop);

} // namespace fabricscope
