#include "core/planner/shareparts.h"

#include "core/base/index.h"

#include <algorithm>
#include <cmath>

namespace fabricscope {

std::vector<std::int64_t> partsByRatios(std::int64_t length, std::span<const double> ratios)
{
    // 0.57 * 100 is a little below 57 in binary.
    constexpr double kRounding = 1e-9;
    std::vector<std::int64_t> parts;
    std::vector<std::size_t> owners;
    std::vector<double> missing;
    std::int64_t left = length;
    for (std::size_t j = 0; j < ratios.size(); ++j) {
        const double wanted = ratios[j] * static_cast<double>(length);
        const auto part = std::min(left, static_cast<std::int64_t>(std::floor(wanted + kRounding)));
        parts.push_back(part);
        missing.push_back(wanted - static_cast<double>(part));
        left -= part;
        if (ratios[j] > 0)
            owners.push_back(j);
    }
    std::stable_sort(owners.begin(), owners.end(), [&](std::size_t a, std::size_t b) { return missing[a] > missing[b] + kRounding; });
    for (std::size_t i = 0; left > 0 && !owners.empty(); i = (i + 1) % owners.size(), --left)
        ++parts[owners[i]];
    return parts;
}

std::vector<std::int64_t> partsByRatios(std::int64_t length, std::int64_t units, std::span<const double> ratios)
{
    std::vector<std::int64_t> parts = partsByRatios(units, ratios);
    for (std::int64_t& part : parts)
        part *= length / units;
    return parts;
}

} // namespace fabricscope
