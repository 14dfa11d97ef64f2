#include "core/plan/kernelseconds.h"

#include "core/plan/pipeline/orders.h"

#include <algorithm>

namespace fabricscope {

namespace {

struct OpSeconds {
    double forward = 0;
    double input = 0;  ///< Backward: gradient of the input ...
    double weight = 0; ///< ... and of the weights.
};

class OpTimer {
public:
    OpTimer(const SpreadModel& spread, const PlanNpu& npu, const KernelTerms& terms)
        : m_spread(spread)
        , m_shares(*spread.shares)
        , m_terms(terms)
        , m_peak(*npu.peak)
        , m_memoryRate(npu.memoryBandwidth.value_or(0))
    {
    }

    OpSeconds of(const LayerOp& op) const
    {
        const double forward = m_shares.rankBytes(op, op.read, op.weightBytes) + m_shares.rankBytes(op, op.written, {});
        const double backward = m_shares.rankBytes(op, op.backwardRead, op.weightBytes) + m_shares.rankBytes(op, op.backwardWritten, op.weightBytes);
        if (op.matrix && isTiled(op))
            return ofProduct(op, forward, backward);
        if (op.matrix)
            return ofLoose(op, forward, backward);
        if (op.kind == LayerOpKind::Embedding)
            return {moved(forward), 0, moved(backward)};
        return {moved(forward), moved(backward), 0};
    }

private:
    double peakOf(const LayerOp& op) const { return op.fp8 && m_terms.fp8Peak > 0 ? m_terms.fp8Peak : m_peak; }
    double moved(double bytes) const { return bytes > 0 ? m_terms.start + (m_memoryRate > 0 ? bytes * m_terms.traffic / (m_memoryRate * m_terms.memory) : 0) : 0; }

    /// One product of all rows, whose sizes follow from what it reads.
    static bool isTiled(const LayerOp& op) { return op.kind == LayerOpKind::Linear && op.flops > 0 && op.read.total() > op.weightRead.total(); }

    OpSeconds ofProduct(const LayerOp& op, double forward, double backward) const
    {
        const double rows = static_cast<double>(m_spread.pass.batch) * static_cast<double>(m_spread.pass.tokens) / static_cast<double>(m_spread.layout->contextSize);
        const auto parts = static_cast<double>(m_shares.parts(op.split));
        const double read = static_cast<double>(op.read.whole - op.weightRead.whole) + static_cast<double>(op.read.divided - op.weightRead.divided) / parts;
        const double depth = read / static_cast<double>(m_spread.layout->contextSize) / static_cast<double>(bytesOf(m_spread.model->types.act)) / rows;
        const double width = m_shares.rankFlops(op, op.flops) / (2 * rows * depth);
        const double number = op.fp8 ? 1 : 2;
        return {product(op, {rows, width, depth, 1, number, forward}), product(op, {rows, depth, width, 1, number, backward / 2}), product(op, {depth, width, rows, 1, number, backward / 2})};
    }
    double product(const LayerOp& op, const ProductSizes& sizes) const { return productSeconds(m_terms, peakOf(op), m_memoryRate, sizes); }

    /// Products of attention and of experts: so many that they fill the device.
    OpSeconds ofLoose(const LayerOp& op, double forward, double backward) const
    {
        const bool core = op.group == RecomputeGroup::AttentionCore;
        const auto seconds = [&](double operations, double bytes) {
            const double moving = m_memoryRate > 0 ? bytes / (m_memoryRate * m_terms.memory) : 0;
            return m_terms.start + std::max(operations / (peakOf(op) * (core ? m_terms.attention : m_terms.share)), moving);
        };
        const double back = m_shares.rankFlops(op, op.backwardFlops);
        const bool weights = !core && op.weightBytes.total() > 0;
        if (weights)
            return {seconds(m_shares.rankFlops(op, op.flops), forward), seconds(back / 2, backward / 2), seconds(back / 2, backward / 2)};
        return {seconds(m_shares.rankFlops(op, op.flops), forward), seconds(back, backward), 0};
    }

    const SpreadModel& m_spread;
    const OpShares& m_shares;
    const KernelTerms& m_terms;
    double m_peak;
    double m_memoryRate;
};

bool isCore(const LayerOp& op)
{
    return op.group == RecomputeGroup::AttentionCore;
}

} // namespace

WorkSeconds kernelSeconds(const SpreadModel& spread, const std::vector<LayerOp>& ops, Recompute recompute, const PlanNpu& npu, const KernelTerms& terms)
{
    const OpTimer timer(spread, npu, terms);
    const bool ring = spread.layout->contextSize > 1 && spread.layout->context.kind == ContextPlan::Kind::Ring;
    WorkSeconds sum;
    for (const LayerOp& op : ops) {
        const OpSeconds seconds = timer.of(op);
        const bool again = recompute == Recompute::Full || (recompute == Recompute::Selective && isCore(op) && op.kind != LayerOpKind::FlashAttention);
        const double backward = seconds.input + (again ? seconds.forward : 0);
        sum.forward += seconds.forward;
        sum.backward += backward;
        sum.weight += seconds.weight;
        sum.full += backward + seconds.weight;
        if (ring && isCore(op)) {
            sum.ringForward += seconds.forward;
            sum.ringBackward += backward;
        }
    }
    return sum;
}

void raiseToLaunches(WorkSeconds& stage, double layers, const SpreadModel& spread, const KernelTerms& terms)
{
    // The backward pass has twice the kernels of the forward pass.
    const double forward = terms.layer * layers / 3;
    const double backward = forward * (spread.layout->recompute == Recompute::Full ? 3 : 2);
    const double all = stage.backward + stage.weight;
    stage.forward = std::max(stage.forward, forward);
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
    const auto times = kernelStepTimes(spread.value(), orders.value(), npu, terms);
    if (!times)
        return times.error();
    return times.value().step;
}

} // namespace fabricscope
