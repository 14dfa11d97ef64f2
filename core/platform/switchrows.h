#pragma once

#include "core/base/index.h"
#include "core/platform/explicitgraph.h"

#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <span>
#include <vector>

namespace fabricscope {

/// Links between switches, by the switch that a way ends at: what all NPUs behind it share. Where no link joins two NPUs and none passes on between switches, every
/// way from one NPU to another is a link to a switch, a way over switches, and a link from the last one. Belongs to one router; not for several threads.
class SwitchRows {
public:
    static constexpr std::int32_t kFar = INT32_MAX;

    /// Whether it holds for a graph. O(nodes + links).
    static bool appliesTo(const ExplicitGraph& graph);

    /// Links over switches alone, all counted that are there, to one switch that ways end at. Holds until forget().
    struct Row {
        /// Ways from elsewhere to chain[0] go over chain[1], and so on, which no other switch leads to; the last of the chain is the anchor.
        std::array<NodeId, 4> chain{};
        std::int32_t links = 0;             ///< From the anchor to chain[0].
        NodeId first = 0;                   ///< The node that `left` begins with.
        /// To the anchor, by node but the anchor itself; what is no switch or has no way: kFar. Empty: no other switch has one. The same for all anchors
        /// that links lead to from the same switches: a way to one is a way to such a switch and one link.
        std::span<const std::int32_t> left;

        NodeId last() const { return chain[0]; }
        NodeId anchor() const { return chain[at(links)]; }
        /// Place of a switch in the chain; -1: it is not in it.
        std::int32_t placeOf(NodeId node) const;
        /// From a switch; kFar: no way.
        std::int32_t from(NodeId node) const;
    };
    /// O(links of the chain), and O(switches and their links) the first time its anchor is asked for.
    Row to(const ExplicitGraph& graph, NodeId last);
    /// Links, in the order listed, that lead from another switch to switches one link closer to `anchor`, which a row has.
    /// O(links of the switch) the first time, from the switches beside the anchor O(links into that) if these are fewer. The span holds until the next call.
    std::span<const std::int32_t> closer(const ExplicitGraph& graph, NodeId anchor, NodeId node);
    /// The first node that is no NPU. O(NPUs) once.
    NodeId first(const ExplicitGraph& graph);
    std::size_t bytes() const { return m_bytes; }
    void forget();

private:
    /// What switches have in common that links lead to from the same ones.
    struct Shared {
        std::vector<std::int32_t> left;  ///< Row::left.
        std::vector<std::int32_t> begin; ///< Of closer() from two links on: by node as `left`, where its links begin, behind how many they are; -1: not asked for. Or empty.
        std::vector<std::int32_t> closer;
    };
    struct Known {
        std::int32_t links = -1; ///< Of the chain that begins here; -1: not asked for.
        std::array<NodeId, 4> chain{};
        bool searched = false;
        std::int32_t shared = -1; ///< Of an anchor, in m_shared; -1: no other switch leads to it.
        std::vector<std::int32_t> last; ///< Of an anchor, links to it from switches, by the switch and then the number. Empty: not asked for.
    };
    Known& of(NodeId node) { return m_known[at(node - m_first)]; }
    /// The only other switch that leads to one, not counting those of a chain; -1: none or several.
    static NodeId onlyBefore(const ExplicitGraph& graph, NodeId node, std::span<const NodeId> chain);
    /// Finds what an anchor shares with others, by a search if it is the first of them. O(switches and links between them), each pair of switches counted once.
    void search(const ExplicitGraph& graph, NodeId anchor);
    void searchFrom(std::span<const NodeId> before, std::vector<std::int32_t>& left);
    std::span<const std::int32_t> linksTo(const ExplicitGraph& graph, NodeId anchor, NodeId node);
    /// Fills m_before. O(links), and once.
    void join(const ExplicitGraph& graph);

    std::map<std::vector<NodeId>, std::int32_t> m_sharedBy; ///< By the switches before, in ascending order: in m_shared.
    std::deque<Shared> m_shared; ///< Spans point into it.
    std::vector<Known> m_known; ///< By node behind the NPUs that come first.
    std::vector<std::int32_t> m_beforeBegin; ///< By node as m_known, and the end: where its part of m_before begins. Empty: not asked for.
    std::vector<NodeId> m_before;            ///< Switches that a link leads from to a switch, each once however many links there are.
    std::vector<NodeId> m_queue;
    NodeId m_first = -1;
    std::size_t m_bytes = 0;
};

} // namespace fabricscope
