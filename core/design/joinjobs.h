#pragma once

#include "core/base/result.h"
#include "core/design/design.h"
#include "core/platform/placement.h"
#include "core/platform/platform.h"
#include "core/workload/taskgraph.h"

#include <vector>

namespace fabricscope {

/// One workload of several jobs side by side: the ranks of job j follow those of job j-1, as in Placement. Groups and messages of a job stay
/// among its ranks; its world is a family called "NAME.world", its other families "NAME.FAMILY" (without a name: "job J").
/// \pre as many jobs as parts, part j has jobs[j].ranks ranks. Errors: more tasks than a task number holds. O(ranks + tasks of changed graphs).
Result<WorkloadPtr> joinJobs(const std::vector<WorkloadPtr>& parts, const std::vector<Placement::Job>& jobs);

/// The design with one of its jobs only, by name or number, where it is. Errors: one job, or none of this name.
Result<Design> onlyJob(const Design& design, const std::string& name);

} // namespace fabricscope
