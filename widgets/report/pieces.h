#pragma once

#include "widgets/report/pages.h"

namespace fabricscope {

// Measures of the paper, in tenths of a point.
constexpr double kReportSide = 425;    ///< 15 mm.
constexpr double kReportTop = 397;     ///< 14 mm.
constexpr double kReportFoot = 283;    ///< 10 mm.
constexpr double kReportFootLine = 230;
constexpr double kReportWidth = 5953 - 2 * kReportSide;

/// Everything above the foot, from top to bottom.
std::vector<ReportPiece> reportPieces(const ReportContent& content);

/// A font of the report; `points` may have a fraction.
QFont reportFont(double points, bool strong = false);

} // namespace fabricscope
