#pragma once

#include "core/sharding/partition/partitionedprogram.h"
#include "core/workload/taskgraph.h"

#include <stop_token>

namespace fabricscope {

/// Tasks of all ranks at most, where ranks send each other messages of their own; of one rank where none does.
constexpr std::int64_t kMaxShardedTasks = 4'000'000;

struct ShardLowering {
    bool overlap = false; ///< Steps wait only for what they use, so collectives run beside computations; else every step waits for the one before it.
};

/// A partitioned program as task graphs; rank r is device r of the mesh.
struct ShardedWorkload {
    /// Tasks [first, end) of a step; the same on every rank. A looped collective has those of the product it runs beside.
    struct Tasks {
        TaskIndex first = 0;
        TaskIndex end = 0;
    };
    WorkloadPtr workload;
    std::vector<Tasks> steps; ///< By PartitionedProgram::steps.
};

/// What every device does (manual: sharding 8): computations with their FLOPs and bytes, collectives of groups along axes, permutes and halo exchanges as messages. With looped steps
/// a product is p parts, each beside the message that brings the shard of the next. Errors: too many tasks (Unsupported), groups that cannot be said, Cancelled.
/// O(steps * axes); with messages besides O(devices * steps).
Result<ShardedWorkload> lowerSharding(const PartitionedProgram& program, const ShardLowering& how = {}, const std::stop_token& stop = {});

} // namespace fabricscope
