#pragma once

#include "core/base/index.h"
#include "core/platform/platform.h"

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <stop_token>
#include <vector>

namespace fabricscope {

class LevelDistances;

/// An explicit platform as levels see it: NPUs and switches, and what is left of its links. Private to core/hierarchy.
class LevelGraph {
public:
    struct Link {
        NodeId from = 0;
        NodeId to = 0;
        std::int64_t rate = 0; ///< Bytes/s, with overrides.
    };

    /// O(nodes + links). Looks at `stop` here and in all that asks it, and throws StopRequested. \pre platform.isExplicit().
    explicit LevelGraph(const Platform& platform, std::stop_token stop = {});
    ~LevelGraph();
    LevelGraph(const LevelGraph&) = delete;
    LevelGraph& operator=(const LevelGraph&) = delete;

    const std::stop_token& stop() const { return m_stop; }
    NodeId npus() const { return m_npus; }
    NodeId nodes() const { return m_nodes; }
    bool isNpu(NodeId node) const { return node < m_npus; }
    /// An NPU that passes on what is not for it, from an NPU to an NPU.
    bool forwards(NodeId npu) const { return m_forwards[at(npu)]; }
    std::span<const Link> links() const { return m_links; } ///< By the node they leave.
    std::span<const Link> outgoing(NodeId node) const;
    bool joins(NodeId from, NodeId to) const;
    /// The links by falling rate. O(links log links)
    std::vector<std::int32_t> byRate() const;
    /// The switches stand in tiers: every link leads to a node with one link more or less to its nearest NPU, and from the first NPU with links all others with some are reached
    /// by going up and then down. So leaves and spines, fat trees, pods; not a network of routers side by side. O(nodes + links).
    bool hasTiers() const;
    bool joinsSwitches() const { return !m_switches.empty(); }
    /// Over links below a rate; kept. Safe from several threads.
    const LevelDistances& distances(std::int64_t below) const;

    /// What joins NPUs of a line: links between neighbours (Ring, or a line that is not closed) or all (FullyConnected), or one switch; else nothing, a network.
    std::optional<Shape> shapeOf(std::span<const NodeId> line) const;

    /// Bytes/s of the largest flow from a block of NPUs to others; NPUs in neither pass nothing on. O(links) and a max-flow over the switches.
    std::int64_t cut(std::span<const NodeId> block, std::span<const NodeId> rest) const;

private:
    /// Rates between switches, of parallel links together.
    void joinSwitches();

    std::stop_token m_stop;
    NodeId m_npus = 0;
    NodeId m_nodes = 0;
    std::vector<Link> m_links;
    std::vector<std::int32_t> m_begin;
    std::vector<bool> m_forwards;
    std::vector<Link> m_toNpus;        ///< Links from switches to NPUs, by the NPU.
    std::vector<std::int32_t> m_toBegin;
    std::vector<Link> m_switches;
    mutable std::mutex m_mutex;
    mutable std::map<std::int64_t, std::unique_ptr<const LevelDistances>> m_distances; ///< By the rate that links are below.
};

/// Lengths of ways between NPUs, in links, where NPUs pass on from NPU to NPU only and those with switches alone for neighbours nothing. NPUs with the
/// same switches are one class: they are alike for all others.
class LevelDistances {
public:
    static constexpr std::int32_t kFar = INT32_MAX;

    /// Over links below this rate. O(nodes + links, log).
    LevelDistances(const LevelGraph& graph, std::int64_t below);

    const std::stop_token& stop() const { return m_graph.stop(); }
    std::int32_t classes() const { return static_cast<std::int32_t>(m_ends.size()); }
    std::int32_t classOf(NodeId npu) const { return m_class[at(npu)]; }
    /// From an NPU of a class to one of each class; to its own: to another NPU of it. O(nodes + links).
    std::vector<std::int32_t> from(std::int32_t cls) const;

private:
    /// A switch an NPU hangs at, behind `length` links; in between are nodes with two neighbours only.
    struct End {
        NodeId node = 0;
        std::int32_t length = 1;
        friend auto operator<=>(const End&, const End&) = default;
    };
    void findNeighbours(const LevelGraph& graph, std::int64_t below);
    std::vector<End> endsOf(NodeId npu);
    std::span<const NodeId> neighbours(NodeId node) const;

    const LevelGraph& m_graph;
    std::vector<NodeId> m_next;             ///< Different neighbours, by node.
    std::vector<std::int32_t> m_begin;
    std::vector<bool> m_passed;             ///< Nodes inside of ends.
    std::vector<std::int32_t> m_class;      ///< By NPU.
    std::vector<std::vector<End>> m_ends;   ///< By class; empty: one NPU with NPUs for neighbours, or alone.
    std::vector<NodeId> m_first;            ///< By class: its first NPU.
};

} // namespace fabricscope
