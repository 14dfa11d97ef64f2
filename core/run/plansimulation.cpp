#include "core/run/plansimulation.h"

#include "core/base/outofmemory.h"
#include "core/base/stop.h"
#include "core/base/workers.h"
#include "core/planner/placeddesign.h"
#include "core/sim/engines.h"
#include "core/sim/events/expectedmessages.h"
#include "core/sim/simulate.h"
#include "core/sim/symmetry/fold.h"
#include "core/sim/symmetry/graphclasses.h"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <optional>
#include <vector>

namespace fabricscope {

namespace {

/// Of one run: a minute at most.
constexpr std::int64_t kMostEvents = std::int64_t{1} << 28;

/// Buckets of the plan of the design are as it says them, those of the others may be whole blocks.
bool isSamePlan(const SearchedPlan& plan, const SearchedPlan& own)
{
    const auto bucketOf = [](const SearchedPlan& of) { return of.plan.data.value_or(DataPlan{}).bucketMb; };
    return plan.choice == own.choice && bucketOf(plan) == bucketOf(own);
}

/// Does a rank stand for others, so that no more messages than that are followed one by one?
bool isFolded(const Scenario& scenario, std::int64_t messages, std::int64_t most, const std::stop_token& stop)
{
    const auto symmetry = std::find_if(engines().begin(), engines().end(), [](const RunEngine& engine) { return engine.choice == EngineChoice::Symmetry; });
    if (!symmetry->applies(scenario))
        return false;
    if (foldScenario(scenario, stop))
        return true;
    const Result<Folding> folding = foldGraph(scenario, stop);
    return folding && messages / folding.value().copies <= most;
}

/// A search shall end: runs of minutes are left out, whatever the memory and the cores are.
Status isShort(const Scenario& scenario, const std::stop_token& stop)
{
    constexpr std::int64_t kMostFollowed = std::int64_t{1} << 26;
    const std::int64_t messages = events::expectedPieces(scenario, true, 1, stop);
    if (messages <= kMostFollowed || !traitsOf(scenario.model).ownCollectives || isFolded(scenario, messages, kMostFollowed, stop))
        return {};
    return Error{ErrorCode::Unsupported, "too few of its ranks do the same for its " + std::to_string(messages) + " messages", {}, {}};
}

/// What is told while a run goes on only ends it sooner: the answer follows from all of its events.
Result<RunRecord> runWithin(const Scenario& scenario, std::int64_t mostEvents, const std::stop_token& stop)
{
    std::stop_source ends;
    const std::stop_callback asked(stop, [&ends] { ends.request_stop(); });
    std::atomic<bool> isLong = false;
    RunOptions options;
    options.taskTimes = false;
    options.busyOverTime = false;
    options.progress = [&](const Progress& now) {
        if (now.events <= mostEvents)
            return;
        isLong = true;
        ends.request_stop();
    };
    Result<RunRecord> record = untilStopped([&] { return simulate(scenario, options, ends.get_token()); });
    if (isLong || (record && record.value().events > mostEvents))
        return Error{ErrorCode::Unsupported, "its run has more than " + std::to_string(mostEvents) + " events", {}, {}};
    return record;
}

} // namespace

Result<SimTime> simulatedStep(const Design& design, std::int64_t mostEvents, const std::stop_token& stop)
{
    return catchOutOfMemory([&] {
        return untilStopped([&]() -> Result<SimTime> {
            const Result<PreparedDesign> prepared = prepareToRun(design, 1, stop);
            if (!prepared)
                return prepared.error();
            const Scenario& scenario = *prepared.value().scenario;
            if (Status status = isShort(scenario, stop); !status)
                return std::move(status).error();
            const Result<RunRecord> record = runWithin(scenario, mostEvents, stop);
            if (!record)
                return record.error();
            return record.value().complete ? Result<SimTime>(record.value().finish) : Error{ErrorCode::Stuck, "the run does not end", {}, {}};
        });
    });
}

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
    std::optional<SearchedPlan> own = result.own;
    std::vector<SearchedPlan*> tried;
    for (std::size_t i = 0; i < std::min(count, plans.size()); ++i)
        tried.push_back(&plans[i]);
    const auto same = std::find_if(tried.begin(), tried.end(), [&own](const SearchedPlan* plan) { return own && isSamePlan(*plan, *own); });
    const SearchedPlan* const likeOwn = same != tried.end() ? *same : nullptr;
    if (own && !likeOwn)
        tried.push_back(&*own);
    std::mutex telling;
    std::size_t done = 0;
    forEachItem(tried.size(), options.threads, [&](std::size_t i) {
        const Result<SimTime> step = simulatedStep(designWith(design, model, *tried[i]), kMostEvents, options.stop);
        if (options.stop.stop_requested())
            return false;
        if (step)
            tried[i]->simulated = step.value();
        else
            tried[i]->problem = step.error().message;
        const std::lock_guard lock(telling);
        ++done;
        if (progress)
            progress(done, tried.size());
        return true;
    });
    if (options.stop.stop_requested())
        return Error{ErrorCode::Cancelled, "stopped", {}, {}};
    if (likeOwn) {
        own->simulated = likeOwn->simulated;
        own->problem = likeOwn->problem;
    }
    // Those that were simulated, by what was simulated; the others stay as estimated.
    std::stable_sort(plans.begin(), plans.end(), [&](const SearchedPlan& a, const SearchedPlan& b) {
        if (a.simulated.has_value() != b.simulated.has_value())
            return a.simulated.has_value();
        return a.simulated && isBetterPlan(a, b, search);
    });
    result.plans = std::move(plans);
    result.own = std::move(own);
    result.front = frontOf(result.plans, search.objectives);
    return {};
}

} // namespace fabricscope
