// Hierarchical pools of remote memory, and computation that is slowed down by collectives: part of Engine (engine.h).
#include "core/sim/events/engine.h"

namespace fabricscope::events {

void Engine::startRemote(std::int32_t rank, TaskIndex task)
{
    std::vector<RemoteTasks::RankTask> ended;
    if (auto error = remote->start(rank, task, agenda.now(), ended)) {
        m_error = std::move(error);
        return;
    }
    for (const RemotePool::Later& next : remote->pool.later()) // Under ideal the end is known at once.
        agenda.push(next.time, EventKind::Remote, next.object, next.detail);
    remote->pool.later().clear();
    for (const RemoteTasks::RankTask& next : ended)
        taskEnd(next.rank, next.task);
}

void Engine::remoteEvent(const Event& event)
{
    RemotePool::Done done{};
    if (!remote->pool.take(event.object, event.detail, done))
        return;
    std::vector<RemoteTasks::RankTask> ended;
    remote->done(done, ended);
    for (const RemoteTasks::RankTask& next : ended)
        taskEnd(next.rank, next.task);
}

/// Once everything that begins or arrives in this instant has done so.
void Engine::serveRemote()
{
    remote->pool.serve(agenda.now());
    for (const RemotePool::Later& next : remote->pool.later())
        agenda.push(next.time, EventKind::Remote, next.object, next.detail);
    remote->pool.later().clear();
}

void Engine::startSlowed(std::int32_t rank, TaskIndex task)
{
    ComputeWork work = computeWork(structure, params, rank, task);
    if (network && !network->params.compute.empty()) {
        for (std::int64_t* part : {&work.operationsPs, &work.bytesPs})
            *part = network->params.compute.apply(*part, seededHash(network->seed, {-2, rank, task}));
    }
    agenda.push(slowdown->begin(rank, task, work, agenda.now()), EventKind::TaskEnd, task, static_cast<std::uint32_t>(rank));
    slowReducer(rank);
}

/// The reducer of a rank's NPU works at the rate that its computation leaves.
void Engine::slowReducer(std::int32_t rank)
{
    if (!slowdown->slowsReducers())
        return;
    const NodeId node = structure.placement.nodeOf(rank);
    std::int64_t rate = params.reducerRate ? params.reducerRate->bytesPerSecond : 0;
    for (const NpuOverride& entry : structure.platform.spec().npuOverrides) {
        if (entry.node == node && entry.memoryBandwidth)
            rate = toBandwidth(*entry.memoryBandwidth).bytesPerSecond;
    }
    endpoints[static_cast<std::size_t>(node)].reducerRate = slowdown->computes(rank) ? slowdown->reducerRate(rate) : rate;
}

void Engine::collectivesUnderWay(std::int32_t rank, std::int32_t by)
{
    std::vector<Slowdown::End> moved;
    slowdown->collectives(rank, by, agenda.now(), moved);
    for (const auto& [task, end] : moved)
        agenda.push(end, EventKind::TaskEnd, task, static_cast<std::uint32_t>(rank));
}

/// Is this the end of a computation that has been moved to another instant?
bool Engine::isMoved(std::int32_t rank, TaskIndex task)
{
    const RankGraph& graph = workload.graph(rank);
    if (graph.kind[static_cast<std::size_t>(task)] != TaskKind::Compute || graph.has(task, TaskFlag::kHost))
        return false;
    return !slowdown->ends(rank, task, agenda.now());
}

} // namespace fabricscope::events
