#pragma once

#include "core/base/result.h"
#include "core/model/kernelterms.h"
#include "core/plan/planspec.h"
#include "core/workload/taskgraph.h"

#include <stop_token>

namespace fabricscope {

struct ModelSpec; // core/model
struct ShardProblem; // core/sharding

/// Tasks of the distinct ranks of a plan at most; more are refused.
constexpr std::int64_t kMaxPlanTasks = 8'000'000;

/// What the ranks of a plan do in one training step, as task graphs (manual: pipelines 3). Ranks of one place in the pipeline share a graph; with a device order
/// those whose neighbours are as far away. A sharded graph (PlanSpec::graph) is partitioned and lowered step after step. `model`: null: the plan says the times of its stages itself (`pipeline.times`).
/// `kernels`: ops are kernels of these NPUs and have times; null: they have operations and bytes.
/// Errors name the field, "workload.plan.pipeline.schedule": what PlanGrid::create() and checkPipeline() refuse, numbers of times or ranks that do not fit, more than kMaxPlanTasks
/// tasks; told to stop: Cancelled. O(ranks + tasks of the distinct ranks).
Result<WorkloadPtr> lowerPlan(const PlanSpec& plan, const ModelSpec* model, std::int32_t ranks, const std::stop_token& stop = {}, const NpuKernels* kernels = nullptr);

/// Refuses a mesh with more devices than ranks.
Status checkGraphRanks(const ShardProblem& problem, std::int64_t ranks);

} // namespace fabricscope
