#pragma once

#include "core/platform/explicitgraph.h"
#include "core/platform/platform.h"

#include <cstdint>
#include <map>
#include <memory>
#include <unordered_map>
#include <utility>
#include <vector>

namespace fabricscope {

/// How a message finds its way.
enum class RoutePolicy : std::uint8_t {
    Shortest,       ///< Platform::route: fewest links, at every node the first listed; so of parallel links always the first.
    Ecmp,           ///< One of all ways with the fewest links, drawn at every node among the links that lead there, parallel ones too.
    DimensionOrder, ///< The dimensions of the platform one after the other, in a chosen order.
    Table           ///< As listed; what is not listed goes the shortest way.
};

/// A policy with its figures, for one platform. Plain value.
struct RoutingRules {
    RoutePolicy policy = RoutePolicy::Shortest;
    bool perMessage = false;         ///< Ecmp draws for every message; else for every stream between two nodes.
    std::vector<std::int32_t> order; ///< DimensionOrder: every dimension once; empty: lowest first.
    std::map<std::pair<NodeId, NodeId>, std::vector<LinkId>> routes; ///< Table: whole ways by (source, destination).
    std::map<std::pair<NodeId, NodeId>, LinkId> next;                ///< Table: next link by (where, destination).
};

/// Beyond this many links a platform of dimensions is not written out as a graph (makeFabricGraph).
constexpr LinkId kMaxGraphLinks = LinkId{1} << 20;

/// The platform as a graph with its own link numbers; the switches of Switch dimensions are nodes behind the NPUs, one per line.
/// What is removed from the platform is removed from the graph. O(links). \pre at most kMaxGraphLinks links.
std::shared_ptr<const ExplicitGraph> makeFabricGraph(const Platform& platform);

/// Refuses tables that lead in a circle, end elsewhere, or use removed links. O(table entries * links of a way + NPUs * destinations).
Status checkTable(const Platform& platform, const ExplicitGraph& graph, const RoutingRules& rules);

/// Ways by a policy over the links that are up. Belongs to one run; not for several threads.
class Router {
public:
    /// `graph` may be null for Shortest and DimensionOrder while no link goes down. The references must outlive the router.
    Router(const Platform& platform, const RoutingRules& rules, std::shared_ptr<const ExplicitGraph> graph, std::uint64_t seed);

    /// Does the way depend on what `route` is told about the flow?
    bool dependsOnFlow() const { return m_rules.policy == RoutePolicy::Ecmp; }
    bool perMessage() const { return m_rules.perMessage; }

    /// Appends the way from `from` to `to`; false, and nothing appended, when no way is up. Where the way of the policy is down, the
    /// first listed of the shortest ways that are up. `flow` names what is drawn for. `from` may be a switch. O(links of the way)
    /// once a destination has been asked for since the last change of a link, else O(nodes + links).
    bool route(NodeId from, NodeId to, std::uint64_t flow, std::vector<LinkId>& links);
    /// The way of the policy as if every link were up; under Ecmp that of Shortest. \pre two NPUs, and a table that checkTable() accepts.
    void policyRoute(NodeId from, NodeId to, std::vector<LinkId>& links) const;

    void setDown(LinkId link, bool down);
    bool isDown(LinkId link) const { return m_downLinks > 0 && m_down[static_cast<std::size_t>(link)]; }

private:
    using Distances = std::vector<std::int32_t>;
    const Distances& distancesTo(NodeId destination);
    bool isOpen(LinkId link) const { return !m_graph->isGone(link) && !isDown(link); }
    bool walk(NodeId from, NodeId to, std::uint64_t flow, bool draw, std::vector<LinkId>& links);
    LinkId nextLink(NodeId at, NodeId to) const;

    const Platform& m_platform;
    const RoutingRules& m_rules;
    std::shared_ptr<const ExplicitGraph> m_graph;
    std::uint64_t m_seed;
    std::vector<bool> m_down;
    std::int64_t m_downLinks = 0;
    std::unordered_map<NodeId, Distances> m_distances; ///< Links left to a destination, by node.
    std::vector<LinkId> m_choices;
};

} // namespace fabricscope
