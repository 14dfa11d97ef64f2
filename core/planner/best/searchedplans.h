#pragma once

#include "core/base/units.h"
#include "core/plan/analysis.h"
#include "core/planner/best/planspace.h"

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace fabricscope {

/// What the estimated step of a plan consists of, in picoseconds; the sum is the step.
struct PlanParts {
    std::int64_t computing = 0;     ///< Passes of all micro-batches, on average over the places of the pipeline.
    std::int64_t communication = 0; ///< Collectives between the ops of layers, and messages along the pipeline, that nothing hides.
    std::int64_t waiting = 0;       ///< Bubble: for other places of the pipeline, on average.
    std::int64_t gradients = 0;     ///< Collectives of gradients and parameters that nothing hides.
    std::int64_t optimizer = 0;
    std::int64_t step() const { return computing + communication + waiting + gradients + optimizer; }
    friend bool operator==(const PlanParts&, const PlanParts&) = default;
};

/// What the NPUs of a plan cost while they run, with their share of the machine.
struct PlanRates {
    std::optional<double> dollars; ///< US$ per useful second.
    std::optional<double> watts;   ///< Of the site.
};

struct SearchedPlan {
    PlanChoice choice;
    PlanSpec plan;
    std::int64_t microBatches = 1; ///< Per step and replica.
    PlanParts parts;               ///< Estimated.
    std::int64_t memory = 0;       ///< Bytes of the fullest rank.
    std::optional<double> tokensPerSecond; ///< As estimated.
    std::optional<SimTime> simulated; ///< Step as simulated.
    std::string problem;           ///< Why it was not simulated though it was to be.
    bool isPart = false;           ///< Of the machine: its ranks stand on the first NPUs.
    PlanRates rates{};

    /// As simulated, else as estimated.
    std::int64_t step() const { return simulated ? simulated->ps : parts.step(); }
    /// Of all its ranks, as simulated, else as estimated; 0 where nobody says how many tokens a step has.
    double tokensPerSecondOfStep() const;
    std::optional<double> dollarsPerToken() const; ///< Absent: no rates, or no tokens.
    std::optional<double> joulesPerToken() const;
};

struct PlanSearchCounts {
    std::int64_t considered = 0; ///< Plans of the space.
    std::map<std::string, std::int64_t> refused; ///< Plans that cannot be, by the field that says why; "workload.plan.tensor.axis".
    std::int64_t overMemory = 0; ///< Not estimated: they do not fit an NPU.
    std::int64_t pruned = 0;     ///< Not estimated: a bound of their step says that they take longer than the last of the best (with several objectives: that another plan beats them).
    std::int64_t estimated = 0;
    std::int64_t refusedPlans() const;
    void add(const PlanSearchCounts& part);
};

struct PlanSearchResult {
    PlanSearchCounts counts;
    std::vector<SearchedPlan> plans;   ///< The best by the first objective; among equals in the order of the space.
    std::vector<std::size_t> front; ///< Of `plans`: those that no other of them beats in every objective.
    std::optional<SearchedPlan> own;   ///< The plan of the design, where it can be; it may lack memory.
    std::int64_t space = 0;         ///< Blocks.
};

struct PlanSearchProgress {
    std::size_t done = 0; ///< Blocks; of searchServedPlans() plans, of planTurns() figures.
    std::size_t of = 0;
    std::int64_t best = 0; ///< Picoseconds of a step; 0: none yet.
};

struct PlanSearchOptions {
    int threads = 1;
    std::stop_token stop{};
    std::function<void(const PlanSearchProgress&)> progress; ///< On the calling thread, of searchServedPlans() on any, one at a time; may be empty.
    std::optional<std::int64_t> used{};        ///< The plans have so many ranks; absent: as many as the machine.
    std::optional<std::int64_t> shorterThan{}; ///< Picoseconds: plans whose step is no shorter are left out.
};

/// The best plans of a model on so many ranks by the estimate of stepTimes() (manual: search 3). Exact: equal to estimating every plan of the space, for any number of threads. Plans over npu.memory are
/// left out. Costs and energy rank by the step, as on the same NPUs they do. Groups of plans are bounded before any of them is estimated, and taken in the order of their bounds (manual: search 3).
/// Errors: those of PlanSpace::create(); an NPU without a peak; no plan that fits; Cancelled. O(blocks x kinds + estimated plans x operations of their pipelines).
Result<PlanSearchResult> searchPlans(const ModelSpec& model, const PlanSpec& own, std::int64_t ranks, const PlanNpu& npu, const PlanSearchSpec& search, const PlanSearchOptions& options = {});

/// The step of a plan by the estimate, in picoseconds; nothing where it cannot be. `npu`: as it may be changed. O(operations of its pipeline).
std::optional<std::int64_t> estimatedStep(const ModelSpec& model, const SearchedPlan& plan, std::int64_t ranks, const PlanNpu& npu);

/// The plans that no other beats in every objective, ascending. In plancut.cpp.
std::vector<std::size_t> frontOf(const std::vector<SearchedPlan>& plans, const std::vector<PlanObjective>& objectives);

/// By the first objective; the one with as many NPUs is better the shorter its step. In plancut.cpp.
bool isBetterPlan(const SearchedPlan& a, const SearchedPlan& b, const PlanSearchSpec& search);

/// Kendall's tau-b of estimated and simulated steps of the plans that were simulated; nothing for fewer than two, or where all are equal on one side. O(n log n).
std::optional<double> rankAgreement(const std::vector<SearchedPlan>& plans);

/// How much longer than the best of those simulated the one is that the estimate puts first among them, as a share; nothing where none was simulated. O(n).
std::optional<double> rankRegret(const std::vector<SearchedPlan>& plans);

} // namespace fabricscope
