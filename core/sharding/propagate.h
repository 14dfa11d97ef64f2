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
    std::vector<std::vector<TensorId>> groups = {}; ///< As ShardProblem::groups. \pre the members of each start alike
};

/// Axes, a dim that is closed or axes that may not be used?
bool saysAnything(const PropagationStart& start);

/// Final axes per tensor and dim (manual: sharding 3). Priorities of users are the outermost loop; within one, pass-through ops whose operands have one use come first, then all of
/// them (slices forward only), pass-through factors of any op (broadcasts backward only), any factor but broadcasts forward, everything; after each change from the first again. Axes
/// only get more, so it ends; deterministic. Nothing passes a factor that needs replication. What a tensor of a group gets, all of it get at once. O(changes * ops of a tensor). Throws StopRequested.
std::vector<std::vector<AxisList>> propagate(const OpGraph& graph, const std::vector<PropagationStart>& start, const PropagationOptions& options, const std::stop_token& stop);

/// The start of a file's problem. Tensors of a group have what is said of any of them.
std::vector<PropagationStart> startOf(const ShardProblem& problem);

} // namespace fabricscope
