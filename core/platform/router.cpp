#include "core/platform/router.h"

#include "core/base/seededhash.h"

#include <algorithm>
#include <cassert>

namespace fabricscope {

namespace {

constexpr std::int32_t kFar = INT32_MAX;
/// Distances beyond this many bytes are forgotten and found again.
constexpr std::size_t kCacheBytes = std::size_t{256} << 20;

std::string nodeText(const Platform& platform, NodeId node)
{
    return platform.isExplicit() ? platform.spec().nodes[static_cast<std::size_t>(node)].name : "NPU " + std::to_string(node);
}

Error tableError(std::string message, std::string expected)
{
    return invalidInput(std::move(message), {}, std::move(expected));
}

/// Does the listed way lead from one end to the other, over each node once?
Status checkWay(const Platform& platform, const ExplicitGraph& graph, NodeId from, NodeId to, const std::vector<LinkId>& links)
{
    const std::string name = "the way from " + nodeText(platform, from) + " to " + nodeText(platform, to);
    std::vector<NodeId> seen{from};
    NodeId at = from;
    for (const LinkId link : links) {
        if (graph.isGone(link))
            return tableError(name + " takes the removed link " + platform.linkName(link), "links that are there");
        if (graph.from(link) != at)
            return tableError(name + " takes the link " + platform.linkName(link) + ", which does not begin where the one before ends", "links one after the other");
        at = graph.to(link);
        if (std::find(seen.begin(), seen.end(), at) != seen.end())
            return tableError(name + " goes in a circle at link " + platform.linkName(link), "a way over each node once");
        if (at != to && graph.kind(at) == NodeKind::Memory)
            return tableError(name + " goes through a memory, which does not forward", "a way over NPUs and switches");
        seen.push_back(at);
    }
    if (at != to)
        return tableError(name + " does not end there", "a last link that ends at the destination");
    return {};
}

} // namespace

std::shared_ptr<const ExplicitGraph> makeFabricGraph(const Platform& platform)
{
    assert(platform.linkCount() <= kMaxGraphLinks);
    std::vector<NodeKind> kinds;
    std::vector<NodeId> firstSwitch(platform.dimensions().size(), 0);
    if (platform.isExplicit()) {
        for (const ExplicitNode& node : platform.spec().nodes)
            kinds.push_back(node.kind);
    } else {
        kinds.assign(static_cast<std::size_t>(platform.npuCount()), NodeKind::Npu);
        for (std::size_t d = 0; d < firstSwitch.size(); ++d) {
            const Dimension& dimension = platform.dimensions()[d];
            firstSwitch[d] = static_cast<NodeId>(kinds.size());
            if (dimension.shape == Shape::Switch && dimension.size > 1)
                kinds.resize(kinds.size() + static_cast<std::size_t>(platform.npuCount() / dimension.size), NodeKind::Switch);
        }
    }
    const auto switchOf = [&](const LinkInfo& info) {
        const auto d = static_cast<std::size_t>(info.dimension);
        const std::int64_t stride = platform.stride(d);
        const std::int64_t line = info.owner / (stride * platform.dimensions()[d].size) * stride + info.owner % stride;
        return firstSwitch[d] + static_cast<NodeId>(line);
    };
    std::vector<NodeId> from;
    std::vector<NodeId> to;
    std::vector<bool> gone;
    for (LinkId link = 0; link < platform.linkCount(); ++link) {
        const LinkInfo info = platform.linkInfo(link);
        from.push_back(info.from >= 0 ? info.from : switchOf(info));
        to.push_back(info.to >= 0 ? info.to : switchOf(info));
        gone.push_back(platform.hasRemovals() && platform.isRemoved(link));
    }
    const std::size_t nodes = kinds.size();
    auto graph = std::make_shared<ExplicitGraph>(std::move(kinds), std::move(from), std::move(to));
    if (platform.hasRemovals())
        graph->remove(std::move(gone), std::vector<bool>(nodes, false));
    return graph;
}

Status checkTable(const Platform& platform, const ExplicitGraph& graph, const RoutingRules& rules)
{
    for (const auto& [ends, links] : rules.routes) {
        if (Status status = checkWay(platform, graph, ends.first, ends.second, links); !status)
            return status;
    }
    std::vector<NodeId> destinations;
    for (const auto& [place, link] : rules.next) {
        if (graph.from(link) != place.first)
            return tableError("the next link " + platform.linkName(link) + " does not begin at " + nodeText(platform, place.first), "a link of that node");
        if (graph.isGone(link))
            return tableError("the next link " + platform.linkName(link) + " is removed", "a link that is there");
        destinations.push_back(place.second);
    }
    std::sort(destinations.begin(), destinations.end());
    destinations.erase(std::unique(destinations.begin(), destinations.end()), destinations.end());
    // Listed and shortest hops together may still go round, so every way is walked.
    const std::shared_ptr<const ExplicitGraph> shared(&graph, [](const ExplicitGraph*) {});
    const Router router(platform, rules, shared, 0);
    std::vector<LinkId> links;
    for (const NodeId to : destinations) {
        for (NodeId from = 0; from < platform.npuCount(); ++from) {
            if (from == to || platform.isNpuRemoved(from) || rules.routes.contains({from, to}))
                continue;
            links.clear();
            router.policyRoute(from, to, links);
            if (Status status = checkWay(platform, graph, from, to, links); !status)
                return status;
        }
    }
    return {};
}

Router::Router(const Platform& platform, const RoutingRules& rules, std::shared_ptr<const ExplicitGraph> graph, std::uint64_t seed)
    : m_platform(platform)
    , m_rules(rules)
    , m_graph(std::move(graph))
    , m_seed(seed)
{
}

void Router::setDown(LinkId link, bool down)
{
    if (m_down.empty())
        m_down.resize(static_cast<std::size_t>(m_platform.linkCount()), false);
    if (m_down[static_cast<std::size_t>(link)] == down)
        return;
    m_down[static_cast<std::size_t>(link)] = down;
    m_downLinks += down ? 1 : -1;
    m_distances.clear();
}

const Router::Distances& Router::distancesTo(NodeId destination)
{
    if (const auto known = m_distances.find(destination); known != m_distances.end())
        return known->second;
    const auto nodes = static_cast<std::size_t>(m_graph->nodeCount());
    if ((m_distances.size() + 1) * nodes * sizeof(std::int32_t) > kCacheBytes)
        m_distances.clear();
    Distances& distances = m_distances[destination];
    distances.assign(nodes, kFar);
    distances[static_cast<std::size_t>(destination)] = 0;
    std::vector<NodeId> queue{destination};
    for (std::size_t head = 0; head < queue.size(); ++head) {
        const NodeId node = queue[head];
        if (node != destination && m_graph->kind(node) == NodeKind::Memory)
            continue;
        for (const std::int32_t link : m_graph->incoming(node)) {
            const NodeId before = m_graph->from(link);
            if (!isOpen(link) || distances[static_cast<std::size_t>(before)] != kFar)
                continue;
            distances[static_cast<std::size_t>(before)] = distances[static_cast<std::size_t>(node)] + 1;
            queue.push_back(before);
        }
    }
    return distances;
}

/// The shortest open way; at every node the first listed link, or one drawn.
bool Router::walk(NodeId from, NodeId to, std::uint64_t flow, bool draw, std::vector<LinkId>& links)
{
    const Distances& distances = distancesTo(to);
    if (distances[static_cast<std::size_t>(from)] == kFar)
        return false;
    for (NodeId node = from; node != to; node = m_graph->to(links.back())) {
        const std::int32_t left = distances[static_cast<std::size_t>(node)];
        m_choices.clear();
        for (const std::int32_t link : m_graph->outgoing(node)) {
            const NodeId after = m_graph->to(link);
            const bool forwards = after == to || m_graph->kind(after) != NodeKind::Memory;
            if (isOpen(link) && forwards && distances[static_cast<std::size_t>(after)] == left - 1)
                m_choices.push_back(link);
        }
        std::size_t choice = 0;
        if (draw && m_choices.size() > 1)
            choice = seededHash(m_seed, {from, to, static_cast<std::int64_t>(flow), node}) % m_choices.size();
        links.push_back(m_choices[choice]);
    }
    return true;
}

/// Table: the next link from a node towards a destination, the listed one or the first of the shortest way.
LinkId Router::nextLink(NodeId at, NodeId to) const
{
    if (const auto listed = m_rules.next.find({at, to}); listed != m_rules.next.end())
        return listed->second;
    if (m_platform.isExplicit() || at < m_platform.npuCount()) {
        std::vector<LinkId> rest;
        m_platform.route(at, to, rest);
        return rest.front();
    }
    // A switch of a dimension: down to the NPU that has the coordinate of the destination, or the first one that is there.
    LinkId first = -1;
    for (const std::int32_t link : m_graph->outgoing(at)) {
        if (m_graph->isGone(link))
            continue;
        const auto dimension = static_cast<std::size_t>(m_platform.linkInfo(link).dimension);
        if (m_platform.coordinate(m_graph->to(link), dimension) == m_platform.coordinate(to, dimension))
            return link;
        first = first < 0 ? link : first;
    }
    return first;
}

void Router::policyRoute(NodeId from, NodeId to, std::vector<LinkId>& links) const
{
    switch (m_rules.policy) {
    case RoutePolicy::Shortest:
    case RoutePolicy::Ecmp:
        m_platform.route(from, to, links);
        break;
    case RoutePolicy::DimensionOrder: {
        NodeId at = from;
        const auto cross = [&](std::size_t dimension) {
            const NodeId next = m_platform.withCoordinate(at, dimension, m_platform.coordinate(to, dimension));
            m_platform.route(at, next, links);
            at = next;
        };
        for (const std::int32_t dimension : m_rules.order)
            cross(static_cast<std::size_t>(dimension));
        for (std::size_t d = 0; m_rules.order.empty() && d < m_platform.dimensions().size(); ++d)
            cross(d);
        break;
    }
    case RoutePolicy::Table: {
        if (const auto listed = m_rules.routes.find({from, to}); listed != m_rules.routes.end()) {
            links.insert(links.end(), listed->second.begin(), listed->second.end());
            return;
        }
        // A table that has not been checked may go in a circle: it is cut there.
        NodeId at = from;
        for (std::int32_t hops = 0; at != to && hops <= m_graph->nodeCount(); ++hops) {
            links.push_back(nextLink(at, to));
            at = m_graph->to(links.back());
        }
        break;
    }
    }
}

bool Router::route(NodeId from, NodeId to, std::uint64_t flow, std::vector<LinkId>& links)
{
    if (from == to)
        return true;
    if (m_rules.policy == RoutePolicy::Ecmp)
        return walk(from, to, flow, true, links);
    const std::size_t begin = links.size();
    if (from < m_platform.npuCount()) {
        policyRoute(from, to, links);
        const auto first = links.begin() + static_cast<std::ptrdiff_t>(begin);
        if (std::none_of(first, links.end(), [this](LinkId link) { return isDown(link); }))
            return true;
        links.resize(begin);
    }
    return walk(from, to, flow, false, links);
}

} // namespace fabricscope
