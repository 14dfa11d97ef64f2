#pragma once

#include "core/planner/designplacement.h"
#include "core/scenario/scenario.h"

#include <memory>
#include <stop_token>

namespace fabricscope {

struct PreparedDesign {
    ScenarioPtr scenario;                             ///< Never null.
    std::shared_ptr<const DesignPlacement> placement; ///< Null: the design has no plan with `placement: hap`.
};

/// prepareChosen() for any design: of a plan with `placement: hap` program and ratios are found first (designplacement.h), and the tasks of the placed program are what
/// runs. Errors: those of validate(), prepareChosen() and placeDesign().
Result<PreparedDesign> prepareToRun(const Design& design, int threads, const std::stop_token& stop);

} // namespace fabricscope
