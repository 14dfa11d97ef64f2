#pragma once

#include "core/design/design.h"
#include "core/plan/sharded/devicetasks.h"
#include "core/record/runrecord.h"
#include "core/sharding/partition/partition.h"

#include <stop_token>

namespace fabricscope {

/// A partitioned program as it ran on a platform.
struct ShardTimes {
    std::int64_t finishPs = 0;
    std::int64_t computePs = 0;           ///< Of the rank that computes longest.
    std::int64_t exposedPs = 0;           ///< Of the rank that waits longest for communication and computes nothing.
    std::vector<std::int64_t> stepPs;     ///< By PartitionedProgram::steps, from the issue of its first task to the end of its last, the longest of any rank; -1: nothing is done.
    RunRecord record;                     ///< Without times of tasks.
};

/// Platform, placement of a single job, NPU, efficiency tables, collectives and model of a design; what it runs is left out.
Design platformOf(Design design);

/// Runs the program on the first devices of the platform, rank r on the r-th (manual: sharding 8). Errors: what validate() finds in the design, a mesh larger than the platform, an NPU
/// without a peak rate (Unsupported), those of lowerSharding() and simulate().
Result<ShardTimes> simulateSharding(const Design& platform, const PartitionedProgram& program, const ShardLowering& how, const std::stop_token& stop = {});

/// An annotation that would let a collective go away, with what the step would take.
struct ShardRemoval {
    std::size_t step = 0;                ///< Of the program: the collective.
    TensorId tensor = -1;                ///< Of the problem: whose annotation is changed.
    std::optional<TensorAnnotation> note; ///< What it becomes; absent: it is dropped.
    std::string text;                    ///< "annotate w1 as [-, y]", "drop the annotation of w1".
    std::int64_t finishPs = -1;          ///< Of the whole program then; -1: could not be run.
    std::string problem;                 ///< Why not.
};

/// Of the collectives that take longest (at most `most`), the changes of one annotation that let them go, each tried by partitioning and simulating (manual: sharding 9): of every collective at
/// most the best three, fastest first; impossible ones last. `times`: of `plan`. Errors: Cancelled. At most 24 tries per collective. In shardremovals.cpp.
Result<std::vector<ShardRemoval>> shardRemovals(const Design& platform, const ShardProblem& problem, const ShardPlan& plan, const ShardTimes& times, const ShardLowering& how,
    std::size_t most = 5, const std::stop_token& stop = {});

} // namespace fabricscope
