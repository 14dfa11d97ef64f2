#include "core/scenario/scenario.h"

#include <algorithm>
#include <cassert>

namespace fabricscope {

CostTable::CostTable(const Params& params)
{
    assert(params.linkRate.size() == params.linkLatency.size());
    for (const Bandwidth rate : params.linkRate)
        m_links.push_back({rate.bytesPerSecond});
    for (const SimTime latency : params.linkLatency)
        m_latency.push_back(std::max<std::int64_t>(latency.ps, 1)); // No cycle of events may take no time.
    m_injection.rate = params.injection ? params.injection->bytesPerSecond : 0;
    m_ejection.rate = params.ejection ? params.ejection->bytesPerSecond : 0;
    m_reducer = params.reducerRate ? params.reducerRate->bytesPerSecond : 0;
}

std::int64_t CostTable::reduction(std::int64_t bytes, std::int32_t k) const
{
    if (m_reducer <= 0)
        return 0;
    __extension__ using Wide = __int128;
    const Wide work = Wide{bytes} * (k + 2) * kPsPerSecond;
    const Wide rate = Wide{k} * m_reducer;
    return static_cast<std::int64_t>((work + rate - 1) / rate);
}

} // namespace fabricscope
