#pragma once

#include "core/base/index.h"
#include "core/platform/explicitgraph.h"

#include <cstdint>
#include <vector>

namespace fabricscope {

/// The network cards of a graph, as machines that were read have them. A card is a switch with two neighbours, however many links lead there: its host, which is
/// nearer to an NPU than the card (a switch of the host, or the NPU whose own card it is), and the network, a switch no nearer than the card. So a spine between two
/// leaves of NPUs is none, nor is what joins two switches of a host, nor what stands between a host's switch and a leaf that has NPUs of its own. A leaf with one NPU
/// and one way up is one: it offers no more. Plain value; `graph` must outlive it.
class Cards {
public:
    /// O(nodes + links).
    explicit Cards(const ExplicitGraph& graph);

    bool isCard(NodeId node) const { return hostOf(node) >= 0; }
    /// The neighbour on the side of the host; -1: no card.
    NodeId hostOf(NodeId node) const { return m_host[at(node)]; }
    /// Does the way go over a card from its host to the network? Of a way that begins at a card its first link counts.
    bool leavesHost(const std::vector<LinkId>& way) const;
    /// Of links from one switch to cards of one host, on the way down to it, that to its card number `place` mod all cards there, in the order of ports, so that NPUs
    /// receive by the card of their place whichever leaf it hangs at; where it is not among them link number `place` mod the links. -1: they do not lead to such
    /// cards. \pre two links or more. O(links of the host's node).
    LinkId linkToCard(const std::vector<LinkId>& links, std::uint64_t place) const;

private:
    const ExplicitGraph& m_graph;
    std::vector<NodeId> m_host; ///< By node.
};

} // namespace fabricscope
