#pragma once

#include "core/base/index.h"
#include "core/record/runrecord.h"
#include "core/sim/events/flownetwork.h"
#include "core/sim/events/messageroutes.h"

#include <algorithm>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

namespace fabricscope::events {

/// Busy time of a dimension under `flow`: amounts spread evenly over the time of a flow, in the buckets of BusyPyramid.
class SpreadBusy {
public:
    /// `amount` ps of busy links over [begin, end). O(buckets covered), one division. \pre begin < end
    void add(std::int64_t begin, std::int64_t end, std::int64_t amount);
    BusyPyramid pyramid() const { return BusyPyramid::restored(m_width, m_busy); }

private:
    std::int64_t m_width = BusyPyramid{}.bucketPs();
    std::vector<std::int64_t> m_busy;
};

/// What the event engine keeps for `flow` beside EngineState; rules in flowmodel.h, use in flowmessages.cpp.
struct FlowState {
    /// Messages of one stream over one route.
    struct Connection {
        std::int32_t stream = 0;
        std::int32_t next = -1;      ///< Another one of this route.
        std::int32_t arrivals = -1;  ///< Messages that became ready in this instant.
        std::int32_t head = -1;      ///< Those that wait.
        std::int32_t tail = -1;
        bool carries = false;        ///< A flow of it is under way.
        bool several = false;        ///< More than one arrival in this instant.
        bool dirty = false;
    };
    /// How far a message is, by its number.
    struct Transfer {
        std::int64_t start = 0;
        std::int32_t connection = -1;
        bool arrived = false;
        bool reduced = false;
    };
    struct Owner {
        std::int32_t message = -1;
        bool reduction = false;
    };

    FlowState(const Routes& routes_, std::int64_t fastest, std::size_t dimensions)
        : routes(routes_), network(fastest), busy(dimensions)
    {
    }

    std::int32_t connectionOf(std::int32_t route, std::int32_t stream);
    void touch(std::int32_t connection);
    /// Resources of a route, made when first asked for: `rateOf(link)` gives the rate of a link in use; budgets of 0 are none. `crossbarOf(link)`: number and
    /// rate of the crossbar before it, rate 0: none.
    template <typename RateOf, typename CrossbarOf>
    std::span<const FlowNetwork::Crossing> resourcesOf(std::int32_t route, RateOf&& rateOf, CrossbarOf&& crossbarOf, std::int64_t injection, std::int64_t ejection);
    std::int32_t reducerOf(NodeId node, std::int64_t rate) { return shared(m_reducers, node, rate); }
    /// The link in use that this resource is; -1: it is no link.
    std::int32_t linkOf(std::int32_t resource) const { return at(resource) < m_linkOfResource.size() ? m_linkOfResource[at(resource)] : -1; }
    void own(std::int32_t flow, Owner owner);
    Transfer& transfer(std::int32_t message);
    std::int64_t bytes() const;

    const Routes& routes;
    FlowNetwork network;
    std::vector<SpreadBusy> busy;                 ///< As Network::busy().
    std::vector<Connection> connections;
    std::vector<std::int32_t> dirty;              ///< Connections.
    std::vector<std::int32_t> ended;
    std::int64_t scheduled = FlowNetwork::kNever; ///< The earliest event that looks at ends.
    std::vector<Owner> owners;                    ///< By flow.
    std::vector<FlowNetwork::Use> uses;           ///< Where somebody follows the links.

private:
    struct Crossed {
        std::int32_t begin = -1; ///< -1: not asked for yet.
        std::int32_t count = 0;
    };
    bool isCrossed(std::int32_t resource, std::int32_t begin) const;
    void cross(std::int32_t resource, std::int32_t begin);
    std::int32_t shared(std::unordered_map<NodeId, std::int32_t>& places, NodeId node, std::int64_t rate);

    std::vector<std::int32_t> m_firstOfRoute;     ///< Connections.
    std::vector<Transfer> m_transfers;
    std::vector<Crossed> m_crossed;               ///< By route: places in m_resources.
    std::vector<FlowNetwork::Crossing> m_resources;
    std::vector<std::int32_t> m_crossedAt;        ///< By resource: its place in m_resources on the way that crossed it last.
    std::vector<std::int32_t> m_resourceOfLink;   ///< By number of the link in use; -1: none yet.
    std::vector<std::int32_t> m_linkOfResource;   ///< -1: no link.
    std::unordered_map<NodeId, std::int32_t> m_injections;
    std::unordered_map<NodeId, std::int32_t> m_ejections;
    std::unordered_map<NodeId, std::int32_t> m_reducers;
    std::unordered_map<std::int32_t, std::int32_t> m_crossbars; ///< By number.
};

template <typename RateOf, typename CrossbarOf>
std::span<const FlowNetwork::Crossing> FlowState::resourcesOf(std::int32_t number, RateOf&& rateOf, CrossbarOf&& crossbarOf, std::int64_t injection, std::int64_t ejection)
{
    const auto index = static_cast<std::size_t>(number);
    if (m_crossed.size() <= index)
        m_crossed.resize(index + 1);
    Crossed& crossed = m_crossed[index];
    if (crossed.begin < 0) {
        crossed.begin = static_cast<std::int32_t>(m_resources.size());
        const Route& route = routes[number];
        for (std::int32_t hop = 0; hop < route.hops; ++hop) {
            const std::int32_t link = routes.link(route, hop);
            if (m_resourceOfLink.size() <= static_cast<std::size_t>(link))
                m_resourceOfLink.resize(static_cast<std::size_t>(link) + 1, -1);
            std::int32_t& resource = m_resourceOfLink[at(link)];
            if (resource < 0) {
                resource = network.addResource(rateOf(link));
                m_linkOfResource.resize(network.resourceCount(), -1);
                m_linkOfResource.back() = link;
            }
            cross(resource, crossed.begin);
        }
        for (std::int32_t hop = 1; hop < route.hops; ++hop) {
            const auto [place, rate] = crossbarOf(routes.link(route, hop));
            if (rate == 0)
                continue;
            // A flow has a resource once, also where its way comes back to a switch.
            const std::int32_t resource = shared(m_crossbars, place, rate);
            if (!isCrossed(resource, crossed.begin))
                m_resources.push_back({resource});
        }
        if (injection > 0)
            m_resources.push_back({shared(m_injections, route.source, injection)});
        if (ejection > 0)
            m_resources.push_back({shared(m_ejections, route.target, ejection)});
        crossed.count = static_cast<std::int32_t>(m_resources.size()) - crossed.begin;
    }
    return {m_resources.data() + crossed.begin, static_cast<std::size_t>(crossed.count)};
}

} // namespace fabricscope::events
