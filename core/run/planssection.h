#pragma once

#include "core/report/reportcontent.h"
#include "core/run/designplans.h"

#include <stop_token>

namespace fabricscope {

/// The best plans of a design as a section of a report: how many were looked at, the plans with the front, and why the first is the best.
ReportSection plansSection(const DesignPlans& plans, const PlanSearchSpec& search);

/// Searches the plans of a run's design as its `search` says, simulates those that are listed, and puts the section behind the results. Errors: a run that holds no design, those of plansOfDesign(); Cancelled.
Status addPlans(ReportContent& content, const RunSummary& summary, int threads, const std::stop_token& stop = {});

} // namespace fabricscope
