#include "core/planner/placementtimes.h"

#include "core/base/index.h"

namespace fabricscope {

Result<PlacementTimes> simulatePlacement(const PlacementProblem& problem, const UnequalPlacement& placement, const ClusterSimulation* simulation, const std::stop_token& stop)
{
    PlacementTimes times;
    if (problem.graph.ops.empty())
        return times;
    if (!simulation) {
        times.reason = "Not simulated: the cluster gives times of collectives, no platform";
        return times;
    }
    Result<SimulatedProgram> own = simulation->run(problem, placement.program, placement.ratios, placement.cost, stop);
    if (!own)
        return own.error();
    times.program = std::move(own).value();
    const auto baseline = [&](const std::optional<PlacedProgram>& program, const DeviceRatios& ratios, const std::optional<double>& cost, std::optional<SimulatedProgram>& time) -> Status {
        if (!program)
            return {};
        Result<SimulatedProgram> made = simulation->run(problem, *program, std::vector<DeviceRatios>(at(problem.segments), ratios), *cost, stop);
        if (!made)
            return made.error();
        time = std::move(made).value();
        return {};
    };
    if (const Status status = baseline(placement.evenProgram, DeviceRatios::even(problem.cluster), placement.dataParallelEven, times.dataParallelEven); !status)
        return status.error();
    if (const Status status = baseline(placement.proportionalProgram, DeviceRatios::proportional(problem.cluster), placement.dataParallelProportional, times.dataParallelProportional); !status)
        return status.error();
    if (const Status status = baseline(placement.evenBest, DeviceRatios::even(problem.cluster), placement.even, times.even); !status)
        return status.error();
    const auto isFaster = [&](const std::optional<SimulatedProgram>& other) { return other && other->ns < times.program->ns; };
    if (isFaster(times.dataParallelEven) || isFaster(times.dataParallelProportional))
        times.reason = std::string("Data parallel is faster in the simulation") + (problem.theory.backward ? ": its gradients hide behind the backward pass, which the estimate charges in full" : "");
    else if (isFaster(times.even))
        times.reason = "Even ratios are faster in the simulation, which the estimate does not see";
    return times;
}

} // namespace fabricscope
