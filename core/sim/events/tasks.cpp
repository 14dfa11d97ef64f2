#include "core/base/index.h"
#include "core/sim/events/engine.h"

#include "core/base/seededhash.h"
#include "core/base/stop.h"

#include <algorithm>

namespace fabricscope::events {

Place placeOfTask(std::int32_t rank, const RankGraph& graph, TaskIndex task)
{
    Place place;
    place.rank = rank;
    place.node = static_cast<std::int64_t>(graph.sourceId[at(task)]);
    place.hasNode = true;
    return place;
}

/// Throws StopRequested.
Tasks::GraphIndex Tasks::indexOf(const RankGraph& graph, const std::stop_token& stop)
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
        for (std::uint32_t i = graph.dependBegin[at(task)]; i < graph.dependBegin[static_cast<std::size_t>(task) + 1]; ++i)
            index.next[place[at(graph.depends[i])]++] = task;
    }
    return index;
}

Status Tasks::build(std::int64_t bytesBeside, const std::stop_token& stop)
{
    for (std::int32_t rank = 0; rank < m_given.workload.rankCount; ++rank)
        m_count += m_given.workload.graph(rank).size();
    m_left = m_count;
    const auto perTask = static_cast<std::int64_t>(2 * sizeof(std::int64_t) + sizeof(std::int32_t));
    const std::int64_t estimate = m_count * perTask + std::int64_t{m_given.workload.rankCount} * static_cast<std::int64_t>(sizeof(RankState)) + bytesBeside;
    if (m_given.options.memoryLimit > 0 && estimate > m_given.options.memoryLimit) {
        return Error{ErrorCode::MemoryLimit, "the tasks alone need " + std::to_string(estimate) + " bytes of memory, more than the limit of " + showBytes({m_given.options.memoryLimit}), {}, "a higher memory limit"};
    }

    m_graphs.reserve(m_given.workload.graphs.size());
    for (const auto& graph : m_given.workload.graphs)
        m_graphs.push_back(indexOf(*graph, stop));
    m_waitsFor.reserve(static_cast<std::size_t>(m_count));
    m_issuePs.assign(static_cast<std::size_t>(m_count), -1);
    m_endPs.assign(static_cast<std::size_t>(m_count), -1);
    if (m_given.scheduling && (m_given.scheduling->order == TaskOrder::Fifo || m_given.scheduling->order == TaskOrder::Lifo))
        m_readyPs.assign(static_cast<std::size_t>(m_count), 0);
    m_ranks.resize(static_cast<std::size_t>(m_given.workload.rankCount));
    ChannelsByEnds known;
    for (std::int32_t rank = 0; rank < m_given.workload.rankCount; ++rank) {
        if (Status status = addTasks(rank, known, stop); !status)
            return status;
    }
    numberStreams(known);
    makeMachine();
    return {};
}

Status Tasks::addTasks(std::int32_t rank, ChannelsByEnds& known, const std::stop_token& stop)
{
    const RankGraph& graph = m_given.workload.graph(rank);
    RankState& state = m_ranks[at(rank)];
    state.firstTask = static_cast<std::int64_t>(m_waitsFor.size());
    state.left = graph.size();
    for (TaskIndex task = 0; task < graph.size(); ++task) {
        checkStop(stop);
        const auto i = static_cast<std::size_t>(task);
        m_waitsFor.push_back(static_cast<std::int32_t>(graph.dependBegin[i + 1] - graph.dependBegin[i]));
        const TaskKind kind = graph.kind[i];
        const bool usesRemote = (kind == TaskKind::MemoryLoad || kind == TaskKind::MemoryStore) && !m_given.params.replayOnly;
        if (usesRemote && m_given.params.remoteMemory.kind == RemoteMemory::Kind::None)
            return invalidInput("the task uses remote memory, but the design has none", placeOfTask(rank, graph, task), "a remote memory description");
        if (kind != TaskKind::Send && kind != TaskKind::Receive)
            continue;
        if (Status status = addToChannel(rank, task, known); !status)
            return status;
    }
    return {};
}

void Tasks::makeMachine()
{
    const RemoteMemory& memory = m_given.params.remoteMemory;
    if (memory.kind == RemoteMemory::Kind::Hierarchical && !m_given.params.replayOnly)
        m_remote = std::make_unique<RemoteTasks>(m_given.structure, memory, m_given.pieceBytes, m_given.ideal);
    if (m_given.params.compute && m_given.params.compute->needsEvents())
        m_slowdown = std::make_unique<Slowdown>(*m_given.params.compute, m_given.workload.rankCount);
    if (memory.kind == RemoteMemory::Kind::PerNode && memory.npusPerNode > 0)
        m_memoryFree.assign(static_cast<std::size_t>((m_given.structure.platform.npuCount() - 1) / memory.npusPerNode) + 1, 0);
    else
        m_memoryFree.assign(1, 0);
}

std::int64_t Tasks::bytes() const
{
    return m_count * static_cast<std::int64_t>(2 * sizeof(std::int64_t) + sizeof(std::int32_t)) + static_cast<std::int64_t>(m_ranks.size() * sizeof(RankState));
}

void Tasks::start()
{
    for (std::int32_t rank = 0; m_startsPs && rank < m_given.workload.rankCount; ++rank)
        m_agenda.push((*m_startsPs)[at(rank)], EventKind::TaskEnd, 0, static_cast<std::uint32_t>(rank));
    if (m_startsPs)
        return;
    for (std::int32_t rank = 0; rank < m_given.workload.rankCount; ++rank) {
        const TaskIndex count = m_given.workload.graph(rank).size();
        for (TaskIndex task = count; task-- > 0;) {
            if (m_waitsFor[cell(rank, task)] == 0)
                m_readyTasks.push_back({rank, task});
        }
    }
}

/// All dependencies of the task have ended.
void Tasks::ready(std::int32_t rank, TaskIndex task)
{
    const RankGraph& graph = m_given.workload.graph(rank);
    switch (graph.kind[at(task)]) {
    case TaskKind::Compute:
        toSlot(rank, task, graph.has(task, TaskFlag::kHost) ? Slot::Host : Slot::Compute);
        break;
    case TaskKind::MemoryLoad:
    case TaskKind::MemoryStore:
        toSlot(rank, task, Slot::Memory);
        break;
    case TaskKind::Send:
    case TaskKind::Receive:
        if (graph.kind[at(task)] == TaskKind::Send && m_given.scheduling && m_given.scheduling->communicationUnits > 0) {
            toSlot(rank, task, Slot::Communication);
            break;
        }
        m_issuePs[cell(rank, task)] = m_agenda.now();
        m_newPairs.push_back({rank, task});
        break;
    case TaskKind::Collective:
        if (m_issuePs[cell(rank, task)] >= 0) { // Its launch is over.
            m_engine.collectives.issue(rank, task);
            break;
        }
        if (m_given.scheduling && m_given.scheduling->communicationUnits > 0) {
            toSlot(rank, task, Slot::Communication);
            break;
        }
        m_issuePs[cell(rank, task)] = m_agenda.now();
        launch(rank, task);
        break;
    case TaskKind::Metadata:
    case TaskKind::Invalid:
        m_issuePs[cell(rank, task)] = m_agenda.now();
        end(rank, task);
        break;
    }
}

void Tasks::touch(std::int32_t rank)
{
    RankState& state = m_ranks[at(rank)];
    if (!state.dirty) {
        state.dirty = true;
        m_dirtyRanks.push_back(rank);
    }
}

void Tasks::toSlot(std::int32_t rank, TaskIndex task, Slot slot)
{
    auto& ready = m_ranks[at(rank)].ready;
    if (!ready)
        ready = std::make_unique<std::array<std::vector<TaskIndex>, kSlots>>();
    auto& heap = (*ready)[at(slot)];
    heap.push_back(task);
    if (!m_given.scheduling) {
        std::push_heap(heap.begin(), heap.end(), std::greater<>());
    } else {
        if (!m_readyPs.empty())
            m_readyPs[cell(rank, task)] = m_agenda.now();
        std::push_heap(heap.begin(), heap.end(), [this, rank](TaskIndex a, TaskIndex b) { return goesFirst(rank, b, a); });
    }
    touch(rank);
}

void Tasks::settleReady()
{
    const RankTask next = m_readyTasks.back();
    m_readyTasks.pop_back();
    ready(next.rank, next.task);
}

void Tasks::end(std::int32_t rank, TaskIndex task)
{
    const RankGraph& graph = m_given.workload.graph(rank);
    RankState& state = m_ranks[at(rank)];
    assert(m_endPs[cell(rank, task)] < 0);
    m_endPs[cell(rank, task)] = m_agenda.now();
    state.lastEvent = m_agenda.now();
    --state.left;
    --m_left;

    const TaskKind kind = graph.kind[at(task)];
    const bool communicates = m_given.scheduling && m_given.scheduling->communicationUnits > 0 && (kind == TaskKind::Send || kind == TaskKind::Collective);
    if (kind == TaskKind::Compute || kind == TaskKind::MemoryLoad || kind == TaskKind::MemoryStore || communicates) {
        Slot slot = communicates ? Slot::Communication : Slot::Memory;
        if (kind == TaskKind::Compute)
            slot = graph.has(task, TaskFlag::kHost) ? Slot::Host : Slot::Compute;
        if (state.busy[at(slot)] > 0) // Tasks of startsPs took none.
            --state.busy[at(slot)];
        if (m_slowdown && slot == Slot::Compute)
            slowReducer(rank);
        if (state.ready && !(*state.ready)[at(slot)].empty())
            touch(rank);
    }

    const std::size_t classOfRank = m_given.workload.graphOfRank.empty() ? 0 : static_cast<std::size_t>(m_given.workload.graphOfRank[at(rank)]);
    const GraphIndex& index = m_graphs[classOfRank];
    for (std::uint32_t i = index.nextBegin[at(task)]; i < index.nextBegin[static_cast<std::size_t>(task) + 1]; ++i) {
        const TaskIndex follower = index.next[i];
        if (--m_waitsFor[cell(rank, follower)] == 0)
            m_readyTasks.push_back({rank, follower});
    }
}

std::int64_t Tasks::launchOf(std::int32_t rank, TaskIndex task) const
{
    const NetworkParams& network = *m_given.params.network;
    const std::int32_t number = m_given.structure.instanceOf(rank, task);
    if (number < 0)
        return network.launch.ps;
    const CollectiveInstance& instance = m_given.structure.instances[at(number)];
    return network.launchOf(instance).ps + network.rampOf(instance).ps;
}

/// A collective is issued, and begins after its launch.
void Tasks::launch(std::int32_t rank, TaskIndex task)
{
    const std::int64_t delay = m_given.launches ? launchOf(rank, task) : 0;
    if (delay > 0)
        m_agenda.push(m_agenda.now() + delay, EventKind::TaskEnd, task, static_cast<std::uint32_t>(rank));
    else
        m_engine.collectives.issue(rank, task);
}

void Tasks::timeIsUp(std::int32_t rank, TaskIndex task)
{
    if (m_given.launches && m_given.workload.graph(rank).kind[at(task)] == TaskKind::Collective && m_issuePs[cell(rank, task)] >= 0) {
        m_readyTasks.push_back({rank, task});
        return;
    }
    if (!m_slowdown || !isMoved(rank, task))
        end(rank, task);
}

/// Gives every free unit of a slot its next ready task. Returns true as soon as a task may have ended at once, because what that makes
/// ready may come before what is; false: every slot has been served.
bool Tasks::settleUnits()
{
    while (!m_dirtyRanks.empty()) {
        const std::int32_t rank = m_dirtyRanks.back();
        m_dirtyRanks.pop_back();
        m_ranks[at(rank)].dirty = false;
        bool ended = false;
        for (const Slot slot : {Slot::Compute, Slot::Host, Slot::Memory, Slot::Communication})
            ended |= pick(rank, slot);
        if (ended)
            return true;
    }
    return false;
}

bool Tasks::pick(std::int32_t rank, Slot slot)
{
    RankState& state = m_ranks[at(rank)];
    if (!state.ready)
        return false;
    auto& heap = (*state.ready)[at(slot)];
    if (heap.empty() || state.busy[at(slot)] >= unitsOf(slot))
        return false;
    if (!m_given.scheduling)
        std::pop_heap(heap.begin(), heap.end(), std::greater<>());
    else
        std::pop_heap(heap.begin(), heap.end(), [this, rank](TaskIndex a, TaskIndex b) { return goesFirst(rank, b, a); });
    const TaskIndex task = heap.back();
    heap.pop_back();
    ++state.busy[at(slot)];
    m_issuePs[cell(rank, task)] = m_agenda.now();
    if (!heap.empty() && state.busy[at(slot)] < unitsOf(slot)) // Another unit is free.
        touch(rank);
    if (slot == Slot::Communication) {
        if (m_given.workload.graph(rank).kind[at(task)] == TaskKind::Send)
            m_newPairs.push_back({rank, task});
        else
            launch(rank, task);
        return true; // A send has to be numbered, a collective may have ended at once.
    }

    std::int64_t duration = 0;
    if (slot != Slot::Memory) {
        duration = drawn(computeWork(m_given.structure, m_given.params, rank, task).duration(), rank, task);
    } else if (m_given.params.replayOnly) {
        duration = recordedDuration(m_given.workload.graph(rank), task);
    } else if (m_given.params.remoteMemory.kind == RemoteMemory::Kind::PerNpu) {
        duration = remoteDuration(m_given.workload.graph(rank).bytes[at(task)]);
    } else {
        m_memoryRequests.push_back({rank, task});
        return false;
    }
    if (m_slowdown && slot == Slot::Compute && duration > 0) {
        startSlowed(rank, task);
        return false;
    }
    if (duration > 0) {
        m_agenda.push(m_agenda.now() + duration, EventKind::TaskEnd, task, static_cast<std::uint32_t>(rank));
        return false;
    }
    end(rank, task);
    return true;
}

/// Shared remote memories serve the requests of this instant by task id, then rank.
void Tasks::settleMemory()
{
    std::vector<RankTask> requests;
    requests.swap(m_memoryRequests);
    const auto key = [this](const RankTask& request) {
        return std::make_tuple(m_given.workload.graph(request.rank).sourceId[at(request.task)], request.rank);
    };
    std::sort(requests.begin(), requests.end(), [&](const RankTask& a, const RankTask& b) { return key(a) < key(b); });
    for (const RankTask& request : requests) {
        if (m_remote) {
            startRemote(request.rank, request.task);
            continue;
        }
        std::size_t server = 0;
        if (m_given.params.remoteMemory.kind == RemoteMemory::Kind::PerNode && m_given.params.remoteMemory.npusPerNode > 0)
            server = static_cast<std::size_t>(m_given.structure.placement.nodeOf(request.rank) / m_given.params.remoteMemory.npusPerNode);
        std::int64_t& free = m_memoryFree[server];
        free = std::max(free, m_agenda.now()) + remoteDuration(m_given.workload.graph(request.rank).bytes[at(request.task)]);
        if (free > m_agenda.now())
            m_agenda.push(free, EventKind::TaskEnd, request.task, static_cast<std::uint32_t>(request.rank));
        else
            end(request.rank, request.task);
    }
}

bool Tasks::goesFirst(std::int32_t rank, TaskIndex a, TaskIndex b) const
{
    switch (m_given.scheduling ? m_given.scheduling->order : TaskOrder::Standard) {
    case TaskOrder::Standard:
        break;
    case TaskOrder::Fifo:
    case TaskOrder::Lifo: {
        const std::int64_t first = m_readyPs[cell(rank, a)];
        const std::int64_t second = m_readyPs[cell(rank, b)];
        if (first != second)
            return (first < second) == (m_given.scheduling->order == TaskOrder::Fifo);
        break;
    }
    case TaskOrder::Explicit: {
        const std::vector<std::int32_t>& priority = m_given.workload.graph(rank).priority;
        if (!priority.empty() && priority[at(a)] != priority[at(b)])
            return priority[at(a)] > priority[at(b)];
        break;
    }
    }
    return a < b;
}

std::int32_t Tasks::unitsOf(Slot slot) const
{
    if (slot == Slot::Compute)
        return m_given.scheduling ? m_given.scheduling->computeUnits : 1;
    return slot == Slot::Communication ? m_given.scheduling->communicationUnits : 1;
}

/// What a computation takes where the design draws it.
std::int64_t Tasks::drawn(std::int64_t duration, std::int32_t rank, TaskIndex task) const
{
    const NetworkParams* const network = m_given.params.network.get();
    return network && !network->compute.empty() ? network->compute.apply(duration, seededHash(m_given.seed, {-2, rank, task})) : duration;
}

std::int64_t Tasks::remoteDuration(std::int64_t bytes) const
{
    const std::int64_t transfer = m_given.params.remoteMemory.bytesPerNs > 0 ? mulDivCeil(bytes, kPsPerNs, m_given.params.remoteMemory.bytesPerNs) : 0;
    return m_given.params.remoteMemory.latencyNs * kPsPerNs + transfer;
}

} // namespace fabricscope::events
