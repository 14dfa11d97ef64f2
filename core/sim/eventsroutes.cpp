#include "core/sim/eventsroutes.h"

namespace fabricscope::events {

std::int32_t portsPerNpu(const Dimension& dimension)
{
    return dimension.shape == Shape::Switch && dimension.size > 1 ? 2 : dimension.linksPerNpu();
}

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

    const Platform& platform = m_structure.platform;
    m_scratch.clear();
    platform.route(source, target, m_scratch);
    Route route;
    route.begin = static_cast<std::int32_t>(m_links.size());
    route.hops = static_cast<std::int32_t>(m_scratch.size());
    route.source = source;
    route.target = m_folded ? 0 : target;
    for (std::size_t hop = 0; hop < m_scratch.size(); ++hop) {
        m_links.push_back(useLink(placeOf(m_scratch[hop])));
        m_ports.push_back(hop == 0 ? Platform::kOwnInjection : platform.inputPort(m_scratch[hop - 1], m_scratch[hop]));
        route.latency += m_costs.latency(m_structure.classOf(m_scratch[hop]));
    }
    if (!m_scratch.empty())
        route.endPort = platform.inputPort(m_scratch.back(), -1);
    m_routes.push_back(route);
    return found->second;
}

} // namespace fabricscope::events
