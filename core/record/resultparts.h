#pragma once

#include "core/record/activity.h"
#include "core/record/runrecord.h"
#include "core/workload/taskgraph.h"

#include <cstdint>
#include <vector>

namespace fabricscope {

/// One part of the time of a rank: what it was spent on.
struct ResultPart {
    enum class Kind : std::uint8_t {
        Compute, ///< A task on the NPU's compute slot is running.
        Exposed, ///< No compute; the activity that has been in flight longest.
        Host,    ///< No compute and nothing else in flight but a host task.
        Waiting  ///< Nothing at all, up to the end of the run.
    };
    Kind kind = Kind::Compute;
    Activity activity = Activity::Compute; ///< Of Exposed: memory or a kind of communication. Waiting: Activity::Waiting.
    FamilyId family = -1;                  ///< Group family of an exposed collective; -1: none.
    std::int64_t ps = 0;
    friend bool operator==(const ResultPart&, const ResultPart&) = default;
};

/// The time of one class of ranks taken apart; the parts add up to `total` exactly.
struct ResultParts {
    std::int32_t rankClass = -1; ///< Index into RunRecord::classes; -1: the record has none.
    SimTime total;               ///< Finish of the run, or how far it was simulated.
    std::vector<ResultPart> parts; ///< None is empty: compute, exposed by time of the first appearance, host, waiting.
};

/// The class that finishes last; of several the one with the lowest rank. -1 when there is none.
std::int32_t slowestClass(const RunRecord& record);

/// Parts of one class. Exposed time of several activities at once belongs to the one issued first (equal: the lower task).
/// A task that was issued and has not ended lasts to the end. Without task times: compute, exposed communication (as
/// SendReceive, family -1) and memory from the totals, in this order as far as they fit, and waiting for the rest.
/// O(n log n) in the tasks of the class.
ResultParts resultParts(const RunRecord& record, const Workload& workload, std::int32_t rankClass);

/// Integers that add up to `total` when rounded to whole multiples of `unit`: each is part / unit rounded down or up (largest
/// remainders first, equal ones the earlier), together total / unit rounded to nearest. \pre unit > 0, parts >= 0 and their sum is total
std::vector<std::int64_t> sharedRounding(const std::vector<std::int64_t>& parts, std::int64_t total, std::int64_t unit);

} // namespace fabricscope
