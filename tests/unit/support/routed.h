#pragma once

#include "core/platform/router.h"

#include <algorithm>
#include <map>
#include <memory>
#include <vector>

namespace fabricscope::test {

/// A platform with a router of its own.
struct Routed {
    Platform platform;
    RoutingRules rules;
    std::shared_ptr<const ExplicitGraph> graph;
    Router router;

    Routed(const PlatformSpec& spec, RoutePolicy policy, std::uint64_t seed = 0, std::int32_t version = 1)
        : platform(Platform::create(spec).value()), rules(rulesOf(policy, version)), graph(makeFabricGraph(platform)), router(platform, rules, graph, seed)
    {
    }
    static RoutingRules rulesOf(RoutePolicy policy, std::int32_t version)
    {
        RoutingRules rules;
        rules.policy = policy;
        rules.version = version;
        return rules;
    }
    std::vector<LinkId> way(NodeId from, NodeId to, std::uint64_t id = 0, std::uint64_t number = 0)
    {
        std::vector<LinkId> links;
        return router.route(from, to, RouteFlow{id, number}, links) ? links : std::vector<LinkId>();
    }
    /// Flows over each link that any crosses, where every NPU sends to the one `distance` on.
    std::map<LinkId, int> shifted(std::int32_t distance)
    {
        std::map<LinkId, int> flows;
        for (NodeId npu = 0; npu < platform.npuCount(); ++npu) {
            for (const LinkId link : way(npu, (npu + distance) % platform.npuCount()))
                ++flows[link];
        }
        return flows;
    }
};

/// Flows over the link that most cross.
inline int busiest(const std::map<LinkId, int>& flows)
{
    return std::max_element(flows.begin(), flows.end(), [](const auto& a, const auto& b) { return a.second < b.second; })->second;
}

} // namespace fabricscope::test
