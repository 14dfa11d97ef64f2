// Tasks of ranks, their slots, and point-to-point messages: part of Engine (engine.h).
#include "core/sim/events/engine.h"

namespace fabricscope::events {

void Engine::start()
{
    for (std::int32_t rank = 0; startsPs && rank < workload.rankCount; ++rank)
        agenda.push((*startsPs)[static_cast<std::size_t>(rank)], EventKind::TaskEnd, 0, static_cast<std::uint32_t>(rank));
    if (startsPs)
        return;
    for (std::int32_t rank = 0; rank < workload.rankCount; ++rank) {
        const TaskIndex count = workload.graph(rank).size();
        for (TaskIndex task = count; task-- > 0;) {
            if (waitsFor[cell(rank, task)] == 0)
                m_readyTasks.push_back({rank, task});
        }
    }
}

/// All dependencies of the task have ended.
void Engine::taskReady(std::int32_t rank, TaskIndex task)
{
    const RankGraph& graph = workload.graph(rank);
    const auto toSlot = [&](Slot slot) {
        RankState& state = ranks[static_cast<std::size_t>(rank)];
        auto& heap = state.ready[static_cast<std::size_t>(slot)];
        heap.push_back(task);
        if (!scheduling) {
            std::push_heap(heap.begin(), heap.end(), std::greater<>());
        } else {
            if (!readyPs.empty())
                readyPs[cell(rank, task)] = agenda.now();
            std::push_heap(heap.begin(), heap.end(), [this, rank](TaskIndex a, TaskIndex b) { return goesFirst(rank, b, a); });
        }
        if (!state.dirty) {
            state.dirty = true;
            m_dirtyRanks.push_back(rank);
        }
    };
    switch (graph.kind[static_cast<std::size_t>(task)]) {
    case TaskKind::Compute:
        toSlot(graph.has(task, TaskFlag::kHost) ? Slot::Host : Slot::Compute);
        break;
    case TaskKind::MemoryLoad:
    case TaskKind::MemoryStore:
        toSlot(Slot::Memory);
        break;
    case TaskKind::Send:
    case TaskKind::Receive:
        if (graph.kind[static_cast<std::size_t>(task)] == TaskKind::Send && scheduling && scheduling->communicationUnits > 0) {
            toSlot(Slot::Communication);
            break;
        }
        issuePs[cell(rank, task)] = agenda.now();
        m_newPairs.push_back({rank, task});
        break;
    case TaskKind::Collective:
        if (scheduling && scheduling->communicationUnits > 0) {
            toSlot(Slot::Communication);
            break;
        }
        issuePs[cell(rank, task)] = agenda.now();
        issueCollective(rank, task);
        break;
    case TaskKind::Metadata:
    case TaskKind::Invalid:
        issuePs[cell(rank, task)] = agenda.now();
        taskEnd(rank, task);
        break;
    }
}

void Engine::taskEnd(std::int32_t rank, TaskIndex task)
{
    const RankGraph& graph = workload.graph(rank);
    RankState& state = ranks[static_cast<std::size_t>(rank)];
    assert(endPs[cell(rank, task)] < 0);
    endPs[cell(rank, task)] = agenda.now();
    state.lastEvent = agenda.now();
    --state.left;
    --tasksLeft;

    const TaskKind kind = graph.kind[static_cast<std::size_t>(task)];
    const bool communicates = scheduling && scheduling->communicationUnits > 0 && (kind == TaskKind::Send || kind == TaskKind::Collective);
    if (kind == TaskKind::Compute || kind == TaskKind::MemoryLoad || kind == TaskKind::MemoryStore || communicates) {
        Slot slot = communicates ? Slot::Communication : Slot::Memory;
        if (kind == TaskKind::Compute)
            slot = graph.has(task, TaskFlag::kHost) ? Slot::Host : Slot::Compute;
        if (state.busy[static_cast<std::size_t>(slot)] > 0) // Tasks of startsPs took none.
            --state.busy[static_cast<std::size_t>(slot)];
        if (slowdown && slot == Slot::Compute)
            slowReducer(rank);
        if (!state.dirty && !state.ready[static_cast<std::size_t>(slot)].empty()) {
            state.dirty = true;
            m_dirtyRanks.push_back(rank);
        }
    }

    const std::size_t classOfRank = workload.graphOfRank.empty() ? 0 : static_cast<std::size_t>(workload.graphOfRank[static_cast<std::size_t>(rank)]);
    const GraphIndex& index = graphs[classOfRank];
    for (std::uint32_t i = index.nextBegin[static_cast<std::size_t>(task)]; i < index.nextBegin[static_cast<std::size_t>(task) + 1]; ++i) {
        const TaskIndex follower = index.next[i];
        if (--waitsFor[cell(rank, follower)] == 0)
            m_readyTasks.push_back({rank, follower});
    }
}

/// Gives every free unit of a slot its next ready task. Returns true as soon as a task may have ended at once, because what that makes
/// ready may come before what is; false: every slot has been served.
bool Engine::settleSlots()
{
    while (!m_dirtyRanks.empty()) {
        const std::int32_t rank = m_dirtyRanks.back();
        m_dirtyRanks.pop_back();
        ranks[static_cast<std::size_t>(rank)].dirty = false;
        bool ended = false;
        for (const Slot slot : {Slot::Compute, Slot::Host, Slot::Memory, Slot::Communication})
            ended |= pick(rank, slot);
        if (ended)
            return true;
    }
    return false;
}

bool Engine::pick(std::int32_t rank, Slot slot)
{
    RankState& state = ranks[static_cast<std::size_t>(rank)];
    auto& heap = state.ready[static_cast<std::size_t>(slot)];
    if (heap.empty() || state.busy[static_cast<std::size_t>(slot)] >= unitsOf(slot))
        return false;
    if (!scheduling)
        std::pop_heap(heap.begin(), heap.end(), std::greater<>());
    else
        std::pop_heap(heap.begin(), heap.end(), [this, rank](TaskIndex a, TaskIndex b) { return goesFirst(rank, b, a); });
    const TaskIndex task = heap.back();
    heap.pop_back();
    ++state.busy[static_cast<std::size_t>(slot)];
    issuePs[cell(rank, task)] = agenda.now();
    if (!heap.empty() && state.busy[static_cast<std::size_t>(slot)] < unitsOf(slot) && !state.dirty) { // Another unit is free.
        state.dirty = true;
        m_dirtyRanks.push_back(rank);
    }
    if (slot == Slot::Communication) {
        if (workload.graph(rank).kind[static_cast<std::size_t>(task)] == TaskKind::Send)
            m_newPairs.push_back({rank, task});
        else
            issueCollective(rank, task);
        return true; // A send has to be numbered, a collective may have ended at once.
    }

    std::int64_t duration = 0;
    if (slot != Slot::Memory) {
        duration = computeDuration(rank, task);
        if (network && !network->params.compute.empty())
            duration = network->params.compute.apply(duration, seededHash(network->seed, {-2, rank, task}));
    } else if (params.replayOnly) {
        duration = recordedDuration(rank, task);
    } else if (params.remoteMemory.kind == RemoteMemory::Kind::PerNpu) {
        duration = remoteDuration(workload.graph(rank).bytes[static_cast<std::size_t>(task)]);
    } else {
        m_memoryRequests.push_back({rank, task});
        return false;
    }
    if (slowdown && slot == Slot::Compute && duration > 0) {
        startSlowed(rank, task);
        return false;
    }
    if (duration > 0) {
        agenda.push(agenda.now() + duration, EventKind::TaskEnd, task, static_cast<std::uint32_t>(rank));
        return false;
    }
    taskEnd(rank, task);
    return true;
}

/// Shared remote memories serve the requests of this instant by task id, then rank.
void Engine::settleMemory()
{
    std::vector<RankTask> requests;
    requests.swap(m_memoryRequests);
    const auto key = [this](const RankTask& request) {
        return std::make_tuple(workload.graph(request.rank).sourceId[static_cast<std::size_t>(request.task)], request.rank);
    };
    std::sort(requests.begin(), requests.end(), [&](const RankTask& a, const RankTask& b) { return key(a) < key(b); });
    for (const RankTask& request : requests) {
        if (remote) {
            startRemote(request.rank, request.task);
            continue;
        }
        std::size_t server = 0;
        if (params.remoteMemory.kind == RemoteMemory::Kind::PerNode && params.remoteMemory.npusPerNode > 0)
            server = static_cast<std::size_t>(structure.placement.nodeOf(request.rank) / params.remoteMemory.npusPerNode);
        std::int64_t& free = memoryFree[server];
        free = std::max(free, agenda.now()) + remoteDuration(workload.graph(request.rank).bytes[static_cast<std::size_t>(request.task)]);
        if (free > agenda.now())
            agenda.push(free, EventKind::TaskEnd, request.task, static_cast<std::uint32_t>(request.rank));
        else
            taskEnd(request.rank, request.task);
    }
}

/// Numbers the sends and receives issued in this instant, in the order of their tasks.
void Engine::settlePairs()
{
    std::vector<RankTask> issued;
    issued.swap(m_newPairs);
    std::sort(issued.begin(), issued.end(),
              [](const RankTask& a, const RankTask& b) { return a.rank != b.rank ? a.rank < b.rank : a.task < b.task; });
    for (const RankTask& next : issued) {
        if (m_error)
            return;
        if (workload.graph(next.rank).kind[static_cast<std::size_t>(next.task)] == TaskKind::Send)
            sendTask(next.rank, next.task);
        else
            receiveTask(next.rank, next.task);
    }
}

void Engine::sendTask(std::int32_t rank, TaskIndex task)
{
    const std::int32_t number = channelOf(rank, task);
    Channel& channel = channels[static_cast<std::size_t>(number)];
    const std::int32_t k = channel.sends++;
    if (channel.pairs.size() <= static_cast<std::size_t>(k))
        channel.pairs.resize(static_cast<std::size_t>(k) + 1);
    Channel::Pair& pair = channel.pairs[static_cast<std::size_t>(k)];
    pair.send = task;
    pair.sendIssue = agenda.now();
    pair.sendBytes = workload.graph(rank).bytes[static_cast<std::size_t>(task)];
    if (!agree(number, k))
        return;
    if (pair.sendBytes == 0) { // Messages of no bytes do not exist.
        taskEnd(rank, task);
    } else if (channel.source == channel.target) {
        const std::int32_t item = m_messages.take();
        Message& message = m_messages[item];
        message = {};
        message.bytes = pair.sendBytes;
        message.source = message.target = rank;
        message.chunk = k;
        message.phase = channel.tag;
        message.item = number;
        message.ready = message.left = agenda.now();
        ++messages;
        m_deliverNow.push_back(item);
        taskEnd(rank, task);
    } else if (!params.rendezvous || pair.receive != kNone) {
        sendPair(number, k);
    }
}

void Engine::receiveTask(std::int32_t rank, TaskIndex task)
{
    const std::int32_t number = channelOf(rank, task);
    Channel& channel = channels[static_cast<std::size_t>(number)];
    const std::int32_t k = channel.receives++;
    if (channel.pairs.size() <= static_cast<std::size_t>(k))
        channel.pairs.resize(static_cast<std::size_t>(k) + 1);
    Channel::Pair& pair = channel.pairs[static_cast<std::size_t>(k)];
    pair.receive = task;
    pair.receiveIssue = agenda.now();
    pair.receiveBytes = workload.graph(rank).bytes[static_cast<std::size_t>(task)];
    if (!agree(number, k))
        return;
    if (pair.delivered || pair.receiveBytes == 0)
        taskEnd(rank, task);
    else if (params.rendezvous && pair.send != kNone && channel.source != channel.target)
        sendPair(number, k);
}

/// Do both sides of pair k name the same size, as far as they are there?
bool Engine::agree(std::int32_t number, std::int32_t k)
{
    const Channel& channel = channels[static_cast<std::size_t>(number)];
    const Channel::Pair& pair = channel.pairs[static_cast<std::size_t>(k)];
    if (pair.send == kNone || pair.receive == kNone || pair.sendBytes == pair.receiveBytes)
        return true;
    const auto id = [this](std::int32_t rank, TaskIndex task) { return workload.graph(rank).sourceId[static_cast<std::size_t>(task)]; };
    Place place;
    place.rank = channel.target;
    place.node = static_cast<std::int64_t>(id(channel.target, pair.receive));
    place.hasNode = true;
    m_error = invalidInput("rank " + std::to_string(channel.target) + " receives " + std::to_string(pair.receiveBytes) + " bytes where rank " + std::to_string(channel.source)
                               + " (node " + std::to_string(id(channel.source, pair.send)) + ") sends " + std::to_string(pair.sendBytes) + " (tag " + std::to_string(channel.tag) + ')',
                           place, "the same size on both sides");
    return false;
}

/// Sends message k of a channel; with rendezvous the word that the receive is posted has to travel back first.
void Engine::sendPair(std::int32_t number, std::int32_t k)
{
    Channel& channel = channels[static_cast<std::size_t>(number)];
    const Channel::Pair& pair = channel.pairs[static_cast<std::size_t>(k)];
    const NodeId source = structure.placement.nodeOf(channel.source);
    const NodeId target = structure.placement.nodeOf(channel.target);
    if (channel.route == kNone)
        channel.route = wayBetween(source, target);
    std::int64_t ready = agenda.now();
    if (params.rendezvous)
        ready = std::max(pair.sendIssue, pair.receiveIssue + routes[wayBetween(target, source)].latency);
    const std::int32_t item = m_messages.take();
    Message& message = m_messages[item];
    message = {};
    message.bytes = pair.sendBytes;
    message.source = channel.source;
    message.target = channel.target;
    message.chunk = k;
    message.phase = channel.tag;
    message.item = number;
    message.stream = channel.stream;
    message.route = channel.route;
    message.tellLeft = true;
    startMessage(item, ready + endpointDelay);
}

} // namespace fabricscope::events
