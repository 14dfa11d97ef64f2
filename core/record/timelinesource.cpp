#include "core/record/timelinesource.h"

#include "core/record/timelinelanes.h"

#include <algorithm>
#include <cassert>

namespace fabricscope {

double TimelineSums::busyShare(Activity activity) const
{
    return duration.ps > 0 ? static_cast<double>(busyPs[static_cast<std::size_t>(activity)]) / static_cast<double>(duration.ps) : 0.0;
}

double TimelineSums::bytesPerSecond() const
{
    return duration.ps > 0 ? static_cast<double>(bytes) * static_cast<double>(kPsPerSecond) / static_cast<double>(duration.ps) : 0.0;
}

std::shared_ptr<const TimelineSource> TimelineSource::create(RunRecordPtr record, WorkloadPtr workload, const Options& options)
{
    assert(record && workload);
    auto source = std::make_shared<TimelineSource>();
    source->m_record = std::move(record);
    source->m_workload = std::move(workload);
    for (std::size_t i = 0; i < source->m_record->classes.size(); ++i)
        source->addClass(static_cast<std::int32_t>(i), options.stop);
    for (std::size_t i = 0; i < source->m_record->dimensions.size(); ++i) {
        const DimensionUse& use = source->m_record->dimensions[i];
        if (use.links <= 0)
            continue;
        TimelineTrack track;
        track.kind = TimelineTrack::Kind::Busy;
        track.name = use.name;
        track.dimension = i < options.dimensionOfUse.size() ? options.dimensionOfUse[i] : static_cast<std::int32_t>(i);
        track.links = use.links;
        track.busyShare = use.busyShare(source->finish());
        track.resolutionPs = use.busy.bucketPs();
        source->m_tracks.push_back(std::move(track));
        source->m_lanes.emplace_back(std::make_shared<const BusyLane>(use.busy, use.links));
    }
    return source;
}

void TimelineSource::addClass(std::int32_t index, const std::stop_token& stop)
{
    const RankClass& from = m_record->classes[static_cast<std::size_t>(index)];
    TimelineClass group;
    group.ranks = from.ranks;
    group.job = from.job;
    group.finish = from.times.finish;
    group.firstTrack = static_cast<std::int32_t>(m_tracks.size());
    if (from.tasks && !from.ranks.empty()) {
        const auto rank = static_cast<std::size_t>(from.ranks.intervals().front().first);
        const std::size_t graph = m_workload->graphOfRank.empty() ? 0 : static_cast<std::size_t>(m_workload->graphOfRank[rank]);
        for (TimelineLane& lane : timelineLanes(from.tasks, m_workload->graphs[graph], m_record->finish, m_workload->families, traitsOf(m_record->model).queuesInOrder, stop)) {
            lane.track.rankClass = index;
            m_tracks.push_back(std::move(lane.track));
            m_lanes.emplace_back(std::move(lane.lane));
        }
    }
    group.trackCount = static_cast<std::int32_t>(m_tracks.size()) - group.firstTrack;
    m_classes.push_back(std::move(group));
}

const IntervalLane* TimelineSource::intervals(std::size_t track) const
{
    const auto* lane = std::get_if<0>(&m_lanes[track]);
    return lane ? lane->get() : nullptr;
}

const BusyLane* TimelineSource::busyLane(std::size_t track) const
{
    const auto* lane = std::get_if<1>(&m_lanes[track]);
    return lane ? lane->get() : nullptr;
}

std::int32_t TimelineSource::classOf(std::int64_t rank) const
{
    for (std::size_t i = 0; i < m_classes.size(); ++i)
        if (m_classes[i].ranks.contains(rank))
            return static_cast<std::int32_t>(i);
    return -1;
}

void TimelineSource::buckets(std::size_t track, SimTime begin, SimTime end, std::span<TimelineBucket> pixels) const
{
    if (const IntervalLane* lane = intervals(track))
        lane->buckets(begin.ps, end.ps, pixels);
    else
        busyLane(track)->buckets(begin.ps, end.ps, pixels);
}

std::int32_t TimelineSource::intervalCount(std::size_t track) const
{
    const IntervalLane* lane = intervals(track);
    return lane ? lane->size() : 0;
}

TimelineInterval TimelineSource::interval(std::size_t track, std::int32_t index) const
{
    assert(intervals(track));
    return intervals(track)->interval(index);
}

std::int32_t TimelineSource::firstIn(std::size_t track, SimTime begin, SimTime end) const
{
    const IntervalLane* lane = intervals(track);
    if (!lane)
        return -1;
    const std::int32_t index = lane->firstTouching(begin.ps);
    return index < lane->size() && lane->interval(index).beginPs < end.ps ? index : -1;
}

TimelineEvent TimelineSource::event(std::size_t track, std::int32_t index) const
{
    const TimelineTrack& from = m_tracks[track];
    const TimelineInterval at = interval(track, index);
    TimelineEvent event;
    event.kind = from.kind;
    event.activity = at.activity;
    event.issue = event.begin = SimTime{at.beginPs};
    event.end = SimTime{at.endPs};
    event.number = index + 1;
    event.ofTrack = intervalCount(track);
    if (at.task < 0)
        return event;
    const RankClass& rankClass = m_record->classes[static_cast<std::size_t>(from.rankClass)];
    const auto rank = static_cast<std::int32_t>(rankClass.ranks.intervals().front().first);
    const RankGraph& graph = m_workload->graph(rank);
    const auto task = static_cast<std::size_t>(at.task);
    event.issue = SimTime{rankClass.tasks->issuePs[task]};
    event.name = graph.name(at.task);
    event.sourceId = graph.sourceId[task];
    event.bytes = graph.bytes[task];
    if (graph.kind[task] == TaskKind::Collective) {
        event.op = graph.op[task];
        event.group = from.name;
    } else if (graph.kind[task] == TaskKind::Send || graph.kind[task] == TaskKind::Receive) {
        event.peer = graph.peerRank(at.task, rank);
        event.isSend = graph.kind[task] == TaskKind::Send;
    }
    return event;
}

TimelineSums TimelineSource::sums(std::span<const std::size_t> tracks, SimTime begin, SimTime end) const
{
    TimelineSums total;
    total.duration = end - begin;
    for (const std::size_t track : tracks) {
        const IntervalLane* lane = intervals(track);
        if (!lane)
            continue;
        const LaneSums part = lane->sums(begin.ps, end.ps);
        for (std::size_t k = 0; k < kActivityCount; ++k)
            total.busyPs[k] += part.busyPs[k];
        const TimelineTrack::Kind kind = m_tracks[track].kind;
        if (kind == TimelineTrack::Kind::Collective || kind == TimelineTrack::Kind::PointToPoint)
            total.bytes += part.bytes;
        if (kind != TimelineTrack::Kind::Waiting)
            total.count += part.count;
    }
    return total;
}

double TimelineSource::busyShare(std::size_t track, SimTime begin, SimTime end) const
{
    const BusyLane* lane = busyLane(track);
    if (!lane || end <= begin)
        return 0;
    return static_cast<double>(lane->busy(begin.ps, end.ps)) / (static_cast<double>(m_tracks[track].links) * static_cast<double>((end - begin).ps));
}

std::shared_ptr<const TimelineSource> TimelineSource::refined(std::size_t track, BusyWindow window) const
{
    assert(busyLane(track));
    auto source = std::make_shared<TimelineSource>(*this);
    const std::int64_t width = window.widthPs;
    source->m_lanes[track] = std::make_shared<const BusyLane>(busyLane(track)->refined(std::move(window)));
    source->m_tracks[track].resolutionPs = std::min(width, m_tracks[track].resolutionPs);
    return source;
}

} // namespace fabricscope
