#include "widgets/timeline/zoomhistory.h"

namespace fabricscope {

void TimelineZoomHistory::start(TimeRange range)
{
    m_ranges.start(range);
    m_last = Act::Single;
}

void TimelineZoomHistory::visit(TimeRange range, Act act)
{
    if (range == m_ranges.current())
        return;
    if (act != Act::Single && act == m_last)
        m_ranges.replace(range);
    else
        m_ranges.visit(range);
    m_last = act;
}

TimeRange TimelineZoomHistory::back()
{
    m_last = Act::Single;
    return m_ranges.back();
}

TimeRange TimelineZoomHistory::forward()
{
    m_last = Act::Single;
    return m_ranges.forward();
}

} // namespace fabricscope
