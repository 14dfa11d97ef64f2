#pragma once

#include "core/record/runrecord.h"
#include "core/scenario/scenario.h"

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace fabricscope {

/// The tasks of a run by rank and time. What it makes for a class of ranks it makes when somebody asks.
class PathTasks {
public:
    PathTasks(const Scenario& scenario, const RunRecord& record);

    const RankGraph& graph(std::int32_t rank) const { return m_workload.graph(rank); }
    bool hasTimes(std::int32_t rank) const { return timesOf(rank) != nullptr; }
    std::int64_t issue(std::int32_t rank, TaskIndex task) const { return timesOf(rank)->issuePs[at(task)]; }
    std::int64_t end(std::int32_t rank, TaskIndex task) const { return timesOf(rank)->endPs[at(task)]; }
    /// Tasks of the rank that have ended, by when, of equals by number; and by when they were issued.
    std::span<const TaskIndex> byEnd(std::int32_t rank) { return indexOf(rank).byEnd; }
    std::span<const TaskIndex> byIssue(std::int32_t rank) { return indexOf(rank).byIssue; }
    std::span<const TaskIndex> endedAt(std::int32_t rank, std::int64_t ps);
    std::span<const TaskIndex> issuedAt(std::int32_t rank, std::int64_t ps);
    std::optional<TaskIndex> lastEndedBefore(std::int32_t rank, std::int64_t ps);
    /// The last message task of this kind, tag and peer (relative where graphs are shared) that was issued no later.
    std::optional<TaskIndex> lastPairTask(std::int32_t rank, TaskKind kind, std::int32_t peer, std::uint32_t tag, std::int64_t ps, bool anyPeer);
    /// The send of `source` that a receive belongs to: as many of that tag between the two come before either.
    std::optional<TaskIndex> partnerOf(std::int32_t rank, TaskIndex receive, std::int32_t source);
    /// The task of a collective on one of its members; -1: it has none.
    TaskIndex taskOf(std::int32_t rank, std::int32_t instance);
    /// The ranks that take part in the collective of a task, with their tasks. Under the astra-* models by the number of the collective in its group.
    std::vector<std::pair<std::int32_t, TaskIndex>> membersOf(std::int32_t rank, TaskIndex task);

    /// Of the collectives of the same group the rank's last that ended behind `fromPs` and before `toPs`, and was issued no later.
    std::optional<TaskIndex> collectiveBetween(std::int32_t rank, TaskIndex task, std::int64_t fromPs, std::int64_t toPs);

private:
    struct ByTime {
        std::vector<TaskIndex> byEnd;
        std::vector<TaskIndex> byIssue;
    };
    const TaskTimes* timesOf(std::int32_t rank) const { return m_record.classes[at(m_classOfRank[at(rank)])].tasks.get(); }
    const ByTime& indexOf(std::int32_t rank);
    /// Number of the collective among those of its family on the rank, by issue.
    std::vector<TaskIndex> ofFamily(std::int32_t rank, FamilyId family);

    const Scenario& m_scenario;
    const RunRecord& m_record;
    const Workload& m_workload;
    std::vector<std::int32_t> m_classOfRank;
    std::vector<ByTime> m_index; ///< By class.
    std::map<std::pair<const void*, const void*>, std::map<std::pair<FamilyId, std::int32_t>, TaskIndex>> m_ordinals; ///< By ordinals and graph.
};

} // namespace fabricscope
