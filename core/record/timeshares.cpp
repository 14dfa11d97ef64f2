#include "core/record/timeshares.h"

#include "core/base/index.h"
#include "core/base/stop.h"

#include <algorithm>
#include <array>

namespace fabricscope {

namespace {

using TrackKind = TimelineTrack::Kind;

constexpr std::array kPartKinds{TrackKind::Compute, TrackKind::Host, TrackKind::Memory, TrackKind::Waiting};
constexpr std::array<Activity, 4> kPartActivities{Activity::Compute, Activity::Compute, Activity::Memory, Activity::Waiting};
/// Waiting is known exactly; work that overlaps is not told apart, and gets what is left.
constexpr std::array<std::size_t, 4> kTakenInOrder{3, 0, 2, 1};
constexpr std::array<const char*, 4> kPartNames{"Compute", "Host", "Memory", "Exposed communication"};

std::int64_t edgeOf(std::int64_t endPs, std::size_t column, std::size_t columns)
{
    __extension__ using Wide = __int128;
    return static_cast<std::int64_t>(Wide{endPs} * static_cast<std::int64_t>(column) / static_cast<std::int64_t>(columns));
}

/// Picoseconds of a column; 0 where there are more columns than picoseconds.
std::int64_t widthOf(std::int64_t endPs, std::size_t column, std::size_t columns)
{
    return edgeOf(endPs, column + 1, columns) - edgeOf(endPs, column, columns);
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
    std::array<std::vector<std::int64_t>, kPartKinds.size()> busy;
    for (std::int32_t i = ranks.firstTrack; i < ranks.firstTrack + ranks.trackCount; ++i) {
        const auto kind = std::find(kPartKinds.begin(), kPartKinds.end(), source.tracks()[at(i)].kind);
        if (kind == kPartKinds.end())
            continue;
        auto& sum = busy[static_cast<std::size_t>(kind - kPartKinds.begin())];
        sum.resize(shares.columns);
        source.buckets(static_cast<std::size_t>(i), SimTime{0}, SimTime{shares.endPs}, pixels);
        for (std::size_t column = 0; column < shares.columns; ++column)
            sum[column] += pixels[column].busyPs;
    }
    for (std::size_t column = 0; column < shares.columns; ++column) {
        const std::int64_t width = widthOf(shares.endPs, column, shares.columns);
        std::int64_t rest = width;
        for (const std::size_t kind : kTakenInOrder) {
            if (width <= 0 || busy[kind].empty())
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
    return edgeOf(endPs, column, columns) + widthOf(endPs, column, columns) / 2;
}

TimeShares linkShares(const TimelineSource& source, std::size_t columns)
{
    TimeShares shares = emptyShares(source, columns);
    std::int64_t links = 0;
    for (const TimelineTrack& track : source.tracks())
        links += track.kind == TrackKind::Busy ? track.links : 0;
    if (links <= 0 || shares.endPs <= 0)
        return shares;
    std::vector<TimelineBucket> pixels(columns);
    for (std::size_t i = 0; i < source.tracks().size(); ++i) {
        const TimelineTrack& track = source.tracks()[i];
        if (track.kind != TrackKind::Busy)
            continue;
        source.buckets(i, SimTime{0}, SimTime{shares.endPs}, pixels);
        TimeShares::Part part{track.name, track.dimension, {}, std::vector<double>(columns)};
        for (std::size_t column = 0; column < columns; ++column) {
            const std::int64_t width = widthOf(shares.endPs, column, columns);
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
    for (std::size_t kind = 0; kind < kPartKinds.size(); ++kind)
        shares.parts.push_back({kPartNames[kind], -1, kPartActivities[kind], std::vector<double>(columns)});
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
    const auto isEmpty = [](const TimeShares::Part& part) { return std::all_of(part.shares.begin(), part.shares.end(), [](double share) { return share == 0; }); };
    std::erase_if(shares.parts, isEmpty);
    return shares;
}

} // namespace fabricscope
