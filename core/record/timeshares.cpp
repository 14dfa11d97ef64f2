#include "core/record/timeshares.h"

#include "core/base/index.h"
#include "core/base/stop.h"

#include <algorithm>
#include <array>

namespace fabricscope {

namespace {

using Kind = TimelineTrack::Kind;

constexpr std::array<Kind, 4> kKinds{Kind::Compute, Kind::Host, Kind::Memory, Kind::Waiting};
constexpr std::array<Activity, 4> kActivities{Activity::Compute, Activity::Compute, Activity::Memory, Activity::Waiting};
constexpr std::array<const char*, 4> kNames{"Compute", "Host", "Memory", "Exposed communication"};

std::int64_t edgeOf(std::int64_t endPs, std::size_t column, std::size_t columns)
{
    __extension__ using Wide = __int128;
    return static_cast<std::int64_t>(Wide{endPs} * static_cast<std::int64_t>(column) / static_cast<std::int64_t>(columns));
}

TimeShares emptyShares(const TimelineSource& source, std::size_t columns)
{
    TimeShares shares;
    shares.endPs = source.record().cutAt.value_or(source.finish()).ps;
    shares.columns = columns;
    return shares;
}

/// Adds what the ranks of a class spend on each kind, in ranks.
void addClass(const TimelineSource& source, const TimelineClass& ranks, TimeShares& shares, std::vector<TimelineBucket>& pixels)
{
    const auto count = static_cast<double>(ranks.ranks.count());
    std::array<std::vector<std::int64_t>, kKinds.size()> busy;
    for (std::int32_t i = ranks.firstTrack; i < ranks.firstTrack + ranks.trackCount; ++i) {
        const auto kind = std::find(kKinds.begin(), kKinds.end(), source.tracks()[at(i)].kind);
        if (kind == kKinds.end())
            continue;
        auto& sum = busy[static_cast<std::size_t>(kind - kKinds.begin())];
        sum.resize(shares.columns);
        source.buckets(static_cast<std::size_t>(i), SimTime{0}, SimTime{shares.endPs}, pixels);
        for (std::size_t column = 0; column < shares.columns; ++column)
            sum[column] += pixels[column].busyPs;
    }
    for (std::size_t column = 0; column < shares.columns; ++column) {
        const std::int64_t width = edgeOf(shares.endPs, column + 1, shares.columns) - edgeOf(shares.endPs, column, shares.columns);
        std::int64_t rest = width;
        for (std::size_t kind = 0; kind < kKinds.size() && width > 0; ++kind) {
            if (busy[kind].empty())
                continue;
            const std::int64_t part = std::min(busy[kind][column], rest);
            rest -= part;
            shares.parts[kind].shares[column] += count * static_cast<double>(part) / static_cast<double>(width);
        }
    }
}

} // namespace

std::int64_t TimeShares::timeOf(std::size_t column) const
{
    const std::int64_t begin = edgeOf(endPs, column, columns);
    return begin + (edgeOf(endPs, column + 1, columns) - begin) / 2;
}

TimeShares linkShares(const TimelineSource& source, std::size_t columns)
{
    TimeShares shares = emptyShares(source, columns);
    std::int64_t links = 0;
    for (const TimelineTrack& track : source.tracks())
        links += track.kind == Kind::Busy ? track.links : 0;
    if (links <= 0 || shares.endPs <= 0)
        return shares;
    std::vector<TimelineBucket> pixels(columns);
    for (std::size_t i = 0; i < source.tracks().size(); ++i) {
        const TimelineTrack& track = source.tracks()[i];
        if (track.kind != Kind::Busy)
            continue;
        source.buckets(i, SimTime{0}, SimTime{shares.endPs}, pixels);
        TimeShares::Part part{track.name, track.dimension, {}, std::vector<double>(columns)};
        for (std::size_t column = 0; column < columns; ++column) {
            const std::int64_t width = edgeOf(shares.endPs, column + 1, columns) - edgeOf(shares.endPs, column, columns);
            if (width > 0)
                part.shares[column] = static_cast<double>(std::min(pixels[column].busyPs, width)) / static_cast<double>(width) * static_cast<double>(track.links)
                                      / static_cast<double>(links);
        }
        shares.parts.push_back(std::move(part));
    }
    return shares;
}

TimeShares rankShares(const TimelineSource& source, std::optional<std::int32_t> rankClass, std::size_t columns, const std::stop_token& stop)
{
    TimeShares shares = emptyShares(source, columns);
    if (shares.endPs <= 0)
        return shares;
    for (std::size_t kind = 0; kind < kKinds.size(); ++kind)
        shares.parts.push_back({kNames[kind], -1, kActivities[kind], std::vector<double>(columns)});
    std::vector<TimelineBucket> pixels(columns);
    std::int64_t ranks = 0;
    for (std::size_t i = 0; i < source.classes().size(); ++i) {
        checkStop(stop);
        if (rankClass && static_cast<std::size_t>(*rankClass) != i)
            continue;
        addClass(source, source.classes()[i], shares, pixels);
        ranks += source.classes()[i].ranks.count();
    }
    for (TimeShares::Part& part : shares.parts)
        for (double& share : part.shares)
            share /= static_cast<double>(std::max<std::int64_t>(ranks, 1));
    std::erase_if(shares.parts, [](const TimeShares::Part& part) { return std::all_of(part.shares.begin(), part.shares.end(), [](double share) { return share == 0; }); });
    return shares;
}

} // namespace fabricscope
