#pragma once

#include "core/planner/unequalplacement.h"

#include <string>

namespace fabricscope {

/// A placed program as the `workload:` of a design whose rank j is device j (manual: placement 6). Error: Unsupported (over kMostPlacedSteps).
Result<std::string> workloadOf(const PlacementProblem& problem, const PlacedProgram& program, const std::vector<DeviceRatios>& ratios);

/// Steps of a design that a program may become; a grouped collective is one for each device that owns a part.
constexpr std::size_t kMostPlacedSteps = 200'000;

} // namespace fabricscope
