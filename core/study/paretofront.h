#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <stop_token>
#include <vector>

namespace fabricscope {

/// Not worse in any column and better in one; smaller is better. \pre of equal length
bool beats(std::span<const double> by, std::span<const double> row);

/// Rows that no other is better than: not worse in any column and better in one; smaller is better. Equal rows are all in it or none. Ascending.
/// O(rows log rows) for up to three columns, else O(rows x front).
/// Told to stop: throws StopRequested. \pre all rows have the same number of columns, and no column NaN
std::vector<std::size_t> paretoFront(const std::vector<std::vector<double>>& rows, const std::stop_token& stop = {});

/// Of each row how many fronts have to be taken away until it is in one: 0 for those of paretoFront(). O(rows log rows) for up to two columns, else O(rows x front).
/// Told to stop: throws StopRequested. \pre as paretoFront()
std::vector<std::int32_t> frontRanks(const std::vector<std::vector<double>>& rows, const std::stop_token& stop = {});

/// Rows by their front, inside of one by how much room is around them, those at its ends first (crowding distance of Deb et al. 2002), then by index.
/// Told to stop: throws StopRequested. \pre as paretoFront(); infinities count as ends
std::vector<std::size_t> rankedRows(const std::vector<std::vector<double>>& rows, const std::stop_token& stop = {});

} // namespace fabricscope
