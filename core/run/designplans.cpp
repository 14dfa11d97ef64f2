#include "core/run/designplans.h"

#include "core/design/accuracyconfig.h"
#include "core/run/machineparts.h"
#include "core/run/plansimulation.h"
#include "core/scenario/designplan.h"

#include <algorithm>
#include <utility>

namespace fabricscope {

namespace {

std::vector<std::size_t> frontOfStepAndMemory(const std::vector<SearchedPlan>& plans)
{
    return frontOf(plans, {PlanObjective::StepTime, PlanObjective::Memory});
}

Result<const PlannedWorkload*> searchedWorkload(const Design& design)
{
    const auto* planned = design.workload ? std::get_if<PlannedWorkload>(design.workload.get()) : nullptr;
    if (!planned || !planned->model || planned->plan->graph)
        return invalidInput("the workload of this design is no model with a plan", design.place("workload"), "workload: {model: ..., plan: ...}");
    return planned;
}

} // namespace

Status canSearchPlans(const Design& design)
{
    const Result<const PlannedWorkload*> planned = searchedWorkload(design);
    if (!planned)
        return planned.error();
    if (Status status = isSearchedPlan(*planned.value()->model, *planned.value()->plan); !status) {
        Error error = std::move(status).error();
        if (error.place.file.empty() && !error.place.field.empty())
            error.place = design.place(error.place.field);
        return error;
    }
    return {};
}

Result<DesignPlans> plansOfDesign(const Design& design, const PlanSearchSpec& search, const CostConfig* costs, const PlanSearchOptions& options)
{
    if (Status status = canSearchPlans(design); !status)
        return std::move(status).error();
    const Result<const PlannedWorkload*> planned = searchedWorkload(design);
    const Result<Platform> platform = Platform::create(*design.platform, options.stop);
    if (!platform)
        return platform.error();
    const Result<std::int64_t> ranks = planRanks(design, platform.value());
    if (!ranks)
        return ranks.error();
    const PlanNpu npu = planNpuOf(design, platform.value());
    Result<PlanSearchResult> found = searchMachine(design, platform.value(), costs, npu, ranks.value(), search, options);
    if (!found) {
        Error error = std::move(found).error();
        if (error.place.file.empty() && !error.place.field.empty())
            error.place = design.place(error.place.field);
        return error;
    }
    DesignPlans plans;
    plans.result = std::move(found).value();
    plans.front = frontOfStepAndMemory(plans.result.plans);
    plans.estimate = planEstimateText(design, platform.value(), *planned.value());
    if (design.accuracy)
        plans.errorPct = design.accuracy->errorPct;
    return plans;
}

Status simulateListed(const Design& design, const PlanSearchSpec& search, const PlanSearchOptions& options, DesignPlans& plans, const std::function<void(std::size_t, std::size_t)>& progress)
{
    const Result<const PlannedWorkload*> planned = searchedWorkload(design);
    if (!planned)
        return planned.error();
    PlanSearchResult result = plans.result;
    if (Status status = simulatePlans(design, *planned.value()->model, search, result.plans.size(), options, result, progress); !status)
        return status;
    plans.result = std::move(result);
    plans.front = frontOfStepAndMemory(plans.result.plans);
    plans.simulated = true;
    return {};
}

} // namespace fabricscope
