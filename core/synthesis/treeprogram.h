#pragma once

#include "core/synthesis/treepacking.h"

#include <cstdint>
#include <vector>

namespace fabricscope {

/// A tree as a program uses it.
struct ProgramTree {
    std::int32_t root = 0;
    std::vector<std::int32_t> parent;     ///< By rank; -1: the root.
    std::vector<std::int32_t> downLink;   ///< By rank: index into SynthesisGraph::links from its parent; -1: none used.
    std::vector<std::int32_t> upLink;     ///< By rank: to its parent.
    std::int64_t bytesPerSecond = 0;      ///< It may carry.
    std::int64_t share = 1;               ///< Of the data, over the sum of all shares.

    std::int32_t depth() const;
    /// Ranks after their parents. O(ranks).
    std::vector<std::int32_t> downwards() const;
};

/// Broadcast, reduce or all-reduce over trees, each with its share of the data in `pieces` pieces that follow each other. In place.
/// A lane for every peer and direction, in the order of the pipeline; tags.tree = number of the tree.
ProgramPtr treeProgram(const SynthesisGraph& graph, CollectiveOp op, std::int32_t root, const std::vector<ProgramTree>& trees, std::int32_t pieces,
                       std::string provenance);

/// Time of that program when every tree has its rate to itself: pieces flow down (and up) the deepest tree one behind the other,
/// (hops + pieces - 1) piece / rate + hops * latency; the latest tree. Picoseconds.
std::int64_t treeTimePs(const SynthesisGraph& graph, CollectiveOp op, std::int64_t bytes, const std::vector<ProgramTree>& trees, std::int32_t pieces);

} // namespace fabricscope
