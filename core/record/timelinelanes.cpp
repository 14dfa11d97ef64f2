#include "core/record/timelinelanes.h"

#include "core/base/index.h"
#include "core/base/stop.h"
#include "core/base/stoppablesort.h"

#include <algorithm>
#include <limits>
#include <map>

namespace fabricscope {

namespace {

constexpr std::size_t kExactLanes = 3;

struct Span {
    std::int64_t begin = 0;
    std::int64_t end = 0;
};

/// Tasks that never ended (a stuck run) last to the end of the run.
std::shared_ptr<const TaskTimes> withEnds(std::shared_ptr<const TaskTimes> times, SimTime finish)
{
    const auto open = [&](std::size_t i) { return times->issuePs[i] >= 0 && times->endPs[i] < 0; };
    for (std::size_t i = 0; i < times->endPs.size(); ++i) {
        if (!open(i))
            continue;
        auto patched = std::make_shared<TaskTimes>(*times);
        for (; i < patched->endPs.size(); ++i)
            if (open(i))
                patched->endPs[i] = std::max(finish.ps, patched->issuePs[i]);
        return patched;
    }
    return times;
}

class Builder {
public:
    Builder(std::shared_ptr<const TaskTimes> times, std::shared_ptr<const RankGraph> graph, const std::stop_token& stop) : m_stop(stop), m_times(std::move(times)), m_graph(std::move(graph)) {}

    std::int64_t issue(TaskIndex task) const { return m_times->issuePs[at(task)]; }
    std::int64_t end(TaskIndex task) const { return m_times->endPs[at(task)]; }

    /// Ascending (issue, end, task); a stretch of tasks of one kind is mostly in order already.
    void sortByIssue(std::vector<TaskIndex>& tasks) const
    {
        const auto before = [this](TaskIndex a, TaskIndex b) {
            if (issue(a) != issue(b))
                return issue(a) < issue(b);
            return end(a) != end(b) ? end(a) < end(b) : a < b;
        };
        if (!std::is_sorted(tasks.begin(), tasks.end(), before))
            sortUntilStopped(tasks, before, m_stop);
    }

    void add(TimelineTrack track, std::vector<TaskIndex> tasks, bool clipped)
    {
        if (tasks.empty())
            return;
        if (clipped) {
            const auto before = [this](TaskIndex a, TaskIndex b) {
                if (end(a) != end(b))
                    return end(a) < end(b);
                return issue(a) != issue(b) ? issue(a) < issue(b) : a < b;
            };
            if (!std::is_sorted(tasks.begin(), tasks.end(), before))
                sortUntilStopped(tasks, before, m_stop);
        }
        std::vector<Activity> activities;
        activities.reserve(tasks.size());
        for (const TaskIndex task : tasks) {
            checkStop(m_stop);
            activities.push_back(activityOfTask(task));
        }
        lanes.push_back({std::move(track), std::make_shared<IntervalLane>(m_times, m_graph, std::move(tasks), std::move(activities), clipped)});
    }

    /// First lane that is free takes the next task.
    void addPacked(const TimelineTrack& track, std::vector<TaskIndex> tasks)
    {
        sortByIssue(tasks);
        std::vector<std::vector<TaskIndex>> packed(kExactLanes + 1);
        std::int64_t busyUntil[kExactLanes] = {};
        for (const TaskIndex task : tasks) {
            checkStop(m_stop);
            std::size_t lane = 0;
            while (lane < kExactLanes && busyUntil[lane] > issue(task))
                ++lane;
            if (lane < kExactLanes)
                busyUntil[lane] = end(task);
            packed[lane].push_back(task);
        }
        for (std::size_t lane = 0; lane < packed.size(); ++lane) {
            TimelineTrack part = track;
            part.subLane = static_cast<std::int32_t>(lane);
            add(std::move(part), std::move(packed[lane]), lane == kExactLanes);
        }
    }

    /// Time with communication in flight and neither compute nor memory running.
    void addWaiting(std::vector<TaskIndex> communication, std::vector<TaskIndex> work)
    {
        sortByIssue(communication);
        sortByIssue(work);
        auto waits = std::make_shared<TaskTimes>();
        std::size_t next = 0;          // first work task that may still cover something
        std::int64_t workedUntil = 0;  // all time before is settled
        const auto settle = [&](std::int64_t begin, std::int64_t finish) {
            std::int64_t from = std::max(begin, workedUntil);
            while (from < finish) {
                while (next < work.size() && end(work[next]) <= from)
                    ++next;
                const std::int64_t busyFrom = next < work.size() ? issue(work[next]) : std::numeric_limits<std::int64_t>::max();
                if (busyFrom > from) {
                    waits->issuePs.push_back(from);
                    waits->endPs.push_back(std::min(busyFrom, finish));
                }
                from = next < work.size() ? std::max(std::min(end(work[next]), finish), std::min(busyFrom, finish)) : finish;
            }
            workedUntil = std::max(workedUntil, finish);
        };
        for (std::size_t i = 0; i < communication.size();) {
            checkStop(m_stop);
            Span span{issue(communication[i]), end(communication[i])};
            for (++i; i < communication.size() && issue(communication[i]) <= span.end; ++i)
                span.end = std::max(span.end, end(communication[i]));
            settle(span.begin, span.end);
        }
        if (waits->issuePs.empty())
            return;
        std::vector<TaskIndex> order(waits->issuePs.size());
        for (std::size_t i = 0; i < order.size(); ++i)
            order[i] = static_cast<TaskIndex>(i);
        TimelineTrack track;
        track.kind = TimelineTrack::Kind::Waiting;
        lanes.push_back({std::move(track), std::make_shared<IntervalLane>(std::move(waits), nullptr, std::move(order), std::vector{Activity::Waiting}, false)});
    }

    std::vector<TimelineLane> lanes;

private:
    Activity activityOfTask(TaskIndex task) const
    {
        switch (m_graph->kind[at(task)]) {
        case TaskKind::MemoryLoad:
        case TaskKind::MemoryStore: return Activity::Memory;
        case TaskKind::Send:
        case TaskKind::Receive: return Activity::SendReceive;
        case TaskKind::Collective: return activityOf(m_graph->op[at(task)]);
        case TaskKind::Compute:
        case TaskKind::Metadata:
        case TaskKind::Invalid: break;
        }
        return Activity::Compute;
    }

    const std::stop_token& m_stop;
    std::shared_ptr<const TaskTimes> m_times;
    std::shared_ptr<const RankGraph> m_graph;
};

} // namespace

std::vector<TimelineLane> timelineLanes(std::shared_ptr<const TaskTimes> times, std::shared_ptr<const RankGraph> graph, SimTime finish,
                                        const std::vector<GroupFamily>& families, bool inOrder, const std::stop_token& stop)
{
    times = withEnds(std::move(times), finish);
    std::vector<TaskIndex> compute, host, memory, pointToPoint;
    std::map<FamilyId, std::vector<TaskIndex>> collectives;
    const auto tasks = std::min<std::size_t>(static_cast<std::size_t>(graph->size()), times->issuePs.size());
    for (std::size_t i = 0; i < tasks; ++i) {
        checkStop(stop);
        if (times->issuePs[i] < 0)
            continue;
        const auto task = static_cast<TaskIndex>(i);
        switch (graph->kind[i]) {
        case TaskKind::Compute: (graph->has(task, TaskFlag::kHost) ? host : compute).push_back(task); break;
        case TaskKind::MemoryLoad:
        case TaskKind::MemoryStore: memory.push_back(task); break;
        case TaskKind::Send:
        case TaskKind::Receive: pointToPoint.push_back(task); break;
        case TaskKind::Collective: collectives[graph->family[i]].push_back(task); break;
        case TaskKind::Metadata:
        case TaskKind::Invalid: break;
        }
    }

    Builder builder(times, graph, stop);
    std::vector<TaskIndex> communication = pointToPoint;
    std::vector<TaskIndex> work = compute;
    work.insert(work.end(), memory.begin(), memory.end());
    TimelineTrack track;
    builder.addPacked(track, std::move(compute));
    track.kind = TimelineTrack::Kind::Host;
    builder.addPacked(track, std::move(host));
    track.kind = TimelineTrack::Kind::Memory;
    builder.addPacked(track, std::move(memory));
    for (auto& [family, list] : collectives) {
        communication.insert(communication.end(), list.begin(), list.end());
        TimelineTrack lane;
        lane.kind = TimelineTrack::Kind::Collective;
        if (static_cast<std::size_t>(family) < families.size() && !families[at(family)].isWorld())
            lane.name = families[at(family)].name();
        if (inOrder)
            builder.add(std::move(lane), std::move(list), true);
        else
            builder.addPacked(lane, std::move(list));
    }
    track.kind = TimelineTrack::Kind::PointToPoint;
    builder.addPacked(track, std::move(pointToPoint));
    builder.addWaiting(std::move(communication), std::move(work));
    return std::move(builder.lanes);
}

} // namespace fabricscope
