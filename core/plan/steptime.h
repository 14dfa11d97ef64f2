#pragma once

#include "core/plan/analysis.h"
#include "core/plan/pipeline/timing.h"
#include "core/plan/spreadmodel.h"

namespace fabricscope {

/// How long a step takes, estimated (manual: plans 7): ops one after another on every rank, collectives of layers between them, then the order of the pipeline.
/// `rows`: as of allCommunications(). Errors: those of pipelineTimes(). O(operations + kinds x ops + places x rows).
Result<PlanTimes> stepTimes(const SpreadModel& spread, const PipelineOrders& orders, const PlanNpu& npu);

/// What the places of a pipeline compute in a step, without a collective and without waiting, in seconds.
struct ComputingTimes {
    double mean = 0; ///< Over the places; the same whatever the schedule, and no step takes less.
    double most = 0; ///< With the schedule of the layout no step takes less.
};

/// Of the passes of all micro-batches. O(kinds x ops + stages x kinds).
ComputingTimes computingTimes(const SpreadModel& spread, const PlanNpu& npu);

/// Seconds that stepTimes() does not go below: the busiest place of the pipeline without waiting, what is exposed behind it, and the optimizer. O(kinds x ops + places x rows).
double leastStepTime(const SpreadModel& spread, const PlanNpu& npu);

/// stepTimes() of a plan with times of its own. Errors: also those of timedStages().
Result<PlanTimes> givenTimes(const PlanLayout& layout, const PipelineOrders& orders, const PlanNpu& npu);

} // namespace fabricscope
