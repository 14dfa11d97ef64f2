#pragma once

#include "core/base/result.h"
#include "core/sharding/partition/partitionedprogram.h"
#include "core/sharding/shardproblem.h"

#include <stop_token>

namespace fabricscope {

/// What became of a problem. The graph of the program may have more tensors than that of the problem, in another order: names stay.
struct ShardPlan {
    PartitionedProgram program;
    std::vector<std::vector<AxisList>> propagated; ///< Per tensor of program.graph and dim.
};

/// Propagates, derives gradients where asked for, and partitions (manual: sharding 3 to 7). Errors: a gradient that is not known, sizes over 2^16 parts along one dim with
/// halos, Cancelled. Time by the graph and the number of axes, not of devices (but rows of halos: one per part of a dim).
Result<ShardPlan> partition(const ShardProblem& problem, const std::stop_token& stop = {});

} // namespace fabricscope
