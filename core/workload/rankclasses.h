#pragma once

#include "core/base/digest.h"
#include "core/workload/taskgraph.h"

#include <cstdint>
#include <map>
#include <memory>
#include <vector>

namespace fabricscope {

/// Digest of everything in a graph but its peers. O(tasks).
Digest digestOfTasks(const RankGraph& graph);

/// Collects the graphs of ranks and lets equal ones be shared. Peers are kept relative to the rank when that leaves fewer
/// graphs (rings, pipelines), else as they are. Memory: the distinct graphs.
class RankClasses {
public:
    explicit RankClasses(std::int64_t rankCount) : m_absolute(static_cast<std::size_t>(rankCount)), m_relative(static_cast<std::size_t>(rankCount)) {}

    /// Adds the graph of a rank; ranks come in ascending order. \pre peers are absolute.
    void add(std::int64_t rank, RankGraph graph);
    /// Adds a rank with the same tasks as an earlier one. \pre they have no peers.
    void addLike(std::int64_t rank, std::int64_t earlier);
    /// Fills graphs and graphOfRank.
    void finish(Workload& workload);

private:
    struct Kept {
        std::int64_t rank = 0;
        RankGraph graph;
    };
    std::int32_t classOf(std::map<Digest, std::int32_t>& known, Digest digest, bool& isNew);

    std::map<Digest, std::int32_t> m_knownAbsolute;
    std::map<Digest, std::int32_t> m_knownRelative;
    std::vector<std::int32_t> m_absolute; // class of each rank
    std::vector<std::int32_t> m_relative;
    std::vector<Kept> m_kept;             // ascending rank; the first of every class of either kind
};

} // namespace fabricscope
