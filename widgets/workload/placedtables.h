#pragma once

#include "core/report/placementfigures.h"
#include "widgets/base/tablecontent.h"
#include "widgets/base/valuerows.h"

#include <memory>
#include <vector>

namespace fabricscope::planned {

/// A row for each stage; its id is its number.
std::shared_ptr<StoredTable> stageTable(const PlacementFigures& figures);
/// A row for each instruction; its id is its place in the program.
std::shared_ptr<StoredTable> instructionTable(const PlacementFigures& figures);
/// The way from the estimate to the simulated time, and how much longer the baselines take.
std::vector<ValueRow> placementRows(const PlacementFigures& figures);

} // namespace fabricscope::planned
