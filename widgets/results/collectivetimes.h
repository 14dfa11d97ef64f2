#pragma once

#include "core/run/rundesign.h"

#include <cstdint>
#include <vector>

namespace fabricscope {

/// One collective as it went, over all its members (or, folded, over all groups of its family).
struct CollectiveTimes {
    std::int32_t instance = -1;  ///< Index into Structure::instances; folded: the one that ended last.
    std::int32_t rankClass = -1; ///< A class with it, and its task there: for the name.
    TaskIndex task = -1;
    std::int64_t groups = 1;     ///< Groups of the family that run it; 1 when not folded.
    std::int64_t beginPs = 0;    ///< First issue by a member.
    std::int64_t endPs = -1;     ///< Last end; -1: some member has not ended.
};

/// The collectives of a run in order of (begin, instance). Folded: the n-th collective of every group of a family is one.
/// Empty without task times. O(classes * tasks) folded, else O(ranks * collectives of a rank).
std::vector<CollectiveTimes> collectiveTimes(const RunResult& result, bool folded);

/// How long that takes, in steps of about 10 ns.
std::int64_t collectiveTimesCost(const RunResult& result, bool folded);

/// Why one member spent its time in a collective; the parts add up to end - issue exactly, all >= 0. In ps.
struct CollectiveWhy {
    std::int32_t instance = -1;
    std::int32_t lastRank = -1;  ///< Entered last; -1: not known.
    std::int64_t entering = 0;   ///< From its issue until the last member has issued it.
    std::int64_t queued = 0;     ///< After that, behind earlier collectives of its group.
    std::int64_t transfer = 0;   ///< The rest.
    std::int64_t total() const { return entering + queued + transfer; }
};

/// `beginPs`: when the interval is shown to begin on its track (TimelineEvent::begin). \pre a collective task of that class that has ended
CollectiveWhy collectiveWhy(const RunResult& result, std::int32_t rankClass, TaskIndex task, std::int64_t beginPs);

} // namespace fabricscope
