#pragma once

#include "core/base/result.h"
#include "core/scenario/scenario.h"
#include "core/workload/goalschedule.h"

#include <stop_token>

namespace fabricscope {

inline constexpr std::int64_t kMostGoalWritten = 20'000'000; ///< Operations.

/// What a scenario runs as a schedule in GOAL (manual: formats 9): each rank of its own, collectives as the messages of their programs.
///
/// | task | operations |
/// |---|---|
/// | computation | calc of what it takes alone, cpu 0; of the host cpu 2 |
/// | send, receive | send, recv, cpu 1 |
/// | collective | one calc 0 where it begins and one where it ends; between them sends and receives of its program, a calc for its computations and sums, cpu 1 |
/// | remote access | calc 0 |
///
/// Tags of collectives begin above all others. `notes`: what is lost, as sums that take time, ns that are rounded, windows. O(operations).
/// Errors (Unsupported): models of ASTRA-sim, programs of switches, more than kMostGoalWritten operations; Cancelled.
Result<GoalSchedule> goalOf(const Scenario& scenario, Diagnostics& notes, const std::stop_token& stop = {});

} // namespace fabricscope
