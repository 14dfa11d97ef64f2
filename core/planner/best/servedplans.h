#pragma once

#include "core/planner/best/searchedplans.h"

namespace fabricscope {

/// Latencies that a plan of inference may have at most, in seconds; absent: any.
struct ServedBounds {
    std::optional<double> firstToken;
    std::optional<double> perToken;
};

/// A plan of inference with the largest batch within the bounds.
struct ServedPlan {
    PlanChoice choice;
    PlanSpec plan; ///< With that batch.
    ServedBatch figures;
};

struct ServedPlans {
    std::int64_t considered = 0;
    std::map<std::string, std::int64_t> refused; ///< Plans that cannot be, by the field that says why.
    std::int64_t overMemory = 0; ///< No batch fits.
    std::int64_t tooSlow = 0;    ///< No batch that fits is within the bounds.
    std::vector<ServedPlan> plans; ///< The most tokens per second first, among equals in the order of the space; at most as many as are asked for.
};

/// Plans of inference on so many ranks with the most tokens per second, prompts included, by the estimate of plan (manual: search 5): every mix of tensor, pipeline, data, expert and context and every order of axes that the
/// search allows, each with the largest batch up to kMostServedBatch that fits the memory, where it is known, and stays within the bounds. \pre own.inference. Errors: those of PlanSpace::create(); an NPU without a peak; neither memory nor a bound; Cancelled. O(plans x log batch analyses).
Result<ServedPlans> searchServedPlans(const ModelSpec& model, const PlanSpec& own, std::int64_t ranks, const PlanNpu& npu, const PlanSearchSpec& search, const ServedBounds& bounds, const PlanSearchOptions& options = {});

} // namespace fabricscope
