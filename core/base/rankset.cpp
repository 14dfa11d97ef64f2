#include "core/base/rankset.h"

#include "core/base/showntext.h"

#include <algorithm>
#include <charconv>
#include <limits>

namespace fabricscope {

RankSet RankSet::range(std::int64_t first, std::int64_t count)
{
    RankSet set;
    if (count > 0)
        set.m_intervals.push_back({first, first + count - 1});
    return set;
}

Result<RankSet> RankSet::parse(std::string_view text)
{
    // Far beyond any machine, and far from where sums of two ranks overflow.
    constexpr std::int64_t kLargest = std::numeric_limits<std::int32_t>::max();
    const auto refuse = [&] { return invalidInput(quotedText(text) + " is not a list of ranks", {}, "a list such as 0-7,16 in ascending order"); };
    RankSet set;
    const char* at = text.data();
    const char* const end = at + text.size();
    while (true) {
        Interval interval;
        auto read = std::from_chars(at, end, interval.first);
        if (read.ec != std::errc{} || interval.first < 0)
            return refuse();
        interval.last = interval.first;
        at = read.ptr;
        if (at != end && *at == '-') {
            read = std::from_chars(at + 1, end, interval.last);
            if (read.ec != std::errc{})
                return refuse();
            at = read.ptr;
        }
        if (interval.last > kLargest)
            return invalidInput(quotedText(text) + " names rank " + std::to_string(interval.last), {}, "ranks up to " + std::to_string(kLargest));
        if (interval.last < interval.first || (!set.m_intervals.empty() && interval.first <= set.m_intervals.back().last))
            return refuse();
        if (!set.m_intervals.empty() && interval.first == set.m_intervals.back().last + 1)
            set.m_intervals.back().last = interval.last;
        else
            set.m_intervals.push_back(interval);
        if (at == end)
            return set;
        if (*at++ != ',')
            return refuse();
    }
}

void RankSet::add(std::int64_t rank)
{
    if (m_intervals.empty() || rank > m_intervals.back().last + 1) {
        m_intervals.push_back({rank, rank});
        return;
    }
    if (rank == m_intervals.back().last + 1) {
        ++m_intervals.back().last;
        return;
    }
    auto at = std::lower_bound(m_intervals.begin(), m_intervals.end(), rank,
                               [](const Interval& interval, std::int64_t r) { return interval.last < r; });
    if (at != m_intervals.end() && at->first <= rank)
        return;
    at = m_intervals.insert(at, {rank, rank});
    if (const auto next = at + 1; next != m_intervals.end() && next->first == rank + 1) {
        at->last = next->last;
        m_intervals.erase(next);
    }
    if (at != m_intervals.begin() && (at - 1)->last == rank - 1) {
        (at - 1)->last = at->last;
        m_intervals.erase(at);
    }
}

bool RankSet::contains(std::int64_t rank) const
{
    const auto at = std::lower_bound(m_intervals.begin(), m_intervals.end(), rank,
                                     [](const Interval& interval, std::int64_t r) { return interval.last < r; });
    return at != m_intervals.end() && at->first <= rank;
}

std::int64_t RankSet::count() const
{
    std::int64_t total = 0;
    for (const Interval& interval : m_intervals)
        total += interval.last - interval.first + 1;
    return total;
}

std::string RankSet::text() const
{
    std::string out;
    for (const Interval& interval : m_intervals) {
        if (!out.empty())
            out += ',';
        out += std::to_string(interval.first);
        if (interval.last > interval.first)
            out += '-' + std::to_string(interval.last);
    }
    return out;
}

} // namespace fabricscope
