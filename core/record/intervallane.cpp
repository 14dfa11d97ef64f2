#include "core/record/intervallane.h"

#include <algorithm>
#include <cassert>

namespace fabricscope {

namespace {

/// Edge of pixel p: begin + span * p / pixels, rounded down, without overflow.
std::int64_t edge(std::int64_t begin, std::int64_t span, std::size_t p, std::size_t pixels)
{
    __extension__ using Wide = __int128;
    return begin + static_cast<std::int64_t>(Wide{span} * static_cast<std::int64_t>(p) / static_cast<std::int64_t>(pixels));
}

/// floor(whole * part / length).
std::int64_t share(std::int64_t whole, std::int64_t part, std::int64_t length)
{
    __extension__ using Wide = __int128;
    return static_cast<std::int64_t>(Wide{whole} * part / length);
}

} // namespace

IntervalLane::IntervalLane(std::shared_ptr<const TaskTimes> times, std::shared_ptr<const RankGraph> graph, std::vector<TaskIndex> order,
                           std::vector<Activity> activities, bool clipped)
    : m_times(std::move(times)), m_graph(std::move(graph)), m_order(std::move(order)), m_clipped(clipped)
{
    assert(activities.size() == m_order.size() || activities.size() == 1);
    m_kinds = activities;
    std::sort(m_kinds.begin(), m_kinds.end());
    m_kinds.erase(std::unique(m_kinds.begin(), m_kinds.end()), m_kinds.end());
    if (m_kinds.size() > 1) {
        m_kindOf.reserve(activities.size());
        for (const Activity activity : activities)
            m_kindOf.push_back(static_cast<std::uint8_t>(std::lower_bound(m_kinds.begin(), m_kinds.end(), activity) - m_kinds.begin()));
    }

    const std::int32_t blocks = (size() + kBlock - 1) / kBlock;
    const std::size_t kinds = m_kinds.size();
    m_busyPrefix.assign((static_cast<std::size_t>(blocks) + 1) * kinds, 0);
    const bool hasBytes = m_graph && !m_graph->bytes.empty();
    if (hasBytes)
        m_bytesPrefix.assign(static_cast<std::size_t>(blocks) + 1, 0);
    for (std::int32_t block = 0; block < blocks; ++block) {
        std::int64_t* next = &m_busyPrefix[(static_cast<std::size_t>(block) + 1) * kinds];
        std::copy(next - kinds, next, next);
        std::int64_t bytes = hasBytes ? m_bytesPrefix[static_cast<std::size_t>(block)] : 0;
        for (std::int32_t i = block * kBlock; i < std::min(size(), (block + 1) * kBlock); ++i) {
            next[kindOf(i)] += endOf(i) - beginOf(i);
            bytes += bytesOf(i);
        }
        if (hasBytes)
            m_bytesPrefix[static_cast<std::size_t>(block) + 1] = bytes;
    }
}

std::int64_t IntervalLane::beginOf(std::int32_t index) const
{
    const std::int64_t issue = m_times->issuePs[static_cast<std::size_t>(m_order[static_cast<std::size_t>(index)])];
    return m_clipped && index > 0 ? std::max(issue, endOf(index - 1)) : issue;
}

std::int64_t IntervalLane::reach(std::int32_t index) const
{
    return std::max(endOf(index), beginOf(index) + 1);
}

std::int64_t IntervalLane::bytesOf(std::int32_t index) const
{
    return m_bytesPrefix.empty() ? 0 : m_graph->bytes[static_cast<std::size_t>(m_order[static_cast<std::size_t>(index)])];
}

TimelineInterval IntervalLane::interval(std::int32_t index) const
{
    return {beginOf(index), endOf(index), m_graph ? m_order[static_cast<std::size_t>(index)] : -1, m_kinds[kindOf(index)]};
}

std::int32_t IntervalLane::gallop(std::int32_t from, std::int64_t timePs) const
{
    std::int32_t low = from;
    std::int32_t step = 1;
    while (low + step <= size() && reach(low + step - 1) <= timePs) {
        low += step;
        step = std::min(step * 2, std::max(size() - low, 1));
    }
    std::int32_t high = std::min(low + step, size());
    while (low < high) {
        const std::int32_t middle = low + (high - low) / 2;
        if (reach(middle) <= timePs)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

std::int32_t IntervalLane::gallopBegin(std::int32_t from, std::int64_t timePs) const
{
    std::int32_t low = from;
    std::int32_t step = 1;
    while (low + step <= size() && beginOf(low + step - 1) < timePs) {
        low += step;
        step = std::min(step * 2, std::max(size() - low, 1));
    }
    std::int32_t high = std::min(low + step, size());
    while (low < high) {
        const std::int32_t middle = low + (high - low) / 2;
        if (beginOf(middle) < timePs)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

void IntervalLane::addBusy(std::int32_t first, std::int32_t last, std::int64_t* perKind) const
{
    const std::size_t kinds = m_kinds.size();
    const std::int32_t firstBlock = (first + kBlock - 1) / kBlock;
    const std::int32_t lastBlock = last / kBlock;
    if (firstBlock >= lastBlock) {
        for (std::int32_t i = first; i < last; ++i)
            perKind[kindOf(i)] += endOf(i) - beginOf(i);
        return;
    }
    for (std::int32_t i = first; i < firstBlock * kBlock; ++i)
        perKind[kindOf(i)] += endOf(i) - beginOf(i);
    for (std::size_t k = 0; k < kinds; ++k)
        perKind[k] += m_busyPrefix[static_cast<std::size_t>(lastBlock) * kinds + k] - m_busyPrefix[static_cast<std::size_t>(firstBlock) * kinds + k];
    for (std::int32_t i = lastBlock * kBlock; i < last; ++i)
        perKind[kindOf(i)] += endOf(i) - beginOf(i);
}

void IntervalLane::buckets(std::int64_t beginPs, std::int64_t endPs, std::span<TimelineBucket> pixels) const
{
    std::int32_t first = gallop(0, beginPs);
    std::int64_t from = beginPs;
    for (std::size_t p = 0; p < pixels.size(); ++p) {
        const std::int64_t to = edge(beginPs, endPs - beginPs, p + 1, pixels.size());
        TimelineBucket& bucket = pixels[p];
        bucket = {};
        first = gallop(first, from);
        const std::int32_t last = gallopBegin(first, to);
        if (last > first && to > from) {
            std::array<std::int64_t, kActivityCount> busy{};
            addBusy(first, last, busy.data());
            // Only the outermost intervals can stick out of the pixel.
            busy[kindOf(first)] -= std::max<std::int64_t>(0, std::min(from, endOf(first)) - beginOf(first));
            busy[kindOf(last - 1)] -= std::max<std::int64_t>(0, endOf(last - 1) - std::max(to, beginOf(last - 1)));
            bucket.first = first;
            bucket.count = last - first;
            std::size_t best = kindOf(first);
            std::int64_t most = 0;
            for (std::size_t k = 0; k < m_kinds.size(); ++k) {
                bucket.busyPs += busy[k];
                if (busy[k] > most) {
                    most = busy[k];
                    best = k;
                }
            }
            bucket.dominant = m_kinds[best];
        }
        from = to;
    }
}

std::int64_t IntervalLane::bytesBefore(std::int32_t index) const
{
    const std::int32_t block = index / kBlock;
    std::int64_t bytes = m_bytesPrefix[static_cast<std::size_t>(block)];
    for (std::int32_t i = block * kBlock; i < index; ++i)
        bytes += bytesOf(i);
    return bytes;
}

LaneSums IntervalLane::sums(std::int64_t beginPs, std::int64_t endPs) const
{
    LaneSums sums;
    if (size() == 0 || endPs <= beginPs)
        return sums;
    const std::int32_t first = gallop(0, beginPs);
    const std::int32_t last = gallopBegin(first, endPs);
    if (last <= first)
        return sums;
    std::array<std::int64_t, kActivityCount> busy{};
    addBusy(first, last, busy.data());
    busy[kindOf(first)] -= std::max<std::int64_t>(0, std::min(beginPs, endOf(first)) - beginOf(first));
    busy[kindOf(last - 1)] -= std::max<std::int64_t>(0, endOf(last - 1) - std::max(endPs, beginOf(last - 1)));
    for (std::size_t k = 0; k < m_kinds.size(); ++k)
        sums.busyPs[static_cast<std::size_t>(m_kinds[k])] = busy[k];
    sums.count = last - first;
    if (!m_bytesPrefix.empty()) {
        sums.bytes = bytesBefore(last) - bytesBefore(first);
        const auto outside = [&](std::int32_t i) {
            const std::int64_t length = endOf(i) - beginOf(i);
            if (length <= 0)
                return std::int64_t{0};
            const std::int64_t inside = std::max<std::int64_t>(0, std::min(endOf(i), endPs) - std::max(beginOf(i), beginPs));
            return bytesOf(i) - share(bytesOf(i), inside, length);
        };
        sums.bytes -= outside(first);
        if (last - 1 > first)
            sums.bytes -= outside(last - 1);
    }
    return sums;
}

} // namespace fabricscope
