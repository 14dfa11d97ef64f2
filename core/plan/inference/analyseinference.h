#pragma once

#include "core/plan/analysis.h"
#include "core/plan/layout.h"

namespace fabricscope {

/// Sequences of a replica at once that the largest batch is looked for up to.
constexpr std::int64_t kMostServedBatch = std::int64_t{1} << 20;

/// FLOPs, memory, communications and estimates of inference (manual: plans 10). FLOPs are those of the passes that are simulated. \pre layout.inference.
/// Errors: those of spreadModel(). O(passes x (layers + kinds x ops) + ranks).
Status addInference(const ModelSpec& model, const PlanSpec& plan, const PlanLayout& layout, const PlanNpu& npu, PlanAnalysis& out);

/// Replicas that generate: all, or those that others prefill for.
std::int64_t servingReplicas(const PlanLayout& layout);

} // namespace fabricscope
