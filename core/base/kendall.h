#pragma once

#include <optional>
#include <utility>
#include <vector>

namespace fabricscope {

/// Kendall's tau-b of two orders of the same things: 1 alike, -1 turned round, ties taken out; nothing where all are equal on one side, as where there are fewer than two. \pre no NaN. O(n log n).
std::optional<double> kendallTau(const std::vector<std::pair<double, double>>& pairs);

} // namespace fabricscope
