#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace fabricscope {

struct CostArc {
    std::int32_t from = 0;
    std::int32_t to = 0;
    double cost = 0;
};

/// Spanning arborescence of least cost from `root` (Chu-Liu and Edmonds, by contraction of cycles): the arc into every vertex, -1 at the
/// root; of equal costs the first listed. Empty: some vertex cannot be reached. O(vertices * arcs).
std::vector<std::int32_t> leastArborescence(std::int32_t vertices, std::int32_t root, std::span<const CostArc> arcs);

/// Spanning tree of least cost of the undirected graph with these edges (Kruskal): indices of its edges. Empty: not connected.
/// O(edges log edges).
std::vector<std::int32_t> leastSpanningTree(std::int32_t vertices, std::span<const CostArc> edges);

} // namespace fabricscope
