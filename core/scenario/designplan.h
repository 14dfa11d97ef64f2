#pragma once

#include "core/design/design.h"
#include "core/plan/analysis.h"
#include "core/platform/platform.h"

#include <stop_token>
#include <string>

namespace fabricscope {

/// The plan of a design on its NPUs.
struct DesignPlan {
    PlanAnalysis analysis;
    std::string estimate; ///< How its times were estimated, in words.
};

/// What the estimate of a plan knows of the NPUs of a design and of its platform.
PlanNpu planNpuOf(const Design& design, const Platform& platform);

/// Ranks of the plan of a design: one for each NPU, or those of its placement. Errors: those of Placement::create().
Result<std::int64_t> planRanks(const Design& design, const Platform& platform);

/// How its times are estimated, in words.
std::string planEstimateText(const Design& design, const Platform& platform, const PlannedWorkload& planned);

/// Analyses the plan of a design without simulating it (manual: plans): ops take the larger of operations / peak and bytes / memory bandwidth, with the efficiency tables of the design, or are its kernels; collectives of a
/// platform of dimensions go through the dimensions their group spans one after another, alone on it. Errors: a workload that is no plan, what validate() finds in it, those of analysePlan(), with their places.
Result<DesignPlan> analyseDesign(const Design& design, const std::stop_token& stop = {});

} // namespace fabricscope
