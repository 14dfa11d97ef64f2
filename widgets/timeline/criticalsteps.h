#pragma once

#include "core/insight/criticalpath.h"
#include "core/record/timelinesource.h"
#include "widgets/timeline/selection.h"

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

namespace fabricscope {

/// A stretch of a critical path on one task: pieces that follow each other.
struct PathStep {
    std::int64_t beginPs = 0;
    std::int64_t endPs = 0;
    std::int32_t rank = 0;
    TaskIndex task = -1;                    ///< -1: none.
    std::optional<TimelineSelection> place; ///< Interval that shows the task; none: it is not shown.
    Activity activity = Activity::Waiting;  ///< Of the interval.
    std::int64_t waitingPs = 0;             ///< Of it, time that the task waited.

    std::int64_t ps() const { return endPs - beginPs; }
    friend bool operator==(const PathStep&, const PathStep&) = default;
};

/// Steps of a path, in the order of time: each begins where the one before ends. O(pieces + steps * intervalOfTask()). \pre the source is of a run with the same tasks
std::vector<PathStep> stepsOfPath(const TimelineSource& source, const CriticalPath& path);

/// What the path went by for, as colours tell it apart; waits of steps are Waiting. Adds up to the length of the path.
std::array<std::int64_t, kActivityCount> activitiesOf(const std::vector<PathStep>& steps);

} // namespace fabricscope
