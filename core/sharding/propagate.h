#pragma once

#include "core/sharding/shardproblem.h"

#include <stop_token>

namespace fabricscope {

/// What is known of a tensor before propagation.
struct PropagationStart {
    std::vector<AxisList> dims;   ///< One per dim.
    std::vector<char> closed;     ///< Per dim.
    std::vector<int> priority;    ///< Per dim: when its axes are handed on first.
    AxisList kept;                ///< Axes that may not be used: explicitly replicated, unreduced.
};

struct PropagationOptions {
    bool aggressive = true; ///< Conflicts between factors: the largest tensor wins instead of nobody.
};

/// Final axes per tensor and dim (manual: sharding 3). Priorities of users are the outermost loop; within one, pass-through ops whose operands have one use come first, then all of
/// them (slices forward only), pass-through factors of any op (broadcasts backward only), any factor but broadcasts forward, everything; after each change from the first again. Axes
/// only get more, so it ends; deterministic. Nothing passes a factor that needs replication. O(changes * ops of a tensor). Throws StopRequested.
std::vector<std::vector<AxisList>> propagate(const OpGraph& graph, const std::vector<PropagationStart>& start, const PropagationOptions& options, const std::stop_token& stop);

/// The start of a file's problem.
std::vector<PropagationStart> startOf(const ShardProblem& problem);

} // namespace fabricscope
