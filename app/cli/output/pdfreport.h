#pragma once

#include "app/cli/runflags.h"
#include "core/report/reportcontent.h"

#include <string>
#include <string_view>

namespace fabricscope::cli {

/// Writes a PDF report by starting the desktop program without a window, which has the fonts and the printer. It is handed all that is printed (contentfile.h): nothing is
/// read, run or searched there. The file gets its name with the other outputs of the session.
/// Errors: Unsupported (the desktop program is not installed), those it reports, Cancelled.
Status writePdfReport(const std::string& path, ReportContent content, Session& session);

/// True for names that end in .pdf.
bool isPdfName(std::string_view path);

/// The design of a run as text: its file where that still says the same, else (fields replaced, built from options) written out.
std::string designTextOf(const Design& design, const std::stop_token& stop);

} // namespace fabricscope::cli
