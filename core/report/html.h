#pragma once

#include "core/base/result.h"
#include "core/report/reportcontent.h"

#include <stop_token>
#include <string>

namespace fabricscope {

class OutputFiles;

/// The report as one self-contained HTML page with SVG figures that prints on A4. Always light. Equal content gives equal bytes; nothing
/// outside is referred to. The page is well-formed XML as well. Told to stop: throws StopRequested (stop.h).
std::string reportHtml(const ReportContent& content, const std::stop_token& stop = {});
std::string reportHtml(const ReportSource& source, const std::stop_token& stop = {});
/// Of a saved run: figures that need the platform are drawn when the design can be built again, see rebuiltScenario().
std::string reportHtml(const RunSummary& summary, const std::stop_token& stop = {});

/// Writes it to a .html file; `files` as for writeOutputFile(). Errors: NotWritable, Usage (another ending; .pdf needs the desktop program), Cancelled.
Status writeReport(const std::string& path, const ReportContent& content, OutputFiles* files = nullptr, const std::stop_token& stop = {});
Status writeReport(const std::string& path, const ReportSource& source, OutputFiles* files = nullptr, const std::stop_token& stop = {});
Status writeReport(const std::string& path, const RunSummary& summary, OutputFiles* files = nullptr, const std::stop_token& stop = {});

/// Refuses endings that cannot be written, before a long run; a stream takes HTML. `pdfPossible`: the caller can have a .pdf painted by the desktop program.
Status checkReportName(const std::string& path, bool pdfPossible = false);

} // namespace fabricscope
