#pragma once

#include "core/plan/analysis.h"
#include "core/plan/spreadmodel.h"

namespace fabricscope {

/// Bytes the optimizer keeps for one parameter: its own copy of the weights and its moments (manual: plans 6).
std::int64_t optimizerBytes(const ModelSpec& model);

/// Bytes of the rank at every place of the pipeline, without `ranks`. O(operations of the pipeline + places x kinds).
std::vector<PlanMemory> memoryOfPlaces(const SpreadModel& spread, const PipelineOrders& orders, std::int64_t framework);

/// Bytes the fullest rank has at least, whatever the schedule and however layers lie: what the places hold of states and of one micro-batch, on average. O(stages x kinds).
std::int64_t leastMemory(const SpreadModel& spread, std::int64_t framework);

/// The worst peak of a changed plan; nothing where it cannot be, or surely is more than there is.
using PlanPeak = std::function<std::optional<std::int64_t>(const PlanSpec& changed, std::int64_t microBatch)>;

/// What fills the memory of the worst rank, and the first change of plan, micro-batch and mesh that would make it fit: nothing where it fits. In memoryadvice.cpp.
std::optional<Diagnostic> memoryFinding(const std::vector<PlanMemory>& rows, std::int64_t memory, const PlanSpec& plan, std::int64_t microBatch, const PlanPeak& peakOf);

} // namespace fabricscope
