#pragma once

#include "core/insight/designset.h"
#include "core/report/reportcontent.h"

namespace fabricscope {

/// Adds the section Comparison to a report: the designs, what makes them hard to compare, a waterfall for each that is not the baseline, figures with
/// differences, fields that differ. The answer gets what it says of the time of a step beside that of the baseline, or where the report is of the
/// baseline itself, of the first of the others. Simulates nothing: all is in the set. Equal sets give equal sections.
/// \param design the one of the set that the report is of
/// \pre the report has no such section yet
void addComparison(ReportContent& content, const DesignSet& set, std::size_t design);

/// A run of which only the summary is there, as one to compare: its design is built again (rebuiltRun()). Its name is that of the design with its file.
/// Errors: InvalidInput, where the run does not hold its design or files of it have changed. Told to stop: throws StopRequested (stop.h).
Result<ComparedDesign> comparedRun(const RunSummary& summary, const RunCost& cost, const std::stop_token& stop = {});

} // namespace fabricscope
