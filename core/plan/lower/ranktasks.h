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

    const StageWork& of(std::int32_t stage) const { return kinds[static_cast<std::size_t>(kindOf[static_cast<std::size_t>(stage)])]; }
};

/// Tasks of one rank of the pipeline: its operations in their order, before each the receives it waits for, behind it its sends. A receive waits for nothing;
/// an operation for the one before it and for its receives; a send for its operation. Tags are unique: one per boundary, direction and micro-batch.
/// Peers are differences of places in the pipeline. Told to stop: throws StopRequested. O(tasks).
RankGraph pipelineTasks(const PipelineWork& work, std::int32_t rank, const std::stop_token& stop);

/// At least as many tasks as that makes on all ranks of the pipeline. O(operations).
std::int64_t pipelineTaskCount(const PipelineWork& work);

} // namespace fabricscope
