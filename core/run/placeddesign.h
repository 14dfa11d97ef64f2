#pragma once

#include "core/base/result.h"
#include "core/design/design.h"
#include "core/scenario/scenario.h"

#include <stop_token>

namespace fabricscope {

/// prepareChosen() for any design: of a plan with `placement: hap` program and ratios are found first (core/planner/designplacement.h), and the tasks of the placed
/// program are what runs. Errors: those of validate(), prepareChosen() and placeDesign().
Result<ScenarioPtr> prepareToRun(const Design& design, int threads, const std::stop_token& stop);

} // namespace fabricscope
