#pragma once

#include "core/platform/networkcards.h"
#include "core/platform/declarednodes.h"
#include "core/platform/distances.h"
#include "core/platform/explicitgraph.h"
#include "core/platform/groupways.h"
#include "core/platform/leaforder.h"
#include "core/platform/npulinks.h"
#include "core/platform/platform.h"
#include "core/platform/hostrails.h"
#include "core/platform/routepolicies.h"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace fabricscope {

/// A policy with its figures, for one platform. Plain value.
struct RoutingRules {
    RoutePolicy policy = RoutePolicy::Shortest;
    /// Of the rules of models. From 2 on NPUs pass on as Forwarding::Direct (where that leaves no way, all do), and Ecmp too keeps a choice unless
    /// that is down, as the policies that came with 2 always do. Under 1 all NPUs pass on, and Ecmp draws again among the links that are up.
    std::int32_t version = 1;
    bool perMessage = false;         ///< Ecmp draws for every message; else for every stream between two nodes.
    std::vector<std::int32_t> order; ///< DimensionOrder: every dimension, or axis that the graph declares, once; empty: lowest first.
    std::map<std::pair<NodeId, NodeId>, std::vector<LinkId>> routes; ///< Table: whole ways by (source, destination).
    std::shared_ptr<const Rails> rails;                              ///< RailAware: hosts and rails; null: as the generator of the graph declares them.
    std::map<std::pair<NodeId, NodeId>, LinkId> next;                ///< Table: next link by (where, destination).
};

/// Beyond this many links a platform of dimensions is not written out as a graph (makeFabricGraph), and listed nodes and links keep the shortest ways.
constexpr LinkId kMaxGraphLinks = LinkId{1} << 21;
/// The same of the nodes and links that a generator writes out; it writes out no more (kMaxPlatformCables).
constexpr LinkId kMaxGeneratedLinks = LinkId{1} << 23;

/// The most links with which such a platform is routed as a graph.
LinkId mostGraphLinks(const Platform& platform);

/// The platform as a graph with its own link numbers; the switches of Switch dimensions are nodes behind the NPUs, one per line.
/// What is removed from the platform is removed from the graph. Of nodes and links it is that of the platform, else O(links). \pre at most mostGraphLinks() links.
std::shared_ptr<const ExplicitGraph> makeFabricGraph(const Platform& platform);

/// Ways by a policy over the links that are up. Belongs to one run; not for several threads.
class Router {
public:
    /// `graph` may be null for Shortest and DimensionOrder while no link goes down. The references must outlive the router.
    Router(const Platform& platform, const RoutingRules& rules, std::shared_ptr<const ExplicitGraph> graph, std::uint64_t seed);

    /// Does the way depend on what `route` is told about the flow?
    bool dependsOnFlow() const { return rowOf(m_rules.policy).flows || walksFirst(); }
    /// Does RouteFlow::number count?
    bool numbersFlows() const { return rowOf(m_rules.policy).numbers; }
    bool perMessage() const { return m_rules.perMessage; }

    /// Appends the way from `from` to `to`; false, and nothing appended, when no way is up. Where the way of the policy is down: if it chooses
    /// among links, it chooses again where its choice is; else the first listed of the shortest ways that are up. `flow` names what is chosen
    /// for. `from` may be a switch. O(links of the way) once a destination has been asked for since the last change of a link, else O(nodes + links).
    bool route(NodeId from, NodeId to, RouteFlow flow, std::vector<LinkId>& links);
    bool route(NodeId from, NodeId to, std::uint64_t flow, std::vector<LinkId>& links) { return route(from, to, RouteFlow{flow, 0}, links); }
    /// The way of the policy as if every link were up; where it depends on the flow that of Shortest. \pre two NPUs, and a table that checkTable() (routetable.h) accepts.
    void policyRoute(NodeId from, NodeId to, std::vector<LinkId>& links) const;

    // For policies that look at queues.
    bool looksAtQueues() const { return rowOf(m_rules.policy).queues; }
    /// Appends the links of `node` that are up and lead one link closer to `to` over what is up, in the order of ports; under Adaptive straight from group to group,
    /// where the graph has some. None: there is no way. `passing`: the message has not begun there. As route().
    void closerLinks(NodeId node, NodeId to, bool passing, std::vector<LinkId>& links);
    /// Appends `first` and the straight way on from where it ends. \pre closerLinks() gave `first`
    void straightOver(LinkId first, NodeId to, RouteFlow flow, std::vector<LinkId>& links);
    /// Appends the way from `node` by the node or group that Valiant draws for a message from `from` to `to`; false, and nothing appended: there is none.
    bool drawnWay(NodeId node, NodeId from, NodeId to, RouteFlow flow, std::vector<LinkId>& links);
    /// Is all of a way settled at `node`, from where `on` leads straight on? At switches from which it does not go over a network card out of a host any more;
    /// everywhere in a graph without switches. O(links of the way).
    bool settlesAt(NodeId node, const std::vector<LinkId>& on);
    /// Links between two switches; in a graph without switches all.
    std::int64_t switchLinks(const std::vector<LinkId>& links) const;

    void setDown(LinkId link, bool down);
    bool isDown(LinkId link) const { return m_downLinks > 0 && m_down[static_cast<std::size_t>(link)]; }

private:
    /// Ways to one destination, over all links or those that are up, and who passes on.
    struct Asked {
        NodeId destination = 0;
        bool up = false;
        Forwarding forwarding = Forwarding::All;
        friend auto operator<=>(const Asked&, const Asked&) = default;
    };
    const Distances& distances(const Asked& asked);
    /// Direct over all links, as far as ways from `from` need it; null: not reached, or so many ask for ways to `to` that all distances cost less.
    const Distances* nearDistances(NodeId from, NodeId to);
    /// Direct over all links from one NPU to another, by rows that all NPUs behind a switch share; null: the graph has no such rows, or there is no way.
    const Distances* distancesOverSwitches(NodeId from, NodeId to);
    /// Those that a message at `from` goes by: of fewer NPUs that pass on, if there is a way.
    const Distances& distancesFrom(NodeId from, NodeId to, bool up, const RoutePolicyRow& row);
    bool isOpen(LinkId link) const { return !m_graph->isGone(link) && !isDown(link); }
    /// Does the policy choose link by link although it is told nothing?
    bool walksFirst() const
    {
        return m_graph && ((m_rules.version >= 2 && m_rules.policy == RoutePolicy::Shortest) || (m_rules.policy == RoutePolicy::DimensionOrder && m_platform.isExplicit()));
    }
    bool keepsChoices() const { return m_rules.version >= 2 || m_rules.policy > RoutePolicy::Table; }
    bool walk(NodeId from, NodeId to, const RouteFlow& flow, const RoutePolicyRow& row, std::vector<LinkId>& links);
    /// The node by which a policy with one sends; -1: the message goes straight.
    NodeId middleOf(NodeId from, NodeId to, const RouteFlow& flow);
    /// The same of groups, where the graph has some.
    std::int32_t middleGroup(std::int32_t from, std::int32_t to, const RouteChoice& at) const;
    bool hasSwitches() const;
    /// As walk(), but from one group to another by no third.
    bool straight(NodeId from, NodeId to, const RouteFlow& flow, const RoutePolicyRow& row, std::vector<LinkId>& links);
    bool bySibling(NodeId from, NodeId to, const RouteFlow& flow, const RoutePolicyRow& row, std::vector<LinkId>& links);
    const DeclaredNodes& declared();
    const Cards& cards();
    const Rails* rails();
    GroupWays* groups();
    /// Leaves of m_choices those along the first axis.
    void keepFirstAxis();
    LinkId chosen(RouteChoice& at, const RoutePolicyRow& row, LinkId mirrored, std::uint64_t digits);
    LinkId nextLink(NodeId at, NodeId to) const;

    const Platform& m_platform;
    const RoutingRules& m_rules;
    std::shared_ptr<const ExplicitGraph> m_graph;
    std::uint64_t m_seed;
    std::vector<bool> m_down;
    std::int64_t m_downLinks = 0;
    std::map<Asked, Distances> m_distances;
    std::size_t m_distanceBytes = 0;
    Distances m_near;                        ///< What nearDistances() gave last.
    Distances m_overSwitches;                ///< Likewise, from m_rows.
    std::optional<SwitchRows> m_rows;        ///< Where they apply, once it has been asked whether.
    bool m_asked = false;
    std::vector<std::int64_t> m_nearLooked;  ///< By destination: links it has looked at.
    std::vector<LinkId> m_choices; ///< At one node.
    std::vector<std::uint64_t> m_digits; ///< What the choice at each node of one way was made by.
    std::vector<NodeId> m_middles; ///< All that middleOf() draws among; empty: not asked for.
    std::optional<DeclaredNodes> m_declared; ///< Once a policy has asked for it.
    std::optional<GroupWays> m_groups;
    std::optional<Rails> m_rails; ///< Declared ones, once they have been asked for.
    std::vector<std::size_t> m_rankOfAxis; ///< Place of each axis in the order.
    mutable std::optional<bool> m_hasSwitches; ///< Once it has been asked.
    FastestLinks m_fastest;
    std::optional<Cards> m_cards;      ///< Once it has been asked for.
    std::optional<LeafOrder> m_leaves; ///< Where the policy chooses by places, once it has been asked.
};

} // namespace fabricscope
