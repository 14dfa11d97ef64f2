#include "core/sim/events/messageroutes.h"

#include "core/sim/common/dimensionuses.h"

namespace fabricscope::events {

Routes::Routes(const Structure& structure, const CostTable& costs)
    : m_structure(structure)
    , m_costs(costs)
{
}

std::int32_t Routes::useLink(LinkId link)
{
    const auto [found, added] = m_byLink.emplace(link, static_cast<std::int32_t>(m_linkIds.size()));
    if (added)
        m_linkIds.push_back(link);
    return found->second;
}

LinkId Routes::placeOf(LinkId link) const
{
    if (m_folding)
        return m_folding->linkFor[static_cast<std::size_t>(link)];
    if (!m_folded)
        return link;
    const LinkInfo info = m_structure.platform.linkInfo(link);
    return link - LinkId{info.owner} * portsPerNpu(m_structure.platform.dimensions()[static_cast<std::size_t>(info.dimension)]);
}

std::int32_t Routes::find(NodeId source, NodeId target)
{
    const std::int64_t key = static_cast<std::int64_t>(source) << 32 | static_cast<std::uint32_t>(target);
    const auto [found, added] = m_byEnds.emplace(key, static_cast<std::int32_t>(m_routes.size()));
    if (!added)
        return found->second;

    m_scratch.clear();
    if (m_folding) {
        addFolded(source, target);
        return found->second;
    }
    if (m_router)
        m_router->policyRoute(source, target, m_scratch);
    else if (m_ways)
        m_ways->route(source, target, m_scratch);
    else
        m_structure.platform.route(source, target, m_scratch);
    add(source, target);
    return found->second;
}

std::int32_t Routes::findOpen(NodeId source, NodeId target, RouteFlow flow)
{
    m_scratch.clear();
    if (!m_router->route(source, target, flow, m_scratch))
        return -1;
    const auto [found, added] = m_open.emplace(std::pair(target, m_scratch), static_cast<std::int32_t>(m_routes.size()));
    if (added)
        add(source, target).open = true;
    return found->second;
}

std::int32_t Routes::beginningOf(std::int32_t number, std::int32_t hops)
{
    const Route whole = m_routes[static_cast<std::size_t>(number)];
    m_scratch.clear();
    for (std::int32_t hop = 0; hop < hops; ++hop)
        m_scratch.push_back(linkIds()[static_cast<std::size_t>(link(whole, hop))]);
    const auto [found, added] = m_open.emplace(std::pair(whole.target, m_scratch), static_cast<std::int32_t>(m_routes.size()));
    if (added)
        add(whole.source, whole.target).open = true;
    return found->second;
}

std::int32_t Routes::along(NodeId source, NodeId target, std::span<const std::int64_t> way)
{
    m_scratch.assign(way.begin(), way.end());
    const auto [found, added] = m_open.emplace(std::pair(target, m_scratch), static_cast<std::int32_t>(m_routes.size()));
    if (added)
        add(source, target).named = true;
    return found->second;
}

std::int32_t Routes::numberOf(LinkId link) const
{
    const auto found = m_byLink.find(link);
    return found == m_byLink.end() ? -1 : found->second;
}

/// Adds the route over the links in m_scratch.
Route& Routes::add(NodeId source, NodeId target)
{
    const Platform& platform = m_structure.platform;
    Route route;
    route.begin = static_cast<std::int32_t>(m_links.size());
    route.hops = static_cast<std::int32_t>(m_scratch.size());
    route.source = source;
    route.target = m_folding ? m_folding->nodeFor[static_cast<std::size_t>(target)] : (m_folded ? 0 : target);
    for (std::size_t hop = 0; hop < m_scratch.size(); ++hop) {
        m_links.push_back(useLink(placeOf(m_scratch[hop])));
        m_ports.push_back(hop == 0 ? Platform::kOwnInjection : platform.inputPort(m_scratch[hop - 1], m_scratch[hop]));
        route.latency += m_costs.latency(m_structure.classOf(m_scratch[hop]));
    }
    if (!m_scratch.empty())
        route.endPort = platform.inputPort(m_scratch.back(), -1);
    return m_routes.emplace_back(route);
}

void Routes::addFolded(NodeId source, NodeId target)
{
    const std::int32_t number = m_folding->byEnds.at({source, target});
    const auto links = m_folding->linksOf(m_folding->ways[static_cast<std::size_t>(m_folding->wayOf[static_cast<std::size_t>(number)])]);
    m_scratch.assign(links.begin(), links.end());
    add(source, target).folded = number;
}

std::int32_t Routes::through(NodeId source, NodeId target, LinkId first, LinkId second)
{
    const Platform& platform = m_structure.platform;
    Route route;
    route.begin = static_cast<std::int32_t>(m_links.size());
    route.hops = 2;
    route.source = source;
    route.target = target;
    route.named = true;
    m_links.push_back(useLink(first));
    m_ports.push_back(Platform::kOwnInjection);
    m_links.push_back(useLink(second));
    m_ports.push_back(platform.inputPort(first, second));
    route.endPort = platform.inputPort(second, -1);
    route.latency = m_costs.latency(m_structure.classOf(first)) + m_costs.latency(m_structure.classOf(second));
    m_routes.push_back(route);
    return static_cast<std::int32_t>(m_routes.size()) - 1;
}

} // namespace fabricscope::events
