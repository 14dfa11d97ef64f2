#pragma once

#include "core/design/costconfig.h"
#include "core/design/design.h"
#include "core/planner/best/searchedplans.h"

#include <cstdint>
#include <vector>

namespace fabricscope {

/// How many NPUs a plan may have where a search varies that: the first ones of the machine, which fill its dimensions from the lowest on; of nodes and links any divisor. Ascending, the last are all.
std::vector<std::int64_t> machineParts(const Platform& platform, std::int64_t ranks);

/// searchPlans() on a design's machine, on each of its parts where the search varies `npus`, on one where that is given (manual: search 2). Where an objective needs it plans say what their share of the machine costs.
/// `costs`: section of the design; may be null. `ranks`: of planRanks(). Errors: those of searchPlans(), where no part has a plan; parts where the design says who runs where, or that are no divisor;
/// a machine without prices or power where these are an objective, naming what is missing.
Result<PlanSearchResult> searchMachine(const Design& design, const Platform& platform, const CostConfig* costs, const PlanNpu& npu, std::int64_t ranks, const PlanSearchSpec& search, const PlanSearchOptions& options = {});

} // namespace fabricscope
