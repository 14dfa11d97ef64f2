#pragma once

#include "core/model/kernelterms.h"
#include "core/plan/analysis.h"
#include "core/plan/spreadmodel.h"
#include "core/plan/steptime.h"

namespace fabricscope {

/// Seconds of ops on one rank for one micro-batch: every op a kernel, products of the backward pass two (manual: accuracy 4).
class PlanKernelTimer {
public:
    /// Both outlive it.
    PlanKernelTimer(const SpreadModel& spread, const NpuKernels& npu) : m_spread(spread), m_shares(*spread.shares), m_npu(npu) {}

    /// What one rank does in a pass.
    struct Amounts {
        double operations = 0;
        double bytes = 0;
    };
    struct OpSeconds {
        double forward = 0;
        double input = 0;  ///< Backward: gradient of the input ...
        double weight = 0; ///< ... and of the weights.
    };
    OpSeconds of(const LayerOp& op, const Amounts& forward, const Amounts& backward) const;

private:
    double peakOf(const LayerOp& op) const;
    OpSeconds ofProduct(const LayerOp& op, const Amounts& forward, double backwardBytes) const;
    OpSeconds ofLoose(const LayerOp& op, const Amounts& forward, const Amounts& backward) const;
    double product(const LayerOp& op, const ProductSizes& sizes) const;

    const SpreadModel& m_spread;
    const OpShares& m_shares;
    const NpuKernels& m_npu;
};

/// Picoseconds, rounded up.
std::int64_t wholePs(double seconds);

/// Seconds in which the host launches the forward pass, or the backward pass, of so many layers.
double launchSeconds(const KernelTerms& terms, double layers, Recompute recompute, bool backward);
/// A pass of a stage is no shorter than the host takes to launch it. `layers`: of the stage.
void raiseToLaunches(WorkSeconds& stage, double layers, Recompute recompute, const KernelTerms& terms);

/// Seconds of a step of training by these kernels, from a model and a plan. Errors: also those of layoutOf() and modelLayers(), no peak.
Result<double> kernelStep(const ModelSpec& model, const PlanSpec& plan, std::int64_t ranks, const PlanNpu& npu, const KernelTerms& terms);

} // namespace fabricscope
