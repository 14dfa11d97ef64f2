#include "widgets/timeline/taskflow.h"

#include "core/base/index.h"
#include "core/design/model.h"
#include "widgets/timeline/tasksearch.h"

#include <algorithm>
#include <numeric>
#include <optional>
#include <set>
#include <span>
#include <tuple>

namespace fabricscope {

namespace {

/// The graph knows dependencies in one direction only: this is the other one. Memory 4 bytes per task and dependency, O(tasks and dependencies) to make.
class Dependents {
public:
    explicit Dependents(const RankGraph& graph) : m_begin(static_cast<std::size_t>(graph.size()) + 1, 0), m_tasks(graph.depends.size())
    {
        for (TaskIndex task = 0; task < graph.size(); ++task)
            for (const TaskIndex on : graph.dependencies(task))
                ++m_begin[at(on) + 1];
        std::partial_sum(m_begin.begin(), m_begin.end(), m_begin.begin());
        std::vector<std::uint32_t> next(m_begin.begin(), m_begin.end() - 1);
        for (TaskIndex task = 0; task < graph.size(); ++task)
            for (const TaskIndex on : graph.dependencies(task))
                m_tasks[next[at(on)]++] = task;
    }
    std::span<const TaskIndex> of(TaskIndex task) const { return std::span(m_tasks).subspan(m_begin[at(task)], m_begin[at(task) + 1] - m_begin[at(task)]); }

private:
    std::vector<std::uint32_t> m_begin; ///< One more than there are tasks.
    std::vector<TaskIndex> m_tasks;
};

/// The nearest tasks with an interval, along one direction. `linksOf`: the tasks next to one.
template <class LinksOf>
std::vector<TimelineSelection> shownAlong(const TimelineSource& source, std::int32_t rankClass, TaskIndex start, const LinksOf& linksOf)
{
    std::vector<TimelineSelection> shown;
    std::set<TaskIndex> seen;
    const std::span<const TaskIndex> first = linksOf(start);
    std::vector<TaskIndex> open(first.begin(), first.end());
    while (!open.empty()) {
        const TaskIndex task = open.back();
        open.pop_back();
        if (!seen.insert(task).second)
            continue;
        if (const auto place = intervalOfTask(source, rankClass, task)) {
            shown.push_back(*place);
            continue;
        }
        const std::span<const TaskIndex> further = linksOf(task);
        open.insert(open.end(), further.begin(), further.end());
    }
    return shown;
}

/// Which messages are told apart by their running number alone.
struct MessageLane {
    std::int32_t peer = 0;
    std::uint32_t tag = 0;
    std::optional<std::int64_t> bytes; ///< Nothing: of any size.
};

/// Tasks of one kind that belong to a lane, in the order in which they were issued.
std::vector<TaskIndex> messages(const RankGraph& graph, const TaskTimes& times, TaskKind kind, std::int32_t rank, const MessageLane& lane)
{
    std::vector<TaskIndex> found;
    for (TaskIndex task = 0; task < graph.size(); ++task) {
        const auto i = static_cast<std::size_t>(task);
        const bool fits = graph.kind[i] == kind && graph.tag[i] == lane.tag && (!lane.bytes || graph.bytes[i] == *lane.bytes);
        if (fits && graph.peerRank(task, rank) == lane.peer && times.issuePs[i] >= 0)
            found.push_back(task);
    }
    std::stable_sort(found.begin(), found.end(), [&times](TaskIndex a, TaskIndex b) {
        return times.issuePs[static_cast<std::size_t>(a)] < times.issuePs[static_cast<std::size_t>(b)];
    });
    return found;
}

std::optional<TimelineSelection> partnerOf(const TimelineSource& source, const Workload& workload, std::int32_t rankClass, TaskIndex task)
{
    const auto rank = static_cast<std::int32_t>(source.classes()[static_cast<std::size_t>(rankClass)].ranks.intervals().front().first);
    const RankGraph& here = workload.graph(rank);
    const std::int32_t peer = here.peerRank(task, rank);
    const std::int32_t peerClass = source.classOf(peer);
    if (peerClass < 0)
        return std::nullopt;
    const auto& hereTimes = source.record().classes[static_cast<std::size_t>(rankClass)].tasks;
    const auto& thereTimes = source.record().classes[static_cast<std::size_t>(peerClass)].tasks;
    if (!hereTimes || !thereTimes)
        return std::nullopt;
    const auto i = static_cast<std::size_t>(task);
    const TaskKind other = here.kind[i] == TaskKind::Send ? TaskKind::Receive : TaskKind::Send;
    // Manual: astra 4.
    const auto bytes = traitsOf(source.record().model).sizesMatch ? std::optional(here.bytes[i]) : std::nullopt;
    const std::vector<TaskIndex> ours = messages(here, *hereTimes, here.kind[i], rank, {peer, here.tag[i], bytes});
    const std::vector<TaskIndex> theirs = messages(workload.graph(peer), *thereTimes, other, peer, {rank, here.tag[i], bytes});
    const auto number = static_cast<std::size_t>(std::find(ours.begin(), ours.end(), task) - ours.begin());
    return number < theirs.size() ? intervalOfTask(source, peerClass, theirs[number]) : std::nullopt;
}

} // namespace

std::optional<TimelineSelection> intervalOfTask(const TimelineSource& source, std::int32_t rankClass, TaskIndex task)
{
    const auto& times = source.record().classes[static_cast<std::size_t>(rankClass)].tasks;
    if (!times)
        return std::nullopt;
    const std::int64_t end = times->endPs[static_cast<std::size_t>(task)];
    const TimelineClass& group = source.classes()[static_cast<std::size_t>(rankClass)];
    for (std::int32_t t = 0; t < group.trackCount; ++t) {
        const auto track = static_cast<std::size_t>(group.firstTrack + t);
        // Within a track ends ascend.
        std::int32_t low = 0;
        std::int32_t high = source.intervalCount(track);
        while (low < high) {
            const std::int32_t middle = low + (high - low) / 2;
            if (source.interval(track, middle).endPs < end)
                low = middle + 1;
            else
                high = middle;
        }
        for (; low < source.intervalCount(track); ++low) {
            const TimelineInterval shown = source.interval(track, low);
            if (shown.endPs != end)
                break;
            if (shown.task == task)
                return TimelineSelection{track, low};
        }
    }
    return std::nullopt;
}

TimelineFlow timelineFlow(const TimelineSource& source, const Workload& workload, const TimelineSelection& of)
{
    TimelineFlow flow;
    if (of.index >= source.intervalCount(of.track))
        return flow;
    const TaskIndex task = source.interval(of.track, of.index).task;
    const std::int32_t rankClass = source.tracks()[of.track].rankClass;
    const RankGraph* graph = graphOfClass(source, workload, rankClass);
    if (task < 0 || !graph)
        return flow;
    flow.before = shownAlong(source, rankClass, task, [graph](TaskIndex next) { return graph->dependencies(next); });
    flow.after = shownAlong(source, rankClass, task, [dependents = Dependents(*graph)](TaskIndex next) { return dependents.of(next); });
    const TaskKind kind = graph->kind[static_cast<std::size_t>(task)];
    if (kind == TaskKind::Send || kind == TaskKind::Receive) {
        flow.partner = partnerOf(source, workload, rankClass, task);
        if (flow.partner)
            (kind == TaskKind::Send ? flow.after : flow.before).push_back(*flow.partner);
    }
    const auto times = [&source](const TimelineSelection& place) { return source.interval(place.track, place.index); };
    std::sort(flow.before.begin(), flow.before.end(), [&times](const TimelineSelection& a, const TimelineSelection& b) {
        return std::tuple(-times(a).endPs, a.track, a.index) < std::tuple(-times(b).endPs, b.track, b.index);
    });
    std::sort(flow.after.begin(), flow.after.end(), [&times](const TimelineSelection& a, const TimelineSelection& b) {
        return std::tuple(times(a).beginPs, a.track, a.index) < std::tuple(times(b).beginPs, b.track, b.index);
    });
    return flow;
}

} // namespace fabricscope
