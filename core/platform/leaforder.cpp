#include "core/platform/leaforder.h"

#include "core/base/index.h"

#include <algorithm>

namespace fabricscope {

LeafOrder::LeafOrder(const ExplicitGraph& graph, const Cards& cards)
    : m_graph(graph)
    , m_begin(at(graph.nodeCount()), 0)
    , m_upper(m_begin.size(), false)
    , m_place(at(graph.linkCount()), 0)
{
    std::int64_t begin[2] = {0, 0}; // Of switches that lead to NPUs only, and of the others.
    std::vector<NodeId> seenBy(m_begin.size(), -1);
    std::vector<std::int32_t> place(m_begin.size(), 0);
    std::vector<bool> hasCard(m_begin.size(), false); // By NPU.
    for (NodeId node = 0; node < graph.nodeCount(); ++node) {
        if (graph.kind(node) != NodeKind::Switch)
            continue;
        std::int32_t npus = 0;
        for (const std::int32_t link : graph.outgoing(node)) {
            const NodeId next = graph.to(link);
            if (graph.kind(next) == NodeKind::Switch)
                m_upper[at(node)] = true;
            if (graph.kind(next) != NodeKind::Npu)
                continue;
            if (seenBy[at(next)] != node) {
                seenBy[at(next)] = node;
                place[at(next)] = npus;
                const bool own = cards.hostOf(node) == next;
                npus += own && hasCard[at(next)] ? 0 : 1;
                hasCard[at(next)] = hasCard[at(next)] || own;
            }
            m_place[at(link)] = place[at(next)];
        }
        std::int64_t& ofKind = begin[m_upper[at(node)] ? 1 : 0];
        m_begin[at(node)] = ofKind;
        ofKind += npus;
    }
}

std::uint64_t LeafOrder::placeOf(NodeId npu, NodeId from) const
{
    const auto leadsTo = [this](NodeId node, NodeId end) {
        const auto links = m_graph.outgoing(node);
        return std::any_of(links.begin(), links.end(), [&](std::int32_t link) { return m_graph.to(link) == end; });
    };
    NodeId leaf = -1;
    int rank = 3; // Of what has been found: 0 a switch of both, 1 one that leads to others, 2 any.
    for (const std::int32_t link : m_graph.incoming(npu)) {
        const NodeId node = m_graph.from(link);
        if (m_graph.kind(node) != NodeKind::Switch || node == leaf)
            continue;
        const int now = leadsTo(from, node) ? 0 : m_upper[at(node)] ? 1 : 2;
        if (now < rank || (now == rank && node < leaf)) {
            leaf = node;
            rank = now;
        }
    }
    if (leaf < 0)
        return static_cast<std::uint64_t>(npu);
    const auto links = m_graph.incoming(npu);
    const auto last = std::find_if(links.begin(), links.end(), [&](std::int32_t link) { return m_graph.from(link) == leaf; });
    return static_cast<std::uint64_t>(m_begin[at(leaf)] + m_place[at(*last)]);
}

} // namespace fabricscope
