#pragma once

#include "core/base/index.h"
#include "core/platform/balancedways.h"
#include "core/platform/router.h"
#include "core/scenario/scenario.h"
#include "core/sim/common/folding.h"

#include <cstdint>
#include <functional>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

namespace fabricscope::events {

/// The links a message crosses, as indices of links in use, with the input port it comes by at each of them and at the end.
struct Route {
    std::int32_t begin = 0;
    std::int32_t hops = 0;
    std::int32_t endPort = 0;    ///< Input port at the destination's reducer or ejection budget.
    NodeId source = 0;
    NodeId target = 0;
    std::int64_t latency = 0;    ///< Sum over the links, ps.
    bool named = false;          ///< A program names its links, or it leads over a switch that reduces or copies.
    bool open = false;           ///< Given by the router, over links that were up.
    std::int32_t folded = -1;    ///< Some ranks stand for all: its number in Folding::ways.
};

/// Ways of traffic that was answered as a whole, which no message of the engine took.
class OtherWays {
public:
    virtual ~OtherWays() = default;
    /// Shows them in the order in which messages would have asked for them, their links by the numbers of Routes, until `see` says false.
    virtual void forEach(const std::function<bool(NodeId source, NodeId target, std::span<const std::int32_t> links)>& see) const = 0;
};

/// Routes found so far. Links are numbered in the order they are first needed, so a platform of a million NPUs
/// costs only what its traffic touches.
class Routes {
public:
    explicit Routes(const Structure& structure, const CostTable& costs);

    /// From now on NPU 0 stands for all: every link counts as the link of NPU 0 at the same port (symmetricrun.h).
    /// \pre a platform of dimensions; only routes from node 0 are asked for.
    void fold() { m_folded = true; }
    bool isFolded() const { return m_folded; }
    /// From now on some ranks stand for all: every link counts as the one that stands for it. Only routes of those ranks are asked for.
    void fold(const Folding& folding) { m_folding = &folding; }
    const Folding* folding() const { return m_folding; }
    /// Number of the route between two nodes, computed once. One hash lookup; callers keep the number.
    std::int32_t find(NodeId source, NodeId target);
    /// Number of a route over these two links, for messages that meet somebody between them. O(1); one more each time.
    std::int32_t through(NodeId source, NodeId target, LinkId first, LinkId second);
    /// Number of the route over these links, which lead from source to target. One hash lookup; callers keep the number.
    std::int32_t along(NodeId source, NodeId target, std::span<const std::int64_t> way);
    /// Appends the way that the rules of ways choose, and keeps it nowhere; false, and nothing appended: there is none. `flow` counts only where a router
    /// chooses by it. \pre nothing is folded
    bool appendChosen(NodeId source, NodeId target, RouteFlow flow, std::vector<LinkId>& links);
    /// Number of a link that something crosses.
    std::int32_t use(LinkId link) { return useLink(link); }
    /// Somebody has taken these ways too; they must outlive this.
    void showToo(const OtherWays& ways) { m_others = &ways; }
    const OtherWays* others() const { return m_others; } ///< Null: there are none.
    /// Did the rules of ways choose it? Where a router chooses by flow, only what it gave counts.
    bool isChosen(std::int32_t route) const
    {
        const Route& taken = m_routes[at(route)];
        return !taken.named && (taken.open || !m_router || !m_router->dependsOnFlow());
    }
    /// Routes found so far.
    std::size_t count() const { return m_routes.size(); }
    const Route& operator[](std::int32_t route) const { return m_routes[at(route)]; }
    std::int32_t link(const Route& route, std::int32_t hop) const { return m_links[at(route.begin + hop)]; }
    std::int32_t port(const Route& route, std::int32_t hop) const { return m_ports[at(route.begin + hop)]; }
    /// From now on ways are these, by their ends.
    void setWays(const BalancedWays& ways) { m_ways = &ways; }
    /// From now on ways are those of the router's policy.
    void setRouter(Router* router) { m_router = router; }
    /// Number of the way the router gives now, over links that are up; -1: there is none. `source` may be a switch. O(links of the way).
    std::int32_t findOpen(NodeId source, NodeId target, RouteFlow flow);
    /// Number of the way over the first links of a route that findOpen() gave, which lead to its target. Likewise.
    std::int32_t beginningOf(std::int32_t route, std::int32_t hops);
    /// Number of the way over the first links of a route and then over `rest`, to its target. Likewise.
    std::int32_t goingOn(std::int32_t route, std::int32_t hops, const std::vector<LinkId>& rest);
    /// Number of a link of the platform; -1: no route needs it.
    std::int32_t numberOf(LinkId link) const;
    /// Appends the links of a route, as the platform numbers them.
    void appendLinks(std::int32_t route, std::vector<LinkId>& links) const
    {
        const Route& taken = m_routes[at(route)];
        for (std::int32_t hop = 0; hop < taken.hops; ++hop)
            links.push_back(m_linkIds[at(link(taken, hop))]);
    }
    /// Links in use: their numbers on the platform.
    const std::vector<LinkId>& linkIds() const { return m_linkIds; }

private:
    Route& add(NodeId source, NodeId target);
    /// The way to a node over the links in m_scratch, added if it is not known; and whether it was.
    std::pair<std::int32_t, bool> byLinks(NodeId source, NodeId target);
    bool isOver(const Route& route, NodeId target) const;
    void growOpen();
    std::int32_t useLink(LinkId link);
    LinkId placeOf(LinkId link) const;
    void addFolded(NodeId source, NodeId target);
    void appendByEnds(NodeId source, NodeId target, std::vector<LinkId>& links) const;

    const Structure& m_structure;
    const CostTable& m_costs;
    bool m_folded = false;
    const Folding* m_folding = nullptr;
    std::vector<Route> m_routes;
    std::vector<std::int32_t> m_links;
    std::vector<std::int32_t> m_ports;
    std::vector<LinkId> m_linkIds;
    std::unordered_map<std::int64_t, std::int32_t> m_byEnds;
    std::unordered_map<LinkId, std::int32_t> m_byLink; ///< Links of dimensions, of which a run may need few.
    std::vector<std::int32_t> m_byGraphLink;           ///< By link of a graph; -1: no route needs it.
    std::vector<LinkId> m_scratch;  ///< Links of the route being added.
    Router* m_router = nullptr;
    const BalancedWays* m_ways = nullptr;
    const OtherWays* m_others = nullptr;
    /// Of a table of ways by destination and links, at most half full; a run may take a way of its own for every message.
    struct Slot {
        std::uint32_t hash = 0;
        std::int32_t route = -1;
    };
    std::vector<Slot> m_open;       ///< Ways found by findOpen, beginningOf and along.
    std::size_t m_openCount = 0;
};

} // namespace fabricscope::events
