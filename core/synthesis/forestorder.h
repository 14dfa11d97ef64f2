#pragma once

#include "core/synthesis/forest.h"

#include <cstdint>
#include <limits>
#include <stop_token>
#include <vector>

namespace fabricscope {

/// A part of the data that follows a tree. Private to core/synthesis.
struct ForestPiece {
    const Forest::Tree* tree = nullptr;
    std::int32_t number = 0;  ///< Of the tree.
    std::int32_t turn = 0;    ///< Of the pieces of its tree.
    std::int32_t first = 0;   ///< Chunks [first, first + count) of the large side.
    std::int32_t count = 0;
    std::int64_t bytes = 0;
    bool up = false;          ///< The tree is one of the reversed graph, and used backwards: the leaves first.
};

/// One edge of a tree, crossed by one piece.
struct ForestSend {
    static constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();
    std::uint32_t piece = 0;
    std::uint32_t edge = 0;      ///< Of the tree.
    std::int32_t step = 0;       ///< Edges before it on its way.
    std::uint32_t behind = kNone; ///< The send (place in the result) that must have left their link first.
};

/// The sends of all pieces in an order in which each comes after all it needs, and which of them must wait for others on their link.
///
/// With d the depth of the deepest tree and p pieces of each, let piece i cross in round i + d - e the edges with e edges left to the end of its way: a
/// round after the edge before at the earliest. Each of the p + d - 1 rounds loads a link with no more than one piece of all trees over it,
/// 1 / p of the time the whole takes; so rounds one after another take (p + d - 1) / p of the optimum, and a latency each. Without order
/// a link is given first what is ready first: all a root has, and then what should long have been passed on. Here every link takes of what is
/// ready the earliest round (list scheduling, in the time of cut-through links); where a send waited for the one before it, it does so in the
/// program.
///
/// Data that go up and down (all-reduce) wait at the root for all that goes up with the same chunks; what goes up comes first on every link, so that what
/// goes down fills the gaps. Stopped: what has been ordered so far. O(sends log sends).
std::vector<ForestSend> orderSends(const SynthesisGraph& graph, const std::vector<ForestPiece>& pieces, const std::stop_token& stop);

} // namespace fabricscope
