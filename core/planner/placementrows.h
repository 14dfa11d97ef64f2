#pragma once

#include "core/planner/placementtimes.h"

#include <array>
#include <string>
#include <string_view>
#include <vector>

namespace fabricscope {

/// Is the step an instruction people are shown? (Not: what is only held, and parts that would move between segments of the same ratios.)
bool isShownStep(const PlacedStep& step, const UnequalPlacement& placement);
/// Devices that own a part of what a step makes, "0-3": all of them where everyone has all.
std::string ownersOfStep(const PlacementProblem& problem, const PlacedStep& step, const UnequalPlacement& placement);
/// How the step's first collective was simulated; null: it is none that has forms, or nothing was simulated.
const ChosenForm* simulatedFormOf(const PlacementProblem& problem, const UnequalPlacement& placement, const PlacementTimes& times, const PlacedStep& step);
/// What a step is called: of a collective in the form in which it is the fastest by simulation, where there is one.
std::string_view shownKindOf(const PlacedStep& step, const ChosenForm* form);

/// "whole elements instead of ratios".
std::string_view causeText(DifferenceCause cause);

/// What a device of a type holds at most, by kind.
struct PlacedMemoryRow {
    std::string devices; ///< "0-7".
    std::string name;
    std::array<double, kHeldKinds.size()> bytes{};
    double peak = 0;
    double capacity = 0; ///< 0: as much as needed.
};

/// By type. \pre the problem has ops.
std::vector<PlacedMemoryRow> placedMemoryRows(const PlacementProblem& problem, const UnequalPlacement& placement);

} // namespace fabricscope
