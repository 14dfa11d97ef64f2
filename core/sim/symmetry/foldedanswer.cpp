#include "core/sim/symmetry/foldedanswer.h"

#include "core/base/index.h"
#include "core/sim/events/engine.h"

#include <algorithm>

namespace fabricscope::events {

namespace {

/// What is called 0 from outside is 1 inside: an instant of its own, after the start of the engine.
constexpr std::int64_t kStart = 1;

/// A first task that ends when it is told to; behind it the collective, for those that have it.
std::shared_ptr<const RankGraph> tasksOf(const CollectiveInstance* collective)
{
    auto graph = std::make_shared<RankGraph>();
    const std::size_t tasks = collective ? 2 : 1;
    graph->kind.assign(tasks, TaskKind::Metadata);
    graph->flags.assign(tasks, 0);
    graph->sourceId = {0, 1};
    graph->sourceId.resize(tasks);
    graph->nameEnd.assign(tasks, 0);
    graph->durationUs.assign(tasks, 0);
    graph->operations.assign(tasks, 0);
    graph->bytes.assign(tasks, 0);
    graph->op.assign(tasks, CollectiveOp::AllReduce);
    graph->family.assign(tasks, 0);
    graph->peer.assign(tasks, 0);
    graph->tag.assign(tasks, 0);
    graph->involved.assign(tasks, 0);
    graph->dependBegin.assign(tasks + 1, 0);
    if (collective) {
        graph->kind.back() = TaskKind::Collective;
        graph->bytes.back() = collective->bytes;
        graph->op.back() = collective->op;
        graph->family.back() = collective->family;
        graph->dependBegin.back() = 1;
        graph->depends = {0};
    }
    return graph;
}

/// All ranks where they are; only members that are simulated have anything to do.
Scenario aloneAmongAll(const EngineState& state, const Run& run)
{
    const CollectiveInstance& def = *run.def;
    auto workload = std::make_shared<Workload>();
    workload->rankCount = state.workload.rankCount;
    workload->families = state.workload.families;
    workload->graphs = {tasksOf(&def), tasksOf(nullptr)};
    workload->graphOfRank.assign(at(workload->rankCount), 1);
    for (std::int32_t position = 0; position < run.kept; ++position) {
        if (isSimulated(*run.plan, position))
            workload->graphOfRank[at(run.plan->ranks[at(position)])] = 0;
    }
    auto structure = std::make_shared<Structure>();
    structure->platform = state.structure.platform;
    structure->placement = state.structure.placement;
    structure->classedLinks = state.structure.classedLinks;
    structure->figureClasses = state.structure.figureClasses;
    structure->workload = std::move(workload);
    structure->layouts = {state.structure.layouts[at(def.layout)]};
    CollectiveInstance instance = def;
    instance.layout = 0;
    instance.stream = 0;
    structure->instances = {std::move(instance)};
    structure->streamCount = 1;
    structure->instanceBase.resize(at(def.family) + 1);
    structure->instanceBase.back().assign(at(def.group) + 1, 0);
    structure->ordinalsOfRank = {std::make_shared<const std::vector<std::int32_t>>(std::vector<std::int32_t>{-1, 0})};
    Scenario scenario;
    scenario.model = state.scenario.model;
    scenario.structure = std::move(structure);
    scenario.params = state.scenario.params;
    scenario.costs = state.scenario.costs;
    return scenario;
}

/// Work of every link in use, and when links of a dimension were busy.
void addLinks(const EngineState& engine, EngineState& outside, const std::vector<BusyInterval>& intervals, FoldedAnswer& answer)
{
    std::vector<FoldedAnswer::LinkWork> works(engine.network.links().size());
    std::vector<std::vector<std::pair<std::int64_t, std::int64_t>>> byDimension(engine.network.busy().size());
    for (const BusyInterval& interval : intervals) {
        if (interval.begin >= interval.end)
            continue; // A link begins with an interval of nothing.
        FoldedAnswer::LinkWork& work = works[at(interval.link)];
        work.first = std::min(work.first, interval.begin - kStart);
        work.end = std::max(work.end, interval.end - kStart);
        byDimension[at(engine.network.links()[at(interval.link)].dimension)].emplace_back(interval.begin - kStart, interval.end - kStart);
    }
    for (std::size_t number = 0; number < works.size(); ++number) {
        const Link& link = engine.network.links()[number];
        if (link.messages == 0)
            continue;
        FoldedAnswer::LinkWork& work = works[number];
        work.link = outside.routes.use(engine.routes.linkIds()[number]);
        work.messages = link.messages;
        work.bytes = link.bytes;
        work.busy = link.busy;
        answer.links.push_back(work);
    }
    outside.network.useNewLinks();
    for (auto& dimension : byDimension)
        answer.busy.push_back(BusySteps::of(dimension));
}

void addEndpoints(const EngineState& engine, const Run& run, std::span<const std::int64_t> entries, FoldedAnswer& answer)
{
    for (std::int32_t position = 0; position < run.kept; ++position) {
        if (!isSimulated(*run.plan, position))
            continue;
        const NodeId node = run.plan->nodes[at(position)];
        const Endpoint& endpoint = engine.network.endpoints()[at(node)];
        if (endpoint.firstArrival != INT64_MAX || endpoint.injection > 0)
            answer.endpoints.push_back({node, endpoint.firstArrival - kStart, std::max(endpoint.reducerFree, endpoint.ejection) - kStart, entries[at(position)], endpoint.injection - kStart});
    }
}

} // namespace

bool isSimulated(const Plan& plan, std::int32_t position)
{
    return plan.standIn.empty() || plan.standIn[at(position)] == position;
}

Result<FoldedAnswer> foldedAnswer(EngineState& state, const Run& run, std::span<const std::int64_t> entries, std::vector<Endpoint>& endpoints, const std::stop_token& stop)
{
    const Scenario scenario = aloneAmongAll(state, run);
    RunOptions options;
    options.memoryLimit = state.options.memoryLimit;
    Engine engine(scenario, options);
    engine.fold(*state.folding);
    std::vector<std::int64_t> starts(at(state.workload.rankCount), kStart);
    std::int64_t last = 0;
    for (std::int32_t position = 0; position < run.kept; ++position) {
        if (!isSimulated(*run.plan, position))
            continue;
        starts[at(run.plan->ranks[at(position)])] += entries[at(position)];
        last = std::max(last, entries[at(position)]);
    }
    std::vector<BusyInterval> intervals;
    engine.tasks.startAt(&starts);
    engine.network.keepIntervals(intervals);
    engine.network.takeEndpoints(std::exchange(endpoints, {}));
    if (Status status = engine.build(stop); !status)
        return std::move(status).error();
    if (Status status = engine.run(stop); !status)
        return std::move(status).error();
    engine.network.endIntervals();
    FoldedAnswer answer;
    answer.messages = engine.network.messages();
    answer.pieces = engine.network.pieces();
    answer.events = engine.agenda.handled() - state.workload.rankCount; // Every rank has a start.
    answer.usable = engine.tasks.left() == 0 && !engine.network.positionsDecided() && !engine.collectives.hadLateMembers();
    for (std::int32_t position = 0; position < run.kept; ++position) {
        if (!isSimulated(*run.plan, position)) {
            answer.exits.push_back(-1);
            continue;
        }
        // Who is done before the last has entered would have to be told before it is known when that is.
        answer.exits.push_back(engine.tasks.ends(run.plan->ranks[at(position)])[1] - kStart);
        answer.usable = answer.usable && answer.exits.back() > last;
    }
    addLinks(engine, state, intervals, answer);
    addEndpoints(engine, run, entries, answer);
    endpoints = engine.network.giveEndpoints(run.plan->nodes);
    return answer;
}

} // namespace fabricscope::events
