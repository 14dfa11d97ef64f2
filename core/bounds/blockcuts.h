#pragma once

#include "core/bounds/cutset.h"
#include "core/bounds/flowgraph.h"

#include <cstdint>
#include <span>
#include <stop_token>
#include <vector>

namespace fabricscope {

/// Cuts around blocks of the compute vertices of a graph, all blocks of a partition at once. Private to core/bounds.
///
/// The set around a block is its members and vertices that have fewer arcs from it than from every other block: of those sets the one whose leaving arcs have the
/// least rate together, by max-flow. Every vertex passes on what it gets, also NPUs beside the group, so that no way out is left out. Sets of different blocks
/// have nothing in common, and each flow is within its own: all of them together cost what one over the graph does.
class BlockCuts {
public:
    /// O(arcs). The graph and the token must stay. Throws StopRequested.
    BlockCuts(const FlowGraph& graph, const std::stop_token& stop);

    /// The arcs that leave each of `blocks` blocks, with their latencies and those to what they leave (`before`) and behind what they lead to (`behind`, both by
    /// vertex; INT64_MAX: no way, which counts as 0). `blockOf`: by compute vertex. O(arcs) and the flows. Throws StopRequested.
    std::vector<CutLinks> leaving(std::span<const std::int32_t> blockOf, std::int32_t blocks, std::span<const std::int64_t> before, std::span<const std::int64_t> behind);

private:
    static constexpr std::int32_t kNobody = -1; ///< Not reached.
    static constexpr std::int32_t kShared = -2; ///< As near to several blocks.

    std::span<const std::int32_t> arcsOf(std::int32_t vertex) const;
    /// Who is the nearest to every vertex.
    void divide(std::span<const std::int32_t> blockOf);
    CutLinks cutOf(std::span<const std::int32_t> vertices, std::span<const std::int64_t> before, std::span<const std::int64_t> behind);

    const FlowGraph& m_graph;
    const std::stop_token& m_stop;
    std::vector<std::int32_t> m_begin;  ///< Arcs that leave vertex i: m_arcs[m_begin[i]..m_begin[i + 1]).
    std::vector<std::int32_t> m_arcs;
    std::vector<std::int32_t> m_block;  ///< By vertex.
    std::vector<std::int32_t> m_length; ///< Arcs from the nearest block, by vertex: 0 for compute vertices.
    std::vector<std::int32_t> m_local;  ///< By vertex: its number in the flow of its block.
};

} // namespace fabricscope
