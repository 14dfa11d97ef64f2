#include "core/record/intervallane.h"

#include "core/base/index.h"

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
    m_blockBegin.reserve(static_cast<std::size_t>(blocks));
    m_busyPrefix.assign((static_cast<std::size_t>(blocks) + 1) * kinds, 0);
    const bool hasBytes = m_graph && !m_graph->bytes.empty();
    if (hasBytes)
        m_bytesPrefix.assign(static_cast<std::size_t>(blocks) + 1, 0);
    for (std::int32_t block = 0; block < blocks; ++block) {
        m_blockBegin.push_back(beginOf(block * kBlock));
        std::int64_t* next = &m_busyPrefix[(static_cast<std::size_t>(block) + 1) * kinds];
        std::copy(next - kinds, next, next);
        std::int64_t bytes = hasBytes ? m_bytesPrefix[at(block)] : 0;
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
    const std::int64_t issue = m_times->issuePs[at(m_order[at(index)])];
    return m_clipped && index > 0 ? std::max(issue, endOf(index - 1)) : issue;
}

std::int64_t IntervalLane::bytesOf(std::int32_t index) const
{
    return m_bytesPrefix.empty() ? 0 : m_graph->bytes[at(m_order[at(index)])];
}

TimelineInterval IntervalLane::interval(std::int32_t index) const
{
    return {beginOf(index), endOf(index), m_graph ? m_order[at(index)] : -1, m_kinds[kindOf(index)]};
}

// The block that holds the last interval beginning before the instant: all before it have ended by then, because intervals do not overlap.
std::int32_t IntervalLane::blockOf(std::int64_t timePs, std::int32_t from) const
{
    const auto blocks = static_cast<std::int32_t>(m_blockBegin.size());
    std::int32_t low = from;
    std::int32_t step = 1;
    while (low + step < blocks && m_blockBegin[at(low + step)] < timePs) {
        low += step;
        step *= 2;
    }
    std::int32_t high = std::min(low + step, blocks);
    while (high - low > 1) {
        const std::int32_t middle = low + (high - low) / 2;
        (m_blockBegin[at(middle)] < timePs ? low : high) = middle;
    }
    return low;
}

IntervalLane::Edge IntervalLane::edgeAt(std::int64_t timePs, std::int32_t block) const
{
    Edge edge;
    if (m_order.empty())
        return edge;
    const std::size_t kinds = m_kinds.size();
    const std::int64_t* prefix = &m_busyPrefix[static_cast<std::size_t>(block) * kinds];
    std::copy(prefix, prefix + kinds, edge.busyPs.begin());
    const std::int32_t last = std::min((block + 1) * kBlock, size());
    std::int32_t i = block * kBlock;
    std::int64_t end = 0;
    while (i < last) {
        const std::int64_t begin = beginOf(i);
        if (begin >= timePs)
            break;
        end = endOf(i);
        edge.busyPs[kindOf(i)] += end - begin;
        ++i;
    }
    edge.begun = edge.touching = i;
    if (end > timePs) {
        edge.busyPs[kindOf(i - 1)] -= end - timePs;
        --edge.touching;
    }
    return edge;
}

void IntervalLane::prefetchOrder(std::int32_t block) const
{
    __builtin_prefetch(&m_order[static_cast<std::size_t>(block) * kBlock]);
    __builtin_prefetch(&m_busyPrefix[static_cast<std::size_t>(block) * m_kinds.size()]);
}

void IntervalLane::prefetchTimes(std::int32_t block) const
{
    // Tasks of a block mostly lie side by side in the record: a line per eight.
    const std::int32_t last = std::min((block + 1) * kBlock, size()) - 1;
    for (const std::int32_t i : {block * kBlock, block * kBlock + kBlock / 3, block * kBlock + 2 * kBlock / 3, last}) {
        const auto task = static_cast<std::size_t>(m_order[at(std::min(i, last))]);
        __builtin_prefetch(&m_times->issuePs[task]);
        __builtin_prefetch(&m_times->endPs[task]);
    }
}

void IntervalLane::buckets(std::int64_t beginPs, std::int64_t endPs, std::span<TimelineBucket> pixels) const
{
    std::fill(pixels.begin(), pixels.end(), TimelineBucket{});
    if (m_order.empty() || pixels.empty())
        return;
    // Blocks of all edges first: then what they need can be fetched ahead, and memory answers while others are summed.
    constexpr std::size_t kAhead = 12;
    std::vector<std::int32_t> blocks(pixels.size() + 1);
    std::int32_t block = blockOf(beginPs, 0);
    for (std::size_t p = 0; p < blocks.size(); ++p)
        blocks[p] = block = blockOf(edge(beginPs, endPs - beginPs, p, pixels.size()), block);
    for (std::size_t p = 0; p < std::min(2 * kAhead, blocks.size()); ++p)
        prefetchOrder(blocks[p]);
    for (std::size_t p = 0; p < std::min(kAhead, blocks.size()); ++p)
        prefetchTimes(blocks[p]);

    std::int64_t from = beginPs;
    Edge before = edgeAt(from, blocks[0]);
    for (std::size_t p = 0; p < pixels.size(); ++p) {
        if (p + 1 + 2 * kAhead < blocks.size())
            prefetchOrder(blocks[p + 1 + 2 * kAhead]);
        if (p + 1 + kAhead < blocks.size())
            prefetchTimes(blocks[p + 1 + kAhead]);
        const std::int64_t to = edge(beginPs, endPs - beginPs, p + 1, pixels.size());
        const Edge after = edgeAt(to, blocks[p + 1]);
        if (after.begun > before.touching && to > from) {
            TimelineBucket& bucket = pixels[p];
            bucket.first = before.touching;
            bucket.count = after.begun - before.touching;
            std::size_t best = kindOf(before.touching);
            std::int64_t most = 0;
            for (std::size_t k = 0; k < m_kinds.size(); ++k) {
                const std::int64_t busy = after.busyPs[k] - before.busyPs[k];
                bucket.busyPs += busy;
                if (busy > most) {
                    most = busy;
                    best = k;
                }
            }
            bucket.dominant = m_kinds[best];
        }
        from = to;
        before = after;
    }
}

std::int64_t IntervalLane::bytesBefore(std::int32_t index) const
{
    const std::int32_t block = index / kBlock;
    std::int64_t bytes = m_bytesPrefix[at(block)];
    for (std::int32_t i = block * kBlock; i < index; ++i)
        bytes += bytesOf(i);
    return bytes;
}

LaneSums IntervalLane::sums(std::int64_t beginPs, std::int64_t endPs) const
{
    LaneSums sums;
    if (size() == 0 || endPs <= beginPs)
        return sums;
    const Edge before = edgeAt(beginPs, blockOf(beginPs, 0));
    const Edge after = edgeAt(endPs, blockOf(endPs, 0));
    const std::int32_t first = before.touching;
    const std::int32_t last = after.begun;
    if (last <= first)
        return sums;
    for (std::size_t k = 0; k < m_kinds.size(); ++k)
        sums.busyPs[at(m_kinds[k])] = after.busyPs[k] - before.busyPs[k];
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
