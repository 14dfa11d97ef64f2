#pragma once

#include "core/verify/valuerun.h"

#include <string>
#include <vector>

namespace fabricscope {

struct CountedContribution {
    Contribution contribution;
    std::uint64_t count = 0; ///< Sticks at its largest.
};

/// What a cell holds at the end, exactly: the program is gone over backwards, from the cell to the inputs it is made of. O(operations *
/// count + cells). Throws StopRequested.
std::vector<CountedContribution> contributionsOf(const ValueContext& context, const MemoryLayout& layout, CellIndex cell);

/// What a place must hold at the end, ascending; empty: anything.
std::vector<Contribution> requiredContributions(const ValueContext& context, std::int32_t rank, BufferKind buffer, std::int32_t index);

/// " misses input 3 of rank 2 and has input 1 of rank 0 twice": ends a sentence that names a place.
std::string differenceText(const std::vector<Contribution>& required, const std::vector<CountedContribution>& held);

} // namespace fabricscope
