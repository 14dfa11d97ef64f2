#pragma once

#include <cstddef>
#include <stop_token>
#include <vector>

namespace fabricscope {

/// Rows that no other is better than: not worse in any column and better in one; smaller is better. Equal rows are all in it or none. Ascending.
/// O(rows log rows) for up to two columns, else O(rows x front).
/// Told to stop: throws StopRequested. \pre all rows have the same number of columns, and no column NaN
std::vector<std::size_t> paretoFront(const std::vector<std::vector<double>>& rows, const std::stop_token& stop = {});

} // namespace fabricscope
