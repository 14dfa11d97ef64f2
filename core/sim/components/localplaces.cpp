#include "core/sim/components/localplaces.h"

#include "core/base/index.h"

#include <algorithm>
#include <map>

namespace fabricscope::events {

namespace {

/// More pairs of one program than this are not listed: the table would be larger than the run.
constexpr std::int64_t kMostPairs = std::int64_t{1} << 22;

using Pair = std::pair<std::int32_t, std::int32_t>; // positions: from, to

/// Every pair of positions between which a message may go, each once, in an order given by the program. Empty when there are too many.
std::vector<Pair> pairsOf(const Plan& plan, bool& usable)
{
    std::vector<Pair> pairs;
    if (plan.operations) {
        const ExplicitBody& body = plan.program->asExplicit();
        if (!body.routes.empty() || !body.teams.empty()) { // Links of one platform, or switches with state: no two groups are alike.
            usable = false;
            return {};
        }
        for (std::size_t operation = 0; operation < body.size(); ++operation) {
            if (body.kind[operation] != OpKind::Send || plan.operations->rank[operation] == body.peer[operation])
                continue;
            pairs.emplace_back(plan.operations->rank[operation], body.peer[operation]);
            if (body.receiveSlots > 0)
                pairs.emplace_back(body.peer[operation], plan.operations->rank[operation]); // The way a freed slot is told.
        }
    }
    for (const PhasePlan& phase : plan.phases) {
        if (phase.sequence == Sequence::InSwitch) {
            usable = false;
            return {};
        }
        const std::int64_t enough = std::int64_t{phase.extent} << 20; // No block is empty.
        for (std::int32_t position = 0; position < plan.size(); ++position) {
            const std::int32_t coordinate = phase.coordinate(position);
            const std::int32_t count = phase.sequence == Sequence::PassedOn ? 1 : phase.sendCount(coordinate);
            if (static_cast<std::int64_t>(pairs.size()) + count > kMostPairs) {
                usable = false;
                return {};
            }
            for (std::int32_t index = 0; index < count; ++index)
                pairs.emplace_back(position, phase.at(position, phase.send(coordinate, index, enough).peer));
        }
    }
    std::sort(pairs.begin(), pairs.end());
    pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
    return pairs;
}

} // namespace

Digest GroupPlacesCache::digestOf(const Program& program)
{
    const auto [entry, added] = m_programs.try_emplace(&program);
    if (added)
        entry->second = program.digest();
    return entry->second;
}

const GroupPlaces& GroupPlacesCache::of(const Plan& plan)
{
    const auto found = m_places.find(&plan);
    return found != m_places.end() ? found->second : m_places.emplace(&plan, made(plan)).first->second;
}

GroupPlaces GroupPlacesCache::made(const Plan& plan)
{
    GroupPlaces places;
    const Digest program = digestOf(*plan.program);
    std::vector<std::int64_t> words{static_cast<std::int64_t>(program.low), static_cast<std::int64_t>(program.high)};
    std::unordered_map<std::int32_t, std::int32_t> placeOf;
    for (const auto& [from, to] : pairsOf(plan, places.usable)) {
        const std::int32_t number = m_state.routes.find(plan.nodes[at(from)], plan.nodes[at(to)]);
        const Route& route = m_state.routes[number];
        words.insert(words.end(), {from, to, route.hops, route.endPort, route.latency});
        for (std::int32_t hop = 0; hop < route.hops; ++hop) {
            const std::int32_t link = m_state.routes.link(route, hop);
            const auto [entry, added] = placeOf.try_emplace(link, static_cast<std::int32_t>(places.links.size()));
            if (added)
                places.links.push_back(link);
            words.push_back(entry->second);
            words.push_back(m_state.routes.port(route, hop));
        }
    }
    m_state.network.useNewLinks();
    for (const std::int32_t number : places.links) {
        const Link& link = m_state.network.links()[at(number)];
        words.insert(words.end(), {m_state.params.linkRate[at(link.resource)].bytesPerSecond, link.latency, link.dimension});
    }
    for (const NodeId node : plan.nodes)
        words.push_back(m_state.network.endpoints()[at(node)].reducerRate);
    places.digest = fabricscope::digestOf(words);
    return places;
}

} // namespace fabricscope::events
