#pragma once

#include <vector>

namespace fabricscope {

/// Weights x >= 0 with sum 1 of the rows that make the largest column of x * rows smallest: min over x of max over d of sum_o x_o rows[o][d].
/// Simplex method with Bland's rule; at most as many weights as there are columns are above 0. Plain IEEE double arithmetic in a fixed
/// order, so the same everywhere. \pre every row as long as the first, entries >= 0, none of the rows all 0.
std::vector<double> minimaxWeights(const std::vector<std::vector<double>>& rows);

} // namespace fabricscope
