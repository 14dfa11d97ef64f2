#pragma once

#include "core/report/reportcontent.h"
#include "core/report/storyboardcards.h"

namespace fabricscope {

// Sections of a report that are pictures of a run over time, and what they show; for reportcontent.cpp.

/// Share of busy links of every dimension over time.
ReportSection utilisationSection(const ReportSource& source, int& figure);
ReportSection storyboardSection(const StoryboardSource& storyboard, int& figure);
/// What the program knows about the run: warnings, bounds, busiest and idle dimensions, the slowest move of the storyboard. Finds out nothing new.
ReportSection findingsSection(const ReportSource& source, const StoryboardSource& storyboard);

} // namespace fabricscope
