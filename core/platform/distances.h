#pragma once

#include "core/base/index.h"
#include "core/platform/explicitgraph.h"
#include "core/platform/switchrows.h"

#include <cstdint>
#include <functional>
#include <vector>

namespace fabricscope {

/// Which NPUs pass on what is not for them. Switches always do, memories never.
enum class Forwarding : std::uint8_t {
    All,    ///< Every NPU.
    Direct, ///< Between two NPUs only, over links without a switch: inside of a host of direct links, or anywhere where there are no switches.
    /// Ways that go up and then down, never up again. Up is away from the NPUs: to a node with more links to its nearest NPU, of as many to the one
    /// with the lower number. NPUs pass on where there are no switches.
    UpDown
};

/// Links left to one destination, from every node. Plain value.
class Distances {
public:
    static constexpr std::int32_t kFar = INT32_MAX;

    /// `open`: the links that may be used. O(nodes + links).
    Distances(const ExplicitGraph& graph, NodeId destination, Forwarding forwarding, const std::function<bool(LinkId)>& open);

    /// Nothing yet: for findNear().
    Distances() = default;
    /// Becomes what Forwarding::Direct gives for a destination over all links that are there, as far as it matters for ways from `from`: nodes as far as
    /// that one or further may stay kFar. Returns how many links it looked at: O(nodes nearer than `from`, and their links), once it has seen the graph.
    std::int64_t findNear(const ExplicitGraph& graph, NodeId destination, NodeId from);

    /// The same from the rows of the switches that lead to the destination, which hold as long as this is used: of switches all, of NPUs `from` alone.
    /// O(links of both ends). \pre two different NPUs, and SwitchRows::appliesTo()
    void findOverSwitches(const ExplicitGraph& graph, NodeId destination, NodeId from, SwitchRows& rows);

    /// Does a message that took the link, `passing` before it, pass the next node on by the rule for those that pass? Under UpDown those that went down.
    bool passes(const ExplicitGraph& graph, LinkId link, bool passing) const { return m_levels.empty() || passing || goesDown(graph, link); }
    /// From a node where a message starts, or that passes it on (UpDown: that it came down to); kFar: no way.
    std::int32_t from(NodeId node, bool passing) const
    {
        if (m_source >= 0)
            return fromRows(node, passing);
        return passing && !m_passing.empty() ? m_passing[at(node)] : m_starting[at(node)];
    }
    /// Does the link, open, lead from its first node one link closer? `passing`: that node passes the message on.
    bool leadsCloser(const ExplicitGraph& graph, LinkId link, bool passing) const;
    /// Links, in the order listed, among which are all that lead from a node on a way one link closer; they may begin elsewhere.
    struct Candidates {
        std::span<const std::int32_t> links;
        bool all = false; ///< All of them do, leadsCloser() need not be asked.
    };
    /// O(1), but after findOverSwitches() as SwitchRows::closer(). Holds until the next call. `passing` as for leadsCloser().
    Candidates candidates(const ExplicitGraph& graph, NodeId node, bool passing) const;
    std::size_t bytes() const { return (m_starting.size() + m_passing.size() + m_levels.size()) * sizeof(std::int32_t); }

private:
    void findUpDown(const ExplicitGraph& graph, const std::function<bool(LinkId)>& open);
    bool goesDown(const ExplicitGraph& graph, LinkId link) const;
    std::int32_t fromRows(NodeId node, bool passing) const;

    NodeId m_destination = -1;
    std::vector<std::int32_t> m_starting;
    std::vector<std::int32_t> m_passing; ///< Direct: of NPUs, their next node being an NPU; of switches as m_starting. UpDown: going down only. All: empty.
    std::vector<NodeId> m_near;          ///< Nodes that findNear() gave distances.
    std::vector<std::int32_t> m_levels;  ///< UpDown: links to the nearest NPU, all that are there counted. Else empty.
    bool m_npusPass = false;             ///< UpDown: there are no switches.
    std::vector<SwitchRows::Row> m_rows; ///< findOverSwitches(): to the switches that lead to the destination.
    SwitchRows* m_shared = nullptr;      ///< Likewise, what they are of.
    const SwitchRows::Row* m_only = nullptr; ///< Likewise, which of m_rows all shortest ways from `from` end by; null: several.
    NodeId m_source = -1;                ///< Likewise, with what is left from there; else -1.
    std::int32_t m_sourceLeft = kFar;
};

} // namespace fabricscope
