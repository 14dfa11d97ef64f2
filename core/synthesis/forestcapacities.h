#pragma once

#include "core/bounds/flowgraph.h"
#include "core/bounds/maxflow.h"
#include "core/synthesis/synthesis.h"

#include <cstdint>
#include <map>
#include <optional>
#include <stop_token>
#include <utility>
#include <vector>

namespace fabricscope {

/// A graph with whole capacities between every two vertices, and how many trees are rooted where. Private to core/synthesis.
class ForestCapacities {
public:
    ForestCapacities(std::int32_t vertices, std::int32_t ranks, std::vector<std::int64_t> demand);

    std::int32_t vertices() const { return m_vertices; }
    std::int32_t ranks() const { return m_ranks; }
    std::int64_t& at(std::int32_t from, std::int32_t to) { return m_capacity[index(from, to)]; }
    std::int64_t at(std::int32_t from, std::int32_t to) const { return m_capacity[index(from, to)]; }
    /// Trees rooted at a rank, and at all.
    std::int64_t demand(std::int32_t rank) const { return m_demand[static_cast<std::size_t>(rank)]; }
    std::int64_t allDemand() const { return m_allDemand; }

    /// Adds every arc, and from a source (the vertex behind all) one to each rank with its demand; gives the number of the first of these.
    std::int32_t addTo(MaxFlow<std::int64_t>& flow) const;
    /// Can all trees reach every rank? By Edmonds they can then be packed, where there are no switches left.
    bool isPossible(const std::stop_token& stop) const;

private:
    std::size_t index(std::int32_t from, std::int32_t to) const
    {
        return static_cast<std::size_t>(from) * static_cast<std::size_t>(m_vertices) + static_cast<std::size_t>(to);
    }
    std::int32_t m_vertices;
    std::int32_t m_ranks;
    std::vector<std::int64_t> m_demand;
    std::int64_t m_allDemand = 0;
    std::vector<std::int64_t> m_capacity;
};

/// Part of the capacity between two ranks, and the links it runs over.
struct ForestWay {
    std::int64_t amount = 0;
    std::vector<std::int32_t> links;
};
using ForestWays = std::map<std::pair<std::int32_t, std::int32_t>, std::vector<ForestWay>>;

/// Replaces switches by arcs between ranks; all trees that were possible still are. `ways`: at first those of single links.
/// False: some switch has no splitting that keeps all trees, or stopped. In forestswitches.cpp.
bool removeSwitches(ForestCapacities& capacities, ForestWays& ways, const std::stop_token& stop);

/// A tree among ranks: edges (from, to) in the order they were grown.
struct GrownTree {
    std::int32_t root = 0;
    std::int64_t weight = 1;
    std::vector<std::pair<std::int32_t, std::int32_t>> edges;
};

/// Packs the trees of every root. \pre isPossible(), no capacity at vertices that are no ranks. Absent: stopped. In forestpacking.cpp.
std::optional<std::vector<GrownTree>> packForest(const ForestCapacities& capacities, const std::stop_token& stop);

} // namespace fabricscope
