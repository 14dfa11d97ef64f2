#include "core/sim/symmetry/tasktraffic.h"

#include "core/base/digest.h"
#include "core/base/index.h"
#include "core/base/stop.h"
#include "core/sim/symmetry/alike.h"
#include "core/workload/rankclasses.h"

#include <map>
#include <utility>

namespace fabricscope {

namespace {

/// Kinds times ranks: the same as GroupTraffic::kMostSends, of messages that are looked up one by one.
constexpr std::int64_t kMostTaskSends = std::int64_t{1} << 23;

class TaskReader {
public:
    TaskReader(const Scenario& scenario, GroupTraffic& traffic, const std::stop_token& stop)
        : m_scenario(scenario)
        , m_workload(*scenario.structure->workload)
        , m_traffic(traffic)
        , m_stop(stop)
    {
    }

    Status run();

private:
    /// Whom the k-th kind of sends or receives of every rank goes to or comes from.
    using Peers = std::vector<std::vector<std::int32_t>>;

    std::int32_t graphOf(std::int32_t rank) const { return m_workload.graphOfRank.empty() ? 0 : m_workload.graphOfRank[at(rank)]; }
    void splitByTasks();
    void splitByOrder();
    Status peersOf(TaskKind kind, Peers& peers) const;

    const Scenario& m_scenario;
    const Workload& m_workload;
    GroupTraffic& m_traffic;
    const std::stop_token& m_stop;
    std::vector<std::int32_t> m_likeGraph; ///< By graph: graphs with the same number differ in peers alone.
};

void TaskReader::splitByTasks()
{
    std::map<Digest, std::int32_t> known;
    for (const auto& graph : m_workload.graphs) {
        checkStop(m_stop);
        m_likeGraph.push_back(known.try_emplace(digestOfTasks(*graph), static_cast<std::int32_t>(known.size())).first->second);
    }
    std::vector<std::int32_t> likeRank;
    for (std::int32_t rank = 0; rank < m_workload.rankCount; ++rank)
        likeRank.push_back(m_likeGraph[at(graphOf(rank))]);
    m_traffic.splitRoles(likeRank);
}

/// Which collective of its group each one of a rank is.
void TaskReader::splitByOrder()
{
    const std::vector<Ordinals>& ordinals = m_scenario.structure->ordinalsOfRank;
    if (ordinals.size() < 2)
        return;
    std::map<const std::vector<std::int32_t>*, std::int32_t> byPointer;
    std::map<std::vector<std::int32_t>, std::int32_t> byContent;
    std::vector<std::int32_t> order;
    for (const Ordinals& each : ordinals) {
        checkStop(m_stop);
        const auto [entry, added] = byPointer.try_emplace(each.get(), -1);
        if (added && each)
            entry->second = byContent.try_emplace(*each, static_cast<std::int32_t>(byContent.size())).first->second;
        order.push_back(entry->second);
    }
    m_traffic.splitRoles(order);
}

/// Tasks of like graphs are of one kind where their peers are the same in each of these graphs. Kinds of unlike graphs share an entry, as their ranks differ.
Status TaskReader::peersOf(TaskKind kind, Peers& peers) const
{
    std::map<std::int32_t, std::vector<const RankGraph*>> alike;
    for (std::size_t graph = 0; graph < m_workload.graphs.size(); ++graph)
        alike[m_likeGraph[graph]].push_back(m_workload.graphs[graph].get());
    std::map<std::int32_t, std::vector<TaskIndex>> kindsOf; // One task of each kind.
    for (const auto& [number, graphs] : alike) {
        std::map<std::vector<std::int32_t>, TaskIndex> known;
        std::vector<std::int32_t> own(graphs.size());
        for (TaskIndex task = 0; task < graphs.front()->size(); ++task) {
            checkStop(m_stop);
            if (graphs.front()->kind[at(task)] != kind)
                continue;
            for (std::size_t graph = 0; graph < graphs.size(); ++graph)
                own[graph] = graphs[graph]->peer[at(task)];
            if (known.try_emplace(own, task).second)
                kindsOf[number].push_back(task);
            if (std::int64_t{m_workload.rankCount} * static_cast<std::int64_t>(known.size()) > kMostTaskSends)
                return noSymmetry("they send more kinds of messages than are looked at");
        }
    }
    for (std::int32_t rank = 0; rank < m_workload.rankCount; ++rank) {
        const std::vector<TaskIndex>& kinds = kindsOf[m_likeGraph[at(graphOf(rank))]];
        if (peers.size() < kinds.size())
            peers.resize(kinds.size(), std::vector<std::int32_t>(at(m_workload.rankCount), -1));
        for (std::size_t number = 0; number < kinds.size(); ++number) {
            checkStop(m_stop);
            const std::int32_t peer = m_workload.graph(rank).peerRank(kinds[number], rank);
            if (peer < 0 || peer >= m_workload.rankCount)
                return noSymmetry("rank " + std::to_string(rank) + " has messages for a rank that does not exist");
            peers[number][at(rank)] = peer;
        }
    }
    return {};
}

Status TaskReader::run()
{
    std::vector<bool> seen(m_workload.graphs.size(), false);
    for (std::int32_t rank = 0; rank < m_workload.rankCount; ++rank) {
        if (seen[at(graphOf(rank))])
            continue;
        seen[at(graphOf(rank))] = true;
        if (Status status = memoryApart(m_scenario, rank, m_stop); !status)
            return status;
    }
    splitByTasks();
    splitByOrder();
    Peers sends;
    if (Status status = peersOf(TaskKind::Send, sends); !status)
        return status;
    if (!sends.empty() && m_scenario.params->rendezvous)
        return noSymmetry("there are messages between two ranks, and receives are posted before they are sent");
    for (std::vector<std::int32_t>& kind : sends) {
        checkStop(m_stop);
        m_traffic.taskKinds.insert(m_traffic.addKind(std::move(kind)));
    }
    return peersOf(TaskKind::Receive, m_traffic.sources);
}

} // namespace

Status addTasks(const Scenario& scenario, GroupTraffic& traffic, const std::stop_token& stop)
{
    return TaskReader(scenario, traffic, stop).run();
}

} // namespace fabricscope
