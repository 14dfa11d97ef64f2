#pragma once

#include "core/design/design.h"

#include <stop_token>

namespace fabricscope {

/// Most tasks an inline pattern may expand to, over all classes of ranks.
constexpr std::int64_t kMaxStepTasks = 10'000'000;

/// The groups of an inline pattern on a machine. A group along platform dimensions has the members whose NPUs differ in them only; where
/// NPUs are removed or belong to other jobs, those that are left of it.
Result<GroupFamily> groupFamily(const GroupSpec& spec, const Platform& platform, const Placement& placement);

/// Expands an inline pattern. Ranks that run the same steps share one graph: when all do, 2^20 ranks take no memory per rank.
/// Errors name the step: labels that cannot have run before, ranks and groups that do not exist, peers outside the ranks,
/// more than kMaxStepTasks tasks; Cancelled. O(tasks of all classes).
Result<WorkloadPtr> workloadFromSteps(const StepsWorkload& steps, const Platform& platform, const Placement& placement,
                                      const std::stop_token& stop = {});

/// One collective by all ranks.
Result<WorkloadPtr> workloadFromCollective(const SingleCollective& single, std::int32_t ranks);

} // namespace fabricscope
