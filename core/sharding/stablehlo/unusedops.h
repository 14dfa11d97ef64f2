#pragma once

#include "core/sharding/shardproblem.h"

#include <set>

namespace fabricscope::mlir {

/// Takes those of `candidates` out of the graph that no op uses, then what only they used. What is annotated stays, and so do `kept`. O(graph log graph).
void dropUnused(ShardProblem& problem, const std::set<TensorId>& candidates, const std::set<TensorId>& kept);

} // namespace fabricscope::mlir
