#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace fabricscope {

/// A number with what 95 % of resamples of its rows give.
struct ResampledShare {
    double value = 0;
    double low = 0;
    double high = 0;
};

/// How much of the variance of an output each input makes: alone (first order), and with all it makes together with others (total).
struct VarianceShares {
    std::vector<ResampledShare> first;
    std::vector<ResampledShare> total;
};

/// Of a sampling of Saltelli: rows of `dimensions` + 2 outputs, at A, at B, and at A with input i from B. First order as Saltelli et al. 2010, total as Jansen 1999; intervals by
/// resampling rows with a seed. Nothing of fewer than two rows or without variance. O(rows x dimensions x resamples). \pre dimensions > 0, whole rows, no NaN
std::optional<VarianceShares> varianceShares(std::span<const double> outputs, std::size_t dimensions, std::uint64_t seed);

} // namespace fabricscope
