#pragma once

#include "core/design/design.h"
#include "core/planner/best/searchedplans.h"

namespace fabricscope {

/// A figure of the platform, and how much more or less of it makes another plan the best one (manual: search 4).
struct PlanTurn {
    std::string field;  ///< "platform.dimensions.0.bandwidth", "platform.npu.memory".
    bool more = true;   ///< More of it, else less.
    double from = 0;    ///< Bytes/s, bytes.
    double to = 0;      ///< From here on another plan wins; without one the farthest that was tried.
    std::optional<SearchedPlan> plan; ///< Which wins then; nothing: none does.
};

inline constexpr double kFarthestTurn = 16; ///< Bandwidths are tried up to so many times as much, and as little.

/// The design with a figure of a turn; as it is where it has no such figure.
Design designWithFigure(const Design& design, const std::string& field, double value);

/// What would change the winner, by the estimate: every bandwidth and the memory, more and less. `plans`: of searchPlans() with these arguments, one or more, whose steps rank; the first is the winner, the others are but tried first. At a turn no other plan is shorter
/// before it (each is searched for anew until none is), to 10^-6 of the figure. `options.progress`: figures tried, of how many. Errors: those of searchPlans(). O(figures x searches).
Result<std::vector<PlanTurn>> planTurns(const Design& design, const ModelSpec& model, const PlanSpec& own, std::int64_t ranks, const PlanSearchSpec& search, const std::vector<SearchedPlan>& plans, const PlanSearchOptions& options);

} // namespace fabricscope
