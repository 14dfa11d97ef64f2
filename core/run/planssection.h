#pragma once

#include "core/report/reportcontent.h"
#include "core/run/designplans.h"

#include <stop_token>
#include <string>

namespace fabricscope {

/// How many plans were looked at, and what became of them, in the words of every report and view: "966 plans: 0 cannot be, ..., 18 estimated". `number` writes a count.
std::string planCountsText(const PlanSearchCounts& counts, const PlanSearchSpec& search, std::string (*number)(std::int64_t));
/// How well estimate and simulation agree: "estimate and simulation of 3 plans: Kendall tau 0.333, first by the estimate 1.20 % longer than the best". Empty where rankAgreement() has nothing.
std::string planAgreementText(const std::vector<SearchedPlan>& plans);
/// Plans of those listed whose step is as far from the first one's as times on the fabric are from measured ones, or closer: positions, ascending. Steps as simulated, else as estimated, of the same kind.
std::vector<std::size_t> plansLikeFirst(const std::vector<SearchedPlan>& plans, std::optional<double> errorPct);
/// "the steps of plans 1, 2 and 5 are not distinguishable (at most 1.2 % apart, error 7 %)". Empty: all others are further from the first.
std::string plansLikeFirstText(const std::vector<SearchedPlan>& plans, std::optional<double> errorPct);

/// The best plans of a design as a section of a report: how many were looked at, the plans with the front, and why the first is the best.
ReportSection plansSection(const DesignPlans& plans, const PlanSearchSpec& search);

/// Searches the plans of a run's design as its `search` says, simulates those that are listed, and puts the section behind the results. Errors: a run that holds no design, those of plansOfDesign(); Cancelled.
Status addPlans(ReportContent& content, const RunSummary& summary, int threads, const std::stop_token& stop = {});

} // namespace fabricscope
