#pragma once

#include "core/report/reportchoice.h"

#include <QString>
#include <QStringList>

namespace fabricscope {

/// Writes the report as its ending says: .html or .pdf. Errors: NotWritable, Usage (another ending).
Status writeReportFile(const QString& path, const ReportContent& content);

/// Without a window: opens a design, a saved run or other inputs, simulates what has to be, and writes the report.
/// `others`: saved runs to compare with, the baseline first; fewer than DesignSet::kMost, and only beside a saved run.
/// Returns the exit code of the program (manual: json 2); messages go to stderr.
int exportReportHeadless(const QString& output, const QStringList& inputs, const ReportChoice& choice = {}, const QStringList& others = {});

} // namespace fabricscope
