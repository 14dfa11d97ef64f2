#pragma once

#include "core/planner/placementtimes.h"

#include <string>

namespace fabricscope::cli {

/// A placement as a table of its instructions, its ratios and rounds.
std::string placementText(const PlacementProblem& problem, const UnequalPlacement& placement, const PlacementTimes& times);
/// The same as JSON (manual: json).
std::string placementJson(const PlacementProblem& problem, const UnequalPlacement& placement, const PlacementTimes& times);

} // namespace fabricscope::cli
