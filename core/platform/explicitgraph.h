#pragma once

#include "core/base/index.h"
#include "core/platform/platform.h"

#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

namespace fabricscope {

/// Routes and ports of an explicit graph of NPUs, switches and memories. Immutable for its users and safe to share between threads.
/// Messages take the fewest links; at every node the first listed of those that lead there. Memories end routes and never forward.
class ExplicitGraph {
public:
    /// \pre links run between different nodes of 0..nodes.size()-1.
    ExplicitGraph(const NodeList& nodes, const LinkList& links);
    /// The same by kinds of nodes and ends of links; all NPUs may pass on. \pre from.size() == to.size().
    ExplicitGraph(std::vector<NodeKind> kinds, std::vector<NodeId> from, std::vector<NodeId> to);
    ~ExplicitGraph();
    ExplicitGraph(const ExplicitGraph&) = delete;
    ExplicitGraph& operator=(const ExplicitGraph&) = delete;

    /// Takes links and nodes (with all their links) out of every route; what an earlier call took out is back. Ports keep their numbers.
    /// \pre no route was asked for yet. One entry per link and per node.
    void remove(std::vector<bool> links, std::vector<bool> nodes);

    /// A pair of nodes (from, to) without a route although both are NPUs that are left; from == to when every NPU reaches every other. O(nodes + links), and
    /// for every NPU where NPUs that pass nothing on are joined by no switch that has a way from and to all. Throws StopRequested.
    std::pair<NodeId, NodeId> unreachablePair(std::int32_t npus, const std::stop_token& stop = {}) const;

    /// Appends the route; false (and nothing appended) when there is none. O(links of the route) once the destination was asked for
    /// before, else O(nodes + links).
    bool route(NodeId src, NodeId dst, std::vector<LinkId>& links) const;

    std::int32_t nodeCount() const { return static_cast<std::int32_t>(m_kinds.size()); }
    std::int64_t linkCount() const { return static_cast<std::int64_t>(m_from.size()); }
    NodeKind kind(NodeId node) const { return m_kinds[at(node)]; }
    /// A memory, or an NPU that passes nothing on: ways begin and end there only.
    bool endsRoutes(NodeId node) const { return kind(node) == NodeKind::Memory || (!m_ends.empty() && m_ends[at(node)]); }
    /// Taken out by remove().
    bool isGone(LinkId link) const { return !m_goneLinks.empty() && m_goneLinks[at(link)]; }
    NodeId from(LinkId link) const { return m_from[at(link)]; }
    NodeId to(LinkId link) const { return m_to[at(link)]; }
    /// Links that leave a node, in the order listed.
    std::span<const std::int32_t> outgoing(NodeId node) const;
    std::span<const std::int32_t> incoming(NodeId node) const;
    /// Position of a link among those that arrive at / leave the same node. O(log links of the node).
    std::int32_t inputPort(LinkId link) const;
    std::int32_t outputPort(LinkId link) const;
    /// 1 for the first link between two nodes in this direction, 2 for one parallel to it, and so on. O(links of the first).
    std::int32_t parallelNumber(LinkId link) const;

private:
    void group();
    /// For one destination: the link by which each node sends on; -1 where there is no way.
    using NextLinks = std::vector<std::int32_t>;
    std::unique_ptr<const NextLinks> computeNext(NodeId dst) const;
    /// The first NPU that is left and that has no way from (`forward`) or to a node; -1: none.
    NodeId firstUnreached(NodeId from, bool forward, std::int32_t npus) const;

    std::vector<NodeKind> m_kinds;
    std::vector<bool> m_ends; // NPUs that pass nothing on; empty: all do
    std::vector<bool> m_goneLinks; // empty: all are there
    std::vector<bool> m_goneNodes;
    LinkList m_listed;                    // What the ends are read from, where the graph was listed ...
    std::vector<NodeId> m_ownFrom;        // ... and else.
    std::vector<NodeId> m_ownTo;
    std::span<const NodeId> m_from;
    std::span<const NodeId> m_to;
    std::vector<std::int32_t> m_outBegin; // links of node i: m_out[m_outBegin[i]..m_outBegin[i + 1])
    std::vector<std::int32_t> m_out;
    std::vector<std::int32_t> m_inBegin;
    std::vector<std::int32_t> m_in;
    // Tables are pure functions of the graph, so it does not matter which thread stores one first.
    mutable std::vector<std::atomic<const NextLinks*>> m_next;
    mutable std::atomic<std::size_t> m_cachedTables{0};
};

} // namespace fabricscope
