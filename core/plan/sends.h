#pragma once

#include "core/plan/analysis.h"
#include "core/plan/spreadmodel.h"

namespace fabricscope {

/// What the rank at a place of the pipeline sends and receives in a step, without `ranks`; rows that are alike are one. O(stages of the rank x kinds).
std::vector<PlanCommunication> communicationsOf(const SpreadModel& spread, std::int64_t place);
/// The rows of all places, those that are alike joined. O(places x rows + ranks).
std::vector<PlanCommunication> allCommunications(const SpreadModel& spread);

/// Elements a rank at a place holds: outside of experts, and of experts; a copy of a tied table included.
struct HeldParameters {
    std::int64_t dense = 0, experts = 0, repeated = 0;
    std::int64_t denseBytes = 0, expertBytes = 0;
    std::int64_t factored = 0;
};
HeldParameters heldParameters(const SpreadModel& spread, std::int64_t place);

/// Layers of a stage that ZeRO-3 gathers together, as numbers of elements of one rank without ZeRO.
struct GatheredUnit {
    std::int64_t dense = 0, experts = 0;         ///< Elements.
    std::int64_t denseBytes = 0, expertBytes = 0;
    std::int64_t count = 1;                      ///< Of the stage.
};
std::vector<GatheredUnit> gatheredUnits(const SpreadModel& spread, const StageShare& stage);

} // namespace fabricscope
