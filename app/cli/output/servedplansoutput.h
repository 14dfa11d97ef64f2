#pragma once

#include "core/planner/best/servedplans.h"

#include <string>

namespace fabricscope::cli {

std::string servedPlansText(const ServedPlans& found);
std::string servedPlansJson(const ServedPlans& found, const ServedBounds& bounds, const std::string& designHash);

} // namespace fabricscope::cli
