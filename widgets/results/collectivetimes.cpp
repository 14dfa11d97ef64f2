#include "widgets/results/collectivetimes.h"

#include "core/base/index.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <unordered_map>

namespace fabricscope {

namespace {

std::int32_t firstRank(const RankClass& rankClass)
{
    return static_cast<std::int32_t>(rankClass.ranks.intervals().front().first);
}

/// Calls `visit(task)` for every collective of a class that was issued.
template <class Visit>
void forCollectives(const RankClass& rankClass, const RankGraph& graph, Visit visit)
{
    const auto tasks = std::min(static_cast<std::size_t>(graph.size()), rankClass.tasks->issuePs.size());
    for (std::size_t i = 0; i < tasks; ++i)
        if (graph.kind[i] == TaskKind::Collective && rankClass.tasks->issuePs[i] >= 0)
            visit(static_cast<TaskIndex>(i));
}

void extend(CollectiveTimes& times, std::int64_t issue, std::int64_t end)
{
    times.beginPs = std::min(times.beginPs, issue);
    times.endPs = times.endPs < 0 || end < 0 ? -1 : std::max(times.endPs, end);
}

} // namespace

std::vector<CollectiveTimes> collectiveTimes(const RunResult& result, bool folded)
{
    const RunRecord& record = result.record();
    const Structure& structure = *result.scenario->structure;
    std::vector<CollectiveTimes> rows;
    std::map<std::tuple<FamilyId, std::int32_t, CollectiveOp, std::int64_t>, std::size_t> families;
    std::unordered_map<std::int32_t, std::size_t> instances;
    for (std::size_t c = 0; c < record.classes.size(); ++c) {
        const RankClass& rankClass = record.classes[c];
        if (!rankClass.tasks || rankClass.ranks.empty())
            continue;
        const RankGraph& graph = structure.workload->graph(firstRank(rankClass));
        const auto add = [&](TaskIndex task, auto& known, const auto& key, std::int32_t instance, std::int64_t groups) {
            const auto i = static_cast<std::size_t>(task);
            const std::int64_t issue = rankClass.tasks->issuePs[i];
            const std::int64_t end = rankClass.tasks->endPs[i];
            const auto [at, isNew] = known.try_emplace(key, rows.size());
            if (isNew) {
                rows.push_back({instance, static_cast<std::int32_t>(c), task, groups, issue, end});
                return;
            }
            CollectiveTimes& row = rows[at->second];
            const bool later = row.endPs >= 0 && (end < 0 || end > row.endPs);
            extend(row, issue, end);
            if (later)
                row.instance = instance;
        };
        forCollectives(rankClass, graph, [&](TaskIndex task) {
            const auto i = static_cast<std::size_t>(task);
            if (folded) {
                const std::int32_t instance = structure.instanceOf(firstRank(rankClass), task);
                const std::int32_t sequence = instance < 0 ? -1 - task : structure.instances[at(instance)].sequence;
                add(task, families, std::tuple(graph.family[i], sequence, graph.op[i], graph.bytes[i]), instance,
                    structure.workload->families[at(graph.family[i])].groupCount());
                return;
            }
            for (const RankSet::Interval& stretch : rankClass.ranks.intervals())
                for (std::int64_t rank = stretch.first; rank <= stretch.last; ++rank) {
                    const std::int32_t instance = structure.instanceOf(static_cast<std::int32_t>(rank), task);
                    if (instance >= 0)
                        add(task, instances, instance, instance, 1);
                }
        });
    }
    std::stable_sort(rows.begin(), rows.end(), [](const CollectiveTimes& a, const CollectiveTimes& b) {
        return a.beginPs != b.beginPs ? a.beginPs < b.beginPs : a.instance < b.instance;
    });
    return rows;
}

std::int64_t collectiveTimesCost(const RunResult& result, bool folded)
{
    std::int64_t steps = 0;
    for (const RankClass& rankClass : result.record().classes) {
        if (!rankClass.tasks)
            continue;
        const auto tasks = static_cast<std::int64_t>(rankClass.tasks->issuePs.size());
        steps += folded ? tasks : tasks * rankClass.ranks.count();
    }
    return steps;
}

CollectiveWhy collectiveWhy(const RunResult& result, std::int32_t rankClass, TaskIndex task, std::int64_t beginPs)
{
    const RunRecord& record = result.record();
    const Structure& structure = *result.scenario->structure;
    const RankClass& own = record.classes[at(rankClass)];
    const std::int64_t issue = own.tasks->issuePs[at(task)];
    const std::int64_t end = own.tasks->endPs[at(task)];

    CollectiveWhy why;
    why.instance = structure.instanceOf(firstRank(own), task);
    std::int64_t lastIssue = issue;
    if (why.instance >= 0) {
        const CollectiveInstance& instance = structure.instances[at(why.instance)];
        const GroupFamily& family = structure.workload->families[at(instance.family)];
        const auto inGroup = [&](std::int64_t rank) {
            const GroupFamily::Membership membership = family.membership(rank);
            return membership.size > 0 && membership.group == instance.group;
        };
        for (const RankClass& other : record.classes) {
            if (!other.tasks)
                continue;
            // Ranks of a class run the same tasks at the same times: one member of the group speaks for all.
            std::int64_t member = -1;
            for (auto stretch = other.ranks.intervals().begin(); stretch != other.ranks.intervals().end() && member < 0; ++stretch)
                for (std::int64_t rank = stretch->first; rank <= stretch->last && member < 0; ++rank)
                    if (inGroup(rank))
                        member = rank;
            if (member < 0)
                continue;
            const auto rank = static_cast<std::int32_t>(member);
            forCollectives(other, structure.workload->graph(rank), [&](TaskIndex candidate) {
                if (structure.instanceOf(rank, candidate) != why.instance)
                    return;
                const std::int64_t entered = other.tasks->issuePs[at(candidate)];
                if (entered > lastIssue) {
                    lastIssue = entered;
                    why.lastRank = rank;
                }
            });
        }
    }
    lastIssue = std::min(lastIssue, end);
    why.entering = lastIssue - issue;
    why.queued = std::max<std::int64_t>(std::min(beginPs, end) - lastIssue, 0);
    why.transfer = end - issue - why.entering - why.queued;
    return why;
}

} // namespace fabricscope
