#pragma once

#include "core/sharding/partition/partition.h"

#include <optional>
#include <string>
#include <vector>

namespace fabricscope {

/// One hand-over of axes along a factor of an op.
struct PropagationHop {
    TensorId from = -1; ///< Of the graph of the program, as `to`.
    std::size_t fromDim = 0;
    TensorId to = -1;
    std::size_t toDim = 0;
    OpId op = -1;       ///< -1: both tensors are of one group.
    std::string rule;   ///< "einsum h: b is pass-through", "reduce s: dim 1 is reduction", "lie alike".
};

/// How axes came to a dim: a shortest way from a dim of an annotated tensor, along factors whose dims all hold `part` (manual: sharding 3). Empty: an annotation says it there.
/// Absent: the dim does not hold it, or no way leads there (a gradient lies as what it is the gradient of). O(graph).
std::optional<std::vector<PropagationHop>> propagationPath(const ShardProblem& problem, const ShardPlan& plan, TensorId tensor, std::size_t dim, const AxisPart& part);

} // namespace fabricscope
