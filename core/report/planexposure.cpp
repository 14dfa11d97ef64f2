#include "core/report/planexposure.h"

#include "core/base/index.h"
#include "core/base/stop.h"
#include "core/base/stoppablesort.h"
#include "core/plan/inference/servedwork.h"
#include "core/plan/lower/ranktasks.h"

#include <algorithm>

namespace fabricscope {

namespace {

/// Something begins or ends.
struct TrafficEdge {
    std::int64_t ps = 0;
    std::int32_t what = 0; ///< Number of a PlanTraffic, or kComputes.
    std::int32_t step = 1; ///< 1 or -1.
    friend auto operator<=>(const TrafficEdge&, const TrafficEdge&) = default;
};

constexpr std::int32_t kComputes = 7;

void addEdges(std::vector<TrafficEdge>& edges, std::int64_t begin, std::int64_t end, std::int32_t what)
{
    if (begin >= end)
        return;
    edges.push_back({begin, what, 1});
    edges.push_back({end, what, -1});
}

} // namespace

PlanExposure::PlanExposure(const PlanLayout& layout, const Workload& workload, const RunRecord& record, const std::stop_token& stop)
    : m_layout(layout)
    , m_workload(workload)
    , m_record(record)
    , m_stop(stop)
    , m_classOfRank(at(record.rankCount), -1)
{
    for (std::size_t c = 0; c < record.classes.size(); ++c) {
        for (const RankSet::Interval& interval : record.classes[c].ranks.intervals()) {
            for (std::int64_t rank = interval.first; rank <= interval.last; ++rank)
                m_classOfRank[at(rank)] = static_cast<std::int32_t>(c);
        }
    }
}

PlanTraffic PlanExposure::trafficOf(const RankGraph& graph, TaskIndex task) const
{
    if (graph.kind[at(task)] != TaskKind::Collective) {
        const std::uint32_t tag = graph.tag[at(task)];
        if (m_layout.inference)
            return tag >= kFirstTransferTag ? PlanTraffic::Transfer : PlanTraffic::Pipeline;
        return tag >= firstRingTag(m_layout.shape) ? PlanTraffic::Context : PlanTraffic::Pipeline;
    }
    const std::string& group = m_workload.families[at(graph.family[at(task)])].name();
    if (m_layout.tensorSize > 1 && group == m_layout.tensorGroup.name)
        return PlanTraffic::Tensor;
    if (graph.op[at(task)] == CollectiveOp::AllToAll)
        return m_layout.contextSize > 1 && group == m_layout.contextGroup.name ? PlanTraffic::Context : PlanTraffic::Expert;
    // Sums between the two ends of a pipeline, or of its directions.
    if (m_layout.pipelineSize > 1 && group.starts_with(m_layout.pipelineGroup.name + ' '))
        return PlanTraffic::Pipeline;
    return PlanTraffic::Data;
}

const std::vector<PlanExposure::Sent>& PlanExposure::sendsOf(const RankGraph& graph)
{
    const auto known = std::find_if(m_sends.begin(), m_sends.end(), [&graph](const auto& entry) { return entry.first == &graph; });
    if (known != m_sends.end())
        return known->second;
    std::vector<Sent> sends;
    for (TaskIndex task = 0; task < graph.size(); ++task) {
        if (graph.kind[at(task)] == TaskKind::Send)
            sends.push_back({graph.tag[at(task)], graph.peer[at(task)], task});
    }
    sortUntilStopped(sends, std::less<>(), m_stop);
    return m_sends.emplace_back(&graph, std::move(sends)).second;
}

std::int64_t PlanExposure::sentAt(const RankGraph& graph, TaskIndex receive, std::int32_t rank, std::int64_t end)
{
    const std::int32_t sender = graph.peerRank(receive, rank);
    if (sender < 0 || sender >= m_record.rankCount || m_classOfRank[at(sender)] < 0)
        return end;
    const RankGraph& other = m_workload.graph(sender);
    const std::vector<Sent>& sends = sendsOf(other);
    const std::int32_t peer = other.peerIsRelative ? rank - sender : rank;
    const auto found = std::lower_bound(sends.begin(), sends.end(), Sent{graph.tag[at(receive)], peer, 0});
    if (found == sends.end() || found->tag != graph.tag[at(receive)] || found->peer != peer)
        return end;
    const std::int64_t issue = m_record.classes[at(m_classOfRank[at(sender)])].tasks->issuePs[at(found->task)];
    return issue < 0 ? end : issue;
}

PlanExposure::Times PlanExposure::of(const RankClass& rankClass)
{
    const auto rank = static_cast<std::int32_t>(rankClass.ranks.intervals().front().first);
    const RankGraph& graph = m_workload.graph(rank);
    const TaskTimes& times = *rankClass.tasks;
    std::vector<TrafficEdge> edges;
    constexpr auto kBubble = static_cast<std::int32_t>(PlanTraffic::Bubble);
    for (TaskIndex task = 0; task < graph.size(); ++task) {
        checkStop(m_stop);
        const std::int64_t issue = times.issuePs[at(task)];
        const std::int64_t end = times.endPs[at(task)];
        if (issue < 0 || end < 0)
            continue;
        switch (graph.kind[at(task)]) {
        case TaskKind::Compute:
            if (!graph.has(task, TaskFlag::kHost))
                addEdges(edges, issue, end, kComputes);
            break;
        case TaskKind::Send:
        case TaskKind::Collective: addEdges(edges, issue, end, static_cast<std::int32_t>(trafficOf(graph, task))); break;
        case TaskKind::Receive: {
            const std::int64_t sent = std::clamp(sentAt(graph, task, rank, end), issue, end);
            addEdges(edges, issue, sent, kBubble);
            addEdges(edges, sent, end, static_cast<std::int32_t>(trafficOf(graph, task)));
            break;
        }
        default: break;
        }
    }
    sortUntilStopped(edges, std::less<>(), m_stop);
    Times out;
    std::array<std::int64_t, 8> running{};
    std::int64_t now = 0;
    const auto settle = [&](std::int64_t until) {
        if (until <= now)
            return;
        if (running[kComputes] == 0) {
            const auto first = std::find_if(running.begin(), running.begin() + kComputes, [](std::int64_t count) { return count > 0; });
            (first == running.begin() + kComputes ? out.nothing : out.exposed[static_cast<std::size_t>(first - running.begin())]) += until - now;
        }
        now = until;
    };
    for (const TrafficEdge& edge : edges) {
        settle(edge.ps);
        running[at(edge.what)] += edge.step;
    }
    settle(m_record.finish.ps);
    return out;
}

} // namespace fabricscope
