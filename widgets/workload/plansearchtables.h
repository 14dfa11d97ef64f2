#pragma once

#include "widgets/base/tablecontent.h"
#include "widgets/workload/plansearchrunner.h"

#include <QString>

#include <array>
#include <memory>
#include <optional>
#include <string_view>

namespace fabricscope::planned {

/// Id of the row of the plan of the design; others have their index.
constexpr std::int64_t kOwnPlan = 1'000'000;

/// "dp 16, pp 8, tp 8, micro-batch 4, 1f1b, ZeRO 1, selective": axes as the ranks lie, the slowest first.
QString planWords(const SearchedPlan& plan);
/// Why a search has found none.
QString noPlanText(const PlanSearchCounts& counts);
/// "Best 3.1 s, simulated; 12 % shorter than your plan": the best one in what ranks. \pre there is a plan.
QString bestText(const PlanAnswer& answer);
/// "Plan 3", "Own plan".
QString planName(std::int64_t id);
/// The plan of an id; null: there is none.
const SearchedPlan* planOf(const PlanAnswer& answer, std::int64_t id);
/// Tokens per second at the step on show; absent: not known.
std::optional<double> tokensOf(const SearchedPlan& plan);

/// One row for each plan, and one for that of the design.
std::shared_ptr<StoredTable> searchedPlans(const PlanAnswer& answer);
/// What the step of a plan consists of, as estimated, and how much more of it two others have: columns add up. Ids below 0: left out.
std::shared_ptr<StoredTable> planParts(const PlanAnswer& answer, std::int64_t shown, std::int64_t runnerUp, std::int64_t own);

} // namespace fabricscope::planned
