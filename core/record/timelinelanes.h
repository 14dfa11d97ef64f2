#pragma once

#include "core/record/intervallane.h"
#include "core/record/timelinesource.h"

#include <memory>
#include <stop_token>
#include <vector>

namespace fabricscope {

/// A lane with its track, before it enters a source.
struct TimelineLane {
    TimelineTrack track;
    std::shared_ptr<const IntervalLane> lane;
};

/// Lanes of one class in display order: compute, host, memory, collectives by family, point to point, waiting.
/// Overlapping intervals go to up to three further lanes; what overlaps even those is clipped in a last one.
/// `inOrder`: collectives of a group run one after the other, so a queued one is shown from the end of the one before.
/// Told to stop: throws StopRequested (stop.h).
std::vector<TimelineLane> timelineLanes(std::shared_ptr<const TaskTimes> times, std::shared_ptr<const RankGraph> graph, SimTime finish,
                                        const std::vector<GroupFamily>& families, bool inOrder, const std::stop_token& stop = {});

} // namespace fabricscope
