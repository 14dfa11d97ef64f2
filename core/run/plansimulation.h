#pragma once

#include "core/design/design.h"
#include "core/planner/best/searchedplans.h"

namespace fabricscope {

/// The design with the model's micro-batch and the plan of a choice.
Design designWith(const Design& design, const ModelSpec& model, const SearchedPlan& plan);

/// The step of a design that is to run, by the fastest engine that is exact for it. Errors: Unsupported, where too few of its ranks do the same or the run has more events than that; what else a run can end with.
Result<SimTime> simulatedStep(const Design& design, std::int64_t mostEvents, const std::stop_token& stop);

/// Simulates the first `count` of the plans and that of the design, each by the fastest engine that is exact for it, then ranks those by their simulated steps; what cannot be simulated says why and stands behind them. The front follows.
/// `progress`: how many are done, of how many; on any thread, one at a time. Errors: Cancelled; nothing has changed then.
Status simulatePlans(const Design& design, const ModelSpec& model, const PlanSearchSpec& search, std::size_t count, const PlanSearchOptions& options, PlanSearchResult& result,
                     const std::function<void(std::size_t, std::size_t)>& progress = {});

} // namespace fabricscope
