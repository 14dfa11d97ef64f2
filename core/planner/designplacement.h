#pragma once

#include "core/design/design.h"
#include "core/planner/placementtimes.h"

#include <stop_token>

namespace fabricscope {

/// A design whose plan says `placement: hap`, placed (manual: placement 8).
struct DesignPlacement {
    PlacementProblem problem; ///< Devices are the design's NPUs.
    UnequalPlacement placement;
    PlacementTimes times;
    WorkloadPtr workload;     ///< What a run of the design runs.
};

bool isPlacedByHap(const Design& design);

/// Finds program and ratios for the model of a design on its NPUs, which may differ in peak, speed and memory: rank r on NPU r. Speeds are peaks with the efficiency
/// that compute.efficiency gives large operations of any name; collectives are timed on the platform under the design's model.
/// \pre isPlacedByHap(design) and validate() finds no error in it.
/// Errors: Unsupported (parts of the model that graphs do not have, several jobs, models of ASTRA-sim, kMostNpus), InvalidInput (no peak, no batch; too little memory:
/// what is short, on which devices), those of ClusterSimulation and place(); with the field of the design. `watch`: as in place().
Result<DesignPlacement> placeDesign(const Design& design, const std::stop_token& stop = {}, PlacementWatch* watch = nullptr);

} // namespace fabricscope
