#pragma once

#include "core/base/index.h"
#include "core/record/activity.h"
#include "core/record/runrecord.h"
#include "core/workload/taskgraph.h"

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace fabricscope {

/// What happened within one pixel of a lane.
struct TimelineBucket {
    std::int64_t busyPs = 0;     ///< Time covered by intervals, at most the width of the pixel (per link on busy tracks).
    std::int32_t first = -1;     ///< First interval that touches the pixel.
    std::int32_t count = 0;      ///< Intervals that touch the pixel; 0: nothing. Busy tracks: 1 when busy at all.
    Activity dominant = Activity::Compute; ///< The kind with the most time; equal: the lower value.

    friend bool operator==(const TimelineBucket&, const TimelineBucket&) = default;
};

/// One interval of a lane.
struct TimelineInterval {
    std::int64_t beginPs = 0;
    std::int64_t endPs = 0;
    TaskIndex task = -1; ///< In the rank graph; -1: not a task (waiting).
    Activity activity = Activity::Compute;
};

/// Time and bytes of a lane inside a range.
struct LaneSums {
    std::array<std::int64_t, kActivityCount> busyPs{};
    std::int64_t bytes = 0;  ///< Of every interval the share that lies in the range, each rounded down.
    std::int64_t count = 0;  ///< Intervals that touch the range.
};

/// Intervals that do not overlap, in order of time, with prefix sums: the busy time of any window costs O(log n).
/// About 7 bytes per interval; the times themselves stay in the record.
class IntervalLane {
public:
    /// `order`: the tasks of the lane; each must begin no earlier than the one before ends, or, with `clipped`, end no earlier
    /// (then an interval is shown from the end of the one before). `graph` may be null (waiting).
    IntervalLane(std::shared_ptr<const TaskTimes> times, std::shared_ptr<const RankGraph> graph, std::vector<TaskIndex> order,
                 std::vector<Activity> activities, bool clipped);

    std::int32_t size() const { return static_cast<std::int32_t>(m_order.size()); }
    TimelineInterval interval(std::int32_t index) const;
    /// First interval that touches [timePs, ...); size() when none. O(log n).
    std::int32_t firstTouching(std::int64_t timePs) const { return edgeAt(timePs, blockOf(timePs, 0)).touching; }

    /// Fills one bucket per pixel of [beginPs, endPs); pixel p is [begin + span*p/n, begin + span*(p+1)/n), rounded down.
    /// O(pixels * log(intervals per pixel)). An interval of no length belongs to the pixel its instant is in.
    void buckets(std::int64_t beginPs, std::int64_t endPs, std::span<TimelineBucket> pixels) const;
    /// O(log n).
    LaneSums sums(std::int64_t beginPs, std::int64_t endPs) const;

private:
    static constexpr std::int32_t kBlock = 16;

    /// What lies before an instant.
    struct Edge {
        std::int32_t begun = 0;    ///< Intervals that begin before it.
        std::int32_t touching = 0; ///< First interval that reaches beyond it: begun, or the one before when that is still running.
        std::array<std::int64_t, kActivityCount> busyPs{}; ///< By kind of the lane.
    };

    std::int64_t beginOf(std::int32_t index) const;
    std::int64_t endOf(std::int32_t index) const { return m_times->endPs[at(m_order[at(index)])]; }
    std::uint8_t kindOf(std::int32_t index) const { return m_kindOf.empty() ? std::uint8_t{0} : m_kindOf[at(index)]; }
    std::int64_t bytesOf(std::int32_t index) const;
    std::int32_t blockOf(std::int64_t timePs, std::int32_t from) const;
    Edge edgeAt(std::int64_t timePs, std::int32_t block) const;
    void prefetchOrder(std::int32_t block) const;
    void prefetchTimes(std::int32_t block) const;
    std::int64_t bytesBefore(std::int32_t index) const;

    std::shared_ptr<const TaskTimes> m_times;
    std::shared_ptr<const RankGraph> m_graph;
    std::vector<TaskIndex> m_order;
    std::vector<Activity> m_kinds;           ///< Kinds of this lane, ascending.
    std::vector<std::uint8_t> m_kindOf;      ///< Index into m_kinds; empty: all of m_kinds[0].
    std::vector<std::int64_t> m_blockBegin;  ///< Begin of the first interval of each block.
    std::vector<std::int64_t> m_busyPrefix;  ///< Busy time before block b of kind k: [b * kinds + k].
    std::vector<std::int64_t> m_bytesPrefix; ///< Bytes before block b; empty: no bytes.
    bool m_clipped = false;
};

} // namespace fabricscope
