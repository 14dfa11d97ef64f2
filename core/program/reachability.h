#pragma once

#include "core/program/program.h"

#include <cstdint>
#include <utility>
#include <vector>

namespace fabricscope {

/// Steps of one rank of an explicit program: an operation, or a fused group, which is one step; a dependency on any part of it is one on all.
struct RankSteps {
    std::vector<std::uint32_t> begin;     ///< First operation of each step, and behind the last: steps + 1 entries. Columns are in order.
    std::vector<std::int32_t> previous;   ///< Step before it in its lane; -1: none.
    std::vector<std::vector<std::uint32_t>> waits; ///< Steps it depends on, without itself, ascending; as given or reduced.
    std::vector<std::uint32_t> order;     ///< All steps, each behind what it waits for; fewer than all where the rank waits for itself in a ring.

    std::uint32_t size() const { return static_cast<std::uint32_t>(begin.size()) - 1; }
    bool ring() const { return order.size() < size(); }
};

/// The steps of rank `rank`. Operations of a fused group that stand apart in the columns (a broken body) become steps of their own.
RankSteps rankSteps(const ExplicitBody& body, std::int32_t rank);

/// Leaves out of `waits` what the lanes and the other dependencies order anyway: what is left is unique (the transitive reduction of the order
/// within the rank, without the lanes' own edges). In a ring of waits only what is earlier in the same lane goes, and double entries.
/// O(steps * width), where width is the number of chains the steps fall into (lanes); over 2^27 only the simple cases go, as in a ring.
void reduceWaits(const ExplicitBody& body, RankSteps& steps);

} // namespace fabricscope
