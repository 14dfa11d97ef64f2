#pragma once

#include "core/base/result.h"
#include "core/report/runsummary.h"

#include <string>

namespace fabricscope {

/// One self-contained HTML page about a run: step time, use of every dimension and time of the rank classes as bars (SVG),
/// assumed values, warnings. Equal results give equal bytes: no dates, no measured times.
std::string reportHtml(const RunSummary& summary);

/// Writes it to a .html file. Errors: NotWritable, Usage (another ending; .pdf needs the desktop program).
Status writeReport(const std::string& path, const RunSummary& summary);

/// Refuses endings that writeReport cannot write, before a long run.
Status checkReportName(const std::string& path);

} // namespace fabricscope
