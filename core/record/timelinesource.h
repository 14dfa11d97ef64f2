#pragma once

#include "core/record/busylane.h"
#include "core/record/intervallane.h"
#include "core/record/runrecord.h"
#include "core/workload/taskgraph.h"

#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <variant>
#include <vector>

namespace fabricscope {

/// One row of time: intervals of a rank class, or the busy share of a dimension or link.
struct TimelineTrack {
    enum class Kind : std::uint8_t { Compute, Host, Memory, Collective, PointToPoint, Waiting, Busy };
    Kind kind = Kind::Compute;
    std::int32_t rankClass = -1; ///< Index into TimelineSource::classes(); -1: busy track.
    std::int32_t subLane = 0;    ///< Overlapping intervals are spread over several lanes; 0 is the first.
    std::string name;            ///< Collective: its group family, empty for all ranks. Busy: of the dimension use. Else empty.
    std::int32_t dimension = -1; ///< Busy: number of the dimension, for its colour; -1: none.
    std::int64_t links = 0;      ///< Busy.
    double busyShare = 0;        ///< Busy: over the whole run.
    std::int64_t resolutionPs = 0; ///< Finest detail; 0: exact.
};

/// Ranks with the same times, and which tracks are theirs.
struct TimelineClass {
    RankSet ranks;
    std::int32_t job = 0;
    SimTime finish;
    std::int32_t firstTrack = 0;
    std::int32_t trackCount = 0; ///< 0: task times were not recorded.
};

/// What a selected interval is, for people. Times of the class, data of the task.
struct TimelineEvent {
    TimelineTrack::Kind kind = TimelineTrack::Kind::Compute;
    Activity activity = Activity::Compute;
    std::string name;
    std::optional<CollectiveOp> op;
    std::uint64_t sourceId = 0;
    SimTime issue;          ///< When the task was issued; before `begin` when it queued behind another of its group.
    SimTime begin;
    SimTime end;
    std::int64_t bytes = 0;
    std::string group;                 ///< Group family of a collective; empty: all ranks.
    std::optional<std::int32_t> peer;  ///< Send, receive: peer of the first rank of the class.
    bool isSend = false;
    std::int32_t number = 0;           ///< Running number on its track, from 1.
    std::int32_t ofTrack = 0;          ///< Intervals on the track.
};

/// Sums over a range of time (rows of one class, or busy tracks).
struct TimelineSums {
    SimTime duration;
    std::array<std::int64_t, kActivityCount> busyPs{};
    std::int64_t bytes = 0;      ///< Moved by communication; of cut intervals the share inside.
    std::int64_t count = 0;
    double busyShare(Activity activity) const;   ///< 0..1.
    double bytesPerSecond() const;
};

/// Level-of-detail queries over a finished (or sealed part of a) run. Immutable, safe to share; memory about 6 bytes per interval
/// beside the record it keeps alive.
class TimelineSource {
public:
    struct Options {
        std::vector<std::int32_t> dimensionOfUse; ///< Dimension of each RunRecord::dimensions entry; missing ones: the entry's own number.
        std::stop_token stop = {}; ///< Looked at every few milliseconds; then StopRequested (stop.h) is thrown.
    };

    /// O(intervals), O(n log n) where tasks are not in order of time. \pre record and workload not null.
    static std::shared_ptr<const TimelineSource> create(RunRecordPtr record, WorkloadPtr workload, const Options& options);
    static std::shared_ptr<const TimelineSource> create(RunRecordPtr record, WorkloadPtr workload) { return create(std::move(record), std::move(workload), Options{}); }

    const RunRecord& record() const { return *m_record; }
    SimTime finish() const { return m_record->finish; }
    const std::vector<TimelineClass>& classes() const { return m_classes; } ///< As in the record.
    const std::vector<TimelineTrack>& tracks() const { return m_tracks; }   ///< Class by class, then busy tracks.
    /// Class of a rank; -1 when it is in none. O(classes).
    std::int32_t classOf(std::int64_t rank) const;

    /// One bucket per pixel of [begin, end). Interval tracks are exact at every zoom; busy tracks down to their resolution.
    void buckets(std::size_t track, SimTime begin, SimTime end, std::span<TimelineBucket> pixels) const;
    std::int32_t intervalCount(std::size_t track) const; ///< 0 for busy tracks.
    TimelineInterval interval(std::size_t track, std::int32_t index) const; ///< \pre not a busy track.
    /// First interval that touches [begin, end); -1: none, or a busy track.
    std::int32_t firstIn(std::size_t track, SimTime begin, SimTime end) const;
    TimelineEvent event(std::size_t track, std::int32_t index) const;
    /// Sums of these tracks over [begin, end). Bytes and counts: communication tracks only for bytes, all for counts.
    TimelineSums sums(std::span<const std::size_t> tracks, SimTime begin, SimTime end) const;
    /// Mean busy share of a busy track in [begin, end).
    double busyShare(std::size_t track, SimTime begin, SimTime end) const;

    /// A source with a finer window for one busy track; shares everything else. \pre a busy track.
    std::shared_ptr<const TimelineSource> refined(std::size_t track, BusyWindow window) const;

private:
    using Lane = std::variant<std::shared_ptr<const IntervalLane>, std::shared_ptr<const BusyLane>>;

    void addClass(std::int32_t index, const std::stop_token& stop);
    const IntervalLane* intervals(std::size_t track) const;
    const BusyLane* busyLane(std::size_t track) const;

    RunRecordPtr m_record;
    WorkloadPtr m_workload;
    std::vector<TimelineClass> m_classes;
    std::vector<TimelineTrack> m_tracks;
    std::vector<Lane> m_lanes; ///< One per track.
};

using TimelineSourcePtr = std::shared_ptr<const TimelineSource>;

} // namespace fabricscope
