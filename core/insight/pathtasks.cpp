#include "core/insight/pathtasks.h"

#include "core/base/index.h"

#include <algorithm>
#include <numeric>

namespace fabricscope {

PathTasks::PathTasks(const Scenario& scenario, const RunRecord& record)
    : m_scenario(scenario)
    , m_record(record)
    , m_workload(*scenario.structure->workload)
    , m_classOfRank(static_cast<std::size_t>(m_workload.rankCount), 0)
    , m_index(record.classes.size())
{
    for (std::size_t row = 0; row < record.classes.size(); ++row) {
        for (const RankSet::Interval& interval : record.classes[row].ranks.intervals()) {
            for (std::int64_t rank = interval.first; rank <= interval.last && rank < m_workload.rankCount; ++rank)
                m_classOfRank[at(rank)] = static_cast<std::int32_t>(row);
        }
    }
}

const PathTasks::ByTime& PathTasks::indexOf(std::int32_t rank)
{
    ByTime& index = m_index[at(m_classOfRank[at(rank)])];
    const TaskTimes* const times = timesOf(rank);
    if (!index.byEnd.empty() || !times)
        return index;
    for (TaskIndex task = 0; task < static_cast<TaskIndex>(times->endPs.size()); ++task) {
        if (times->endPs[at(task)] >= 0)
            index.byEnd.push_back(task);
    }
    index.byIssue = index.byEnd;
    std::stable_sort(index.byEnd.begin(), index.byEnd.end(), [&](TaskIndex a, TaskIndex b) { return times->endPs[at(a)] < times->endPs[at(b)]; });
    std::stable_sort(index.byIssue.begin(), index.byIssue.end(), [&](TaskIndex a, TaskIndex b) { return times->issuePs[at(a)] < times->issuePs[at(b)]; });
    return index;
}

std::span<const TaskIndex> PathTasks::endedAt(std::int32_t rank, std::int64_t ps)
{
    const std::vector<TaskIndex>& list = indexOf(rank).byEnd;
    const auto first = std::lower_bound(list.begin(), list.end(), ps, [&](TaskIndex task, std::int64_t time) { return end(rank, task) < time; });
    const auto last = std::upper_bound(first, list.end(), ps, [&](std::int64_t time, TaskIndex task) { return time < end(rank, task); });
    return {first, last};
}

std::span<const TaskIndex> PathTasks::issuedAt(std::int32_t rank, std::int64_t ps)
{
    const std::vector<TaskIndex>& list = indexOf(rank).byIssue;
    const auto first = std::lower_bound(list.begin(), list.end(), ps, [&](TaskIndex task, std::int64_t time) { return issue(rank, task) < time; });
    const auto last = std::upper_bound(first, list.end(), ps, [&](std::int64_t time, TaskIndex task) { return time < issue(rank, task); });
    return {first, last};
}

std::optional<TaskIndex> PathTasks::lastEndedBefore(std::int32_t rank, std::int64_t ps)
{
    const std::vector<TaskIndex>& list = indexOf(rank).byEnd;
    const auto found = std::lower_bound(list.begin(), list.end(), ps, [&](TaskIndex task, std::int64_t time) { return end(rank, task) < time; });
    return found == list.begin() ? std::nullopt : std::optional(*(found - 1));
}

std::optional<TaskIndex> PathTasks::lastPairTask(std::int32_t rank, TaskKind kind, std::int32_t peer, std::uint32_t tag, std::int64_t ps, bool anyPeer)
{
    const RankGraph& tasks = graph(rank);
    const std::vector<TaskIndex>& list = indexOf(rank).byIssue;
    auto found = std::upper_bound(list.begin(), list.end(), ps, [&](std::int64_t time, TaskIndex task) { return time < issue(rank, task); });
    while (found != list.begin()) {
        const TaskIndex task = *--found;
        if (tasks.kind[at(task)] == kind && tasks.tag[at(task)] == tag && (anyPeer || tasks.peerRank(task, rank) == peer))
            return task;
    }
    return std::nullopt;
}

std::optional<TaskIndex> PathTasks::partnerOf(std::int32_t rank, TaskIndex receive, std::int32_t source)
{
    const RankGraph& own = graph(rank);
    const std::uint32_t tag = own.tag[at(receive)];
    std::int64_t before = 0;
    for (const TaskIndex task : indexOf(rank).byIssue) {
        if (task == receive)
            break;
        before += own.kind[at(task)] == TaskKind::Receive && own.tag[at(task)] == tag && own.peerRank(task, rank) == source ? 1 : 0;
    }
    if (source < 0 || source >= m_workload.rankCount || !hasTimes(source))
        return std::nullopt;
    const RankGraph& theirs = graph(source);
    for (const TaskIndex task : indexOf(source).byIssue) {
        if (theirs.kind[at(task)] == TaskKind::Send && theirs.tag[at(task)] == tag && theirs.peerRank(task, source) == rank && before-- == 0)
            return task;
    }
    return std::nullopt;
}

TaskIndex PathTasks::taskOf(std::int32_t rank, std::int32_t instance)
{
    const Structure& structure = *m_scenario.structure;
    if (instance < 0 || static_cast<std::size_t>(instance) >= structure.instances.size() || structure.ordinalsOfRank.empty())
        return -1;
    const Ordinals& ordinals = structure.ordinalsOfRank[structure.ordinalsOfRank.size() == 1 ? 0 : at(rank)];
    if (!ordinals)
        return -1;
    const RankGraph& tasks = graph(rank);
    auto& known = m_ordinals[{ordinals.get(), &tasks}];
    if (known.empty()) {
        for (TaskIndex task = 0; task < tasks.size() && at(task) < ordinals->size(); ++task) {
            if (tasks.kind[at(task)] == TaskKind::Collective && (*ordinals)[at(task)] >= 0)
                known.try_emplace({tasks.family[at(task)], (*ordinals)[at(task)]}, task);
        }
    }
    const CollectiveInstance& which = structure.instances[at(instance)];
    const std::int32_t ordinal = instance - structure.instanceBase[at(which.family)][at(which.group)];
    const auto found = known.find({which.family, ordinal});
    return found == known.end() ? -1 : found->second;
}

std::optional<TaskIndex> PathTasks::collectiveBetween(std::int32_t rank, TaskIndex task, std::int64_t fromPs, std::int64_t toPs)
{
    const RankGraph& tasks = graph(rank);
    const std::vector<TaskIndex>& list = indexOf(rank).byEnd;
    auto found = std::lower_bound(list.begin(), list.end(), toPs, [&](TaskIndex other, std::int64_t time) { return end(rank, other) < time; });
    while (found != list.begin() && end(rank, *(found - 1)) > fromPs) {
        const TaskIndex other = *--found;
        if (tasks.kind[at(other)] == TaskKind::Collective && tasks.family[at(other)] == tasks.family[at(task)] && issue(rank, other) <= issue(rank, task))
            return other;
    }
    return std::nullopt;
}

std::vector<TaskIndex> PathTasks::ofFamily(std::int32_t rank, FamilyId family)
{
    std::vector<TaskIndex> found;
    const RankGraph& tasks = graph(rank);
    for (const TaskIndex task : indexOf(rank).byIssue) {
        if (tasks.kind[at(task)] == TaskKind::Collective && tasks.family[at(task)] == family)
            found.push_back(task);
    }
    return found;
}

std::vector<std::pair<std::int32_t, TaskIndex>> PathTasks::membersOf(std::int32_t rank, TaskIndex task)
{
    std::vector<std::pair<std::int32_t, TaskIndex>> members;
    const FamilyId family = graph(rank).family[at(task)];
    const GroupFamily& groups = m_workload.families[at(family)];
    const GroupFamily::Membership own = groups.membership(rank);
    const std::int32_t instance = m_scenario.structure->instanceOf(rank, task);
    std::map<std::int32_t, std::vector<TaskIndex>> ofClass;
    std::size_t number = 0;
    if (instance < 0) {
        const std::vector<TaskIndex> all = ofFamily(rank, family);
        number = static_cast<std::size_t>(std::find(all.begin(), all.end(), task) - all.begin());
    }
    for (std::int64_t position = 0; position < own.size; ++position) {
        const auto member = static_cast<std::int32_t>(groups.member(own.group, position));
        if (instance >= 0) {
            if (const TaskIndex theirs = taskOf(member, instance); theirs >= 0)
                members.emplace_back(member, theirs);
            continue;
        }
        const auto [entry, fresh] = ofClass.try_emplace(m_classOfRank[at(member)]);
        if (fresh)
            entry->second = ofFamily(member, family);
        if (number < entry->second.size())
            members.emplace_back(member, entry->second[number]);
    }
    return members;
}

} // namespace fabricscope
