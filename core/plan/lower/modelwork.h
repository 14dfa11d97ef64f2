#pragma once

#include "core/model/kernelterms.h"
#include "core/plan/lower/groupfamilies.h"
#include "core/plan/lower/ranktasks.h"
#include "core/plan/spreadmodel.h"

namespace fabricscope {

/// The stages of a model and what each rank of the pipeline does beside and behind their passes. Orders are left to the caller. Communications are those of
/// communicationsOf() of the plan's analysis, in kind, group, number and bytes. Errors: those of GroupFamilies; buckets so small that there are more than kMaxPlanTasks.
/// `kernels`: what times the ops; null: operations and bytes do. O(layers x ops + ranks of pairs).
Status addModelWork(const SpreadModel& spread, GroupFamilies& families, const NpuKernels* kernels, PipelineWork& work);

} // namespace fabricscope
