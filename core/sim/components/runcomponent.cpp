#include "core/sim/components/runcomponent.h"

#include "core/base/index.h"
#include "core/sim/events/engine.h"

#include <algorithm>
#include <numeric>

namespace fabricscope::events {

namespace {

/// What is called 0 from outside is 1 inside: an instant of its own, after the start of the engine.
constexpr std::int64_t kStart = 1;

/// The collective alone: position i is rank i, on the node it has in the group.
Result<Scenario> aloneScenario(const EngineState& state, const Run& run)
{
    const auto size = static_cast<std::size_t>(run.size);
    auto graph = std::make_shared<RankGraph>();
    graph->kind = {TaskKind::Metadata, TaskKind::Collective};
    graph->flags = {0, 0};
    graph->sourceId = {0, 1};
    graph->nameEnd = {0, 0};
    graph->durationUs = {0, 0};
    graph->operations = {0, 0};
    graph->bytes = {0, run.def->bytes};
    graph->op = {run.def->op, run.def->op};
    graph->family = {0, 0};
    graph->peer = {0, 0};
    graph->tag = {0, 0};
    graph->involved = {0, 0};
    graph->dependBegin = {0, 0, 1};
    graph->depends = {0};
    auto workload = std::make_shared<Workload>();
    workload->rankCount = run.size;
    workload->graphs = {std::move(graph)};
    workload->families = {GroupFamily::world(run.size)};

    auto structure = std::make_shared<Structure>();
    structure->platform = state.structure.platform;
    structure->classedLinks = state.structure.classedLinks;
    structure->figureClasses = state.structure.figureClasses;
    Placement::Job job;
    job.ranks = run.size;
    job.nodes = run.plan->nodes;
    auto placement = Placement::create({std::move(job)}, structure->platform.npuCount());
    if (!placement)
        return placement.error();
    structure->placement = std::move(placement).value();
    structure->workload = std::move(workload);
    GroupLayout layout;
    layout.extents = state.structure.layouts[at(run.def->layout)].extents;
    layout.list.resize(size);
    std::iota(layout.list.begin(), layout.list.end(), 0);
    structure->layouts = {std::move(layout)};
    CollectiveInstance instance = *run.def;
    instance.family = 0;
    instance.group = 0;
    instance.layout = 0;
    instance.stream = 0;
    structure->instances = {std::move(instance)};
    structure->streamCount = 1;
    structure->instanceBase = {{0}};
    structure->ordinalsOfRank = {std::make_shared<const std::vector<std::int32_t>>(std::vector<std::int32_t>{-1, 0})};

    Scenario scenario;
    scenario.model = state.scenario.model;
    scenario.structure = std::move(structure);
    scenario.params = state.scenario.params;
    scenario.costs = state.scenario.costs;
    return scenario;
}

/// Work of every link in use, and when links of a dimension were busy.
void addLinkWork(const EngineState& engine, const EngineState& outside, const GroupPlaces& places, const std::vector<BusyInterval>& intervals, CollectiveAnswer& answer)
{
    std::unordered_map<LinkId, std::int32_t> placeOf;
    for (std::size_t place = 0; place < places.links.size(); ++place)
        placeOf.emplace(outside.routes.linkIds()[at(places.links[place])], static_cast<std::int32_t>(place));
    std::vector<CollectiveAnswer::LinkWork> works(engine.network.links().size());
    for (CollectiveAnswer::LinkWork& work : works)
        work.first = INT64_MAX;
    std::vector<std::vector<std::pair<std::int64_t, std::int64_t>>> byDimension(engine.network.busy().size());
    for (const BusyInterval& interval : intervals) {
        if (interval.begin >= interval.end)
            continue; // A link begins with an interval of nothing.
        CollectiveAnswer::LinkWork& work = works[at(interval.link)];
        work.first = std::min(work.first, interval.begin - kStart);
        work.end = std::max(work.end, interval.end - kStart);
        byDimension[at(engine.network.links()[at(interval.link)].dimension)].emplace_back(interval.begin - kStart, interval.end - kStart);
    }
    for (std::size_t number = 0; number < works.size(); ++number) {
        const Link& link = engine.network.links()[number];
        if (link.messages == 0)
            continue;
        CollectiveAnswer::LinkWork& work = works[number];
        work.place = placeOf.at(engine.routes.linkIds()[number]);
        work.messages = link.messages;
        work.bytes = link.bytes;
        work.busy = link.busy;
        answer.links.push_back(work);
    }
    std::sort(answer.links.begin(), answer.links.end(), [](const auto& a, const auto& b) { return a.place < b.place; });
    for (auto& dimension : byDimension)
        answer.busy.push_back(BusySteps::of(dimension));
}

void addEndpointWork(const EngineState& engine, const Plan& plan, std::span<const std::int64_t> entries, CollectiveAnswer& answer)
{
    for (std::size_t position = 0; position < plan.nodes.size(); ++position) {
        const Endpoint& endpoint = engine.network.endpoints()[at(plan.nodes[position])];
        CollectiveAnswer::EndpointWork work;
        work.position = static_cast<std::int32_t>(position);
        work.firstIn = endpoint.firstArrival - kStart;
        work.endIn = std::max(endpoint.reducerFree, endpoint.ejection) - kStart;
        work.firstOut = entries[position];
        work.endOut = endpoint.injection - kStart;
        if (endpoint.firstArrival != INT64_MAX || endpoint.injection > 0)
            answer.endpoints.push_back(work);
    }
}

} // namespace

std::int64_t CollectiveAnswer::bytes() const
{
    std::size_t bytes = sizeof(*this) + exits.capacity() * sizeof(exits[0]) + links.capacity() * sizeof(LinkWork) + endpoints.capacity() * sizeof(EndpointWork)
        + records.capacity() * sizeof(MessageRecord);
    for (const BusySteps& steps : busy)
        bytes += sizeof(steps) + steps.steps.capacity() * sizeof(BusySteps::Step);
    return static_cast<std::int64_t>(bytes);
}

std::string refusalOf(std::span<const std::int64_t> entries, std::span<const std::int64_t> exits)
{
    const std::int64_t last = *std::max_element(entries.begin(), entries.end());
    if (std::any_of(exits.begin(), exits.end(), [&](std::int64_t exit) { return exit <= last; }))
        return "a rank is done with a collective before all others have entered it";
    return {};
}

Result<CollectiveAnswerPtr> CollectiveRunner::answer(const Run& run, const GroupPlaces& places, std::span<const std::int64_t> entries, bool records,
                                                     const std::stop_token& stop)
{
    const Result<Scenario> scenario = aloneScenario(m_state, run);
    if (!scenario)
        return scenario.error();
    auto answer = std::make_shared<CollectiveAnswer>();
    RunOptions options;
    options.memoryLimit = m_state.options.memoryLimit;
    if (records) {
        options.message = [&](MessageRecord record) {
            record.readyPs -= kStart;
            record.leftPs -= kStart;
            record.donePs -= kStart;
            answer->records.push_back(record);
        };
    }
    Engine engine(scenario.value(), options);
    std::vector<std::int64_t> starts(entries.begin(), entries.end());
    for (std::int64_t& start : starts)
        start += kStart;
    std::vector<BusyInterval> intervals;
    engine.tasks.startAt(&starts);
    engine.network.keepIntervals(intervals);
    engine.network.takeEndpoints(std::exchange(m_endpoints, {}));
    if (Status status = engine.build(stop); !status)
        return std::move(status).error();
    if (Status status = engine.run(stop); !status)
        return std::move(status).error();

    engine.network.endIntervals();
    answer->messages = engine.network.messages();
    answer->pieces = engine.network.pieces();
    answer->events = engine.agenda.handled();
    if (engine.tasks.left() > 0) {
        answer->refusal = "a collective cannot finish";
    } else {
        for (std::int32_t position = 0; position < run.size; ++position)
            answer->exits.push_back(engine.tasks.ends(position)[1] - kStart);
        answer->refusal = engine.collectives.hadLateMembers() ? "work that takes no time ends a collective" : refusalOf(entries, answer->exits);
    }
    addLinkWork(engine, m_state, places, intervals, *answer);
    addEndpointWork(engine, *run.plan, entries, *answer);
    m_endpoints = engine.network.giveEndpoints(run.plan->nodes);
    return CollectiveAnswerPtr(std::move(answer));
}

} // namespace fabricscope::events
