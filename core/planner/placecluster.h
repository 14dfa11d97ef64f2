#pragma once

#include "core/planner/unequalplacement.h"
#include "core/yaml/fieldreader.h"

namespace fabricscope {

/// Reads `cluster:` of a place file: devices and what collectives take. Errors go to the context. \returns the node of `platform`, or null.
const YamlNode* readPlaceCluster(const MapReader& place, UnequalCluster& cluster);

/// Reads `phases:` and `bytes_held:`, for which the collectives of the cluster are known; `collectives`: whether they are to be checked.
void readPlacePhases(const MapReader& place, PlacementProblem& problem, bool collectives);

/// Reads `ratios:`; the cluster is known.
void readPlaceRatios(const MapReader& place, PlacementProblem& problem);

} // namespace fabricscope
