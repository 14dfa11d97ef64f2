#pragma once

#include "core/planner/unequalplacement.h"

#include <optional>
#include <string>

namespace fabricscope::cli {

/// Simulated times of a placement, in whole nanoseconds; none: not simulated.
struct PlacementTimes {
    std::optional<std::int64_t> program;
    std::optional<std::int64_t> dataParallelEven;
    std::optional<std::int64_t> dataParallelProportional;
    std::string reason; ///< Why there are none, or why they differ from the estimates.
};

/// A placement as a table of its instructions, its ratios and rounds.
std::string placementText(const PlacementProblem& problem, const UnequalPlacement& placement, const PlacementTimes& times);
/// The same as JSON (manual: json).
std::string placementJson(const PlacementProblem& problem, const UnequalPlacement& placement, const PlacementTimes& times);

} // namespace fabricscope::cli
