#include "widgets/timeline/zoomhistory.h"

#include <cassert>

namespace fabricscope {

void TimelineZoomHistory::start(TimeRange range)
{
    m_ranges = {range};
    m_at = 0;
    m_last = Act::Single;
}

void TimelineZoomHistory::visit(TimeRange range, Act act)
{
    if (range == m_ranges[m_at])
        return;
    m_ranges.resize(m_at + 1);
    const bool goesOn = act != Act::Single && act == m_last;
    m_last = act;
    if (goesOn && m_at > 0) {
        m_ranges[m_at] = range;
        return;
    }
    m_ranges.push_back(range);
    if (m_ranges.size() > kMost)
        m_ranges.erase(m_ranges.begin());
    m_at = m_ranges.size() - 1;
}

TimeRange TimelineZoomHistory::back()
{
    assert(canBack());
    m_last = Act::Single;
    return m_ranges[--m_at];
}

TimeRange TimelineZoomHistory::forward()
{
    assert(canForward());
    m_last = Act::Single;
    return m_ranges[++m_at];
}

} // namespace fabricscope
