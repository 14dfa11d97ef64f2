#include "core/platform/networkcards.h"

#include "core/base/index.h"

#include <algorithm>
#include <utility>

namespace fabricscope {

namespace {

constexpr std::int32_t kFar = INT32_MAX;

/// Links from each node to its nearest NPU.
std::vector<std::int32_t> linksToNpus(const ExplicitGraph& graph)
{
    std::vector<std::int32_t> left(at(graph.nodeCount()), kFar);
    std::vector<NodeId> queue;
    for (NodeId node = 0; node < graph.nodeCount(); ++node) {
        if (graph.kind(node) == NodeKind::Npu) {
            left[at(node)] = 0;
            queue.push_back(node);
        }
    }
    for (std::size_t head = 0; head < queue.size(); ++head) {
        for (const LinkId link : graph.incoming(queue[head])) {
            const NodeId before = graph.from(link);
            if (left[at(before)] == kFar) {
                left[at(before)] = left[at(queue[head])] + 1;
                queue.push_back(before);
            }
        }
    }
    return left;
}

/// The two neighbours of a node that has no more and no fewer; else -1 twice.
std::pair<NodeId, NodeId> twoNeighbours(const ExplicitGraph& graph, NodeId node)
{
    std::pair<NodeId, NodeId> found{-1, -1};
    for (const LinkId link : graph.outgoing(node)) {
        const NodeId next = graph.to(link);
        if (next == found.first || next == found.second)
            continue;
        if (found.second >= 0)
            return {-1, -1};
        (found.first < 0 ? found.first : found.second) = next;
    }
    return found.second >= 0 ? found : std::pair<NodeId, NodeId>{-1, -1};
}

} // namespace

Cards::Cards(const ExplicitGraph& graph)
    : m_graph(graph)
    , m_host(at(graph.nodeCount()), -1)
{
    const std::vector<std::int32_t> left = linksToNpus(graph);
    for (NodeId node = 0; node < graph.nodeCount(); ++node) {
        if (graph.kind(node) != NodeKind::Switch)
            continue;
        auto [host, network] = twoNeighbours(graph, node);
        if (host < 0)
            continue;
        if (left[at(network)] < left[at(host)])
            std::swap(host, network);
        if (left[at(host)] < left[at(node)] && left[at(network)] >= left[at(node)] && graph.kind(network) == NodeKind::Switch)
            m_host[at(node)] = host;
    }
}

bool Cards::leavesHost(const std::vector<LinkId>& way) const
{
    return std::any_of(way.begin(), way.end(), [this](LinkId link) { return isCard(m_graph.from(link)) && m_graph.to(link) != hostOf(m_graph.from(link)); });
}

LinkId Cards::linkToCard(const std::vector<LinkId>& links, std::uint64_t place) const
{
    const NodeId host = hostOf(m_graph.to(links.front()));
    if (host < 0 || host == m_graph.from(links.front()) || !std::all_of(links.begin(), links.end(), [&](LinkId link) { return hostOf(m_graph.to(link)) == host; }))
        return -1;
    std::vector<NodeId> cards;
    for (const LinkId link : m_graph.outgoing(host)) {
        if (hostOf(m_graph.to(link)) == host && std::find(cards.begin(), cards.end(), m_graph.to(link)) == cards.end())
            cards.push_back(m_graph.to(link));
    }
    const auto own = cards.empty() ? links.end() : std::find_if(links.begin(), links.end(), [&](LinkId link) { return m_graph.to(link) == cards[place % cards.size()]; });
    return own == links.end() ? links[place % links.size()] : *own;
}

} // namespace fabricscope
