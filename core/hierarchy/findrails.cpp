#include "core/hierarchy/findrails.h"

#include "core/base/index.h"
#include "core/hierarchy/hostlevels.h"

#include <utility>

namespace fabricscope {

namespace {

/// The host of each node: that of the NPUs that links of hosts join it with.
std::vector<std::int32_t> hostsOfNodes(const LevelGraph& graph, const HostRows& hosts, const std::vector<NodeId>& members)
{
    std::vector<std::int32_t> host(at(graph.nodes()), -1);
    std::vector<NodeId> queue;
    for (std::size_t row = 0; row < hosts.rows.size(); ++row) {
        for (const std::int32_t place : hosts.rows[row]) {
            const NodeId npu = members[at(place)];
            host[at(npu)] = static_cast<std::int32_t>(row);
            queue.push_back(npu);
        }
    }
    for (std::size_t head = 0; head < queue.size(); ++head) {
        for (const LevelGraph::Link& link : graph.outgoing(queue[head])) {
            if (link.rate < hosts.hostRate || host[at(link.to)] >= 0)
                continue;
            host[at(link.to)] = host[at(queue[head])];
            queue.push_back(link.to);
        }
    }
    return host;
}

} // namespace

std::optional<Rails> findRails(const Platform& platform, std::stop_token stop)
{
    if (const DeclaredNodes declared = DeclaredNodes::of(platform.spec()); declared.hasRails())
        return Rails::of(declared, platform.npuCount());
    const LevelGraph graph(platform, std::move(stop));
    std::vector<NodeId> members;
    for (NodeId npu = 0; npu < platform.npuCount(); ++npu) {
        if (!platform.isNpuRemoved(npu))
            members.push_back(npu);
    }
    if (members.size() < 2)
        return std::nullopt;
    const HostRows hosts = findHosts(graph, members);
    if (!hosts.equal || hosts.size() < 2 || !hosts.hasRails || hosts.noRails)
        return std::nullopt;
    Rails out;
    out.count = hosts.size();
    out.place.assign(at(platform.npuCount()), -1);
    for (const std::vector<std::int32_t>& row : hosts.rows) {
        for (const std::int32_t place : row) {
            out.place[at(members[at(place)])] = static_cast<std::int32_t>(out.npus.size());
            out.npus.push_back(members[at(place)]);
        }
    }
    out.host = hostsOfNodes(graph, hosts, members);
    return out;
}

} // namespace fabricscope
