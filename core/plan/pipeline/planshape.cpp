#include "core/plan/pipeline/planshape.h"

namespace fabricscope {

PipelineShape pipelineShape(const PlanLayout& layout)
{
    PipelineShape shape;
    shape.schedule = layout.pipeline.schedule;
    shape.ranks = static_cast<std::int32_t>(layout.pipelineSize);
    shape.microBatches = layout.microBatches;
    if (shape.schedule == PipelineSchedule::Interleaved)
        shape.chunks = layout.chunks;
    if (shape.ranks == 1 || (shape.schedule == PipelineSchedule::Interleaved && shape.chunks == 1)) {
        shape.schedule = PipelineSchedule::OneForwardOneBackward;
        shape.chunks = 1;
    }
    return shape;
}

} // namespace fabricscope
