#pragma once

#include "core/record/timelinesource.h"
#include "widgets/timeline/selection.h"

#include <optional>
#include <vector>

namespace fabricscope {

/// What an interval had to wait for, and what waited for it.
struct TimelineFlow {
    std::vector<TimelineSelection> before; ///< Dependencies, and the send of a receive; the one that ended last comes first: it let this one begin.
    std::vector<TimelineSelection> after;  ///< What depends on it, and the receive of a send; the one that begins first comes first.
    std::optional<TimelineSelection> partner; ///< Of a send the receive on the other rank, of a receive the send; also among the others.
    friend bool operator==(const TimelineFlow&, const TimelineFlow&) = default;
};

/// The flow of an interval. Tasks that take no time and are on no track are looked through. Both ends of a message are looked for on the first rank
/// of the class; the k-th send of its (source, target, tag) meets the k-th receive, in the order of issue; under the astra models of its (source,
/// target, tag, size). Empty for waiting and busy tracks. `workload`: that of the source. O(V + E + V' log V'): tasks and dependencies of the rank; V' are
/// those looked through or found, each with intervalOfTask(). Of a message also O(V log V) of its two ranks.
TimelineFlow timelineFlow(const TimelineSource& source, const Workload& workload, const TimelineSelection& of);

/// Where a task of a class is shown. Nothing: it takes no time, or was never done. O(log intervals), and what ends at the same instant.
std::optional<TimelineSelection> intervalOfTask(const TimelineSource& source, std::int32_t rankClass, TaskIndex task);

} // namespace fabricscope
