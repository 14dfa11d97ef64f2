#include "core/platform/routetable.h"

#include <algorithm>
#include <string>
#include <vector>

namespace fabricscope {

namespace {

std::string nodeText(const Platform& platform, NodeId node)
{
    return platform.isExplicit() ? platform.spec().nodes.name(static_cast<std::size_t>(node)) : "NPU " + std::to_string(node);
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
        if (at != to && graph.endsRoutes(at))
            return tableError(name + " goes through " + (graph.kind(at) == NodeKind::Memory ? "a memory" : nodeText(platform, at)) + ", which does not forward", "a way over NPUs and switches that do");
        seen.push_back(at);
    }
    if (at != to)
        return tableError(name + " does not end there", "a last link that ends at the destination");
    return {};
}

} // namespace

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

} // namespace fabricscope
