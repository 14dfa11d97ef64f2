#include "core/workload/exportedtraces.h"

#include "core/base/index.h"
#include "core/base/stop.h"
#include "core/trace/etwriter.h"
#include "core/trace/schema.h"

#include <algorithm>

namespace fabricscope {

namespace {

EtCommType commTypeOf(CollectiveOp op)
{
    switch (op) {
    case CollectiveOp::AllReduce: return EtCommType::AllReduce;
    case CollectiveOp::Reduce: return EtCommType::Reduce;
    case CollectiveOp::AllGather: return EtCommType::AllGather;
    case CollectiveOp::Gather: return EtCommType::Gather;
    case CollectiveOp::Scatter: return EtCommType::Scatter;
    case CollectiveOp::Broadcast: return EtCommType::Broadcast;
    case CollectiveOp::AllToAll: return EtCommType::AllToAll;
    case CollectiveOp::ReduceScatter: return EtCommType::ReduceScatter;
    default: return EtCommType::Barrier;
    }
}

EtNodeType nodeTypeOf(TaskKind kind)
{
    switch (kind) {
    case TaskKind::Compute: return EtNodeType::Comp;
    case TaskKind::MemoryLoad: return EtNodeType::MemLoad;
    case TaskKind::MemoryStore: return EtNodeType::MemStore;
    case TaskKind::Send: return EtNodeType::Send;
    case TaskKind::Receive: return EtNodeType::Receive;
    case TaskKind::Collective: return EtNodeType::Collective;
    case TaskKind::Metadata: return EtNodeType::Metadata;
    case TaskKind::Invalid: break;
    }
    return EtNodeType::Invalid;
}

std::int64_t exactPs(const RankGraph& graph, std::size_t task)
{
    return graph.durationPs.empty() ? -1 : graph.durationPs[task];
}

/// Nearest; what takes any time takes a microsecond at least.
std::int64_t nearestMicros(std::int64_t ps)
{
    return std::max<std::int64_t>(ps / kPsPerUs + (ps % kPsPerUs >= kPsPerUs / 2 ? 1 : 0), ps > 0 ? 1 : 0);
}

std::int64_t microsOf(const RankGraph& graph, std::size_t task)
{
    const std::int64_t ps = exactPs(graph, task);
    return ps < 0 ? graph.durationUs[task] : nearestMicros(ps);
}

bool isGather(CollectiveOp op)
{
    return op == CollectiveOp::AllGather || op == CollectiveOp::Gather;
}

} // namespace

ExportedTraces::ExportedTraces(const Workload& workload, std::vector<TaskMoments> moments)
    : m_workload(workload)
    , m_moments(std::move(moments))
    , m_firstGroup(workload.families.size(), 0)
{
    std::vector<bool> used(workload.families.size(), false);
    for (const auto& graph : workload.graphs) {
        for (std::size_t task = 0; task < graph->kind.size(); ++task) {
            if (graph->kind[task] == TaskKind::Collective)
                used[at(graph->family[task])] = true;
        }
    }
    std::int64_t next = 1; // "0" is all ranks for ASTRA-sim.
    for (std::size_t family = 0; family < used.size(); ++family) {
        if (!used[family] || workload.families[family].isWorld())
            continue;
        m_firstGroup[family] = next;
        next += workload.families[family].groupCount();
    }
}

void ExportedTraces::describeCollective(const RankGraph& graph, TaskIndex task, std::int32_t rank, EtNode& node) const
{
    const auto i = static_cast<std::size_t>(task);
    const auto family = at(graph.family[i]);
    const GroupFamily::Membership own = m_workload.families[family].membership(rank);
    const std::int64_t parts = isGather(graph.op[i]) ? std::max<std::int64_t>(own.size, 1) : 1;
    node.attributes.push_back(EtAttribute::integer("comm_type", static_cast<std::int64_t>(commTypeOf(graph.op[i]))));
    node.attributes.push_back(EtAttribute::integer("comm_size", graph.bytes[i] / parts + (graph.bytes[i] % parts != 0 ? 1 : 0)));
    if (m_firstGroup[family] > 0)
        node.attributes.push_back(EtAttribute::text("pg_name", std::to_string(m_firstGroup[family] + own.group)));
    if (graph.has(task, TaskFlag::kInvolvedGiven)) {
        EtAttribute& involved = node.attributes.emplace_back(EtAttribute{"involved_dim", EtKind::BoolList, {}, {}, {}, {}});
        for (std::uint32_t left = graph.involved[i]; left != 0; left >>= 1)
            involved.integers.push_back(left & 1);
    }
}

/// Other programs read whole microseconds; the exact times stand beside them.
void ExportedTraces::addMoments(TaskIndex task, std::int32_t rank, EtNode& node) const
{
    node.durationMicros = 0;
    const TaskMoments& moments = m_moments[at(rank)];
    if (at(task) >= moments.issuePs.size() || moments.issuePs[at(task)] < 0)
        return;
    const std::int64_t issue = moments.issuePs[at(task)];
    node.startMicros = static_cast<std::uint64_t>(issue / kPsPerUs);
    node.attributes.push_back(EtAttribute::integer("start_ps", issue));
    if (moments.endPs[at(task)] < 0)
        return;
    const std::int64_t duration = moments.endPs[at(task)] - issue;
    node.durationMicros = static_cast<std::uint64_t>(nearestMicros(duration));
    node.attributes.push_back(EtAttribute::integer("duration_ps", duration));
}

std::int64_t ExportedTraces::neverEnded() const
{
    std::int64_t ended = 0;
    for (const TaskMoments& moments : m_moments)
        ended += std::ranges::count_if(moments.endPs, [](std::int64_t ps) { return ps >= 0; });
    return m_moments.empty() ? 0 : m_workload.taskCount() - ended;
}

EtNode ExportedTraces::nodeOf(const RankGraph& graph, TaskIndex task, std::int32_t rank) const
{
    const auto i = static_cast<std::size_t>(task);
    const TaskKind kind = graph.kind[i];
    EtNode node;
    node.id = graph.sourceId[i];
    node.name = std::string(graph.name(task));
    node.type = static_cast<std::int32_t>(nodeTypeOf(kind));
    for (const TaskIndex before : graph.dependencies(task))
        node.dataDeps.push_back(graph.sourceId[at(before)]);
    node.attributes.push_back(EtAttribute::boolean("is_cpu_op", graph.has(task, TaskFlag::kHost)));
    switch (kind) {
    case TaskKind::Compute:
        node.durationMicros = static_cast<std::uint64_t>(microsOf(graph, i));
        if (exactPs(graph, i) < 0 && graph.has(task, TaskFlag::kHasOperations))
            node.attributes.push_back(EtAttribute::integer("num_ops", graph.operations[i]));
        if (exactPs(graph, i) < 0 && graph.has(task, TaskFlag::kHasBytes))
            node.attributes.push_back(EtAttribute::integer("tensor_size", graph.bytes[i]));
        break;
    case TaskKind::MemoryLoad:
    case TaskKind::MemoryStore: node.attributes.push_back(EtAttribute::integer("tensor_size", graph.bytes[i])); break;
    case TaskKind::Send:
    case TaskKind::Receive:
        node.attributes.push_back(EtAttribute::integer(kind == TaskKind::Send ? "comm_dst" : "comm_src", graph.peerRank(task, rank), EtKind::Int32));
        node.attributes.push_back(EtAttribute::integer("comm_tag", graph.tag[i], EtKind::Int32));
        node.attributes.push_back(EtAttribute::integer("comm_size", graph.bytes[i]));
        break;
    case TaskKind::Collective: describeCollective(graph, task, rank, node); break;
    case TaskKind::Metadata:
    case TaskKind::Invalid: break;
    }
    if (!m_moments.empty())
        addMoments(task, rank, node);
    return node;
}

std::vector<EtNode> ExportedTraces::nodesOf(std::int32_t rank) const
{
    const RankGraph& graph = m_workload.graph(rank);
    std::vector<EtNode> nodes;
    nodes.reserve(at(graph.size()));
    for (TaskIndex task = 0; task < graph.size(); ++task)
        nodes.push_back(nodeOf(graph, task, rank));
    return nodes;
}

std::string ExportedTraces::groupsText() const
{
    std::string text;
    for (std::size_t f = 0; f < m_firstGroup.size(); ++f) {
        const GroupFamily& family = m_workload.families[f];
        for (std::int64_t group = 0; m_firstGroup[f] > 0 && group < family.groupCount(); ++group) {
            text += (text.empty() ? "{\n  \"" : ",\n  \"") + std::to_string(m_firstGroup[f] + group) + "\": [";
            for (std::int64_t position = 0; position < family.groupSize(group); ++position)
                text += (position == 0 ? "" : ", ") + std::to_string(family.member(group, position));
            text += ']';
        }
    }
    return text.empty() ? text : text + "\n}\n";
}

Diagnostics ExportedTraces::notes() const
{
    std::int64_t durations = 0;
    std::int64_t parts = 0;
    bool tensors = false;
    bool priorities = false;
    bool shares = false;
    for (const auto& graph : m_workload.graphs) {
        tensors |= !graph->tensors.empty();
        priorities |= !graph->priority.empty();
        shares |= !graph->shares.empty();
        for (std::size_t task = 0; task < graph->kind.size(); ++task) {
            const auto index = static_cast<TaskIndex>(task);
            durations += m_moments.empty() && graph->kind[task] == TaskKind::Compute && exactPs(*graph, task) >= 0 && exactPs(*graph, task) % kPsPerUs != 0 ? 1 : 0;
            if (graph->kind[task] == TaskKind::Collective && isGather(graph->op[task]))
                parts += graph->bytes[task] % std::max<std::int64_t>(1, m_workload.families[at(graph->family[task])].groupSize(0)) != 0 ? 1 : 0;
            tensors |= (graph->kind[task] == TaskKind::MemoryLoad) && graph->has(index, TaskFlag::kGather);
        }
    }
    Diagnostics notes;
    if (durations > 0)
        notes.push_back(note("trace-durations", "traces have whole microseconds: " + std::to_string(durations) + " durations are rounded"));
    if (const std::int64_t open = neverEnded(); open > 0)
        notes.push_back(note("trace-open", std::to_string(open) + " tasks never ended: they are written without a duration"));
    if (parts > 0)
        notes.push_back(note("trace-parts", "traces have one member's part of an all-gather: " + std::to_string(parts) + " sizes are rounded up"));
    if (tensors)
        notes.push_back(note("trace-memory", "what is in the memory of NPUs is not written"));
    if (priorities)
        notes.push_back(note("trace-priorities", "priorities are not written"));
    if (shares)
        notes.push_back(note("trace-shares", "unequal shares of collectives are not written"));
    return notes;
}

Status ExportedTraces::write(const std::string& prefix, OutputFiles* files, const std::stop_token& stop) const
{
    if (m_workload.taskCount() > kMostNodes)
        return invalidInput("traces of " + std::to_string(m_workload.taskCount()) + " nodes", {}, "at most " + std::to_string(kMostNodes));
    EtMetadata metadata;
    metadata.version = "0.0.4";
    metadata.attributes = {EtAttribute::text("schema", "1.0.2-chakra.0.0.4")};
    for (std::int32_t rank = 0; rank < m_workload.rankCount; ++rank) {
        auto writer = EtWriter::create(prefix + '.' + std::to_string(rank) + ".et", metadata, files);
        if (!writer)
            return std::move(writer).error();
        const RankGraph& graph = m_workload.graph(rank);
        for (TaskIndex task = 0; task < graph.size(); ++task) {
            if (stop.stop_requested())
                return stoppedError();
            if (Status status = writer.value().add(nodeOf(graph, task, rank)); !status)
                return status;
        }
        if (Status status = writer.value().finish(); !status)
            return status;
    }
    return {};
}

} // namespace fabricscope
