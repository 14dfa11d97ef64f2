#pragma once

#include "widgets/base/valuerows.h"

#include <vector>

namespace fabricscope {

struct PlanFigures;

/// What people quote of a simulated plan: tokens, utilisation, bubble, exposed communication by what it is for, the fullest rank; of inference the first token and those after it.
std::vector<ValueRow> simulatedPlanRows(const PlanFigures& figures, std::int64_t finishPs);

} // namespace fabricscope
