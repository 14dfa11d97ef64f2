#include "core/plan/kernelseconds.h"

#include "core/plan/pipeline/orders.h"

#include <algorithm>
#include <cmath>

namespace fabricscope {

namespace {

/// One product of all rows, whose sizes follow from what it reads.
bool isTiled(const LayerOp& op)
{
    return op.kind == LayerOpKind::Linear && op.flops > 0 && op.read.total() > op.weightRead.total();
}

} // namespace

PlanKernelTimer::OpSeconds PlanKernelTimer::of(const LayerOp& op, const Amounts& forward, const Amounts& backward) const
{
    if (op.matrix && isTiled(op))
        return ofProduct(op, forward, backward.bytes);
    if (op.matrix)
        return ofLoose(op, forward, backward);
    const double there = movingSeconds(m_npu, forward.bytes);
    const double back = movingSeconds(m_npu, backward.bytes);
    return op.kind == LayerOpKind::Embedding ? OpSeconds{there, 0, back} : OpSeconds{there, back, 0};
}

double PlanKernelTimer::peakOf(const LayerOp& op) const
{
    const KernelTerms& terms = m_npu.terms;
    if (op.fp8)
        return terms.fp8Peak > 0 ? terms.fp8Peak : m_npu.peak;
    return terms.fp32Peak > 0 && m_spread.model->types.act == NumberType::Fp32 ? terms.fp32Peak : m_npu.peak;
}

double PlanKernelTimer::product(const LayerOp& op, const ProductSizes& sizes) const
{
    return productSeconds({m_npu.terms, peakOf(op), m_npu.memoryRate}, sizes);
}

PlanKernelTimer::OpSeconds PlanKernelTimer::ofProduct(const LayerOp& op, const Amounts& forward, double backwardBytes) const
{
    const auto context = static_cast<double>(m_spread.layout->contextSize);
    const double rows = static_cast<double>(m_spread.pass.batch) * static_cast<double>(m_spread.pass.tokens) / context;
    const auto parts = static_cast<double>(m_shares.parts(op.split));
    const double read = static_cast<double>(op.read.whole - op.weightRead.whole) + static_cast<double>(op.read.divided - op.weightRead.divided) / parts;
    const double depth = read / context / static_cast<double>(bytesOf(m_spread.model->types.act)) / rows;
    const double width = forward.operations / (2 * rows * depth);
    const double number = op.fp8 ? 1 : 2;
    const double back = backwardBytes / 2;
    return {product(op, {rows, width, depth, 1, number, forward.bytes}), product(op, {rows, depth, width, 1, number, back}), product(op, {depth, width, rows, 1, number, back})};
}

/// Products of attention and of experts: so many that they fill the device.
PlanKernelTimer::OpSeconds PlanKernelTimer::ofLoose(const LayerOp& op, const Amounts& forward, const Amounts& backward) const
{
    const KernelTerms& terms = m_npu.terms;
    const bool core = op.group == RecomputeGroup::AttentionCore;
    const double rate = peakOf(op) * (core ? terms.attention : terms.share);
    const auto seconds = [&](double operations, double bytes) {
        const double moving = m_npu.memoryRate > 0 ? bytes / (m_npu.memoryRate * terms.memory) : 0;
        return terms.start + std::max(operations / rate, moving);
    };
    const double there = seconds(forward.operations, forward.bytes);
    if (core || op.weightBytes.total() == 0)
        return {there, seconds(backward.operations, backward.bytes), 0};
    const double half = seconds(backward.operations / 2, backward.bytes / 2);
    return {there, half, half};
}

std::int64_t wholePs(double seconds)
{
    return static_cast<std::int64_t>(std::clamp(std::ceil(seconds * 1e12 - 1e-6), 0.0, 9e18));
}

double launchSeconds(const KernelTerms& terms, double layers, Recompute recompute, bool backward)
{
    // The backward pass has twice the kernels of the forward pass.
    return terms.layer * layers / 3 * (!backward ? 1 : recompute == Recompute::Full ? 3 : 2);
}

void raiseToLaunches(WorkSeconds& stage, double layers, Recompute recompute, const KernelTerms& terms)
{
    const double backward = launchSeconds(terms, layers, recompute, true);
    const double all = stage.backward + stage.weight;
    stage.forward = std::max(stage.forward, launchSeconds(terms, layers, recompute, false));
    stage.full = std::max(stage.full, backward);
    if (all > 0 && all < backward) {
        stage.weight *= backward / all;
        stage.backward = backward - stage.weight;
    }
}

Result<double> kernelStep(const ModelSpec& model, const PlanSpec& plan, std::int64_t ranks, const PlanNpu& npu, const KernelTerms& terms)
{
    if (!npu.peak)
        return invalidInput("the peak of the NPUs is not known", {}, "platform.npu.peak");
    const auto layout = layoutOf(&model, plan, ranks);
    if (!layout)
        return layout.error();
    const auto orders = pipelineOrders(layout.value().shape);
    if (!orders)
        return orders.error();
    const auto spread = spreadModel(model, layout.value());
    if (!spread)
        return spread.error();
    PlanNpu own = npu;
    own.kernels = NpuKernels{terms, *npu.peak, npu.memoryBandwidth.value_or(0)};
    const auto times = stepTimes(spread.value(), orders.value(), own);
    if (!times)
        return times.error();
    return times.value().step;
}

} // namespace fabricscope
