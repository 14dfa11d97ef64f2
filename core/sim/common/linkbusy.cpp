#include "core/sim/common/linkbusy.h"

#include <algorithm>
#include <bit>
#include <cassert>

namespace fabricscope::events {

BusySteps BusySteps::of(std::vector<std::pair<std::int64_t, std::int64_t>>& intervals)
{
    BusySteps made;
    std::vector<std::int64_t> ends;
    ends.reserve(intervals.size());
    std::erase_if(intervals, [](const auto& interval) { return interval.first >= interval.second; });
    for (const auto& interval : intervals)
        ends.push_back(interval.second);
    std::sort(intervals.begin(), intervals.end());
    std::sort(ends.begin(), ends.end());
    std::int64_t links = 0;
    std::int64_t since = 0;
    std::size_t next = 0;
    for (std::size_t done = 0; done < ends.size();) {
        const std::int64_t time = next < intervals.size() ? std::min(intervals[next].first, ends[done]) : ends[done];
        const std::int64_t before = links;
        while (next < intervals.size() && intervals[next].first == time) {
            ++links;
            ++next;
        }
        while (done < ends.size() && ends[done] == time) {
            --links;
            ++done;
        }
        if (links == before)
            continue;
        if (before > 0)
            made.steps.push_back({since, time, before});
        since = time;
    }
    return made;
}

/// Twice the width: neighbours merge.
void BusySum::widen(std::vector<std::int64_t>& busy, std::int64_t& width)
{
    const std::size_t used = busy.size();
    for (std::size_t i = 0; i < (used + 1) / 2; ++i)
        busy[i] = busy[2 * i] + (2 * i + 1 < used ? busy[2 * i + 1] : 0);
    busy.resize((used + 1) / 2);
    width *= 2;
}

void BusySum::add(std::int64_t begin, std::int64_t end, std::int64_t times)
{
    const int shift = std::countr_zero(static_cast<std::uint64_t>(m_width));
    const auto last = static_cast<std::size_t>((end - 1) >> shift);
    for (auto bucket = static_cast<std::size_t>(begin >> shift); bucket <= last; ++bucket) {
        const auto low = static_cast<std::int64_t>(bucket) * m_width;
        m_busy[bucket] += times * (std::min(end, low + m_width) - std::max(begin, low));
    }
}

void BusySum::add(const BusySteps& steps, std::int64_t start, std::int64_t times)
{
    assert(start >= 0 && times > 0);
    if (steps.steps.empty())
        return;
    const std::int64_t end = start + steps.steps.back().end;
    while (end > m_width * static_cast<std::int64_t>(BusyPyramid::kBuckets))
        widen(m_busy, m_width);
    m_busy.resize(std::max(m_busy.size(), static_cast<std::size_t>((end - 1) / m_width) + 1), 0);
    for (const BusySteps::Step& step : steps.steps)
        add(start + step.begin, start + step.end, times * step.links);
}

BusyPyramid BusySum::with(const BusyPyramid& other) const
{
    std::vector<std::int64_t> mine = m_busy;
    std::vector<std::int64_t> others = other.busyPs();
    std::int64_t width = m_width;
    std::int64_t otherWidth = other.bucketPs();
    while (width < otherWidth)
        widen(mine, width);
    while (otherWidth < width)
        widen(others, otherWidth);
    mine.resize(std::max(mine.size(), others.size()), 0);
    for (std::size_t bucket = 0; bucket < others.size(); ++bucket)
        mine[bucket] += others[bucket];
    return BusyPyramid::restored(width, std::move(mine));
}

} // namespace fabricscope::events
