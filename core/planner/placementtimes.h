#pragma once

#include "core/planner/clustersimulation.h"

#include <optional>
#include <stop_token>
#include <string>

namespace fabricscope {

/// Programs of a placement as simulated; none: not simulated.
struct PlacementTimes {
    std::optional<SimulatedProgram> program;
    std::optional<SimulatedProgram> dataParallelEven;
    std::optional<SimulatedProgram> dataParallelProportional;
    std::optional<SimulatedProgram> even; ///< UnequalPlacement::evenBest.
    std::string reason; ///< Why there are none, or what is to be known of them.
};

/// Simulates the program and the baselines. `simulation`: null: nothing is simulated, and `reason` says so. Errors: those of ClusterSimulation::run().
Result<PlacementTimes> simulatePlacement(const PlacementProblem& problem, const UnequalPlacement& placement, const ClusterSimulation* simulation, const std::stop_token& stop);

} // namespace fabricscope
