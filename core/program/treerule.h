#pragma once

#include <array>
#include <cstdint>
#include <vector>

namespace fabricscope {

/// Where a position is in one of the two trees of a double binary tree.
struct TreePlace {
    std::int32_t parent = -1;                   ///< Position; -1: the root.
    std::array<std::int32_t, 2> children{-1, -1}; ///< Positions, ascending; -1: none.
    std::int32_t depth = 0;                     ///< Below the root.
    std::int32_t ordinal = 0;                   ///< Among the children of the parent: 0 or 1.
};

/// The places of all positions in tree 0 or 1, as the row of phaserules.h has them. \pre n > 1. O(n).
std::vector<TreePlace> treePlaces(std::int32_t tree, std::int32_t n);

} // namespace fabricscope
