#pragma once

#include "core/report/planfigures.h"
#include "core/report/reportcontent.h"

#include <vector>

namespace fabricscope {

/// As saved runs keep them: exact, real numbers as texts. Read back in runfilereader.cpp.
void writeKeptPlan(JsonWriter& json, const PlanFigures& figures);

/// What people quote, exposed communication by what it is for, and memory, as tables of a report. `finish`: of the run.
std::vector<ReportBlock> planTables(const PlanFigures& figures, SimTime finish);

/// One figure for the head of a report: tokens per second with their utilisation, or when the first token comes. Nothing where the plan has no model.
std::optional<ReportKeyFigure> planKeyFigure(const PlanFigures& figures);

} // namespace fabricscope
