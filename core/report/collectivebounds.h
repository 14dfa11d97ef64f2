#pragma once

#include "core/record/runrecord.h"
#include "core/report/runsummary.h"
#include "core/scenario/scenario.h"

#include <optional>
#include <stop_token>

namespace fabricscope {

/// Collectives of a run against the least time any algorithm needs (core/bounds): one row per operation, group shape, size and algorithm,
/// in the order they are first issued. Only models `links` and `flow`, where links are shared as the bounds assume.
/// The work on cuts is limited: beyond it closed forms, the links of
/// single NPUs and, on graphs, the blocks of the group's levels remain, which are not exact. Told to stop: throws StopRequested (stop.h).
/// O(instances + ranks * families).
CollectiveBounds collectiveBounds(const Scenario& scenario, const RunRecord& record, const std::stop_token& stop = {});

/// What a run of the scenario takes at least, before it has run: the bound of the collective that has the largest. Absent: nothing is known, as above. Told to stop: throws
/// StopRequested. O(instances + ranks).
std::optional<SimTime> leastCollectiveTime(const Scenario& scenario, const std::stop_token& stop = {});

/// Does a run go faster anywhere than its platform says? Then nothing is proven of it.
bool isFasterThanItsPlatform(const Scenario& scenario);

/// The least time of a whole run: one of a single collective cannot end before that can. Absent: of other runs nothing is known.
std::optional<SimTime> lowerBoundOf(const Design& design, const CollectiveBounds& bounds);

} // namespace fabricscope
