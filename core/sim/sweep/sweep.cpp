#include "core/sim/sweep/sweep.h"

#include "core/base/index.h"
#include "core/record/recordbuilder.h"
#include "core/scenario/usedversion.h"
#include "core/sim/common/dimensionuses.h"
#include "core/sim/common/runpace.h"
#include "core/sim/sweep/maxplus.h"
#include "core/sim/sweep/pairsweep.h"

#include <algorithm>
#include <numeric>

namespace fabricscope {

Status sweepApplies(const Scenario& scenario, std::int32_t instance)
{
    const Result<sweep::SweepPlan> plan = sweep::planSweep(scenario, instance, true);
    return plan || sweep::PairSweep::plan(scenario, instance) ? Status() : Status(plan.error());
}

Result<std::optional<CollectiveOutcome>> sweepCollective(const Scenario& scenario, std::int32_t instance, std::span<const std::int64_t> entriesPs,
                                                         const SweepOptions& options, std::stop_token stop)
{
    if (const Result<sweep::PairSweep> pairs = sweep::PairSweep::plan(scenario, instance, stop))
        return pairs.value().run(entriesPs, options, stop);
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
    if (structure.instances.size() != 1 || structure.layouts[at(structure.instances[0].layout)].size() != workload.rankCount)
        return other;
    for (const auto& graph : workload.graphs) {
        if (graph->size() != 1 || graph->kind[0] != TaskKind::Collective)
            return other;
    }
    return 0;
}

/// Ranks of one job that end together form a class.
void addClasses(const Scenario& scenario, const RunOptions& options, const std::vector<std::int64_t>& ends, RecordBuilder& builder)
{
    const Placement& placement = scenario.structure->placement;
    const auto end = [&](std::int32_t rank) { return ends[at(rank)]; };
    std::vector<std::int32_t> order(ends.size());
    std::iota(order.begin(), order.end(), 0);
    std::sort(order.begin(), order.end(), [&](std::int32_t a, std::int32_t b) { return end(a) != end(b) ? end(a) < end(b) : a < b; });

    std::vector<std::int32_t> firstOf(ends.size());            // First rank of the class of a rank.
    std::vector<std::pair<std::int32_t, std::int32_t>> ofJobs; // (job, first rank) of this instant.
    for (std::size_t i = 0; i < order.size(); ++i) {
        const std::int32_t rank = order[i];
        if (i == 0 || end(rank) != end(order[i - 1]))
            ofJobs.clear();
        const std::int32_t job = placement.jobOf(rank);
        auto found = std::find_if(ofJobs.begin(), ofJobs.end(), [&](const auto& entry) { return entry.first == job; });
        if (found == ofJobs.end())
            found = ofJobs.insert(ofJobs.end(), {job, rank});
        firstOf[at(rank)] = found->second;
    }
    builder.setFinishOrder(std::move(order));
    std::vector<std::size_t> classOf(ends.size());
    for (std::int32_t rank = 0; rank < static_cast<std::int32_t>(ends.size()); ++rank) {
        const auto i = static_cast<std::size_t>(rank);
        if (firstOf[i] == rank) {
            RankTimes times;
            times.finish = times.comm = times.exposedComm = SimTime{end(rank)};
            classOf[i] = builder.addClass(placement.jobOf(rank), times, options.taskTimes ? std::make_shared<const TaskTimes>(TaskTimes{{0}, {end(rank)}}) : nullptr);
        } else {
            classOf[i] = classOf[at(firstOf[i])];
        }
        builder.addRank(classOf[i], rank);
    }
}

/// `plan` says who is where.
template <typename Plan>
RunRecord recordOf(const Scenario& scenario, const RunOptions& options, const Plan& plan, CollectiveOutcome outcome)
{
    const Workload& workload = *scenario.structure->workload;
    RecordBuilder builder(scenario.model, usedVersion(scenario), workload.rankCount, scenario.diagnostics, options.record);
    std::vector<std::int64_t> ends(outcome.exitPs.size());
    for (std::int32_t position = 0; position < static_cast<std::int32_t>(ends.size()); ++position)
        ends[at(plan.rankOf(position))] = outcome.exitPs[at(position)];
    addClasses(scenario, options, ends, builder);

    CommutativeDigest digest;
    for (std::int32_t rank = 0; rank < workload.rankCount; ++rank) {
        const std::int64_t words[] = {rank, static_cast<std::int64_t>(workload.graph(rank).sourceId[0]), 0, ends[at(rank)]};
        digest.add(words);
    }
    std::vector<DimensionUse> uses = dimensionUses(scenario.structure->platform);
    for (std::size_t d = 0; d < uses.size(); ++d) {
        DimensionUse& found = outcome.dimensions[d];
        found.name = std::move(uses[d].name);
        found.links = uses[d].links;
        uses[d] = std::move(found);
    }
    builder.setDimensions(std::move(uses));
    builder.setLinks(std::move(outcome.links), outcome.usedLinks <= static_cast<std::int64_t>(RunRecord::kMaxLinks));
    builder.setEngine("sweep", outcome.messages, outcome.messages);
    return std::move(builder).finished(digest.value(), outcome.digest, {});
}

Result<std::optional<RunRecord>> sweepScenario(const Scenario& scenario, const RunOptions& options, const std::stop_token& stop)
{
    const Result<std::int32_t> instance = onlyCollective(scenario);
    if (!instance)
        return instance.error();
    SweepOptions own;
    own.messageDigest = options.messageDigest;
    own.busyOverTime = options.busyOverTime;
    own.mostLinks = RunRecord::kMaxLinks;
    own.memoryLimit = options.memoryLimit;
    own.message = options.message;
    own.seed = options.seed;
    RunPace pace(options);
    if (options.progress)
        own.progress = [&](double share) { pace.progress([&] { return Progress{share, 0, {}}; }); };
    const std::vector<std::int64_t> entries(static_cast<std::size_t>(scenario.structure->workload->rankCount), 0);
    if (const Result<sweep::PairSweep> pairs = sweep::PairSweep::plan(scenario, instance.value(), stop)) {
        Result<std::optional<CollectiveOutcome>> outcome = pairs.value().run(entries, own, stop);
        if (!outcome)
            return std::move(outcome).error();
        if (!outcome.value())
            return std::optional<RunRecord>();
        return std::optional<RunRecord>(recordOf(scenario, options, pairs.value(), *std::move(outcome).value()));
    }
    Result<sweep::SweepPlan> plan = sweep::planSweep(scenario, instance.value(), false, stop);
    if (!plan)
        return std::move(plan).error();
    sweep::SweepEngine engine(plan.value(), scenario, own);
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
    if (options.ways && !wanted)
        return std::nullopt; // Only the event engine tells them.
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
