#pragma once

#include "app/cli/runflags.h"
#include "core/report/reportchoice.h"
#include "core/report/runfile.h"

#include <vector>

namespace fabricscope::cli {

/// Writes a PDF report by starting the desktop program without a window, which has the fonts and the printer. The run is handed over as a saved run, whose
/// figures are those of the report, and so are `others`, which it is compared with (comparedReport()). Only for the pictures of its steps the scenario runs once
/// more there (storyboardcards.h), and for a comparison the designs between run there alone. The file gets its name with the other outputs of the session.
/// Errors: Unsupported (the desktop program is not installed), those it reports, Cancelled.
Status writePdfReport(const std::string& path, const RunSummary& summary, const RunCost& cost, Session& session, const ReportChoice& choice = {},
                      const std::vector<SavedRun>& others = {});

/// True for names that end in .pdf.
bool isPdfName(std::string_view path);

/// The design of a run as text: its file where that still says the same, else (fields replaced, built from options) written out.
std::string designTextOf(const Design& design, const std::stop_token& stop);

} // namespace fabricscope::cli
