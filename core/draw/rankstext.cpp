#include "core/draw/rankstext.h"

#include "core/draw/numbertext.h"

#include <algorithm>
#include <span>

namespace fabricscope {

namespace {

using Interval = RankSet::Interval;

std::string listed(std::span<const Interval> intervals)
{
    std::string text;
    for (const Interval& interval : intervals)
        text += (text.empty() ? "" : ", ") + numbertext::range(interval.first, interval.last - interval.first + 1);
    return text;
}

std::vector<Interval> without(const std::vector<Interval>& intervals, std::int64_t all)
{
    std::vector<Interval> left;
    std::int64_t next = 0;
    for (const Interval& interval : intervals) {
        if (interval.first > next)
            left.push_back({next, interval.first - 1});
        next = interval.last + 1;
    }
    if (next < all)
        left.push_back({next, all - 1});
    return left;
}

/// As long as the first, each as far from the one before as the second from the first.
bool isRegular(const std::vector<Interval>& intervals)
{
    const std::int64_t pitch = intervals[1].first - intervals[0].first;
    for (std::size_t i = 1; i < intervals.size(); ++i) {
        const bool asFar = intervals[i].first - intervals[i - 1].first == pitch;
        if (!asFar || intervals[i].last - intervals[i].first != intervals[0].last - intervals[0].first)
            return false;
    }
    return true;
}

constexpr const char* kMore = ", \xE2\x80\xA6 ";

std::string beginOf(const std::vector<Interval>& intervals)
{
    return listed(std::span(intervals).first(2)) + kMore;
}

/// All of them in few words; empty: there are none.
std::string inFewWords(const std::vector<Interval>& intervals, std::size_t most)
{
    if (intervals.size() <= most)
        return listed(intervals);
    return isRegular(intervals) ? beginOf(intervals) + listed(std::span(intervals).last(1)) : std::string();
}

} // namespace

std::string ranksText(const RankSet& ranks, std::int64_t all, std::size_t most)
{
    const std::vector<Interval>& intervals = ranks.intervals();
    if (std::string text = inFewWords(intervals, most); !text.empty())
        return text;
    const std::string others = ranks.count() * 2 > all ? inFewWords(without(intervals, all), most) : std::string();
    return others.empty() ? beginOf(intervals) + '(' + numbertext::count(ranks.count()) + ')' : "all but " + others;
}

std::int64_t rankBound(const std::vector<TimelineClass>& classes)
{
    std::int64_t bound = 0;
    for (const TimelineClass& each : classes)
        bound = std::max(bound, each.ranks.empty() ? 0 : each.ranks.intervals().back().last + 1);
    return bound;
}

} // namespace fabricscope
