#include "core/scenario/streampairs.h"

#include "core/base/index.h"

#include <algorithm>
#include <set>
#include <tuple>
#include <vector>

namespace fabricscope {

namespace {

constexpr std::int64_t kMostSteps = std::int64_t{1} << 22;

/// Families whose groups send, and the other ranks that tasks of a graph send to, each once.
struct Senders {
    std::vector<FamilyId> families;
    std::vector<std::vector<std::int32_t>> peers; ///< By graph, as RankGraph::peer.
};

Senders sendersOf(const Workload& workload)
{
    Senders senders;
    std::set<FamilyId> families;
    for (const auto& graph : workload.graphs) {
        std::set<std::int32_t> peers;
        for (std::size_t task = 0; task < graph->kind.size(); ++task) {
            if (graph->kind[task] == TaskKind::Send)
                peers.insert(graph->peer[task]);
            else if (graph->kind[task] == TaskKind::Collective)
                families.insert(graph->family[task]);
        }
        senders.peers.emplace_back(peers.begin(), peers.end());
    }
    senders.families.assign(families.begin(), families.end());
    return senders;
}

} // namespace

bool streamsMeet(const Workload& workload)
{
    const Senders senders = sendersOf(workload);
    const bool sends = std::any_of(senders.peers.begin(), senders.peers.end(), [](const auto& peers) { return !peers.empty(); });
    if (senders.families.empty() || (senders.families.size() == 1 && !sends))
        return false; // Groups of one family share no rank, and a pair is one stream.
    std::int64_t steps = 0;
    struct Group {
        std::size_t family = 0;
        std::int64_t number = 0;
    };
    // Two groups that share two ranks are met at the second.
    std::set<std::tuple<std::size_t, std::int64_t, std::size_t, std::int64_t>> shared;
    std::vector<Group> groups;
    for (std::int32_t rank = 0; rank < workload.rankCount; ++rank) {
        groups.clear();
        for (std::size_t family = 0; family < senders.families.size(); ++family) {
            const auto place = workload.families[at(senders.families[family])].membership(rank);
            if (place.size > 1)
                groups.push_back({family, place.group});
        }
        steps += static_cast<std::int64_t>(groups.size() * groups.size());
        if (steps > kMostSteps)
            return true;
        for (std::size_t a = 0; a < groups.size(); ++a) {
            for (std::size_t b = a + 1; b < groups.size(); ++b) {
                if (!shared.emplace(groups[a].family, groups[a].number, groups[b].family, groups[b].number).second)
                    return true;
            }
        }
        const auto graph = workload.graphOfRank.empty() ? std::size_t{0} : static_cast<std::size_t>(workload.graphOfRank[at(rank)]);
        steps += static_cast<std::int64_t>(senders.peers[graph].size() * (groups.size() + 1));
        if (steps > kMostSteps)
            return true;
        for (const std::int32_t peer : senders.peers[graph]) {
            const std::int64_t other = std::int64_t{peer} + (workload.graphs[graph]->peerIsRelative ? rank : 0);
            for (const Group& group : groups) {
                const auto place = workload.families[at(senders.families[group.family])].membership(other);
                if (other >= 0 && other < workload.rankCount && place.size > 1 && place.group == group.number)
                    return true;
            }
        }
    }
    return false;
}

} // namespace fabricscope
