#pragma once

#include "core/report/placementfigures.h"
#include "core/report/reportcontent.h"

namespace fabricscope {

// Sections of a report, for reportcontent.cpp.

/// Texts of a run without the folders of this machine: "/home/a/pods/x.yaml:3" becomes "x.yaml:3".
std::string withoutFolders(const std::string& text);
/// Number and unit joined by a narrow no-break space: "50 GB/s per link".
std::string withThinUnits(const std::string& text);
/// "D2", or the name of the use for links of their own.
std::string dimensionText(const ReportSource& source, std::size_t use);
/// How many entries of RunRecord::dimensions are dimensions of the platform.
std::size_t dimensionCount(const ReportSource& source);
/// "37 → D2 switch", or "link 12" without a platform.
std::string linkNameText(const ReportSource& source, std::int64_t link);
/// Of equally busy links the overridden one, else the first; null: none is known.
const LinkUse* busiestLink(const ReportSource& source);

ReportSection platformSection(const ReportSource& source, int& figure);
/// Classes of ranks, their memory, collectives against their bounds. Told to stop: throws StopRequested (stop.h).
ReportSection resultsSection(const ReportSource& source, const std::stop_token& stop);
/// Ratios, stages and baselines of a plan with `placement: hap`. In placementsection.cpp.
ReportSection placementSection(const PlacementFigures& placement, int& figure);
ReportSection linksSection(const ReportSource& source);
ReportSection timelineSection(const ReportSource& source, const TimelineSourcePtr& timeline, int& figure);
ReportSection assumptionsSection(const ReportSource& source);
ReportSection methodSection(const ReportSource& source);
ReportSection inputsSection(const ReportSource& source);

} // namespace fabricscope
