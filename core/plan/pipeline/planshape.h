#pragma once

#include "core/plan/layout.h"
#include "core/plan/pipeline/orders.h"

namespace fabricscope {

/// The pipeline of a plan: one rank, or one chunk where several are needed, makes every schedule 1f1b. \pre the layout is one of layoutOf(), which
/// checked the schedule; checkPipeline() can still refuse more than kMaxPipelineOperations.
PipelineShape pipelineShape(const PlanLayout& layout);

} // namespace fabricscope
