#pragma once

#include "core/design/costconfig.h"
#include "core/design/design.h"
#include "core/planner/best/searchedplans.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace fabricscope {

/// The best plans for the model of a design.
struct DesignPlans {
    PlanSearchResult result;
    std::vector<std::size_t> front; ///< Of the plans listed: no other is both faster and smaller.
    std::string estimate;           ///< How it was estimated, in words.
    std::optional<double> errorPct; ///< Of times on the fabric, as the design says; absent: nobody measured.
    bool simulated = false;         ///< Those that are listed, and the plan of the design.
};

/// Whether a search can say anything of a design, before anything is computed. Errors: a workload that is no model with a plan, those of isSearchedPlan() with their places.
Status canSearchPlans(const Design& design);

/// searchMachine() of a design. `costs`: its section; may be null. Errors: those of canSearchPlans(), those of searchMachine() with their places.
Result<DesignPlans> plansOfDesign(const Design& design, const PlanSearchSpec& search, const CostConfig* costs, const PlanSearchOptions& options = {});

/// Simulates those that are listed, and the plan of the design. `progress` as for simulatePlans(). Errors: Cancelled; nothing has changed then.
Status simulateListed(const Design& design, const PlanSearchSpec& search, const PlanSearchOptions& options, DesignPlans& plans, const std::function<void(std::size_t, std::size_t)>& progress = {});

} // namespace fabricscope
