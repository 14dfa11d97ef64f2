#include "tests/unit/support/oracles/oracletasks.h"

#include "tests/unit/support/oracles/oraclenetwork.h"

#include <algorithm>
#include <cmath>

namespace fabricscope::test {

TaskScheduling OracleTasks::scheduling() const
{
    return m_params.scheduling ? *m_params.scheduling : TaskScheduling{};
}

int OracleTasks::slotOf(const RankGraph& graph, TaskIndex task) const
{
    switch (graph.kind[static_cast<std::size_t>(task)]) {
    case TaskKind::Compute:
        return graph.has(task, TaskFlag::kHost) ? 1 : 0;
    case TaskKind::MemoryLoad:
    case TaskKind::MemoryStore:
        return 2;
    case TaskKind::Send:
    case TaskKind::Collective:
        return scheduling().communicationUnits > 0 ? 3 : -1;
    default:
        return -1;
    }
}

std::int32_t OracleTasks::priorityOf(std::int32_t rank, TaskIndex task) const
{
    const auto& priority = m_workload.graph(rank).priority;
    return priority.empty() ? 0 : priority[static_cast<std::size_t>(task)];
}

std::int64_t OracleTasks::durationOf(std::int32_t rank, TaskIndex task) const
{
    const RankGraph& graph = m_workload.graph(rank);
    const auto t = static_cast<std::size_t>(task);
    const int slot = slotOf(graph, task);
    if (slot == 2 && !m_params.replayOnly)
        return m_params.remoteMemory.latencyNs * 1000 + occupancyPs(graph.bytes[t], m_params.remoteMemory.bytesPerNs * 1'000'000'000);
    std::int64_t duration = graph.durationUs[t] * 1'000'000;
    if (!graph.durationPs.empty() && graph.durationPs[t] >= 0) {
        duration = graph.durationPs[t];
    } else if (!m_params.replayOnly && m_params.roofline && slot == 0) {
        const bool operations = graph.has(task, TaskFlag::kHasOperations) && m_params.peak;
        const bool bytes = graph.has(task, TaskFlag::kHasBytes) && m_params.memoryRate;
        std::int64_t memoryRate = bytes ? m_params.memoryRate->bytesPerSecond : 0;
        for (const NpuOverride& change : m_structure.platform.spec().npuOverrides)
            if (change.node == m_structure.placement.nodeOf(rank) && change.memoryBandwidth)
                memoryRate = toBandwidth(*change.memoryBandwidth).bytesPerSecond;
        if (operations || bytes)
            duration = std::max(operations ? occupancyPs(graph.operations[t], m_params.peak->flopsPerSecond) : 0,
                bytes ? occupancyPs(graph.bytes[t], memoryRate) : 0);
    }
    const double speed = m_structure.platform.speed(m_structure.placement.nodeOf(rank));
    return slot != 2 && speed != 1.0 ? static_cast<std::int64_t>(std::ceil(static_cast<double>(duration) / speed)) : duration;
}

} // namespace fabricscope::test
