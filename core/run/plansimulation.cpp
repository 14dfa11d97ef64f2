#include "core/run/plansimulation.h"

#include "core/base/stop.h"
#include "core/base/workers.h"
#include "core/run/rundesign.h"

#include <algorithm>
#include <mutex>

namespace fabricscope {

Design designWith(const Design& design, const ModelSpec& model, const SearchedPlan& plan)
{
    Design changed = design;
    ModelSpec spec = model;
    spec.train.micro = plan.choice.block.microBatch;
    if (plan.isPart)
        changed.jobs = {{"training", static_cast<std::int32_t>(plan.choice.block.ranks()), 0, 1, {}}};
    changed.workload = std::make_shared<const WorkloadSpec>(PlannedWorkload{std::make_shared<const ModelSpec>(std::move(spec)), std::make_shared<const PlanSpec>(plan.plan)});
    return changed;
}

Status simulatePlans(const Design& design, const ModelSpec& model, const PlanSearchSpec& search, std::size_t count, const PlanSearchOptions& options, PlanSearchResult& result,
                     const std::function<void(std::size_t, std::size_t)>& progress)
{
    std::vector<SearchedPlan> plans = result.plans;
    count = std::min(count, plans.size());
    std::mutex telling;
    std::size_t done = 0;
    forEachItem(count, options.threads, [&](std::size_t i) {
        RunDesignOptions run;
        run.taskTimes = false;
        const Result<RunResultPtr> ran = runDesign(std::make_shared<const Design>(designWith(design, model, plans[i])), {}, run, options.stop);
        if (options.stop.stop_requested())
            return false;
        if (!ran)
            plans[i].problem = ran.error().message;
        else if (!ran.value()->record().complete)
            plans[i].problem = "the run does not end";
        else
            plans[i].simulated = ran.value()->record().finish;
        const std::lock_guard lock(telling);
        ++done;
        if (progress)
            progress(done, count);
        return true;
    });
    if (options.stop.stop_requested())
        return Error{ErrorCode::Cancelled, "stopped", {}, {}};
    // Those that were simulated, by what was simulated; the others stay as estimated.
    std::stable_sort(plans.begin(), plans.end(), [&](const SearchedPlan& a, const SearchedPlan& b) {
        if (a.simulated.has_value() != b.simulated.has_value())
            return a.simulated.has_value();
        return a.simulated && isBetterPlan(a, b, search);
    });
    result.plans = std::move(plans);
    result.front = frontOf(result.plans, search.objectives);
    return {};
}

} // namespace fabricscope
