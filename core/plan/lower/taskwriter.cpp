#include "core/plan/lower/taskwriter.h"

#include <algorithm>

namespace fabricscope {

TaskWriter::TaskWriter()
{
    m_graph.dependBegin.push_back(0);
    m_graph.peerIsRelative = true;
}

TaskIndex TaskWriter::add(TaskKind kind, std::string_view name, const std::vector<TaskIndex>& after)
{
    RankGraph& graph = m_graph;
    const TaskIndex task = graph.size();
    graph.kind.push_back(kind);
    graph.flags.push_back(0);
    graph.sourceId.push_back(static_cast<std::uint64_t>(task));
    graph.names += name;
    graph.nameEnd.push_back(static_cast<std::uint32_t>(graph.names.size()));
    graph.durationUs.push_back(0);
    graph.durationPs.push_back(-1);
    graph.operations.push_back(0);
    graph.bytes.push_back(0);
    graph.op.push_back(CollectiveOp::AllReduce);
    graph.family.push_back(0);
    graph.peer.push_back(0);
    graph.tag.push_back(0);
    graph.involved.push_back(0);
    m_sorted.clear();
    for (const TaskIndex before : after) {
        if (before >= 0)
            m_sorted.push_back(before);
    }
    std::sort(m_sorted.begin(), m_sorted.end());
    m_sorted.erase(std::unique(m_sorted.begin(), m_sorted.end()), m_sorted.end());
    graph.depends.insert(graph.depends.end(), m_sorted.begin(), m_sorted.end());
    graph.dependBegin.push_back(static_cast<std::uint32_t>(graph.depends.size()));
    return task;
}

TaskIndex TaskWriter::compute(std::string_view name, const Cost& cost, const std::vector<TaskIndex>& after)
{
    const TaskIndex task = add(TaskKind::Compute, name, after);
    m_graph.durationPs.back() = cost.durationPs;
    m_graph.durationUs.back() = std::max<std::int64_t>(cost.durationPs, 0) / kPsPerUs;
    m_graph.operations.back() = cost.operations;
    m_graph.bytes.back() = cost.bytes;
    m_graph.flags.back() = cost.roofline ? TaskFlag::kHasOperations | TaskFlag::kHasBytes : 0;
    return task;
}

TaskIndex TaskWriter::host(std::string_view name, std::int64_t durationPs, const std::vector<TaskIndex>& after)
{
    const TaskIndex task = compute(name, {durationPs, 0, 0, false}, after);
    m_graph.flags.back() = TaskFlag::kHost;
    return task;
}

TaskIndex TaskWriter::collective(std::string_view name, CollectiveOp op, std::int64_t bytes, FamilyId family, const std::vector<TaskIndex>& after)
{
    const TaskIndex task = add(TaskKind::Collective, name, after);
    m_graph.bytes.back() = bytes;
    m_graph.flags.back() = TaskFlag::kHasBytes;
    m_graph.op.back() = op;
    m_graph.family.back() = family;
    return task;
}

TaskIndex TaskWriter::message(TaskKind kind, std::string_view name, std::int64_t bytes, std::int32_t peer, std::uint32_t tag, const std::vector<TaskIndex>& after)
{
    const TaskIndex task = add(kind, name, after);
    m_graph.bytes.back() = bytes;
    m_graph.flags.back() = TaskFlag::kHasBytes;
    m_graph.peer.back() = peer;
    m_graph.tag.back() = tag;
    return task;
}

} // namespace fabricscope
