#include "core/sim/events/messageroutes.h"

#include "core/base/index.h"
#include "core/sim/common/dimensionuses.h"

#include <algorithm>
#include <cassert>

namespace fabricscope::events {

Routes::Routes(const Structure& structure, const CostTable& costs)
    : m_structure(structure)
    , m_costs(costs)
    , m_byGraphLink(structure.platform.isExplicit() ? static_cast<std::size_t>(structure.platform.linkCount()) : 0, -1)
{
}

std::int32_t Routes::useLink(LinkId link)
{
    const auto number = static_cast<std::int32_t>(m_linkIds.size());
    std::int32_t& known = m_byGraphLink.empty() ? m_byLink.emplace(link, -1).first->second : m_byGraphLink[at(link)];
    if (known < 0) {
        known = number;
        m_linkIds.push_back(link);
    }
    return known;
}

LinkId Routes::placeOf(LinkId link) const
{
    if (m_folding)
        return m_folding->linkFor[at(link)];
    if (!m_folded)
        return link;
    const LinkInfo info = m_structure.platform.linkInfo(link);
    return link - LinkId{info.owner} * portsPerNpu(m_structure.platform.dimensions()[at(info.dimension)]);
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
    appendByEnds(source, target, m_scratch);
    add(source, target);
    return found->second;
}

/// As if no way depended on a flow.
void Routes::appendByEnds(NodeId source, NodeId target, std::vector<LinkId>& links) const
{
    if (m_router)
        m_router->policyRoute(source, target, links);
    else if (m_ways)
        m_ways->route(source, target, links);
    else
        m_structure.platform.route(source, target, links);
}

bool Routes::appendChosen(NodeId source, NodeId target, RouteFlow flow, std::vector<LinkId>& links)
{
    assert(!m_folded && !m_folding);
    if (m_router && m_router->dependsOnFlow())
        return m_router->route(source, target, flow, links);
    appendByEnds(source, target, links);
    return true;
}

std::int32_t Routes::findOpen(NodeId source, NodeId target, RouteFlow flow)
{
    m_scratch.clear();
    if (!m_router->route(source, target, flow, m_scratch))
        return -1;
    const auto [number, added] = byLinks(source, target);
    if (added)
        m_routes.back().open = true;
    return number;
}

std::int32_t Routes::beginningOf(std::int32_t number, std::int32_t hops)
{
    return goingOn(number, hops, {});
}

std::int32_t Routes::goingOn(std::int32_t number, std::int32_t hops, const std::vector<LinkId>& rest)
{
    const Route whole = m_routes[at(number)];
    m_scratch.clear();
    for (std::int32_t hop = 0; hop < hops; ++hop)
        m_scratch.push_back(linkIds()[at(link(whole, hop))]);
    m_scratch.insert(m_scratch.end(), rest.begin(), rest.end());
    const auto [first, added] = byLinks(whole.source, whole.target);
    if (added)
        m_routes.back().open = true;
    return first;
}

std::int32_t Routes::along(NodeId source, NodeId target, std::span<const std::int64_t> way)
{
    m_scratch.assign(way.begin(), way.end());
    const auto [number, added] = byLinks(source, target);
    if (added)
        m_routes.back().named = true;
    return number;
}

std::int32_t Routes::numberOf(LinkId link) const
{
    if (!m_byGraphLink.empty())
        return m_byGraphLink[at(link)];
    const auto found = m_byLink.find(link);
    return found == m_byLink.end() ? -1 : found->second;
}

std::pair<std::int32_t, bool> Routes::byLinks(NodeId source, NodeId target)
{
    assert(!m_folded && !m_folding);
    if (2 * (m_openCount + 1) > m_open.size())
        growOpen();
    std::uint64_t mixed = static_cast<std::uint32_t>(target);
    for (const LinkId link : m_scratch) {
        mixed = (mixed ^ static_cast<std::uint64_t>(link)) * 0x9e3779b97f4a7c15U;
        mixed ^= mixed >> 32;
    }
    const auto hash = static_cast<std::uint32_t>(mixed);
    std::size_t place = hash & (m_open.size() - 1);
    for (; m_open[place].route >= 0; place = (place + 1) & (m_open.size() - 1)) {
        if (m_open[place].hash == hash && isOver(m_routes[at(m_open[place].route)], target))
            return {m_open[place].route, false};
    }
    m_open[place] = {hash, static_cast<std::int32_t>(m_routes.size())};
    ++m_openCount;
    add(source, target);
    return {m_open[place].route, true};
}

bool Routes::isOver(const Route& route, NodeId target) const
{
    if (route.target != target || static_cast<std::size_t>(route.hops) != m_scratch.size())
        return false;
    for (std::int32_t hop = 0; hop < route.hops; ++hop) {
        if (m_linkIds[at(link(route, hop))] != m_scratch[at(hop)])
            return false;
    }
    return true;
}

void Routes::growOpen()
{
    const std::vector<Slot> before = std::exchange(m_open, std::vector<Slot>(std::max<std::size_t>(2 * m_open.size(), 16)));
    for (const Slot& slot : before) {
        std::size_t place = slot.hash & (m_open.size() - 1);
        while (slot.route >= 0 && m_open[place].route >= 0)
            place = (place + 1) & (m_open.size() - 1);
        if (slot.route >= 0)
            m_open[place] = slot;
    }
}

/// Adds the route over the links in m_scratch.
Route& Routes::add(NodeId source, NodeId target)
{
    const Platform& platform = m_structure.platform;
    Route route;
    route.begin = static_cast<std::int32_t>(m_links.size());
    route.hops = static_cast<std::int32_t>(m_scratch.size());
    route.source = source;
    route.target = m_folding ? m_folding->nodeFor[at(target)] : (m_folded ? 0 : target);
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
    const auto links = m_folding->linksOf(m_folding->ways[at(number)]);
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
