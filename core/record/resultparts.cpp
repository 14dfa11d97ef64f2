#include "core/record/resultparts.h"

#include "core/base/index.h"

#include <algorithm>
#include <numeric>
#include <set>
#include <utility>

namespace fabricscope {

namespace {

using Kind = ResultPart::Kind;

struct Edge {
    std::int64_t ps = 0;
    TaskIndex task = 0;
    bool begins = false;
};

bool isCompute(const RankGraph& graph, TaskIndex task)
{
    return graph.kind[at(task)] == TaskKind::Compute && !graph.has(task, TaskFlag::kHost);
}

bool isHost(const RankGraph& graph, TaskIndex task)
{
    return graph.kind[at(task)] == TaskKind::Compute && graph.has(task, TaskFlag::kHost);
}

ResultPart exposedPart(const RankGraph& graph, TaskIndex task)
{
    const auto i = static_cast<std::size_t>(task);
    switch (graph.kind[i]) {
    case TaskKind::MemoryLoad:
    case TaskKind::MemoryStore: return {Kind::Exposed, Activity::Memory, -1, 0};
    case TaskKind::Collective: return {Kind::Exposed, activityOf(graph.op[i]), graph.family[i], 0};
    default: return {Kind::Exposed, Activity::SendReceive, -1, 0};
    }
}

/// Adds up parts by what they are, in the order of their first appearance.
class Parts {
public:
    void add(ResultPart part, std::int64_t ps)
    {
        if (ps <= 0)
            return;
        const auto same = std::find_if(m_parts.begin(), m_parts.end(), [&](const ResultPart& known) {
            return known.kind == part.kind && known.activity == part.activity && known.family == part.family;
        });
        if (same != m_parts.end()) {
            same->ps += ps;
            return;
        }
        part.ps = ps;
        m_parts.push_back(part);
    }

    std::vector<ResultPart> sorted()
    {
        std::stable_sort(m_parts.begin(), m_parts.end(), [](const ResultPart& a, const ResultPart& b) { return a.kind < b.kind; });
        return std::move(m_parts);
    }

private:
    std::vector<ResultPart> m_parts;
};

std::vector<ResultPart> fromTotals(const RankTimes& times, std::int64_t total)
{
    Parts parts;
    std::int64_t left = total;
    const auto take = [&](ResultPart part, std::int64_t ps) {
        const std::int64_t taken = std::min(left, ps);
        parts.add(part, taken);
        left -= std::max<std::int64_t>(taken, 0);
    };
    take({Kind::Compute, Activity::Compute, -1, 0}, times.compute.ps);
    take({Kind::Exposed, Activity::SendReceive, -1, 0}, times.exposedComm.ps);
    take({Kind::Exposed, Activity::Memory, -1, 0}, times.memory.ps);
    parts.add({Kind::Waiting, Activity::Waiting, -1, 0}, left);
    return parts.sorted();
}

std::vector<Edge> edgesOf(const RankGraph& graph, const TaskTimes& times, std::int64_t total)
{
    const auto tasks = std::min({static_cast<std::size_t>(graph.size()), times.issuePs.size(), times.endPs.size()});
    std::vector<Edge> edges;
    edges.reserve(2 * tasks);
    for (std::size_t i = 0; i < tasks; ++i) {
        const TaskKind kind = graph.kind[i];
        if (times.issuePs[i] < 0 || kind == TaskKind::Metadata || kind == TaskKind::Invalid)
            continue;
        const std::int64_t begin = std::min(times.issuePs[i], total);
        const std::int64_t end = times.endPs[i] < 0 ? total : std::min(times.endPs[i], total);
        if (begin >= end)
            continue;
        edges.push_back({begin, static_cast<TaskIndex>(i), true});
        edges.push_back({end, static_cast<TaskIndex>(i), false});
    }
    std::sort(edges.begin(), edges.end(), [](const Edge& a, const Edge& b) { return a.ps != b.ps ? a.ps < b.ps : a.task < b.task; });
    return edges;
}

std::vector<ResultPart> fromTasks(const RankGraph& graph, const TaskTimes& times, std::int64_t total)
{
    Parts parts;
    std::int64_t computing = 0;
    std::int64_t hosting = 0;
    std::set<std::pair<std::int64_t, TaskIndex>> inFlight; // by issue: the first names the time
    std::int64_t now = 0;
    const auto settle = [&](std::int64_t until) {
        if (computing > 0)
            parts.add({Kind::Compute, Activity::Compute, -1, 0}, until - now);
        else if (!inFlight.empty())
            parts.add(exposedPart(graph, inFlight.begin()->second), until - now);
        else if (hosting > 0)
            parts.add({Kind::Host, Activity::Compute, -1, 0}, until - now);
        else
            parts.add({Kind::Waiting, Activity::Waiting, -1, 0}, until - now);
        now = until;
    };
    for (const Edge& edge : edgesOf(graph, times, total)) {
        if (edge.ps > now)
            settle(edge.ps);
        if (isCompute(graph, edge.task))
            computing += edge.begins ? 1 : -1;
        else if (isHost(graph, edge.task))
            hosting += edge.begins ? 1 : -1;
        else if (const auto key = std::pair(times.issuePs[at(edge.task)], edge.task); edge.begins)
            inFlight.insert(key);
        else
            inFlight.erase(key);
    }
    if (total > now)
        settle(total);
    return parts.sorted();
}

} // namespace

std::int32_t slowestClass(const RunRecord& record)
{
    std::int32_t slowest = -1;
    for (std::size_t c = 0; c < record.classes.size(); ++c)
        if (slowest < 0 || record.classes[c].times.finish > record.classes[at(slowest)].times.finish)
            slowest = static_cast<std::int32_t>(c);
    return slowest;
}

ResultParts resultParts(const RunRecord& record, const Workload& workload, std::int32_t rankClass)
{
    ResultParts result;
    result.total = record.cutAt.value_or(record.finish);
    if (rankClass < 0 || static_cast<std::size_t>(rankClass) >= record.classes.size())
        return result;
    result.rankClass = rankClass;
    const RankClass& shown = record.classes[at(rankClass)];
    const auto& ranks = shown.ranks.intervals();
    if (shown.tasks && !ranks.empty())
        result.parts = fromTasks(workload.graph(static_cast<std::int32_t>(ranks.front().first)), *shown.tasks, result.total.ps);
    else
        result.parts = fromTotals(shown.times, result.total.ps);
    return result;
}

std::vector<std::int64_t> sharedRounding(const std::vector<std::int64_t>& parts, std::int64_t total, std::int64_t unit)
{
    std::vector<std::int64_t> rounded;
    rounded.reserve(parts.size());
    for (const std::int64_t part : parts)
        rounded.push_back(part / unit);
    const std::int64_t wanted = total / unit + (2 * (total % unit) >= unit ? 1 : 0);
    std::int64_t missing = wanted - std::accumulate(rounded.begin(), rounded.end(), std::int64_t{0});
    std::vector<std::size_t> order(parts.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return parts[a] % unit > parts[b] % unit; });
    for (std::size_t i = 0; i < order.size() && missing > 0; ++i, --missing)
        ++rounded[order[i]];
    return rounded;
}

} // namespace fabricscope
