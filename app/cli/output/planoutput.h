#pragma once

#include "core/plan/analysis.h"

#include <string>

namespace fabricscope::cli {

/// What a plan holds, sends and computes: tables, and the JSON of manual: json 3.
std::string planText(const PlanAnalysis& analysis, const std::string& estimate);
std::string planJson(const PlanAnalysis& analysis, const std::string& estimate, const std::string& designHash);

} // namespace fabricscope::cli
