#include "core/sim/sweep/ratesteps.h"

#include <algorithm>

namespace fabricscope::sweep {

std::int64_t RateSteps::endOf(const CostTable& costs, std::int64_t start, std::int64_t bytes, std::int64_t pieceBytes) const
{
    std::size_t next = 0;
    ResourceClass resource = m_first;
    std::int64_t end = start;
    for (std::int64_t begin = 0; begin < bytes;) {
        for (; next < m_steps.size() && m_steps[next].first <= end; ++next)
            resource = m_steps[next].second;
        // Pieces that are taken before the rate changes follow each other as one.
        const std::int64_t change = next < m_steps.size() ? m_steps[next].first : INT64_MAX;
        std::int64_t last = std::min(begin + pieceBytes, bytes);
        const std::int64_t base = end - costs.occupancy(resource, begin);
        while (last < bytes && base + costs.occupancy(resource, last) < change)
            last = std::min(last + pieceBytes, bytes);
        end = base + costs.occupancy(resource, last);
        begin = last;
    }
    return end;
}

std::int64_t RateSteps::least(const CostTable& costs, std::int64_t bytes) const
{
    std::int64_t least = costs.occupancy(m_first, bytes);
    for (const auto& [at, resource] : m_steps)
        least = std::min(least, costs.occupancy(resource, bytes));
    return least;
}

} // namespace fabricscope::sweep
