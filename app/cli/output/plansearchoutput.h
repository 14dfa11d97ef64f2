#pragma once

#include "core/planner/best/searchedplans.h"
#include "core/report/jsonwriter.h"
#include "core/run/planturns.h"

#include <cstdint>
#include <map>
#include <string>

namespace fabricscope::cli {

/// What is said of a search beside its plans.
struct PlanSearchNotes {
    std::string designHash;
    std::string estimate;            ///< How steps were estimated, in words.
    std::int64_t elapsedMicroseconds = 0; ///< Of the ranking.
    std::size_t simulated = 0;
    std::optional<SearchedPlan> estimatedBest; ///< The first by the estimate.
    std::vector<PlanTurn> turns;     ///< What would change it.
    std::optional<double> errorPct;  ///< Of times on the fabric; absent: nobody measured.
};

std::string plansText(const PlanSearchResult& result, const PlanSearchSpec& search, const PlanSearchNotes& notes);
std::string plansJson(const PlanSearchResult& result, const PlanSearchSpec& search, const PlanSearchNotes& notes);

/// Key `refused`: how many plans cannot be, by the field that says why. Of training and of inference.
void writeRefusedPlans(JsonWriter& json, const std::map<std::string, std::int64_t>& refused);

} // namespace fabricscope::cli
