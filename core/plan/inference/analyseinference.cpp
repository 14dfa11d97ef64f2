#include "core/plan/inference/analyseinference.h"

#include "core/base/index.h"
#include "core/plan/inference/servedwork.h"
#include "core/plan/lower/opwalk.h"
#include "core/plan/sends.h"

#include <algorithm>
#include <cmath>

namespace fabricscope {

namespace {

constexpr FamilyId kTensorFamily = 1;
constexpr FamilyId kExpertFamily = 2;

LayerFamilies familiesOf(const PlanLayout& layout)
{
    return {layout.tensorSize > 1 ? kTensorFamily : -1, -1, layout.expertSize > 1 ? kExpertFamily : -1};
}

std::vector<WorkPiece> piecesOfPart(const SpreadModel& spread, std::size_t part)
{
    const LayerFamilies families = familiesOf(*spread.layout);
    if (part < spread.kinds.size())
        return piecesOfLayer(spread, spread.layers.kinds[part], families).forward;
    return (part == spread.kinds.size() ? piecesBefore(spread, families) : piecesBehind(spread, families)).forward;
}

const std::vector<LayerOp>& opsOfPart(const SpreadModel& spread, std::size_t part)
{
    return part < spread.kinds.size() ? spread.layers.kinds[part].ops : part == spread.kinds.size() ? spread.layers.before : spread.layers.after;
}

PlanCommunication collectiveOf(const PlanLayout& layout, const WorkPiece& piece, bool decodes)
{
    PlanCommunication row;
    row.kind = piece.op == CollectiveOp::AllReduce ? PlanCommunication::Kind::AllReduce : piece.op == CollectiveOp::AllGather ? PlanCommunication::Kind::AllGather : PlanCommunication::Kind::AllToAll;
    row.group = piece.family == kTensorFamily ? layout.tensorGroup : layout.expertGroup;
    row.groupSize = row.group.size();
    row.count = 1;
    row.bytes = piece.bytes;
    row.cause = (decodes ? "decode: " : "prefill: ") + piece.name;
    return row;
}

PlanCommunication messageOf(const PlanLayout& layout, const SpreadModel& spread, bool decodes)
{
    const std::int64_t bytes = spread.shares->ofTokens(spread.layers.kinds.front().boundaryBytes);
    return {PlanCommunication::Kind::Send, layout.pipelineGroup, layout.pipelineSize, 1, bytes, PlanPhase::Forward, std::string(decodes ? "decode" : "prefill") + ": to the next stage", {}};
}

/// Seconds of one pass in every stage, and of a message between them.
struct PassSeconds {
    std::vector<double> stages;
    double message = 0;
    double sum() const
    {
        double seconds = message * static_cast<double>(stages.size() - 1);
        for (const double stage : stages)
            seconds += stage;
        return seconds;
    }
    double longest() const { return *std::max_element(stages.begin(), stages.end()); }
};

double servedSeconds(const PlanNpu& npu, const std::string& name, double operations, double bytes)
{
    if (npu.seconds)
        return npu.seconds(name, operations, bytes);
    return std::max(operations / *npu.peak, npu.memoryBandwidth ? bytes / *npu.memoryBandwidth : 0);
}

PassSeconds secondsOfPass(const SpreadModel& spread, const PlanNpu& npu, bool head)
{
    const PlanLayout& layout = *spread.layout;
    const OpCosts costs(spread, npu.kernels ? &*npu.kernels : nullptr);
    std::vector<double> parts;
    for (std::size_t part = 0; part < spread.parts(); ++part) {
        double& seconds = parts.emplace_back(0);
        if (part + 1 == spread.parts() && !head)
            continue;
        for (const LayerOp& op : opsOfPart(spread, part)) {
            const OpCost cost = costs.forward(op);
            seconds += npu.kernels ? cost.seconds : servedSeconds(npu, op.name, cost.operations, cost.bytes);
        }
        for (const WorkPiece& piece : piecesOfPart(spread, part)) {
            if (npu.communication && piece.kind == WorkPiece::Kind::Collective)
                seconds += npu.communication(collectiveOf(layout, piece, false));
        }
    }
    PassSeconds out;
    for (const StageShare& stage : spread.stages) {
        double& seconds = out.stages.emplace_back(0);
        for (std::size_t part = 0; part < parts.size(); ++part)
            seconds += parts[part] * static_cast<double>(spread.countOf(stage, part));
    }
    if (npu.communication && layout.pipelineSize > 1)
        out.message = npu.communication(messageOf(layout, spread, false));
    return out;
}

/// Bytes of the two tensors at most that follow each other in a pass, on one rank.
std::int64_t largestTensors(const SpreadModel& spread, std::int64_t place)
{
    double most = 0;
    for (const std::int64_t stage : spread.layout->stagesOfRank(place)) {
        for (std::size_t part = 0; part < spread.parts(); ++part) {
            if (spread.countOf(spread.stages[at(stage)], part) == 0)
                continue;
            double before = static_cast<double>(spread.shares->ofTokens(spread.layers.kinds.front().boundaryBytes));
            for (const LayerOp& op : opsOfPart(spread, part)) {
                const double own = spread.shares->rankBytes(op, op.written, {});
                most = std::max(most, before + own);
                before = own;
            }
        }
    }
    return static_cast<std::int64_t>(std::min(std::ceil(most), 4e17));
}

/// One batch after another on the same plan.
class Serving {
public:
    Serving(const ModelSpec& model, const PlanLayout& layout, const PlanNpu& npu, std::int64_t framework) : m_model(model), m_layout(layout), m_npu(npu), m_framework(framework) {}

    /// Memory of ranks of every place of the pipeline: of those that prefill (for others), and of the rest.
    struct PlaceMemory {
        std::int64_t place = 0;
        bool prefills = false;
        PlanMemory row;
    };
    Result<std::vector<PlaceMemory>> memory(std::int64_t batch) const
    {
        const PlanLayout layout = withBatch(batch);
        const std::vector<InferencePass> passes = inferencePasses(layout);
        const auto prompt = spreadPass(m_model, layout, passes.front());
        if (!prompt)
            return prompt.error();
        const auto last = spreadPass(m_model, layout, passes.back());
        if (!last)
            return last.error();
        const InferencePlan& inference = *layout.inference;
        std::vector<PlaceMemory> rows;
        for (std::int64_t place = 0; place < layout.pipelineSize; ++place) {
            const HeldParameters held = heldParameters(prompt.value(), place);
            for (const bool prefills : {true, false}) {
                if (prefills && inference.prefillReplicas == 0)
                    continue;
                PlaceMemory& of = rows.emplace_back();
                of.place = place;
                of.prefills = prefills;
                of.row.parameters = held.denseBytes + held.expertBytes;
                const std::int64_t tokens = inference.prompt + (prefills ? 0 : inference.output - 1);
                of.row.kvCache = std::min(cacheBytesOf(prompt.value(), place, tokens), INT64_MAX / 16 / layout.microBatches) * layout.microBatches;
                const bool onlyDecodes = !prefills && inference.prefillReplicas > 0;
                of.row.buffers = m_framework + std::max(onlyDecodes ? 0 : largestTensors(prompt.value(), place), prefills ? 0 : largestTensors(last.value(), place));
            }
        }
        return rows;
    }

    Result<std::int64_t> peak(std::int64_t batch) const
    {
        const auto rows = memory(batch);
        if (!rows)
            return rows.error();
        std::int64_t most = 0;
        for (const PlaceMemory& of : rows.value())
            most = std::max(most, of.row.peak());
        return most;
    }

    Result<ServedBatch> estimate(std::int64_t batch) const
    {
        ServedBatch out;
        out.batch = batch;
        const auto most = peak(batch);
        if (!most)
            return most.error();
        out.peak = most.value();
        if (!m_npu.peak && !m_npu.seconds)
            return out;
        PlanLayout layout = withBatch(batch);
        layout.inference->decodeSteps = std::min<std::int64_t>(2, layout.inference->output - 1); // The first and the last.
        double decode = 0;
        double others = 0;
        std::int64_t steps = 0;
        for (const InferencePass& pass : inferencePasses(layout)) {
            const auto spread = spreadPass(m_model, layout, pass);
            if (!spread)
                return spread.error();
            const PassSeconds seconds = secondsOfPass(spread.value(), m_npu, pass.token > 0);
            const auto micro = static_cast<double>(layout.microBatches);
            if (pass.isDecode()) {
                decode += std::max(seconds.sum() + seconds.message, micro * seconds.longest());
                ++steps;
            } else {
                others += micro * seconds.longest();
                if (pass.token == 1)
                    out.firstToken = others - seconds.longest() + seconds.sum();
            }
        }
        if (steps > 0)
            out.perToken = decode / static_cast<double>(steps);
        const double all = *out.firstToken + static_cast<double>(layout.inference->output - 1) * out.perToken.value_or(0);
        if (all > 0)
            out.tokensPerSecond = static_cast<double>(servingReplicas(layout)) * static_cast<double>(batch) * static_cast<double>(layout.inference->output) / all;
        return out;
    }

private:
    PlanLayout withBatch(std::int64_t batch) const
    {
        PlanLayout layout = m_layout;
        layout.inference->batch = batch;
        layout.microBatch = batch / layout.microBatches;
        return layout;
    }

    const ModelSpec& m_model;
    const PlanLayout& m_layout;
    const PlanNpu& m_npu;
    std::int64_t m_framework;
};

/// Ranks at a place of the pipeline that prefill for others, or that do not.
RankSet ranksAt(const PlanLayout& layout, std::int64_t place, bool prefills)
{
    RankSet ranks;
    const std::int64_t pool = layout.inference->prefillReplicas;
    for (std::int64_t rank = 0; rank < layout.grid.ranks(); ++rank) {
        const bool here = layout.pipelineAxis < 0 || layout.grid.coordinate(rank, layout.pipelineAxis) == place;
        const bool isOfPool = pool > 0 && layout.grid.coordinate(rank, layout.dataAxis) < pool;
        if (here && isOfPool == prefills)
            ranks.add(rank);
    }
    return ranks;
}

/// Every pass that is simulated: FLOPs, and what it sends.
Status addPasses(const ModelSpec& model, const PlanLayout& layout, PlanAnalysis& out)
{
    WideCount executed = 0;
    WideCount usual = 0;
    const std::int64_t pool = layout.inference->prefillReplicas;
    std::vector<bool> places(at(layout.pipelineSize), true);
    const RankSet everybody = layout.grid.ranksWith(layout.pipelineAxis, places);
    const auto add = [&out](PlanCommunication row, WideCount count, const RankSet& ranks) {
        for (PlanCommunication& known : out.communications) {
            if (known.kind == row.kind && known.group == row.group && known.bytes == row.bytes && known.cause == row.cause && known.ranks == ranks) {
                known.count += count;
                return;
            }
        }
        row.count = count;
        row.ranks = ranks;
        out.communications.push_back(std::move(row));
    };
    std::vector<RankSet> ranksOf; // By place, those that prefill first.
    for (std::int64_t place = 0; place < layout.pipelineSize; ++place) {
        for (const bool prefills : {true, false})
            ranksOf.push_back(ranksAt(layout, place, prefills));
    }
    for (const InferencePass& pass : inferencePasses(layout)) {
        const auto made = spreadPass(model, layout, pass);
        if (!made)
            return made.error();
        const SpreadModel& spread = made.value();
        const bool byPool = pool > 0 && !pass.isDecode();
        std::vector<std::vector<WorkPiece>> pieces;
        for (std::size_t part = 0; part < spread.parts(); ++part)
            pieces.push_back(piecesOfPart(spread, part));
        const WideCount rounds = WideCount{layout.microBatches} * (byPool ? (layout.dataSize - pool) / pool : 1);
        for (std::int64_t place = 0; place < layout.pipelineSize; ++place) {
            const RankSet& ranks = ranksOf[at(2 * place + (byPool ? 0 : 1))];
            const StageShare& stage = spread.stages[at(place)];
            for (std::size_t part = 0; part < spread.parts(); ++part) {
                const std::int64_t count = part + 1 == spread.parts() && pass.token == 0 ? 0 : spread.countOf(stage, part);
                if (count == 0)
                    continue;
                executed += spread.part(part).flops.forward * count;
                usual += spread.part(part).flops.usual / 3 * count;
                for (const WorkPiece& piece : pieces[part]) {
                    if (piece.kind == WorkPiece::Kind::Collective)
                        add(collectiveOf(layout, piece, pass.isDecode()), rounds * count, ranks);
                }
            }
            if (place + 1 < layout.pipelineSize)
                add(messageOf(layout, spread, pass.isDecode()), rounds, ranks);
            if (byPool && pass.token == 1) {
                PlanCommunication transfer{PlanCommunication::Kind::Send, layout.denseGroup, layout.denseGroup.size(), 1, cacheBytesOf(spread, place, layout.inference->prompt), PlanPhase::Forward, "keys and values to ranks that decode", {}};
                add(std::move(transfer), rounds, ranks);
            }
        }
    }
    const WideCount batches = WideCount{layout.microBatches} * servingReplicas(layout);
    out.stepFlops = executed * batches;
    out.modelFlops = usual * batches;
    return {};
}

/// The largest batch that fits, a multiple of the micro-batches; 0: none does.
std::int64_t largestBatch(const Serving& serving, std::int64_t step, std::int64_t memory)
{
    const auto fits = [&](std::int64_t count) {
        const auto peak = serving.peak(count * step);
        return peak && peak.value() <= memory;
    };
    if (!fits(1))
        return 0;
    std::int64_t low = 1;
    std::int64_t high = kMostServedBatch / step + 1; // Does not count.
    while (high - low > 1) {
        const std::int64_t middle = low + (high - low) / 2;
        (fits(middle) ? low : high) = middle;
    }
    return low * step;
}

void addFinding(const PlanAnalysis& analysis, std::int64_t memory, std::int64_t largest, Diagnostics& findings)
{
    const auto worst = std::max_element(analysis.memory.begin(), analysis.memory.end(), [](const PlanMemory& a, const PlanMemory& b) { return a.peak() < b.peak(); });
    if (worst == analysis.memory.end() || worst->peak() <= memory)
        return;
    const auto size = [](std::int64_t bytes) { return Quantity{std::round(static_cast<double>(bytes) / 1e7) / 100, "GB", Measure::Size}.text(); };
    Diagnostic finding;
    finding.severity = Severity::Error;
    finding.rule = "memory";
    finding.place.field = "workload.plan.inference";
    finding.message = "ranks " + worst->ranks.text() + " need " + size(worst->peak()) + " of memory and an NPU has " + size(memory) + ": parameters " + size(worst->parameters) + ", KV cache " + size(worst->kvCache) + ", buffers " + size(worst->buffers);
    finding.expected = largest > 0 ? "a batch of at most " + std::to_string(largest) : "more ranks along tensor, pipeline or experts";
    findings.push_back(std::move(finding));
}

} // namespace

std::int64_t servingReplicas(const PlanLayout& layout)
{
    return layout.replicas / layout.dataSize * (layout.dataSize - layout.inference->prefillReplicas);
}

Status addInference(const ModelSpec& model, const PlanSpec& plan, const PlanLayout& layout, const PlanNpu& npu, PlanAnalysis& out)
{
    if (Status status = addPasses(model, layout, out); !status)
        return status;
    const Serving serving(model, layout, npu, toBytes(plan.framework).value);
    const auto memory = serving.memory(layout.inference->batch);
    if (!memory)
        return memory.error();
    for (const Serving::PlaceMemory& of : memory.value()) {
        out.memory.push_back(of.row);
        out.memory.back().ranks = ranksAt(layout, of.place, of.prefills);
    }
    std::vector<std::int64_t> batches{layout.inference->batch};
    const std::int64_t step = layout.microBatches;
    constexpr std::int64_t kShownWithoutMemory = 256;
    const std::int64_t largest = npu.memory ? largestBatch(serving, step, *npu.memory) : std::max(step, kShownWithoutMemory / step * step);
    for (std::int64_t batch = step; batch < largest; batch *= 2)
        batches.push_back(batch);
    if (largest > 0)
        batches.push_back(largest);
    for (const std::int64_t batch : batches) {
        auto row = serving.estimate(batch);
        if (!row)
            return std::move(row).error();
        out.batches.push_back(std::move(row).value());
    }
    if (npu.memory)
        addFinding(out, *npu.memory, largest, out.findings);
    return {};
}

} // namespace fabricscope
