#pragma once

#include "core/planner/designplacement.h"
#include "core/report/placementfigures.h"
#include "core/report/planfigures.h"

namespace fabricscope {

/// What reports and views show of a placed design. Devices that are alike and own alike are one row.
PlacementFigures figuresOf(const DesignPlacement& placed);
/// As those of a plan.
std::shared_ptr<const PlanFigures> placedFigures(const DesignPlacement& placed);

} // namespace fabricscope
