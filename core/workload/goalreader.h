#pragma once

#include "core/workload/goalschedule.h"

#include <stop_token>
#include <string>
#include <string_view>

namespace fabricscope {

/// Reads a schedule as LogGOPSim's txt2bin does, but for order: attributes and labels may stand in any.
///
///     num_ranks 2
///     rank 0 {
///     l1: calc 1000
///     l2: send 8b to 1 tag 4 cpu 0 nic 0
///     l2 requires l1
///     }
///
/// Comments stand behind `//` and between `/*` and `*/`. Ranks without a block do nothing (a warning). Errors with line and column: what else stands there; labels that are
/// not there or there twice; ranks outside of the schedule or there twice; a receive from any rank or of any tag (-1), whose message only a run decides; numbers out of
/// range; more than kMostGoalOps operations; Cancelled. O(text log labels).
Result<GoalSchedule> readGoalSchedule(std::string_view text, const std::string& file, Diagnostics& diagnostics, const std::stop_token& stop = {});

/// Is this a regular file with such a schedule?
bool isGoalFile(const std::string& path);

/// How many ranks its first lines say it has. Errors: as readGoalSchedule(); not readable.
Result<std::int64_t> goalRanks(const std::string& path);

/// Reads a file for `ranks` ranks. Errors: as readGoalSchedule() and workloadOfGoal(); another number of ranks; not readable, or larger than 4 GiB.
Result<WorkloadPtr> workloadOfGoalFile(const std::string& path, std::int64_t ranks, Diagnostics& diagnostics, const std::stop_token& stop = {});

} // namespace fabricscope
