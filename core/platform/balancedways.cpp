#include "core/platform/balancedways.h"

#include "core/platform/unequalgroups.h"

namespace fabricscope {

BalancedWays::BalancedWays(const Platform& platform)
    : m_platform(platform)
    , m_rules(rules())
{
}

std::int32_t BalancedWays::rulesFor(const Platform& platform, std::int32_t number)
{
    return platform.isExplicit() && !isUnequalGroups(platform.spec()) ? number : 1;
}

RoutingRules BalancedWays::rules()
{
    RoutingRules rules;
    rules.policy = RoutePolicy::Balanced;
    rules.version = 2;
    return rules;
}

bool BalancedWays::route(NodeId from, NodeId to, std::vector<LinkId>& links) const
{
    const std::scoped_lock lock(m_mutex);
    if (!m_router)
        m_router = std::make_unique<Router>(m_platform, m_rules, makeFabricGraph(m_platform), 0);
    return m_router->route(from, to, RouteFlow{}, links);
}

} // namespace fabricscope
