#include "core/sim/sweep/sweep.h"

#include "core/sim/common/dimensionuses.h"
#include "core/sim/common/runpace.h"
#include "core/sim/sweep/maxplus.h"

#include <algorithm>
#include <numeric>

namespace fabricscope {

Status sweepApplies(const Scenario& scenario, std::int32_t instance)
{
    const Result<sweep::SweepPlan> plan = sweep::planSweep(scenario, instance, true);
    return plan ? Status() : Status(plan.error());
}

Result<std::optional<CollectiveOutcome>> sweepCollective(const Scenario& scenario, std::int32_t instance, std::span<const std::int64_t> entriesPs,
                                                         const SweepOptions& options, std::stop_token stop)
{
    Result<sweep::SweepPlan> plan = sweep::planSweep(scenario, instance);
    if (!plan)
        return std::move(plan).error();
    sweep::SweepEngine engine(plan.value(), scenario, options);
    const Result<bool> inOrder = engine.run(entriesPs, stop);
    if (!inOrder)
        return inOrder.error();
    if (!inOrder.value())
        return std::optional<CollectiveOutcome>();
    Result<CollectiveOutcome> outcome = engine.outcome(stop);
    if (!outcome)
        return std::move(outcome).error();
    return std::optional<CollectiveOutcome>(std::move(outcome).value());
}

namespace {

/// The one collective of the scenario. Errors: there is something else.
Result<std::int32_t> onlyCollective(const Scenario& scenario)
{
    const Structure& structure = *scenario.structure;
    const Workload& workload = *structure.workload;
    const Error other{ErrorCode::Unsupported, "the engine sweep follows a single collective of all ranks", {}, "the engine auto or events for this run"};
    if (structure.instances.size() != 1 || structure.layouts[static_cast<std::size_t>(structure.instances[0].layout)].size() != workload.rankCount)
        return other;
    for (const auto& graph : workload.graphs) {
        if (graph->size() != 1 || graph->kind[0] != TaskKind::Collective)
            return other;
    }
    return 0;
}

/// Ranks of one job that end together form a class.
void addClasses(const Scenario& scenario, const RunOptions& options, const std::vector<std::int64_t>& ends, RunRecord& record)
{
    const Placement& placement = scenario.structure->placement;
    record.finishOrder.resize(ends.size());
    std::iota(record.finishOrder.begin(), record.finishOrder.end(), 0);
    const auto end = [&](std::int32_t rank) { return ends[static_cast<std::size_t>(rank)]; };
    std::sort(record.finishOrder.begin(), record.finishOrder.end(),
              [&](std::int32_t a, std::int32_t b) { return end(a) != end(b) ? end(a) < end(b) : a < b; });

    std::vector<std::int32_t> firstOf(ends.size());            // First rank of the class of a rank.
    std::vector<std::pair<std::int32_t, std::int32_t>> ofJobs; // (job, first rank) of this instant.
    for (std::size_t i = 0; i < record.finishOrder.size(); ++i) {
        const std::int32_t rank = record.finishOrder[i];
        if (i == 0 || end(rank) != end(record.finishOrder[i - 1]))
            ofJobs.clear();
        const std::int32_t job = placement.jobOf(rank);
        auto found = std::find_if(ofJobs.begin(), ofJobs.end(), [&](const auto& entry) { return entry.first == job; });
        if (found == ofJobs.end())
            found = ofJobs.insert(ofJobs.end(), {job, rank});
        firstOf[static_cast<std::size_t>(rank)] = found->second;
    }
    std::vector<std::int32_t> classOf(ends.size());
    std::int32_t count = 0;
    for (std::size_t rank = 0; rank < ends.size(); ++rank)
        classOf[rank] = firstOf[rank] == static_cast<std::int32_t>(rank) ? count++ : classOf[static_cast<std::size_t>(firstOf[rank])];
    record.classes.resize(static_cast<std::size_t>(count));
    for (std::int32_t rank = 0; rank < static_cast<std::int32_t>(ends.size()); ++rank) {
        RankClass& alike = record.classes[static_cast<std::size_t>(classOf[static_cast<std::size_t>(rank)])];
        if (alike.ranks.empty()) {
            alike.job = placement.jobOf(rank);
            alike.times.finish = alike.times.comm = alike.times.exposedComm = SimTime{end(rank)};
            if (options.taskTimes)
                alike.tasks = std::make_shared<const TaskTimes>(TaskTimes{{0}, {end(rank)}});
        }
        alike.ranks.add(rank);
    }
}

RunRecord recordOf(const Scenario& scenario, const RunOptions& options, const sweep::SweepPlan& plan, CollectiveOutcome outcome)
{
    const Workload& workload = *scenario.structure->workload;
    RunRecord record;
    record.model = scenario.model;
    record.version = modelVersion(scenario.model);
    record.rankCount = workload.rankCount;
    record.diagnostics = scenario.diagnostics;
    std::vector<std::int64_t> ends(outcome.exitPs.size());
    for (std::int32_t position = 0; position < plan.size; ++position)
        ends[static_cast<std::size_t>(plan.rankOf(position))] = outcome.exitPs[static_cast<std::size_t>(position)];
    addClasses(scenario, options, ends, record);

    CommutativeDigest digest;
    for (std::int32_t rank = 0; rank < record.rankCount; ++rank) {
        const std::int64_t end = ends[static_cast<std::size_t>(rank)];
        const std::int64_t words[] = {rank, static_cast<std::int64_t>(workload.graph(rank).sourceId[0]), 0, end};
        digest.add(words);
        record.finish = std::max(record.finish, SimTime{end});
    }
    record.fingerprint = digest.value();
    record.messages = outcome.digest;
    record.dimensions = dimensionUses(scenario.structure->platform);
    for (std::size_t d = 0; d < record.dimensions.size(); ++d) {
        DimensionUse& use = record.dimensions[d];
        DimensionUse& found = outcome.dimensions[d];
        use.messages = found.messages;
        use.bytes = found.bytes;
        use.busyPs = found.busyPs;
        use.peakLinkPs = found.peakLinkPs;
        use.busy = std::move(found.busy);
    }
    record.links = std::move(outcome.links);
    record.allLinks = outcome.usedLinks <= static_cast<std::int64_t>(RunRecord::kMaxLinks);
    record.events = outcome.messages;
    record.engines.push_back({"sweep", outcome.messages, 1.0});
    return record;
}

Result<std::optional<RunRecord>> sweepScenario(const Scenario& scenario, const RunOptions& options, const std::stop_token& stop)
{
    const Result<std::int32_t> instance = onlyCollective(scenario);
    if (!instance)
        return instance.error();
    Result<sweep::SweepPlan> plan = sweep::planSweep(scenario, instance.value(), false, stop);
    if (!plan)
        return std::move(plan).error();
    SweepOptions own;
    own.messageDigest = options.messageDigest;
    own.busyOverTime = options.busyOverTime;
    own.mostLinks = RunRecord::kMaxLinks;
    own.memoryLimit = options.memoryLimit;
    own.message = options.message;
    RunPace pace(options);
    if (options.progress)
        own.progress = [&](double share) { pace.progress([&] { return Progress{share, 0, {}}; }); };
    sweep::SweepEngine engine(plan.value(), scenario, own);
    const std::vector<std::int64_t> entries(static_cast<std::size_t>(plan.value().size), 0);
    const Result<bool> inOrder = engine.run(entries, stop);
    if (!inOrder)
        return inOrder.error();
    if (!inOrder.value())
        return std::optional<RunRecord>();
    Result<CollectiveOutcome> outcome = engine.outcome(stop);
    if (!outcome)
        return std::move(outcome).error();
    return std::optional<RunRecord>(recordOf(scenario, options, plan.value(), std::move(outcome).value()));
}

} // namespace

std::optional<Result<RunRecord>> trySweep(const Scenario& scenario, const RunOptions& options, const std::stop_token& stop)
{
    const bool wanted = options.engine == EngineChoice::Sweep;
    Result<std::optional<RunRecord>> record = sweepScenario(scenario, options, stop);
    if (!record) {
        if (record.error().code == ErrorCode::Unsupported && !wanted)
            return std::nullopt;
        return Result<RunRecord>(std::move(record).error());
    }
    if (record.value())
        return Result<RunRecord>(std::move(*record.value()));
    if (!wanted)
        return std::nullopt;
    return Result<RunRecord>(Error{ErrorCode::Unsupported, "the order of messages that the engine sweep takes does not hold here", {}, "the engine auto or events for this run"});
}

} // namespace fabricscope
