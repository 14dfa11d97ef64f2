#pragma once

#include "core/plan/layout.h"

namespace fabricscope {

/// What of a model cannot be divided as the plan says. \pre sizes and layers of the layout are known. In dividechecks.cpp.
Status checkDivisions(const ModelSpec& model, const PlanLayout& layout);
/// What the schedule of the pipeline cannot do with so many stages and micro-batches (manual: pipelines 1). In schedulechecks.cpp.
Status checkSchedule(const PlanLayout& layout);

} // namespace fabricscope
