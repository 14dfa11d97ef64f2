#include "core/step/collectivelist.h"

#include "core/base/stoppablesort.h"

#include <algorithm>
#include <map>
#include <utility>

namespace fabricscope {

namespace {

/// Ranks of one class that run the same tasks and number their collectives alike: all they differ in is the group.
struct Alike {
    std::vector<std::int32_t> ranks;
};

using AlikeKey = std::pair<const RankGraph*, const std::vector<std::int32_t>*>;

std::map<AlikeKey, Alike> alikeRanks(const Structure& structure, const RankClass& entry)
{
    std::map<AlikeKey, Alike> parts;
    for (const RankSet::Interval& interval : entry.ranks.intervals()) {
        for (std::int64_t rank = interval.first; rank <= interval.last; ++rank) {
            const auto& ordinals = structure.ordinalsOfRank;
            const auto own = ordinals.size() == 1 ? std::size_t{0} : static_cast<std::size_t>(rank);
            if (own >= ordinals.size() || !ordinals[own])
                continue;
            parts[{&structure.workload->graph(static_cast<std::int32_t>(rank)), ordinals[own].get()}].ranks.push_back(static_cast<std::int32_t>(rank));
        }
    }
    return parts;
}

class ListBuilder {
public:
    ListBuilder(const Scenario& scenario, const std::stop_token& stop)
        : m_stop(stop)
        , m_structure(*scenario.structure)
        , m_workload(*scenario.structure->workload)
        , m_ends(m_structure.instances.size(), 0)
    {
    }

    std::vector<InstanceRun> build(const RunRecord& record);

private:
    void describe(InstanceRun& run, const CollectiveInstance& instance);
    void addTimes(const AlikeKey& key, const Alike& alike, const TaskTimes& times);

    const std::stop_token& m_stop;
    const Structure& m_structure;
    const Workload& m_workload;
    std::vector<InstanceRun> m_runs;
    std::vector<std::int64_t> m_ends; ///< Members that have ended.
    std::map<std::pair<FamilyId, std::int64_t>, std::string> m_ranks; ///< Text of a group's members.
};

std::vector<InstanceRun> ListBuilder::build(const RunRecord& record)
{
    for (const CollectiveInstance& instance : m_structure.instances) {
        checkStop(m_stop);
        InstanceRun& run = m_runs.emplace_back();
        run.instance = static_cast<std::int32_t>(m_runs.size() - 1);
        describe(run, instance);
    }
    for (const RankClass& entry : record.classes) {
        if (!entry.tasks)
            continue;
        for (const auto& [key, alike] : alikeRanks(m_structure, entry))
            addTimes(key, alike, *entry.tasks);
    }
    for (InstanceRun& run : m_runs) {
        if (m_ends[static_cast<std::size_t>(run.instance)] < run.size)
            run.endPs = -1;
    }
    sortUntilStopped(m_runs, [](const InstanceRun& a, const InstanceRun& b) {
        return (a.beginPs < 0) != (b.beginPs < 0) ? b.beginPs < 0 : a.beginPs < b.beginPs;
    }, m_stop);
    return std::move(m_runs);
}

void ListBuilder::describe(InstanceRun& run, const CollectiveInstance& instance)
{
    const GroupFamily& family = m_workload.families[static_cast<std::size_t>(instance.family)];
    run.op = instance.op;
    run.family = instance.family;
    run.familyName = family.isWorld() ? std::string() : family.name();
    run.group = instance.group;
    run.call = instance.sequence;
    run.size = static_cast<std::int32_t>(family.groupSize(instance.group));
    run.bytes = instance.bytes;
    if (instance.program && instance.replayPs < 0) {
        run.steppable = true;
        run.chunks = instance.program->isTemplate() ? instance.program->chunks : 1;
        run.algorithm = instance.program->name;
    }
    std::string& ranks = m_ranks[{instance.family, instance.group}];
    if (ranks.empty()) {
        std::vector<std::int64_t> members;
        for (std::int32_t position = 0; position < run.size; ++position)
            members.push_back(family.member(instance.group, position));
        std::sort(members.begin(), members.end());
        RankSet set;
        for (const std::int64_t rank : members)
            set.add(rank);
        ranks = set.text();
    }
    run.ranks = ranks;
}

void ListBuilder::addTimes(const AlikeKey& key, const Alike& alike, const TaskTimes& times)
{
    const RankGraph& graph = *key.first;
    const std::vector<std::int32_t>& ordinals = *key.second;
    std::vector<std::map<std::int64_t, std::int64_t>> groups(m_workload.families.size()); // Members of a group among the ranks.
    std::vector<bool> known(m_workload.families.size(), false);
    for (TaskIndex task = 0; task < graph.size(); ++task) {
        checkStop(m_stop);
        const auto at = static_cast<std::size_t>(task);
        if (graph.kind[at] != TaskKind::Collective || at >= ordinals.size() || ordinals[at] < 0 || at >= times.issuePs.size() || times.issuePs[at] < 0)
            continue;
        const auto family = static_cast<std::size_t>(graph.family[at]);
        if (family >= m_structure.instanceBase.size())
            continue;
        if (!known[family]) {
            known[family] = true;
            for (const std::int32_t rank : alike.ranks) {
                const GroupFamily::Membership membership = m_workload.families[family].membership(rank);
                if (membership.size > 0)
                    ++groups[family][membership.group];
            }
        }
        for (const auto& [group, members] : groups[family]) {
            const std::int32_t instance = m_structure.instanceBase[family][static_cast<std::size_t>(group)] + ordinals[at];
            InstanceRun& run = m_runs[static_cast<std::size_t>(instance)];
            if (run.name.empty())
                run.name = graph.name(task);
            run.beginPs = run.beginPs < 0 ? times.issuePs[at] : std::min(run.beginPs, times.issuePs[at]);
            if (times.endPs[at] >= 0) {
                run.endPs = std::max(run.endPs, times.endPs[at]);
                m_ends[static_cast<std::size_t>(instance)] += members;
            }
        }
    }
}

} // namespace

std::vector<InstanceRun> collectivesOf(const Scenario& scenario, const RunRecord& record, const std::stop_token& stop)
{
    if (!traitsOf(scenario.model).ownCollectives)
        return {};
    return ListBuilder(scenario, stop).build(record);
}

} // namespace fabricscope
