#include "core/record/busylane.h"

#include <algorithm>
#include <cassert>

namespace fabricscope {

BusyLane::Steps BusyLane::Steps::of(std::int64_t beginPs, std::int64_t widthPs, const std::vector<std::int64_t>& busy)
{
    Steps steps{beginPs, widthPs, {0}};
    steps.prefix.reserve(busy.size() + 1);
    for (const std::int64_t value : busy)
        steps.prefix.push_back(steps.prefix.back() + value);
    return steps;
}

std::int64_t BusyLane::Steps::before(std::int64_t timePs) const
{
    if (timePs <= beginPs)
        return 0;
    if (timePs >= endPs())
        return prefix.back();
    const std::int64_t offset = timePs - beginPs;
    const auto bucket = static_cast<std::size_t>(offset / widthPs);
    __extension__ using Wide = __int128;
    return prefix[bucket] + static_cast<std::int64_t>(Wide{prefix[bucket + 1] - prefix[bucket]} * (offset % widthPs) / widthPs);
}

BusyLane::BusyLane(const BusyPyramid& pyramid, std::int64_t links)
    : m_coarse(Steps::of(0, pyramid.bucketPs(), pyramid.busyPs())), m_links(links)
{
    assert(links > 0);
}

BusyLane BusyLane::refined(BusyWindow window) const
{
    assert(window.widthPs > 0);
    BusyLane lane = *this;
    lane.m_fine = Steps::of(window.beginPs, window.widthPs, window.busyPs);
    return lane;
}

std::int64_t BusyLane::before(std::int64_t timePs) const
{
    // Before and after the window the pyramid holds; the window's edges may cut its buckets, so it is laid in between.
    if (timePs <= m_fine.beginPs || m_fine.prefix.size() == 1)
        return m_coarse.before(timePs);
    const std::int64_t start = m_coarse.before(m_fine.beginPs);
    if (timePs <= m_fine.endPs())
        return start + m_fine.before(timePs);
    return start + m_fine.prefix.back() + m_coarse.before(timePs) - m_coarse.before(m_fine.endPs());
}

void BusyLane::buckets(std::int64_t beginPs, std::int64_t endPs, std::span<TimelineBucket> pixels) const
{
    __extension__ using Wide = __int128;
    std::int64_t from = before(beginPs);
    for (std::size_t p = 0; p < pixels.size(); ++p) {
        const auto edge = beginPs + static_cast<std::int64_t>(Wide{endPs - beginPs} * static_cast<std::int64_t>(p + 1) / static_cast<std::int64_t>(pixels.size()));
        const std::int64_t to = before(edge);
        pixels[p] = {};
        if (to > from) {
            // Rounded up: a busy picosecond of one link among many stays visible.
            pixels[p].busyPs = (to - from + m_links - 1) / m_links;
            pixels[p].count = 1;
        }
        from = to;
    }
}

} // namespace fabricscope
