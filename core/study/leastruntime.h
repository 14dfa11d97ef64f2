#pragma once

#include "core/base/units.h"
#include "core/scenario/scenario.h"

#include <optional>
#include <stop_token>

namespace fabricscope {

/// No run of the scenario is faster: the computations of the rank that has most of them one after the other, or the collective that takes longest alone (manual: studies 3).
/// Absent: nothing is known. Told to stop: throws StopRequested. O(tasks).
std::optional<SimTime> leastRunTime(const Scenario& scenario, const std::stop_token& stop = {});

} // namespace fabricscope
