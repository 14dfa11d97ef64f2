#include "core/record/runrecord.h"

#include <algorithm>
#include <bit>
#include <cassert>

namespace fabricscope {

void BusyPyramid::add(std::int64_t beginPs, std::int64_t endPs)
{
    assert(beginPs >= 0 && beginPs <= endPs);
    if (beginPs == endPs)
        return;
    m_total += endPs - beginPs;
    // Divided, as the product is beyond 63 bits where the clock ends.
    while ((endPs - 1) / static_cast<std::int64_t>(kBuckets) >= m_width) {
        // Twice the width: neighbours merge.
        const std::size_t used = m_busy.size();
        for (std::size_t i = 0; i < (used + 1) / 2; ++i)
            m_busy[i] = m_busy[2 * i] + (2 * i + 1 < used ? m_busy[2 * i + 1] : 0);
        m_busy.resize((used + 1) / 2);
        m_width *= 2;
    }
    const int shift = std::countr_zero(static_cast<std::uint64_t>(m_width)); // The width is a power of two.
    const auto last = static_cast<std::size_t>((endPs - 1) >> shift);
    if (m_busy.size() <= last)
        m_busy.resize(last + 1, 0);
    for (auto bucket = static_cast<std::size_t>(beginPs >> shift); bucket <= last; ++bucket) {
        const auto low = static_cast<std::int64_t>(bucket) * m_width;
        m_busy[bucket] += (endPs - low <= m_width ? endPs : low + m_width) - std::max(beginPs, low);
    }
}

double DimensionUse::busyShare(SimTime finish) const
{
    if (links == 0 || finish.ps == 0)
        return 0;
    return static_cast<double>(busyPs) / (static_cast<double>(links) * static_cast<double>(finish.ps));
}

} // namespace fabricscope
