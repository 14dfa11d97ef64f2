// Hierarchical pools of remote memory, and computation that is slowed down by collectives: part of Tasks (tasks.h).
#include "core/base/index.h"
#include "core/sim/events/engine.h"

namespace fabricscope::events {

void Tasks::startRemote(std::int32_t rank, TaskIndex task)
{
    std::vector<RemoteTasks::RankTask> ended;
    if (auto error = m_remote->start(rank, task, m_agenda.now(), ended)) {
        m_halt.fail(*std::move(error));
        return;
    }
    announceRemote(); // Under ideal the end is known at once.
    for (const RemoteTasks::RankTask& next : ended)
        end(next.rank, next.task);
}

void Tasks::remoteEvent(const Event& event)
{
    RemotePool::Done done{};
    if (!m_remote->pool.take(event.object, event.detail, done))
        return;
    std::vector<RemoteTasks::RankTask> ended;
    m_remote->done(done, ended);
    for (const RemoteTasks::RankTask& next : ended)
        end(next.rank, next.task);
}

/// Once everything that begins or arrives in this instant has done so.
void Tasks::serveRemote()
{
    m_remote->pool.serve(m_agenda.now());
    announceRemote();
}

void Tasks::announceRemote()
{
    for (const RemotePool::Later& next : m_remote->pool.later())
        m_agenda.push(next.time, EventKind::Remote, next.object, next.detail);
    m_remote->pool.later().clear();
}

void Tasks::startSlowed(std::int32_t rank, TaskIndex task)
{
    ComputeWork work = computeWork(m_given.structure, m_given.params, rank, task);
    work.operationsPs = drawn(work.operationsPs, rank, task);
    work.bytesPs = drawn(work.bytesPs, rank, task);
    m_agenda.push(m_slowdown->begin(rank, task, work, m_agenda.now()), EventKind::TaskEnd, task, static_cast<std::uint32_t>(rank));
    slowReducer(rank);
}

/// The reducer of a rank's NPU works at the rate that its computation leaves.
void Tasks::slowReducer(std::int32_t rank)
{
    if (!m_slowdown->slowsReducers())
        return;
    const NodeId node = m_given.structure.placement.nodeOf(rank);
    std::int64_t rate = m_given.params.reducerRate ? m_given.params.reducerRate->bytesPerSecond : 0;
    for (const NpuOverride& entry : m_given.structure.platform.spec().npuOverrides) {
        if (entry.node == node && entry.memoryBandwidth)
            rate = toBandwidth(*entry.memoryBandwidth).bytesPerSecond;
    }
    m_engine.network.setReducerRate(node, m_slowdown->computes(rank) ? m_slowdown->reducerRate(rate) : rate);
}

void Tasks::slow(std::int32_t rank, std::int32_t by)
{
    std::vector<Slowdown::End> moved;
    m_slowdown->collectives(rank, by, m_agenda.now(), moved);
    for (const auto& [task, time] : moved)
        m_agenda.push(time, EventKind::TaskEnd, task, static_cast<std::uint32_t>(rank));
}

/// Is this the end of a computation that has been moved to another instant?
bool Tasks::isMoved(std::int32_t rank, TaskIndex task)
{
    const RankGraph& graph = m_given.workload.graph(rank);
    if (graph.kind[at(task)] != TaskKind::Compute || graph.has(task, TaskFlag::kHost))
        return false;
    return !m_slowdown->ends(rank, task, m_agenda.now());
}

} // namespace fabricscope::events
