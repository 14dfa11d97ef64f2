#pragma once

#include "core/draw/palette.h"
#include "widgets/report/pages.h"

#include <QColor>

namespace fabricscope {

// Measures of the paper, in tenths of a point.
constexpr double kReportSide = 425;    ///< 15 mm.
constexpr double kReportTop = 397;     ///< 14 mm.
constexpr double kReportFoot = 283;    ///< 10 mm.
constexpr double kReportFootLine = 230;

/// Width of what stands between the margins.
double reportWidth(ReportPaper paper);

/// Of the shown sections in order the page each begins on, from 0; known when the pages are made, and read when the contents are painted.
using SectionPages = std::shared_ptr<const std::vector<int>>;

/// Everything above the foot, from top to bottom. Two shown sections or more have a table of contents, which reads `pages`.
std::vector<ReportPiece> reportPieces(const ReportContent& content, const SectionPages& pages);

/// A font of the report; `points` may have a fraction. Without ligatures, so that words and digests are found and copied as they are.
QFont reportFont(double points, bool strong = false);

/// Of the light theme.
QColor reportColor(Tone tone);

} // namespace fabricscope
