#include "core/record/memorytrack.h"

#include <algorithm>

namespace fabricscope {

std::int64_t mostLiveBytes(const MemoryUse::Class& use, std::int64_t fromPs, std::int64_t toPs)
{
    auto point = std::ranges::upper_bound(use.timeline, fromPs, {}, &MemoryUse::Point::ps);
    std::int64_t most = point == use.timeline.begin() ? 0 : (point - 1)->bytes;
    for (; point != use.timeline.end() && point->ps < toPs; ++point)
        most = std::max(most, point->bytes);
    return most;
}

std::int64_t memoryScale(const MemoryUse::Class& use)
{
    return std::max<std::int64_t>({use.capacity.value_or(0), use.peakBytes, 1});
}

} // namespace fabricscope
