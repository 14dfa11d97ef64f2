#pragma once

#include "core/model/kernelterms.h"
#include "core/plan/analysis.h"
#include "core/plan/spreadmodel.h"
#include "core/plan/steptime.h"

namespace fabricscope {

/// Seconds of the ops of a layer, or of what stands before or behind the layers, on one rank for one micro-batch: every op a kernel (products of the backward pass two).
/// `recompute`: what the backward pass does again. \pre npu.peak. O(ops).
WorkSeconds kernelSeconds(const SpreadModel& spread, const std::vector<LayerOp>& ops, Recompute recompute, const PlanNpu& npu, const KernelTerms& terms);

/// A pass of a stage is no shorter than the host takes to launch it. `layers`: of the stage.
void raiseToLaunches(WorkSeconds& stage, double layers, const SpreadModel& spread, const KernelTerms& terms);

/// stepTimes() of training with these kernels instead of npu.seconds. In steptime.cpp. \pre npu.peak
Result<PlanTimes> kernelStepTimes(const SpreadModel& spread, const PipelineOrders& orders, const PlanNpu& npu, const KernelTerms& terms);
/// The same from a model and a plan: seconds of a step. Errors: also those of layoutOf() and modelLayers(), no peak. In kernelseconds.cpp.
Result<double> kernelStep(const ModelSpec& model, const PlanSpec& plan, std::int64_t ranks, const PlanNpu& npu, const KernelTerms& terms);

} // namespace fabricscope
