#pragma once

#include "core/plan/lower/stagework.h"
#include "core/plan/pipeline/orders.h"

#include <stop_token>

namespace fabricscope {

/// What all ranks of a pipeline have in common.
struct PipelineWork {
    PipelineOrders orders;
    std::vector<StageWork> kinds;        ///< Stages that are alike share one.
    std::vector<std::int32_t> kindOf;    ///< By stage.
    std::vector<StepWork> steps;         ///< By rank of the pipeline; empty: passes alone.

    const StageWork& of(std::int32_t stage) const { return kinds[static_cast<std::size_t>(kindOf[static_cast<std::size_t>(stage)])]; }
};

/// First tag of messages round a ring; those between stages have lower ones.
inline std::uint32_t firstRingTag(const PipelineShape& shape)
{
    return static_cast<std::uint32_t>(std::int64_t{2} * shape.directions() * shape.stages() * shape.perDirection());
}

/// Where a rank stands: differences of places in the grid of the plan.
struct RankPlace {
    std::int32_t rank = 0;           ///< Of the pipeline.
    std::int32_t pipelineStride = 1; ///< To the next rank of the pipeline.
    std::int32_t ringNext = 0;       ///< To the next one in the ring of the context group ...
    std::int32_t ringPrevious = 0;   ///< ... and from the one before.
};

/// Tasks of one rank: its operations in their order, before each the receives it waits for, behind it its sends; gradients of common parameters as buckets
/// fill, the optimizer at the end (manual: pipelines 3, 4). A receive waits for nothing; an operation for the one before it and for its receives; a send for its
/// operation. Tags are unique: one per boundary, direction and micro-batch, one per message of a ring.
/// Peers are differences of places in the grid. Told to stop: throws StopRequested. O(tasks).
RankGraph pipelineTasks(const PipelineWork& work, const RankPlace& place, const std::stop_token& stop);

/// At least as many tasks as that makes on all ranks of the pipeline, without gradients. O(operations).
std::int64_t pipelineTaskCount(const PipelineWork& work);

} // namespace fabricscope
