#pragma once

#include "core/sharding/shardproblem.h"

#include <optional>

namespace fabricscope {

/// The problem with every top_k along a cut dim taken apart, with the axes per tensor and dim (`propagated`, changed alike; of new tensors empty, and `fresh` says which they are): the k largest of each part
/// ("NAME.best"), and of these candidates the k largest, so that k * parts elements are gathered instead of the whole dim. Where the dim divides and k is less than a part. None: there is no such op. O(graph).
std::optional<ShardProblem> withSplitTopK(const ShardProblem& problem, std::vector<std::vector<AxisList>>& propagated, std::vector<char>& fresh);

} // namespace fabricscope
