#pragma once

#include "core/base/result.h"
#include "core/plan/pipeline/timing.h"
#include "core/plan/planspec.h"

#include <vector>

namespace fabricscope {

/// Times of every stage of a plan without a model, in picoseconds: those of the rank's whole stage shared by its chunks. Without `weight`, half of `backward`
/// (rounded up) where the schedule splits it, else none. Errors name the field: as many `times` as the pipeline has ranks (or one for all), none above 100 days.
/// O(stages).
Result<std::vector<StageTicks>> timedStages(const PipelinePlan& pipeline, const PipelineShape& shape);

/// Are gradients of the input and of the weights passes of their own?
bool splitsBackward(PipelineSchedule schedule);

} // namespace fabricscope
