#pragma once

#include "core/sharding/shardproblem.h"

#include <optional>

namespace fabricscope::sharded {

/// Edits of the text of a design whose graph is in it (`workload.shard` is a mapping): splices that keep the rest. \pre the tensor is of the problem.

/// The annotation of a tensor becomes these axes per dim, what else it says stays (axes that are now used are no longer `replicated`); it is added at the end where there is none.
/// `closed`: dims that may not be split further; absent: as it was.
Status setAnnotation(YamlDocument& yaml, const ShardProblem& problem, TensorId tensor, const std::vector<AxisList>& dims, const std::optional<std::vector<char>>& closed = {});
/// Without the annotation; nothing happens where there is none.
Status dropAnnotation(YamlDocument& yaml, const ShardProblem& problem, TensorId tensor);

/// Dims of a tensor with the axes of one dim replaced: an axis that stood at another dim leaves it.
std::vector<AxisList> withAxes(std::vector<AxisList> dims, std::size_t dim, const AxisList& axes);

} // namespace fabricscope::sharded
