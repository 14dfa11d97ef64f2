#pragma once

#include "core/insight/designset.h"
#include "core/report/reportcontent.h"
#include "core/report/runfile.h"

#include <stop_token>
#include <vector>

namespace fabricscope {

/// Adds the section Comparison to a report: the designs, what makes them hard to compare, a waterfall for each that is not the baseline, figures with
/// differences, fields that differ. The answer gets what it says of the time of a step beside that of the baseline, or where the report is of the
/// baseline itself, of the first of the others. Simulates nothing: all is in the set. Equal sets give equal sections.
/// \param design the one of the set that the report is of
/// \pre the report has no such section yet
void addComparison(ReportContent& content, const DesignSet& set, std::size_t design);

/// The report of a run, with a comparison where there are others: A is the first of them, the baseline; B is the run itself; then the rest in their order.
/// Designs are built again from what the runs hold (rebuiltRun()). Errors: InvalidInput, where one cannot be; those of compareDesigns().
/// \pre fewer than DesignSet::kMost others
Result<ReportContent> comparedReport(const SavedRun& run, const std::vector<SavedRun>& others, const WaterfallOptions& options, const std::stop_token& stop = {});

} // namespace fabricscope
