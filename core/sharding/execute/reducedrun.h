#pragma once

#include "core/sharding/execute/wholerun.h"
#include "core/sharding/partition/partition.h"

namespace fabricscope {

/// A problem with smaller dims that is partitioned alike.
struct ReducedShard {
    ShardProblem problem;
    ShardPlan plan;
    std::vector<TensorId> inputs; ///< Inputs whose shape is another, in order.
};

/// May the program be executed within the limits? Errors as proveByExecution(). O(program).
Status checkExecutable(const PartitionedProgram& program, const ExecutionLimits& limits = {});

/// Makes the dims of a problem smaller until it can be executed (manual: sharding 7): every dim by the same scale, joined dims alike, each still cut into parts as it was
/// (SizeClasses). Of the scales tried, from the strongest on, the first is taken that can be run and whose program has, in order, the collectives of `plan`: kind, tensor, axes, dims and
/// phase. Errors: Unsupported where none is like that; Cancelled. At most 25 partitions.
Result<ReducedShard> reducedShard(const ShardProblem& problem, const ShardPlan& plan, const ExecutionLimits& limits = {}, const std::stop_token& stop = {});

} // namespace fabricscope
