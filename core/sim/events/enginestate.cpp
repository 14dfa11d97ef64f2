#include "core/sim/events/enginestate.h"

#include "core/base/stop.h"
#include "core/sim/common/runpace.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace fabricscope::events {

namespace {

/// Throws StopRequested.
GraphIndex indexOf(const RankGraph& graph, const std::stop_token& stop)
{
    GraphIndex index;
    const auto count = static_cast<std::size_t>(graph.size());
    index.nextBegin.assign(count + 1, 0);
    for (const TaskIndex producer : graph.depends) {
        checkStop(stop);
        ++index.nextBegin[static_cast<std::size_t>(producer) + 1];
    }
    for (std::size_t task = 0; task < count; ++task)
        index.nextBegin[task + 1] += index.nextBegin[task];
    index.next.resize(graph.depends.size());
    std::vector<std::uint32_t> place(index.nextBegin.begin(), index.nextBegin.end() - 1);
    for (TaskIndex task = 0; task < graph.size(); ++task) {
        checkStop(stop);
        for (std::uint32_t i = graph.dependBegin[static_cast<std::size_t>(task)]; i < graph.dependBegin[static_cast<std::size_t>(task) + 1]; ++i)
            index.next[place[static_cast<std::size_t>(graph.depends[i])]++] = task;
    }
    return index;
}

Place placeOf(std::int32_t rank, const RankGraph& graph, TaskIndex task)
{
    Place place;
    place.rank = rank;
    place.node = static_cast<std::int64_t>(graph.sourceId[static_cast<std::size_t>(task)]);
    place.hasNode = true;
    return place;
}

} // namespace

EngineState::EngineState(const Scenario& scenario_, const RunOptions& options_)
    : scenario(scenario_)
    , structure(*scenario_.structure)
    , params(*scenario_.params)
    , costs(*scenario_.costs)
    , workload(*scenario_.structure->workload)
    , options(options_)
    , scheduling(scenario_.params->scheduling.get())
    , byPriority(scheduling && scheduling->order == TaskOrder::Explicit)
    , ideal(scenario_.model == Model::Ideal)
    , severalJobs(scenario_.structure->placement.jobs().size() > 1)
    , endpointDelay(scenario_.params->endpointDelay.ps)
    , pieceBytes(scenario_.params->pieceBytes)
    , routes(structure, costs)
    , plans(structure)
{
    if (params.network) {
        network = std::make_unique<NetworkState>(structure.platform, *params.network, options.seed);
        if (network->params.routing || network->params.failures)
            routes.setRouter(&network->router);
    }
}

Status EngineState::build(const std::stop_token& stop)
{
    return untilStopped([&] { return buildTasks(stop); });
}

Status EngineState::buildTasks(const std::stop_token& stop)
{
    for (std::int32_t rank = 0; rank < workload.rankCount; ++rank)
        tasks += workload.graph(rank).size();
    tasksLeft = tasks;
    const auto perTask = static_cast<std::int64_t>(2 * sizeof(std::int64_t) + sizeof(std::int32_t));
    const std::int64_t estimate = tasks * perTask + std::int64_t{workload.rankCount} * static_cast<std::int64_t>(sizeof(RankState))
                                  + (routes.isFolded() ? 1 : std::int64_t{structure.platform.npuCount()}) * static_cast<std::int64_t>(sizeof(Endpoint));
    if (options.memoryLimit > 0 && estimate > options.memoryLimit) {
        return Error{ErrorCode::MemoryLimit, "the tasks alone need " + std::to_string(estimate) + " bytes of memory, more than the limit of " + showBytes({options.memoryLimit}), {}, "a higher memory limit"};
    }

    graphs.reserve(workload.graphs.size());
    for (const auto& graph : workload.graphs)
        graphs.push_back(indexOf(*graph, stop));
    waitsFor.reserve(static_cast<std::size_t>(tasks));
    issuePs.assign(static_cast<std::size_t>(tasks), -1);
    endPs.assign(static_cast<std::size_t>(tasks), -1);
    if (scheduling && (scheduling->order == TaskOrder::Fifo || scheduling->order == TaskOrder::Lifo))
        readyPs.assign(static_cast<std::size_t>(tasks), 0);
    ranks.resize(static_cast<std::size_t>(workload.rankCount));
    channelOfTask.resize(ranks.size());
    ChannelsByEnds known;
    for (std::int32_t rank = 0; rank < workload.rankCount; ++rank) {
        if (Status status = addTasks(rank, known, stop); !status)
            return status;
    }
    numberStreams(known);
    makeGroups();
    makeMachine();
    return {};
}

Status EngineState::addTasks(std::int32_t rank, ChannelsByEnds& known, const std::stop_token& stop)
{
    const RankGraph& graph = workload.graph(rank);
    RankState& state = ranks[static_cast<std::size_t>(rank)];
    state.firstTask = static_cast<std::int64_t>(waitsFor.size());
    state.left = graph.size();
    for (TaskIndex task = 0; task < graph.size(); ++task) {
        checkStop(stop);
        const auto i = static_cast<std::size_t>(task);
        waitsFor.push_back(static_cast<std::int32_t>(graph.dependBegin[i + 1] - graph.dependBegin[i]));
        const TaskKind kind = graph.kind[i];
        const bool usesRemote = (kind == TaskKind::MemoryLoad || kind == TaskKind::MemoryStore) && !params.replayOnly;
        if (usesRemote && params.remoteMemory.kind == RemoteMemory::Kind::None)
            return invalidInput("the task uses remote memory, but the design has none", placeOf(rank, graph, task), "a remote memory description");
        if (kind != TaskKind::Send && kind != TaskKind::Receive)
            continue;
        if (Status status = addToChannel(rank, task, known); !status)
            return status;
    }
    return {};
}

/// \pre the task is a send or a receive
Status EngineState::addToChannel(std::int32_t rank, TaskIndex task, ChannelsByEnds& known)
{
    const RankGraph& graph = workload.graph(rank);
    const auto i = static_cast<std::size_t>(task);
    const std::int32_t peer = graph.peerRank(task, rank);
    if (peer < 0 || peer >= workload.rankCount)
        return invalidInput("rank " + std::to_string(peer) + " does not exist", placeOf(rank, graph, task), "a rank from 0 to " + std::to_string(workload.rankCount - 1));
    const bool sends = graph.kind[i] == TaskKind::Send;
    const std::int32_t source = sends ? rank : peer;
    const std::int32_t target = sends ? peer : rank;
    const auto [entry, added] = known.emplace(std::make_tuple(source, target, graph.tag[i]), static_cast<std::int32_t>(channels.size()));
    if (added) {
        Channel channel;
        channel.source = source;
        channel.target = target;
        channel.tag = graph.tag[i];
        channels.push_back(std::move(channel));
    }
    channelOfTask[static_cast<std::size_t>(rank)].emplace_back(task, entry->second);
    return {};
}

/// One stream per pair of ranks, whatever the tag.
void EngineState::numberStreams(const ChannelsByEnds& known)
{
    std::int32_t stream = structure.streamCount - 1;
    std::pair<std::int32_t, std::int32_t> previous{-1, -1};
    for (const auto& [key, number] : known) {
        const std::pair<std::int32_t, std::int32_t> ends{std::get<0>(key), std::get<1>(key)};
        if (ends != previous)
            ++stream;
        previous = ends;
        channels[static_cast<std::size_t>(number)].stream = stream;
    }
}

void EngineState::makeGroups()
{
    runOfInstance.assign(structure.instances.size(), kNone);
    std::int32_t groupCount = 0;
    for (const GroupFamily& family : workload.families) {
        groupBase.push_back(groupCount);
        groupCount += static_cast<std::int32_t>(family.groupCount());
        progress.emplace_back(ranks.size(), 0);
        if (scheduling && scheduling->streams > 1)
            begunByRank.emplace_back(ranks.size(), 0);
    }
    groups.resize(static_cast<std::size_t>(groupCount));
}

/// What tasks run on, apart from links, which come as they are needed.
void EngineState::makeMachine()
{
    if (endpoints.empty())
        makeEndpoints();
    busy.resize(structure.platform.isExplicit() ? 1 : structure.platform.dimensions().size());
    if (params.remoteMemory.kind == RemoteMemory::Kind::Hierarchical && !params.replayOnly)
        remote = std::make_unique<RemoteTasks>(structure, params.remoteMemory, pieceBytes, ideal);
    if (params.compute && params.compute->needsEvents())
        slowdown = std::make_unique<Slowdown>(*params.compute, workload.rankCount);
    if (params.remoteMemory.kind == RemoteMemory::Kind::PerNode && params.remoteMemory.npusPerNode > 0)
        memoryFree.assign(static_cast<std::size_t>((structure.platform.npuCount() - 1) / params.remoteMemory.npusPerNode) + 1, 0);
    else
        memoryFree.assign(1, 0);
}

bool EngineState::goesFirst(std::int32_t rank, TaskIndex a, TaskIndex b) const
{
    switch (scheduling ? scheduling->order : TaskOrder::Standard) {
    case TaskOrder::Standard:
        break;
    case TaskOrder::Fifo:
    case TaskOrder::Lifo: {
        const std::int64_t first = readyPs[cell(rank, a)];
        const std::int64_t second = readyPs[cell(rank, b)];
        if (first != second)
            return (first < second) == (scheduling->order == TaskOrder::Fifo);
        break;
    }
    case TaskOrder::Explicit: {
        const std::vector<std::int32_t>& priority = workload.graph(rank).priority;
        if (!priority.empty() && priority[static_cast<std::size_t>(a)] != priority[static_cast<std::size_t>(b)])
            return priority[static_cast<std::size_t>(a)] > priority[static_cast<std::size_t>(b)];
        break;
    }
    }
    return a < b;
}

std::int32_t EngineState::priorityOf(const Message& message) const
{
    if (message.run != kNone)
        return runs[static_cast<std::size_t>(message.run)].def->priority;
    if (!byPriority)
        return 0;
    const Channel& channel = channels[static_cast<std::size_t>(message.item)];
    const std::vector<std::int32_t>& priority = workload.graph(channel.source).priority;
    return priority.empty() ? 0 : -priority[static_cast<std::size_t>(channel.pairs[static_cast<std::size_t>(message.chunk)].send)];
}

std::int32_t EngineState::unitsOf(Slot slot) const
{
    if (slot == Slot::Compute)
        return scheduling ? scheduling->computeUnits : 1;
    return slot == Slot::Communication ? scheduling->communicationUnits : 1;
}

void EngineState::makeEndpoints()
{
    endpoints.resize(routes.isFolded() ? 1 : static_cast<std::size_t>(structure.platform.npuCount()));
    const std::int64_t rate = params.reducerRate ? params.reducerRate->bytesPerSecond : 0;
    for (Endpoint& endpoint : endpoints)
        endpoint.reducerRate = rate;
    for (const NpuOverride& entry : structure.platform.spec().npuOverrides) {
        if (entry.memoryBandwidth)
            endpoints[static_cast<std::size_t>(entry.node)].reducerRate = toBandwidth(*entry.memoryBandwidth).bytesPerSecond;
    }
}

std::int64_t EngineState::memoryBytes() const
{
    return tasks * static_cast<std::int64_t>(2 * sizeof(std::int64_t) + sizeof(std::int32_t)) + runBytes
           + static_cast<std::int64_t>(links.capacity() * sizeof(Link) + endpoints.size() * sizeof(Endpoint) + ranks.size() * sizeof(RankState));
}

void EngineState::addLinks()
{
    const std::vector<LinkId>& ids = routes.linkIds();
    for (std::size_t number = links.size(); number < ids.size(); ++number) {
        Link link;
        link.resource = structure.classOf(ids[number]);
        link.latency = costs.latency(link.resource);
        link.dimension = structure.platform.isExplicit() ? 0 : structure.platform.linkInfo(ids[number]).dimension;
        if (network)
            applyChange(link, ids[number]);
        links.push_back(link);
    }
}

void EngineState::applyChange(Link& link, LinkId id)
{
    const auto found = network->changed.find(id);
    if (found == network->changed.end())
        return;
    link.resource = found->second.resource.value_or(structure.classOf(id));
    link.down = found->second.failures > 0;
}

std::int32_t EngineState::channelOf(std::int32_t rank, TaskIndex task) const
{
    const auto& list = channelOfTask[static_cast<std::size_t>(rank)];
    return std::lower_bound(list.begin(), list.end(), std::make_pair(task, std::int32_t{0}))->second;
}

std::int64_t EngineState::recordedDuration(std::int32_t rank, TaskIndex task) const
{
    return fabricscope::recordedDuration(workload.graph(rank), task);
}

std::int64_t EngineState::computeDuration(std::int32_t rank, TaskIndex task) const
{
    return computeWork(structure, params, rank, task).duration();
}

std::int64_t EngineState::reduction(const Endpoint& endpoint, std::int64_t bytes, std::int32_t k) const
{
    if (endpoint.reducerRate <= 0)
        return 0;
    constexpr std::int64_t kNarrow = INT64_MAX / kPsPerSecond; // Below this the product fits in 63 bits.
    if (k == 1 && bytes < kNarrow / 3)
        return (bytes * 3 * kPsPerSecond + endpoint.reducerRate - 1) / endpoint.reducerRate;
    __extension__ using Wide = __int128;
    const Wide rate = Wide{k} * endpoint.reducerRate;
    return static_cast<std::int64_t>((Wide{bytes} * (k + 2) * kPsPerSecond + rate - 1) / rate);
}

std::int64_t EngineState::remoteDuration(std::int64_t bytes) const
{
    const std::int64_t transfer = params.remoteMemory.bytesPerNs > 0 ? mulDivCeil(bytes, kPsPerNs, params.remoteMemory.bytesPerNs) : 0;
    return params.remoteMemory.latencyNs * kPsPerNs + transfer;
}

} // namespace fabricscope::events
