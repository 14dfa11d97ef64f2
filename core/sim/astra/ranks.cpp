#include "core/sim/astra/ranks.h"

#include "core/base/index.h"
#include "core/sim/common/runpace.h"

#include <algorithm>
#include <bit>
#include <map>

namespace fabricscope {

AstraRanks::AstraRanks(const Setup& setup, AstraQueue& queue, AstraPost& post)
    : m_workload(setup.workload), m_system(setup.system), m_npus(setup.npus), m_dimensions(setup.dimensions), m_manyTransfers(setup.manyTransfers), m_endsWhenLeft(setup.endsWhenLeft), m_leastNs(setup.leastNs),
      m_queue(queue), m_post(post),
      m_memory(setup.memory, setup.pace, setup.npus, queue)
{
    if (m_manyTransfers)
        m_slots += m_workload.families.size();
}

std::int64_t AstraRanks::estimate(const Workload& workload, std::int32_t npus)
{
    std::int64_t bytes = std::int64_t{npus} * static_cast<std::int64_t>(sizeof(Rank) + 256);
    for (std::int32_t rank = 0; rank < npus; ++rank)
        bytes += std::int64_t{workload.graph(rank).size()} * 24;
    return bytes;
}

void AstraRanks::prepare()
{
    m_followers.resize(m_workload.graphs.size());
    for (std::size_t g = 0; g < m_workload.graphs.size(); ++g) {
        const RankGraph& graph = *m_workload.graphs[g];
        Followers& followers = m_followers[g];
        followers.begin.assign(at(graph.size()) + 1, 0);
        for (const TaskIndex on : graph.depends)
            ++followers.begin[at(on) + 1];
        for (std::size_t task = 0; task < at(graph.size()); ++task)
            followers.begin[task + 1] += followers.begin[task];
        followers.tasks.resize(graph.depends.size());
        std::vector<std::uint32_t> next(followers.begin.begin(), followers.begin.end());
        for (TaskIndex task = 0; task < graph.size(); ++task) {
            for (const TaskIndex on : graph.dependencies(task))
                followers.tasks[next[at(on)]++] = task;
        }
    }
    m_ranks.resize(at(m_npus));
    for (std::int32_t rank = 0; rank < m_npus && !stopped(); ++rank) {
        Rank& state = m_ranks[at(rank)];
        const std::size_t graph = m_workload.graphOfRank.empty() ? 0 : at(m_workload.graphOfRank[at(rank)]);
        state.graph = m_workload.graphs[graph].get();
        state.followers = &m_followers[graph];
        state.ready.resize(m_slots);
        state.slotBusy.assign(m_slots, 0);
        state.left = state.graph->size();
        m_tasksTotal += state.left;
        state.times = std::make_shared<TaskTimes>();
        state.times->issuePs.assign(at(state.left), -1);
        state.times->endPs.assign(at(state.left), -1);
        state.missing.resize(at(state.left));
        for (TaskIndex task = 0; task < state.left; ++task) {
            state.missing[at(task)] = static_cast<std::uint32_t>(state.graph->dependencies(task).size());
            if (state.missing[at(task)] == 0)
                state.ready[slotOf(*state.graph, task)].push(task);
        }
    }
}

std::size_t AstraRanks::slotOf(const RankGraph& graph, TaskIndex task) const
{
    if (graph.has(task, TaskFlag::kHost))
        return Host;
    switch (graph.kind[at(task)]) {
    case TaskKind::Compute:
        return Compute;
    case TaskKind::Receive:
        return Unlimited;
    case TaskKind::Send:
        return m_manyTransfers ? Unlimited : Communication;
    case TaskKind::Collective:
        return m_manyTransfers ? kSlots + static_cast<std::size_t>(graph.family[at(task)]) : static_cast<std::size_t>(Communication);
    default:
        return Communication;
    }
}

AstraRanks::Type AstraRanks::typeOf(const RankGraph& graph, TaskIndex task) const
{
    switch (graph.kind[at(task)]) {
    case TaskKind::Compute:
        return graph.has(task, TaskFlag::kHost) ? Type::Host : Type::Compute;
    case TaskKind::MemoryLoad:
    case TaskKind::MemoryStore:
        return Type::Memory;
    case TaskKind::Send:
    case TaskKind::Receive:
    case TaskKind::Collective:
        return Type::Communication;
    default:
        return Type::None;
    }
}

void AstraRanks::start()
{
    for (std::int32_t rank = 0; rank < m_npus && !m_error && !stopped(); ++rank) {
        walk(rank);
        settle(rank);
    }
}

bool AstraRanks::stopped()
{
    if (m_stop.stop_requested() && !m_error)
        m_error = stoppedRun();
    return m_error.has_value();
}

/// Issues, in ascending id, every task that was ready when the walk began and whose slot is free. A busy slot stays busy
/// during the walk and a free one lets tasks through in order, so one queue per slot replaces the list of all ready tasks.
void AstraRanks::walk(std::int32_t rank)
{
    Rank& state = m_ranks[at(rank)];
    state.walking = true;
    while (!m_error) {
        std::size_t chosen = m_slots;
        for (std::size_t slot = 0; slot < m_slots; ++slot) {
            if (state.ready[slot].empty() || state.slotBusy[slot])
                continue;
            if (chosen == m_slots || state.ready[slot].top() < state.ready[chosen].top())
                chosen = slot;
        }
        if (chosen == m_slots)
            break;
        const TaskIndex task = state.ready[chosen].top();
        state.ready[chosen].pop();
        issue(rank, task);
    }
    state.walking = false;
    for (const TaskIndex task : state.fresh)
        state.ready[slotOf(*state.graph, task)].push(task);
    state.fresh.clear();
}

void AstraRanks::issue(std::int32_t rank, TaskIndex task)
{
    Rank& state = m_ranks[at(rank)];
    const std::size_t slot = slotOf(*state.graph, task);
    state.slotBusy[slot] = slot != Unlimited ? 1 : 0;
    ++state.ongoing;
    state.times->issuePs[at(task)] = m_queue.now();
    if (const Type type = typeOf(*state.graph, task); type != Type::None) {
        Union& use = state.use[at(type)];
        if (use.open++ == 0)
            use.since = m_queue.now();
    }
    if (!begin(rank, task) && !m_error)
        end(rank, task);
}

bool AstraRanks::begin(std::int32_t rank, TaskIndex task)
{
    Rank& state = m_ranks[at(rank)];
    const RankGraph& graph = *state.graph;
    const TaskKind kind = graph.kind[at(task)];
    if (m_system.replayOnly || kind == TaskKind::Compute) {
        const Duration duration = computeDuration(state, rank, task);
        if (m_error)
            return true;
        if (duration.skipped)
            return false;
        const bool counts = m_system.replayOnly ? !graph.has(task, TaskFlag::kHost) : typeOf(graph, task) == Type::Compute;
        if (counts)
            state.computeSum += duration.ns;
        m_queue.scheduleOn(rank, duration.ns, AstraEvent::TaskEnd, static_cast<std::uint32_t>(task));
        return true;
    }
    const std::int64_t bytes = graph.bytes[at(task)];
    switch (kind) {
    case TaskKind::Collective:
        return beginCollective(rank, task);
    case TaskKind::Send:
    case TaskKind::Receive: {
        const std::int32_t peer = graph.peerRank(task, rank);
        if (peer < 0 || peer >= m_npus) {
            fail(invalidInput("the other rank is " + std::to_string(peer), {}, "0.." + std::to_string(m_npus - 1)), rank, task);
            return true;
        }
        if (bytes < 0 || bytes > (std::int64_t{1} << 53)) {
            fail(invalidInput("a message of " + std::to_string(bytes) + " bytes", {}, "at most 2^53 bytes"), rank, task);
            return true;
        }
        if (peer == rank && (m_dimensions > 1 || m_post.aware())) {
            fail(invalidInput("a message of a rank to itself", {}, "another rank (the reference refuses it too)"), rank, task);
            return true;
        }
        const std::uint64_t tag = graph.tag[at(task)] % 500'000'000U;
        const AstraCallback done{AstraCallback::Target::Task, static_cast<std::uint32_t>(rank), static_cast<std::uint32_t>(task)};
        if (kind == TaskKind::Send && m_endsWhenLeft && !m_post.rendezvous()) {
            m_post.send({tag, rank, peer, bytes}, {});
            m_queue.scheduleOn(rank, m_post.leavesAfter(rank, peer, bytes), AstraEvent::TaskEnd, static_cast<std::uint32_t>(task));
        } else if (kind == TaskKind::Send)
            m_post.send({tag, rank, peer, bytes}, done);
        else
            m_post.receive({tag, peer, rank, bytes}, done);
        return true;
    }
    case TaskKind::MemoryLoad:
    case TaskKind::MemoryStore: {
        const RemoteMemory& memory = m_memory.settings();
        if (memory.kind == RemoteMemory::Kind::None)
            fail(invalidInput("remote memory is accessed, but memory-type is NO_MEMORY_EXPANSION", {}, "another memory-type"), rank, task);
        else if (memory.latencyNs < 0 || memory.latencyNs > AstraQueue::kHorizon)
            fail(invalidInput("remote-mem-latency is " + std::to_string(memory.latencyNs) + " ns", {}, "0 .. 104 days"), rank, task);
        else if (memory.bytesPerNs <= 0)
            fail(invalidInput("remote-mem-bw is 0", {}, "at least 1 byte/ns"), rank, task);
        else if (memory.kind == RemoteMemory::Kind::PerNode && (memory.npusPerNode <= 0 || rank / memory.npusPerNode >= memory.nodes))
            fail(invalidInput("the rank belongs to none of the " + std::to_string(memory.nodes) + " memory nodes", {},
                              "num-nodes * num-npus-per-node at least the number of NPUs"), rank, task);
        else
            m_memory.access(rank, static_cast<std::uint32_t>(task), std::max<std::int64_t>(bytes, 0));
        return true;
    }
    case TaskKind::Invalid:
        warn("invalid-node", "a node of type INVALID takes no time", rank, task);
        return false;
    default:
        return false;
    }
}

bool AstraRanks::beginCollective(std::int32_t rank, TaskIndex task)
{
    const RankGraph& graph = *m_ranks[at(rank)].graph;
    AstraEntry entry;
    entry.rank = rank;
    entry.task = task;
    entry.op = graph.op[at(task)];
    entry.bytes = graph.bytes[at(task)];
    entry.family = graph.family[at(task)];
    entry.node = graph.sourceId[at(task)];
    entry.involvedGiven = graph.has(task, TaskFlag::kInvolvedGiven);
    entry.involved = entry.involvedGiven ? graph.involved[at(task)] : 0;
    if (entry.op == CollectiveOp::Broadcast && !m_system.perNodeCustom.contains(entry.node)) {
        m_queue.scheduleOn(rank, replayNs(graph, task), AstraEvent::TaskEnd, static_cast<std::uint32_t>(task));
        return true;
    }
    auto entered = m_collectives->enter(entry);
    if (!entered) {
        fail(std::move(entered).error(), rank, task);
        return true;
    }
    return entered.value() == AstraCollectives::Entered::Running;
}

std::int64_t AstraRanks::replayNs(const RankGraph& graph, TaskIndex task) const
{
    if (!graph.durationPs.empty() && graph.durationPs[at(task)] >= 0)
        return std::max(graph.durationPs[at(task)] / kPsPerNs, m_leastNs);
    const std::int64_t us = graph.durationUs[at(task)];
    if (us > AstraQueue::kHorizon / 1000)
        return AstraQueue::kHorizon + 1;
    return us <= 0 ? m_leastNs : us * 1000;
}

AstraRanks::Duration AstraRanks::computeDuration(Rank& state, std::int32_t rank, TaskIndex task)
{
    const RankGraph& graph = *state.graph;
    const bool host = graph.has(task, TaskFlag::kHost);
    const bool roofline = m_system.roofline && !m_system.replayOnly && !host;
    Duration duration;
    double bound = 1;
    double computeShare = 1;
    double memoryShare = 0;
    double intensity = 0;
    if (!roofline) {
        duration.ns = replayNs(graph, task);
    } else {
        if (!graph.has(task, TaskFlag::kHasOperations)) {
            fail(invalidInput("the node has no num_ops, which roofline-enabled needs"), rank, task);
            return duration;
        }
        if (m_system.peakTflops <= 0 || m_system.localMemoryGBps <= 0) {
            Error error = invalidInput("roofline-enabled needs both peak-perf and local-mem-bw", {}, "numbers above 0");
            error.place.field = m_system.peakTflops <= 0 ? "peak-perf" : "local-mem-bw";
            fail(std::move(error), rank, task);
            return duration;
        }
        const auto operations = static_cast<double>(graph.operations[at(task)]);
        const auto bytes = static_cast<double>(graph.bytes[at(task)]);
        if (bytes <= 0) {
            warn("no-tensor-size", "a compute node without tensor_size takes no time under roofline", rank, task);
            duration.skipped = true;
            return duration;
        }
        if (operations <= 0) {
            warn("no-operations", "a compute node with num_ops 0 takes 1 ns (2^63 ns in the reference)", rank, task);
            duration.ns = 1;
        } else {
            intensity = operations / bytes;
            const double memoryRate = m_system.localMemoryGBps * 1e9 * intensity;
            const double peak = m_system.peakTflops * 1e12;
            const double rate = std::min(memoryRate, peak);
            duration.ns = astraTruncate(1e9 * operations / rate);
            bound = memoryRate < peak ? 0 : 1;
            computeShare = rate / peak;
            memoryShare = rate / intensity / (m_system.localMemoryGBps * 1e9);
        }
    }
    if (graph.kind[at(task)] == TaskKind::Compute) {
        const auto ns = static_cast<double>(duration.ns);
        state.countedNs += duration.ns;
        if (roofline) {
            state.boundNs += bound * ns;
            state.computeNs += computeShare * ns;
            state.memoryNs += memoryShare * ns;
            state.intensityNs += intensity * ns;
        }
    }
    return duration;
}

void AstraRanks::taskEnd(std::int32_t rank, TaskIndex task)
{
    end(rank, task);
    walk(rank);
    settle(rank);
}

void AstraRanks::memoryEnd(std::int32_t rank, TaskIndex task, std::uint32_t server)
{
    m_memory.ended(server);
    taskEnd(rank, task);
}

void AstraRanks::end(std::int32_t rank, TaskIndex task)
{
    Rank& state = m_ranks[at(rank)];
    const std::size_t slot = slotOf(*state.graph, task);
    state.slotBusy[slot] = 0;
    --state.ongoing;
    --state.left;
    ++m_tasksDone;
    state.times->endPs[at(task)] = m_queue.now();
    state.finish = m_queue.now();
    if (const Type type = typeOf(*state.graph, task); type != Type::None) {
        Union& use = state.use[at(type)];
        if (--use.open == 0)
            use.total += m_queue.now() - use.since;
    }
    const Followers& followers = *state.followers;
    for (std::uint32_t edge = followers.begin[at(task)]; edge < followers.begin[at(task) + 1]; ++edge) {
        const TaskIndex next = followers.tasks[edge];
        if (--state.missing[at(next)] > 0)
            continue;
        if (state.walking)
            state.fresh.push_back(next);
        else
            state.ready[slotOf(*state.graph, next)].push(next);
    }
}

/// After a walk: notes the end of the rank, and walks again where nothing else would ever happen on it
/// (children of a task that ended inside the walk were not in the list it went through).
void AstraRanks::settle(std::int32_t rank)
{
    Rank& state = m_ranks[at(rank)];
    while (!m_error && !state.finished) {
        if (state.left == 0) {
            state.finished = true;
            m_finishOrder.push_back(rank);
            m_finishShift = m_queue.shift();
            return;
        }
        const bool ready = std::any_of(state.ready.begin(), state.ready.end(), [](const Ready& tasks) { return !tasks.empty(); });
        if (state.ongoing > 0 || !ready)
            return;
        walk(rank);
    }
}

bool AstraRanks::nudge()
{
    const std::int64_t before = m_tasksDone;
    bool issued = false;
    for (std::int32_t rank = 0; rank < m_npus && !m_error && !stopped(); ++rank) {
        Rank& state = m_ranks[at(rank)];
        for (std::size_t slot = 0; slot < m_slots && !issued; ++slot)
            issued = !state.ready[slot].empty() && state.slotBusy[slot] == 0;
        walk(rank);
        settle(rank);
    }
    return issued || m_tasksDone > before;
}

Place AstraRanks::placeOf(std::int32_t rank, TaskIndex task) const
{
    Place place;
    place.rank = rank;
    place.node = static_cast<std::int64_t>(m_ranks[at(rank)].graph->sourceId[at(task)]);
    place.hasNode = true;
    return place;
}

void AstraRanks::fail(Error error, std::int32_t rank, TaskIndex task)
{
    if (m_error)
        return;
    Place place = placeOf(rank, task);
    place.field = error.place.field;
    if (!error.place.hasNode)
        error.place = std::move(place);
    m_error = std::move(error);
}

void AstraRanks::warn(const char* rule, const std::string& message, std::int32_t rank, TaskIndex task)
{
    const auto same = [&](const Diagnostic& known) { return known.rule == rule; };
    if (std::none_of(m_diagnostics.begin(), m_diagnostics.end(), same))
        m_diagnostics.push_back(warning(rule, message, placeOf(rank, task)));
}

} // namespace fabricscope
