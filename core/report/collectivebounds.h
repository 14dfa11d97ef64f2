#pragma once

#include "core/record/runrecord.h"
#include "core/report/runsummary.h"
#include "core/scenario/scenario.h"

#include <stop_token>
#include <string>
#include <vector>

namespace fabricscope {

/// Collectives of a run against the least time any algorithm needs (core/bounds): one row per operation, group shape, size and algorithm,
/// in the order they are first issued. Only models `links` and `flow`, where links are shared as the bounds assume.
/// `note`: why there are none, or that some were left out; empty: all are there. The work on cuts is limited: beyond it closed forms and the links of
/// single NPUs remain, which are not exact. Told to stop: throws StopRequested (stop.h).
/// O(instances + ranks * families).
std::vector<CollectiveBoundRow> collectiveBounds(const Scenario& scenario, const RunRecord& record, std::string& note, const std::stop_token& stop = {});

} // namespace fabricscope
