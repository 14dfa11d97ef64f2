#pragma once

#include "core/planner/clustersimulation.h"

#include <optional>
#include <string>

namespace fabricscope::cli {

/// Programs as simulated; none: not simulated.
struct PlacementTimes {
    std::optional<SimulatedProgram> program;
    std::optional<SimulatedProgram> dataParallelEven;
    std::optional<SimulatedProgram> dataParallelProportional;
    std::string reason; ///< Why there are none, or what is to be known of them.
};

/// A placement as a table of its instructions, its ratios and rounds.
std::string placementText(const PlacementProblem& problem, const UnequalPlacement& placement, const PlacementTimes& times);
/// The same as JSON (manual: json).
std::string placementJson(const PlacementProblem& problem, const UnequalPlacement& placement, const PlacementTimes& times);

} // namespace fabricscope::cli
