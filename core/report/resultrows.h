#pragma once

#include "core/report/runsummary.h"

#include <stop_token>
#include <vector>

namespace fabricscope {

/// resultRows() of runsummary.h that can be stopped: throws StopRequested (stop.h). In runsummary.cpp.
std::vector<RankClass> resultRows(const RunRecord& record, const std::stop_token& stop);

} // namespace fabricscope
