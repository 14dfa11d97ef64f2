#pragma once

#include "core/planner/sharedcollective.h"
#include "core/workload/taskgraph.h"

namespace fabricscope {

/// How gradients of weights go.
enum class GradientOrder : std::uint8_t {
    Beside, ///< Beside the rest of the backward pass, as in a run.
    InLine  ///< Between computations, as the estimate adds them up.
};

/// A placed program as the tasks of one step, rank j on device j (manual: placement 6): the forward pass in its order, the backward one in reverse. Computations are
/// FLOP of each device's whole parts; collectives carry a size for each device. Devices with the same FLOP share a graph.
/// Error: Unsupported (over kMostPlacedTasks of a rank).
Result<WorkloadPtr> workloadOf(const PlacementProblem& problem, const PlacedProgram& program, const std::vector<DeviceRatios>& ratios, const ChosenForms& forms, GradientOrder order);

/// One collective alone. \pre its form is one of forms()
WorkloadPtr workloadOf(const SharedCollective& collective, ShareForm form, std::int64_t devices);

/// FLOP of each device for a computation, by whole groups of what is shared out; forward and backward together.
std::vector<double> flopsOfDevices(const UnequalCluster& cluster, const RatioTerm& term, const DeviceRatios& ratios);

/// Tasks of a rank that a program may become; a grouped collective is one for each device that owns a part.
constexpr std::size_t kMostPlacedTasks = 200'000;

} // namespace fabricscope
