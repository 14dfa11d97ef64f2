#include "core/plan/steptime.h"

#include "core/plan/kernelseconds.h"
#include "core/plan/lower/layerpieces.h"
#include "core/plan/lower/timedstages.h"
#include "core/plan/sends.h"
#include "core/plan/statebytes.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace fabricscope {

namespace {

double secondsOf(const PlanNpu& npu, const std::string& name, double operations, double bytes)
{
    if (npu.seconds)
        return npu.seconds(name, operations, bytes);
    const double computing = npu.peak ? operations / *npu.peak : 0;
    return std::max(computing, npu.memoryBandwidth ? bytes / *npu.memoryBandwidth : 0);
}

double secondsOfPieces(const std::vector<WorkPiece>& pieces, const PlanNpu& npu, bool ringsAlone = false)
{
    double sum = 0;
    for (const WorkPiece& piece : pieces) {
        if (piece.kind == WorkPiece::Kind::Ring || (piece.kind == WorkPiece::Kind::Compute && !ringsAlone))
            sum += piece.seconds > 0 ? piece.seconds : secondsOf(npu, piece.name, static_cast<double>(piece.cost.operations), static_cast<double>(piece.cost.bytes));
    }
    return sum;
}

WorkSeconds secondsOfPart(const LayerPieces& pieces, const PlanNpu& npu)
{
    return {secondsOfPieces(pieces.forward, npu), secondsOfPieces(pieces.backward, npu), secondsOfPieces({pieces.weight}, npu), secondsOfPieces(pieces.full, npu),
            secondsOfPieces(pieces.forward, npu, true), secondsOfPieces(pieces.full, npu, true)};
}

/// A forward and a full backward pass side by side: what one computes hides what the other sends.
double pairedSeconds(const WorkSeconds& stage, const WorkSeconds& computing)
{
    const double sent = stage.forward - computing.forward + stage.full - computing.full;
    return std::max({computing.forward + computing.full, sent, stage.forward, stage.full});
}

/// What one pass keeps the links of an NPU busy for, by dimension of the platform.
struct LinkSeconds {
    std::vector<double> forward;  ///< Collectives of layers.
    std::vector<double> backward;
    std::vector<double> message;  ///< One along the pipeline.

    static void add(std::vector<double>& sum, const std::vector<double>& seconds, double times)
    {
        sum.resize(std::max(sum.size(), seconds.size()), 0);
        for (std::size_t dimension = 0; dimension < seconds.size(); ++dimension)
            sum[dimension] += seconds[dimension] * times;
    }
};

/// A pass whose collectives meet messages on their links. A message goes on all the time; what of it goes during a collective makes that as much longer, and no link is free before all of both.
double besideMessages(double pass, const std::vector<double>& collectives, const std::vector<double>& message, double messages)
{
    double longest = pass;
    for (std::size_t dimension = 0; pass > 0 && dimension < std::min(collectives.size(), message.size()); ++dimension) {
        const double sent = message[dimension] * messages;
        longest = std::max({longest, pass + collectives[dimension] * std::min(1.0, sent / pass), collectives[dimension] + sent});
    }
    return longest;
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

/// `keeps`: the times of single operations, where they are not too many.
Result<PlanTimes> pipelined(const PipelineOrders& orders, const std::vector<StageTicks>& stages, std::int64_t latency, const Clock& clock, bool keeps = true)
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
    if (keeps && clock.isPicoseconds() && operationCount(orders) <= kMostShownOperations)
        out.operations = std::make_shared<const PipelineTimes>(std::move(times));
    return out;
}

/// Times of a step of a model.
class StepTimer {
public:
    StepTimer(const SpreadModel& spread, const PipelineOrders& orders, const PlanNpu& npu, PipelineMemo* memo)
        : m_spread(spread)
        , m_layout(*spread.layout)
        , m_orders(orders)
        , m_npu(npu)
        , m_memo(memo)
    {
    }

    Result<PlanTimes> run()
    {
        m_stages = stageSeconds(m_spread, partSeconds(m_spread, m_npu));
        const std::vector<WorkSeconds> computing = m_stages;
        m_links.resize(m_stages.size());
        addCommunications();
        for (std::size_t stage = 0; m_npu.kernels && stage < m_stages.size(); ++stage)
            raiseToLaunches(m_stages[stage], static_cast<double>(m_spread.stages[stage].layers()), m_layout.recompute, m_npu.kernels->terms);
        double longest = m_latency;
        for (const WorkSeconds& stage : m_stages)
            longest = std::max(longest, stage.all());
        const Clock clock(longest, operationCount(m_orders));
        std::vector<StageTicks> ticks;
        for (std::size_t i = 0; i < m_stages.size(); ++i)
            ticks.push_back(ticksOf(m_stages[i], computing[i], m_links[i], clock));
        auto times = run(ticks, clock);
        if (!times)
            return times;
        PlanTimes out = times.value();
        out.exposedData = m_exposed;
        out.optimizer = optimizerSeconds(m_spread, m_npu);
        out.step += out.exposedData + out.optimizer;
        out.bubbleShare = out.step > 0 ? out.bubbleShare / out.step : 0;
        return out;
    }

private:
    Result<PlanTimes> run(const std::vector<StageTicks>& ticks, const Clock& clock)
    {
        // With dualpipe both passes of a pair send to the same neighbour at once.
        const std::int64_t latency = clock.ticks(m_latency * (m_layout.isDual() ? 2 : 1));
        if (const PlanTimes* known = m_memo ? m_memo->find(ticks, latency) : nullptr)
            return *known;
        auto times = pipelined(m_orders, ticks, latency, clock, !m_memo);
        if (m_memo && times)
            m_memo->add(ticks, latency, times.value());
        return times;
    }

    static StageTicks ticksOf(const WorkSeconds& stage, const WorkSeconds& computing, const LinkSeconds& links, const Clock& clock)
    {
        std::vector<double> both = links.forward;
        LinkSeconds::add(both, links.backward, 1);
        const double forward = besideMessages(stage.forward, links.forward, links.message, 1);
        const double more = besideMessages(stage.full, links.backward, links.message, 1) - stage.full;
        const double pair = besideMessages(pairedSeconds(stage, computing), both, links.message, 2);
        return {clock.ticks(forward), clock.ticks(stage.backward + more), clock.ticks(stage.weight), clock.ticks(pair)};
    }

    /// Collectives of a layer make its stage longer; messages between stages are the latency of the pipeline; the rest is data parallelism.
    void addCommunications()
    {
        if (!m_npu.communication)
            return;
        const AlikePlaces alike = alikePlaces(m_spread);
        std::vector<SentSeconds> sent;
        std::vector<LinkSeconds> links;
        for (const std::int64_t place : alike.example) {
            std::vector<PlanCommunication> rows = communicationsOf(m_spread, place);
            links.push_back(m_npu.links ? linksOf(rows, passesOf(place)) : LinkSeconds{});
            sent.push_back(sentBy(rows));
        }
        for (std::int64_t place = 0; place < m_layout.pipelineSize; ++place) {
            const std::size_t like = alike.classOf[static_cast<std::size_t>(place)];
            for (const std::int64_t stage : m_layout.stagesOfRank(place)) {
                addSent(m_stages[static_cast<std::size_t>(stage)], m_layout, sent[like], passesOf(place));
                m_links[static_cast<std::size_t>(stage)] = links[like];
            }
            m_latency = std::max(m_latency, sent[like].latency);
            expose(place, sent[like]);
        }
    }

    double passesOf(std::int64_t place) const
    {
        return static_cast<double>(m_layout.stagesOfRank(place).size()) * static_cast<double>(m_layout.microBatchesOfStage()) * (m_layout.isDual() ? 2 : 1);
    }

    LinkSeconds linksOf(const std::vector<PlanCommunication>& rows, double passes) const
    {
        LinkSeconds links;
        for (const PlanCommunication& row : rows) {
            const StepShare share = stepShareOf(m_layout, row);
            if (share == StepShare::Latency)
                links.message = m_npu.links(row);
            else if (share == StepShare::Forward || share == StepShare::Backward)
                LinkSeconds::add(share == StepShare::Forward ? links.forward : links.backward, m_npu.links(row), static_cast<double>(row.count) / passes);
        }
        return links;
    }

    /// Takes from the rows who else is at it.
    SentSeconds sentBy(std::vector<PlanCommunication>& rows) const
    {
        SentSeconds sum;
        for (PlanCommunication& row : rows) {
            const double each = m_npu.communication(row);
            double ofAll = each;
            if (!row.apart.axes.empty()) {
                row.apart.axes.clear();
                ofAll = m_npu.communication(row);
            }
            sum.add(stepShareOf(m_layout, row), each, static_cast<double>(row.count), ofAll * busyPlaces(m_layout));
        }
        return sum;
    }

    void expose(std::int64_t place, const SentSeconds& sum)
    {
        double backward = 0;
        double busy = 0;
        for (const std::int64_t stage : m_layout.stagesOfRank(place)) {
            const WorkSeconds& of = m_stages[static_cast<std::size_t>(stage)];
            backward += of.backward + of.weight;
            busy += of.all() * static_cast<double>(m_layout.microBatchesOfStage());
        }
        m_exposed = std::max(m_exposed, exposedSeconds(m_layout, sum, backward, busy));
    }

    const SpreadModel& m_spread;
    const PlanLayout& m_layout;
    const PipelineOrders& m_orders;
    const PlanNpu& m_npu;
    PipelineMemo* m_memo; ///< May be null.
    std::vector<WorkSeconds> m_stages;
    std::vector<LinkSeconds> m_links; ///< By stage.
    double m_latency = 0;
    double m_exposed = 0;
};

} // namespace

std::vector<WorkSeconds> partSeconds(const SpreadModel& spread, const PlanNpu& npu)
{
    // Who communicates decides where work is cut into tasks; who they are does not matter.
    const auto family = [](const PlanGroup& group) { return group.size() > 1 ? 0 : -1; };
    const LayerFamilies families{family(spread.layout->tensorGroup), family(spread.layout->contextGroup), family(spread.layout->expertGroup)};
    const NpuKernels* const kernels = npu.kernels ? &*npu.kernels : nullptr;
    std::vector<WorkSeconds> parts;
    for (const LayerKind& kind : spread.layers.kinds)
        parts.push_back(secondsOfPart(piecesOfLayer(spread, kind, families, kernels), npu));
    parts.push_back(secondsOfPart(piecesBefore(spread, families, kernels), npu));
    parts.push_back(secondsOfPart(piecesBehind(spread, families, kernels), npu));
    return parts;
}

std::vector<WorkSeconds> leastSeconds(std::vector<WorkSeconds> parts)
{
    for (WorkSeconds& part : parts)
        part.weight = std::max(0.0, part.full - part.backward);
    return parts;
}

std::vector<WorkSeconds> stageSeconds(const SpreadModel& spread, const std::vector<WorkSeconds>& parts)
{
    std::vector<WorkSeconds> stages;
    for (const StageShare& stage : spread.stages) {
        WorkSeconds& sum = stages.emplace_back();
        for (std::size_t part = 0; part < parts.size(); ++part) {
            const auto count = static_cast<double>(spread.countOf(stage, part));
            sum.forward += parts[part].forward * count;
            sum.backward += parts[part].backward * count;
            sum.weight += parts[part].weight * count;
            sum.full += parts[part].full * count;
            sum.ringForward += parts[part].ringForward * count;
            sum.ringBackward += parts[part].ringBackward * count;
        }
    }
    return splitsBackward(spread.layout->shape.schedule) ? stages : leastSeconds(std::move(stages));
}

double optimizerSeconds(const SpreadModel& spread, const PlanNpu& npu)
{
    const ModelSpec& model = *spread.model;
    const PlanLayout& layout = *spread.layout;
    const std::int64_t states = bytesOf(model.types.param) + bytesOf(model.types.grad);
    double longest = 0;
    for (const std::int64_t place : alikePlaces(spread).example) {
        const HeldParameters held = heldParameters(spread, place);
        const bool shared = layout.data.zero >= 1;
        const double elements = static_cast<double>(held.dense) / static_cast<double>(shared ? layout.denseShard.size() : 1) + static_cast<double>(held.experts) / static_cast<double>(shared ? layout.expertShard.size() : 1);
        const std::int64_t own = model.types.master == model.types.param ? bytesOf(model.types.param) : 0; // Read as well as written.
        constexpr double kOperations = 11; // Of Adam.
        const double bytes = elements * static_cast<double>(states + own + 2 * optimizerBytes(model));
        longest = std::max(longest, npu.kernels ? movingSeconds(*npu.kernels, bytes) : secondsOf(npu, "optimizer", elements * kOperations, bytes));
    }
    return longest;
}

StepShare stepShareOf(const PlanLayout& layout, const PlanCommunication& row)
{
    const auto isOf = [&row](const PlanGroup& group) { return row.groupSize > 1 && row.group == group; };
    if (isOf(layout.pipelineGroup))
        return StepShare::Latency;
    if (row.phase == PlanPhase::Optimizer)
        return StepShare::After;
    if (row.kind == PlanCommunication::Kind::Send && isOf(layout.contextGroup))
        return row.phase == PlanPhase::Forward ? StepShare::RingForward : StepShare::RingBackward;
    if (isOf(layout.tensorGroup) || isOf(layout.contextGroup) || (row.kind == PlanCommunication::Kind::AllToAll && isOf(layout.expertGroup)))
        return row.phase == PlanPhase::Forward ? StepShare::Forward : StepShare::Backward;
    return layout.data.zero == 3 ? StepShare::Units : StepShare::Data;
}

namespace {

/// How many units of ZeRO-3 a stage has on average: its layers, so many together.
double unitsOfPass(const PlanLayout& layout)
{
    const double layers = static_cast<double>(layout.firstLayer(layout.stages() - 1) + layout.stageLayers.back());
    return std::max(1.0, layers / static_cast<double>(layout.stages()) / static_cast<double>(std::max<std::int64_t>(1, layout.data.unit)));
}

/// Of gradients that are summed behind backward passes. A rank with several chunks is done with all but one of them earlier: the last micro-batches go back through one chunk after another.
double shownGradients(const PlanLayout& layout, const SentSeconds& sent, double backward)
{
    if (layout.data.zero == 2)
        return std::max(0.0, sent.data - backward * static_cast<double>(layout.microBatchesOfStage()));
    if (layout.shape.schedule != PipelineSchedule::Interleaved)
        return std::max(0.0, sent.data - backward);
    const auto chunks = static_cast<double>(layout.chunks);
    const double ofOne = backward / chunks;
    const auto together = static_cast<double>(std::min(layout.pipelineSize, layout.microBatchesOfStage()));
    return std::max({sent.lastData, sent.data / chunks - ofOne, sent.data - ofOne * (1 + (chunks - 1) * together)});
}

} // namespace

double exposedRing(const PlanLayout& layout, double sent, double computing)
{
    const auto blocks = static_cast<double>(layout.contextSize);
    return std::max(0.0, sent - computing * (blocks - 1) / blocks);
}

void SentSeconds::add(StepShare share, double each, double count, double ofAll)
{
    switch (share) {
    case StepShare::Latency: latency = std::max(latency, each); break;
    case StepShare::Forward:
        forward += each * count;
        forwardOfAll += ofAll * count;
        break;
    case StepShare::Backward:
        backward += each * count;
        backwardOfAll += ofAll * count;
        break;
    case StepShare::RingForward: ringForward += each * count; break;
    case StepShare::RingBackward: ringBackward += each * count; break;
    case StepShare::Data:
        lastData = data > 0 ? std::min(lastData, each) : each;
        data += each * count;
        break;
    case StepShare::Units: units += each * count; break;
    case StepShare::After: after += each * count; break;
    }
}

bool hasPairs(PipelineSchedule schedule)
{
    return schedule == PipelineSchedule::DualPipe || schedule == PipelineSchedule::DualPipeV;
}

double busyPlaces(const PlanLayout& layout)
{
    return std::min(1.0, static_cast<double>(layout.microBatchesOfStage()) / static_cast<double>(layout.pipelineSize));
}

void addSent(WorkSeconds& stage, const PlanLayout& layout, const SentSeconds& sent, double passes)
{
    const double copies = layout.isDual() ? 2 : 1; // Each brings its part of what is sent.
    const double backward = sent.backward / passes + exposedRing(layout, sent.ringBackward / passes, stage.ringBackward / copies);
    stage.forward += sent.forward / passes + exposedRing(layout, sent.ringForward / passes, stage.ringForward / copies);
    stage.backward += backward;
    stage.full += backward;
    stage.forward = std::max(stage.forward, sent.forwardOfAll / passes);
    stage.backward = std::max(stage.backward, sent.backwardOfAll / passes - stage.weight);
    stage.full = std::max(stage.full, sent.backwardOfAll / passes);
}

double exposedSeconds(const PlanLayout& layout, const SentSeconds& sent, double backward, double busy)
{
    const DataPlan& plan = layout.data;
    const double shown = plan.overlap ? shownGradients(layout, sent, backward) : sent.data;
    // Every pass begins with a unit that nothing hides; the others hide behind the one before.
    const double hidden = 1 - 1 / unitsOfPass(layout);
    const double gathered = plan.prefetch > 0 && plan.overlap ? sent.units - std::min(sent.units, busy) * hidden : sent.units;
    return shown + gathered + sent.after;
}

Result<PlanTimes> stepTimes(const SpreadModel& spread, const PipelineOrders& orders, const PlanNpu& npu)
{
    return StepTimer(spread, orders, npu, nullptr).run();
}

Result<PlanTimes> stepTimes(const SpreadModel& spread, const PipelineOrders& orders, const PlanNpu& npu, PipelineMemo& memo)
{
    return StepTimer(spread, orders, npu, &memo).run();
}

const PlanTimes* PipelineMemo::find(const std::vector<StageTicks>& stages, std::int64_t latency) const
{
    const auto same = [](const StageTicks& a, const StageTicks& b) { return a.forward == b.forward && a.backward == b.backward && a.weight == b.weight && a.pair == b.pair; };
    const auto found = std::find_if(m_entries.begin(), m_entries.end(), [&](const Entry& entry) { return entry.latency == latency && std::equal(stages.begin(), stages.end(), entry.stages.begin(), entry.stages.end(), same); });
    return found == m_entries.end() ? nullptr : &found->times;
}

double computingSeconds(const SpreadModel& spread, const std::vector<WorkSeconds>& parts)
{
    const std::vector<WorkSeconds> stages = stageSeconds(spread, parts);
    double sum = 0;
    const PlanLayout& layout = *spread.layout;
    for (std::int64_t place = 0; place < layout.pipelineSize; ++place) {
        double busy = 0;
        for (const std::int64_t stage : layout.stagesOfRank(place))
            busy += stages[static_cast<std::size_t>(stage)].all() * static_cast<double>(layout.microBatchesOfStage());
        sum += busy / static_cast<double>(layout.pipelineSize);
    }
    return sum;
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
