#pragma once

#include "core/base/result.h"
#include "core/scenario/scenario.h"
#include "core/sim/common/folding.h"

#include <stop_token>

namespace fabricscope {

/// The fewest ranks found that can stand for all (graphrun.h says when they can): one; else along every axis of the groups, the last first, the
/// shortest run of places that repeats itself; where there is none, classes by colour refinement (refinedclasses.h), whatever the order of the numbers.
/// Each candidate is checked, link by link. Unsupported, naming what stands in the way: several jobs, NPUs with figures of their own, more than 2^23 links of
/// dimensions, what tasksAlike() and groupTraffic() refuse, and where every rank stands for itself only; Cancelled.
/// O(ways of all kinds of messages), a few times.
Result<Folding> foldGraph(const Scenario& scenario, const std::stop_token& stop = {});

} // namespace fabricscope
