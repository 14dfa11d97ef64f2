#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace fabricscope {

/// Lengths of the parts into which `length` elements fall by `ratios` (each at least 0, sum 1), by largest remainder: floor(ratio * length), then one more element
/// each to those with the largest ratio - part / length, the earlier one first where that is equal. The sum is `length`; a ratio of 0 owns nothing.
/// O(m log m). \pre length >= 0, at most 2^53; one ratio is positive
std::vector<std::int64_t> partsByRatios(std::int64_t length, std::span<const double> ratios);

/// The same for a dimension that may only be cut between groups of `length / units` elements (placedgraph.h). \pre units divides length
std::vector<std::int64_t> partsByRatios(std::int64_t length, std::int64_t units, std::span<const double> ratios);

} // namespace fabricscope
