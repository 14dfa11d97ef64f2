#include "core/plan/steptime.h"

#include "core/plan/lower/timedstages.h"
#include "core/plan/sends.h"
#include "core/plan/statebytes.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace fabricscope {

namespace {

/// Seconds of one micro-batch in a stage.
struct StageSeconds {
    double forward = 0;
    double backward = 0; ///< Gradient of the input, and what is computed again.
    double weight = 0;
};

double secondsOf(const PlanNpu& npu, const std::string& name, double operations, double bytes)
{
    if (npu.seconds)
        return npu.seconds(name, operations, bytes);
    const double computing = npu.peak ? operations / *npu.peak : 0;
    return std::max(computing, npu.memoryBandwidth ? bytes / *npu.memoryBandwidth : 0);
}

StageSeconds partSeconds(const std::vector<LayerOp>& ops, const OpShares& shares, const PlanNpu& npu, Recompute recompute)
{
    StageSeconds sum;
    for (const LayerOp& op : ops) {
        const double forward = secondsOf(npu, op.name, shares.rankFlops(op, op.flops), shares.rankBytes(op, op.read, op.weightBytes) + shares.rankBytes(op, op.written, {}));
        const double backward = secondsOf(npu, op.name, shares.rankFlops(op, op.backwardFlops), shares.rankBytes(op, op.backwardRead, op.weightBytes) + shares.rankBytes(op, op.backwardWritten, op.weightBytes));
        sum.forward += forward;
        // Half of what a product with weights does backward is the gradient of the weights.
        const double ofWeights = op.matrix && op.weightBytes.total() > 0 ? backward / 2 : 0;
        sum.backward += backward - ofWeights;
        sum.weight += ofWeights;
        const bool again = recompute == Recompute::Full || (recompute == Recompute::Selective && op.group == RecomputeGroup::AttentionCore && op.kind != LayerOpKind::FlashAttention);
        sum.backward += again ? forward : 0;
    }
    return sum;
}

/// Whole units of time for the pipeline, fine enough to tell and coarse enough to add up.
class Clock {
public:
    Clock(double longest, std::int64_t operations)
    {
        const double whole = longest * static_cast<double>(std::max<std::int64_t>(1, operations));
        while (whole / m_unit > 1e17)
            m_unit *= 1000;
    }
    std::int64_t ticks(double seconds) const { return static_cast<std::int64_t>(std::llround(std::clamp(seconds / m_unit, 0.0, 1e17))); }
    double seconds(double ticks) const { return ticks * m_unit; }
    bool isPicoseconds() const { return m_unit == kPicosecond; }

private:
    static constexpr double kPicosecond = 1e-12;
    double m_unit = kPicosecond;
};

std::int64_t operationCount(const PipelineOrders& orders)
{
    return std::accumulate(orders.ranks.begin(), orders.ranks.end(), std::int64_t{0}, [](std::int64_t sum, const auto& rank) { return sum + static_cast<std::int64_t>(rank.size()); });
}

Result<PlanTimes> pipelined(const PipelineOrders& orders, const std::vector<StageTicks>& stages, std::int64_t latency, const Clock& clock)
{
    auto run = pipelineTimes(orders, stages, latency);
    if (!run)
        return std::move(run).error();
    PipelineTimes& times = run.value();
    PlanTimes out;
    out.pipeline = clock.seconds(static_cast<double>(times.makespan));
    out.step = out.pipeline;
    double waited = 0;
    for (std::size_t place = 0; place < times.busy.size(); ++place)
        waited += clock.seconds(static_cast<double>(times.bubble(static_cast<std::int32_t>(place))));
    out.bubbleShare = waited / static_cast<double>(times.busy.size()); // Seconds; a share when the step is known.
    if (clock.isPicoseconds() && operationCount(orders) <= kMostShownOperations)
        out.operations = std::make_shared<const PipelineTimes>(std::move(times));
    return out;
}

/// Times of a step of a model.
class StepTimer {
public:
    StepTimer(const SpreadModel& spread, const PipelineOrders& orders, const PlanNpu& npu) : m_spread(spread), m_layout(*spread.layout), m_orders(orders), m_npu(npu) {}

    ComputingTimes computing()
    {
        sumStages();
        ComputingTimes times;
        for (std::int64_t place = 0; place < m_layout.pipelineSize; ++place) {
            const double busy = busyOf(place);
            times.mean += busy / static_cast<double>(m_layout.pipelineSize);
            times.most = std::max(times.most, busy);
        }
        return times;
    }

    double least()
    {
        sumStages();
        addCommunications();
        double busiest = 0;
        for (std::int64_t place = 0; place < m_layout.pipelineSize; ++place)
            busiest = std::max(busiest, busyOf(place));
        return busiest + m_exposed + optimizerSeconds();
    }

    Result<PlanTimes> run()
    {
        sumStages();
        addCommunications();
        double longest = m_latency;
        for (const StageSeconds& stage : m_stages)
            longest = std::max(longest, stage.forward + stage.backward + stage.weight);
        const Clock clock(longest, operationCount(m_orders));
        std::vector<StageTicks> ticks;
        for (const StageSeconds& stage : m_stages)
            ticks.push_back({clock.ticks(stage.forward), clock.ticks(stage.backward), clock.ticks(stage.weight), -1});
        auto times = pipelined(m_orders, ticks, clock.ticks(m_latency), clock);
        if (!times)
            return times;
        PlanTimes out = times.value();
        out.exposedData = m_exposed;
        out.optimizer = optimizerSeconds();
        out.step += out.exposedData + out.optimizer;
        out.bubbleShare = out.step > 0 ? out.bubbleShare / out.step : 0;
        return out;
    }

private:
    void sumStages()
    {
        const OpShares& shares = *m_spread.shares;
        std::vector<StageSeconds> parts;
        for (const LayerKind& kind : m_spread.layers.kinds)
            parts.push_back(partSeconds(kind.ops, shares, m_npu, m_layout.recompute));
        parts.push_back(partSeconds(m_spread.layers.before, shares, m_npu, Recompute::None));
        parts.push_back(partSeconds(m_spread.layers.after, shares, m_npu, Recompute::None));
        for (const StageShare& stage : m_spread.stages) {
            StageSeconds& sum = m_stages.emplace_back();
            for (std::size_t part = 0; part < parts.size(); ++part) {
                const auto count = static_cast<double>(m_spread.countOf(stage, part));
                sum.forward += parts[part].forward * count;
                sum.backward += parts[part].backward * count;
                sum.weight += parts[part].weight * count;
            }
        }
    }

    bool isOf(const PlanCommunication& row, const PlanGroup& group) const { return row.group == group && row.groupSize > 1; }

    /// Collectives of a layer make its stage longer; messages between stages are the latency of the pipeline; the rest is data parallelism.
    void addCommunications()
    {
        if (!m_npu.communication)
            return;
        for (std::int64_t place = 0; place < m_layout.pipelineSize; ++place) {
            double data = 0;
            double units = 0;
            double after = 0;
            const std::vector<std::int64_t> stages = m_layout.stagesOfRank(place);
            const double passes = static_cast<double>(stages.size()) * static_cast<double>(m_layout.microBatchesOfStage());
            for (const PlanCommunication& row : communicationsOf(m_spread, place)) {
                const double each = m_npu.communication(row);
                const double all = each * static_cast<double>(row.count);
                if (isOf(row, m_layout.pipelineGroup)) {
                    m_latency = std::max(m_latency, each);
                } else if (row.phase == PlanPhase::Optimizer) {
                    after += all;
                } else if (isOf(row, m_layout.tensorGroup) || isOf(row, m_layout.contextGroup) || (isOf(row, m_layout.expertGroup) && row.kind == PlanCommunication::Kind::AllToAll)) {
                    for (const std::int64_t stage : stages) {
                        StageSeconds& of = m_stages[static_cast<std::size_t>(stage)];
                        (row.phase == PlanPhase::Forward ? of.forward : of.backward) += all / passes / (m_layout.isDual() ? 2 : 1);
                    }
                } else {
                    (m_layout.data.zero == 3 ? units : data) += all;
                }
            }
            expose(place, data, units, after);
        }
    }

    /// All passes of a place, with the collectives its stages have so far.
    double busyOf(std::int64_t place) const
    {
        double busy = 0;
        for (const std::int64_t stage : m_layout.stagesOfRank(place)) {
            const StageSeconds& of = m_stages[static_cast<std::size_t>(stage)];
            busy += (of.forward + of.backward + of.weight) * static_cast<double>(m_layout.microBatchesOfStage());
        }
        return busy;
    }

    /// What neither the passes nor the backward pass of the last micro-batch hide.
    void expose(std::int64_t place, double data, double units, double after)
    {
        double backward = 0;
        for (const std::int64_t stage : m_layout.stagesOfRank(place)) {
            const StageSeconds& of = m_stages[static_cast<std::size_t>(stage)];
            backward += of.backward + of.weight;
        }
        const double busy = busyOf(place);
        const double shown = m_layout.data.overlap ? std::max(0.0, data - backward) : data;
        const double gathered = m_layout.data.prefetch > 0 && m_layout.data.overlap ? std::max(0.0, units - busy) : units;
        m_exposed = std::max(m_exposed, shown + gathered + after);
    }

    double optimizerSeconds() const
    {
        const ModelSpec& model = *m_spread.model;
        const std::int64_t states = bytesOf(model.types.param) + bytesOf(model.types.grad);
        double longest = 0;
        for (std::int64_t place = 0; place < m_layout.pipelineSize; ++place) {
            const HeldParameters held = heldParameters(m_spread, place);
            const bool shared = m_layout.data.zero >= 1;
            const double elements = static_cast<double>(held.dense) / static_cast<double>(shared ? m_layout.denseShard.size() : 1) + static_cast<double>(held.experts) / static_cast<double>(shared ? m_layout.expertShard.size() : 1);
            const std::int64_t own = model.types.master == model.types.param ? bytesOf(model.types.param) : 0; // Read as well as written.
            constexpr double kOperations = 11; // Of Adam.
            longest = std::max(longest, secondsOf(m_npu, "optimizer", elements * kOperations, elements * static_cast<double>(states + own + 2 * optimizerBytes(model))));
        }
        return longest;
    }

    const SpreadModel& m_spread;
    const PlanLayout& m_layout;
    const PipelineOrders& m_orders;
    const PlanNpu& m_npu;
    std::vector<StageSeconds> m_stages;
    double m_latency = 0;
    double m_exposed = 0;
};

} // namespace

Result<PlanTimes> stepTimes(const SpreadModel& spread, const PipelineOrders& orders, const PlanNpu& npu)
{
    return StepTimer(spread, orders, npu).run();
}

ComputingTimes computingTimes(const SpreadModel& spread, const PlanNpu& npu)
{
    const PipelineOrders none;
    return StepTimer(spread, none, npu).computing();
}

double leastStepTime(const SpreadModel& spread, const PlanNpu& npu)
{
    const PipelineOrders none;
    return StepTimer(spread, none, npu).least();
}

Result<PlanTimes> givenTimes(const PlanLayout& layout, const PipelineOrders& orders, const PlanNpu& npu)
{
    const auto stages = timedStages(layout.pipeline, layout.shape);
    if (!stages)
        return stages.error();
    std::int64_t latency = 0;
    if (layout.pipeline.send && npu.communication && layout.pipelineSize > 1) {
        const PlanCommunication message{PlanCommunication::Kind::Send, layout.pipelineGroup, layout.pipelineSize, 1, toBytes(*layout.pipeline.send).value, PlanPhase::Forward, {}, {}};
        latency = static_cast<std::int64_t>(std::llround(std::clamp(npu.communication(message) * 1e12, 0.0, 1e18)));
    }
    auto times = pipelined(orders, stages.value(), latency, Clock(0, 1));
    if (!times)
        return times;
    PlanTimes out = times.value();
    out.bubbleShare = out.step > 0 ? out.bubbleShare / out.step : 0;
    return out;
}

} // namespace fabricscope
