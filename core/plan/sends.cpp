#include "core/plan/sends.h"

#include "core/model/experts.h"
#include "core/plan/steptime.h"

#include <algorithm>
#include <map>

namespace fabricscope {

namespace {

using Kind = PlanCommunication::Kind;

/// Collects the rows of one place.
class PlaceRows {
public:
    PlaceRows(const SpreadModel& spread, std::int64_t place) : m_spread(spread), m_layout(*spread.layout), m_shares(*spread.shares), m_place(place) {}

    std::vector<PlanCommunication> run()
    {
        for (const std::int64_t stage : m_layout.stagesOfRank(m_place)) {
            m_stage = &m_spread.stages[static_cast<std::size_t>(stage)];
            m_times = m_layout.microBatchesOfStage();
            for (std::size_t kind = 0; kind < m_spread.kinds.size(); ++kind) {
                if (m_stage->layersOfKind[kind] > 0)
                    addLayers(m_spread.layers.kinds[kind], m_stage->layersOfKind[kind]);
            }
            addEnds();
            addMessages(stage);
            if (m_layout.data.zero == 3)
                addUnits();
        }
        addPerStep();
        return std::move(m_rows);
    }

private:
    void add(Kind kind, const PlanGroup& group, WideCount count, std::int64_t bytes, PlanPhase phase, const char* cause)
    {
        const std::int64_t size = group.size();
        if (size < 2 || count == 0 || bytes == 0)
            return;
        for (PlanCommunication& row : m_rows) {
            if (row.kind == kind && row.bytes == bytes && row.phase == phase && row.cause == cause && row.group == group) {
                row.count += count;
                return;
            }
        }
        m_rows.push_back({kind, group, size, count, bytes, phase, cause, {}});
    }

    std::int64_t act() const { return bytesOf(m_spread.model->types.act); }
    const TransformerSpec& transformer() const { return m_spread.model->transformer; }

    /// The layers of a kind on this stage, of all its micro-batches.
    void addLayers(const LayerKind& kind, std::int64_t layers)
    {
        const WideCount times = WideCount{layers} * m_times;
        addTensor(kind, times);
        addContext(times);
        if (kind.experts)
            addExperts(kind, times);
        if (m_layout.recompute == Recompute::None)
            return;
        // What is computed again communicates again.
        m_again = true;
        if (m_layout.recompute == Recompute::Full) {
            addTensor(kind, times);
            if (kind.experts)
                addExperts(kind, times);
        }
        if (m_layout.recompute == Recompute::Full || m_layout.context.kind == ContextPlan::Kind::Ring)
            addContext(times);
        m_again = false;
    }

    /// Forward, or the same once more before the backward pass.
    void addForward(Kind kind, const PlanGroup& group, WideCount count, std::int64_t bytes, const char* cause)
    {
        add(kind, group, count, bytes, m_again ? PlanPhase::Backward : PlanPhase::Forward, m_again ? "recomputation" : cause);
    }

    /// Two parts of a layer, attention and feed-forward, each with a product that gathers or copies its input and one whose output is summed.
    void addTensor(const LayerKind& kind, WideCount layers)
    {
        const PlanGroup& group = m_layout.tensorGroup;
        const std::int64_t bytes = m_shares.gathered(kind.boundaryBytes);
        if (!m_shares.sequence()) {
            const WideCount sums = layers * (transformer().parallelResidual ? 1 : 2);
            addForward(Kind::AllReduce, group, sums, bytes, "partial sums of layers");
            if (!m_again)
                add(Kind::AllReduce, group, sums, bytes, PlanPhase::Backward, "gradients of layer inputs");
            return;
        }
        addSequencePart(layers, bytes);
        // Rows come from other ranks already routed; experts of the own rank work on the gathered input.
        const bool routed = kind.experts && m_layout.expertSize > 1;
        const bool routedOnly = routed && transformer().moe.sharedFf == 0;
        if (routed)
            addSequencePart(layers, routedBytes(false));
        if (!routedOnly && !transformer().parallelResidual)
            addSequencePart(layers, bytes);
    }

    void addSequencePart(WideCount times, std::int64_t bytes)
    {
        const PlanGroup& group = m_layout.tensorGroup;
        addForward(Kind::AllGather, group, times, bytes, "inputs split over the sequence");
        addForward(Kind::ReduceScatter, group, times, bytes, "partial sums of layers");
        if (m_again)
            return;
        add(Kind::AllGather, group, times, bytes, PlanPhase::Backward, "gradients of layer outputs");
        add(Kind::ReduceScatter, group, times, bytes, PlanPhase::Backward, "gradients of layer inputs");
        add(Kind::AllGather, group, times, bytes, PlanPhase::Backward, "inputs that are kept split");
    }

    /// Bytes of the rows that experts get from the tokens of one rank; `split`: those of one rank of the tensor group.
    std::int64_t routedBytes(bool split) const
    {
        const MoeSpec& moe = transformer().moe;
        MoeSpec planned = moe;
        if (m_layout.expert.dispatch == ExpertPlan::Dispatch::Dropless)
            planned.capacityFactor = 0;
        const Count rows = expertRows(planned, m_layout.microBatch * m_spread.seq(), true);
        const std::int64_t bytes = m_shares.ofFullest((rows * transformer().hidden * act()).value());
        return split ? m_shares.ofTokens(bytes) : m_shares.gathered(bytes);
    }

    void addExperts(const LayerKind&, WideCount layers)
    {
        const std::int64_t bytes = routedBytes(true);
        addForward(Kind::AllToAll, m_layout.expertGroup, layers, bytes, "tokens to experts");
        addForward(Kind::AllToAll, m_layout.expertGroup, layers, bytes, "tokens back from experts");
        if (!m_again)
            add(Kind::AllToAll, m_layout.expertGroup, layers * 2, bytes, PlanPhase::Backward, "gradients of tokens of experts");
    }

    /// Bytes of a tensor of the tokens of a rank and so many elements of a head each.
    std::int64_t ofHeads(std::int64_t heads, std::int64_t dim) const
    {
        return (Count(m_layout.microBatch) * (m_spread.seq() / m_layout.contextSize) * heads * dim * act()).value();
    }

    void addContext(WideCount layers)
    {
        const TransformerSpec& of = transformer();
        const std::int64_t c = m_layout.contextSize;
        const std::int64_t t = m_layout.tensorSize;
        const std::int64_t heads = of.heads / t;
        const bool latent = of.isLatent();
        const std::int64_t keyDim = latent ? of.latent.nopeDim + of.latent.ropeDim : of.headDim;
        const std::int64_t valueDim = latent ? of.latent.valueDim : of.headDim;
        std::int64_t keyHeads = latent ? heads : std::max<std::int64_t>(1, of.kvHeads / t);
        if (m_layout.context.kind == ContextPlan::Kind::Ring) {
            const std::int64_t bytes = ofHeads(keyHeads, keyDim + valueDim);
            addForward(Kind::Send, m_layout.contextGroup, layers * (c - 1), bytes, "keys and values round the ring");
            if (!m_again)
                add(Kind::Send, m_layout.contextGroup, layers * 2 * (c - 1), bytes, PlanPhase::Backward, "keys, values and their gradients round the ring");
            return;
        }
        keyHeads = std::max(keyHeads, c); // Fewer than ranks: copies.
        for (const std::int64_t bytes : {ofHeads(heads, keyDim), ofHeads(keyHeads, keyDim), ofHeads(keyHeads, valueDim), ofHeads(heads, valueDim)}) {
            addForward(Kind::AllToAll, m_layout.contextGroup, layers, bytes, "heads against sequence");
            if (!m_again)
                add(Kind::AllToAll, m_layout.contextGroup, layers, bytes, PlanPhase::Backward, "heads against sequence");
        }
    }

    /// What stands before and behind the layers.
    void addEnds()
    {
        if (m_spread.layers.kinds.empty() || !m_layout.tensor.vocabularyParallel)
            return;
        const PlanGroup& group = m_layout.tensorGroup;
        const std::int64_t bytes = m_shares.gathered(m_spread.layers.kinds.front().boundaryBytes);
        const bool sequence = m_shares.sequence();
        if (m_stage->first) {
            add(sequence ? Kind::ReduceScatter : Kind::AllReduce, group, m_times, bytes, PlanPhase::Forward, "embedding split over the vocabulary");
            if (sequence)
                add(Kind::AllGather, group, m_times, bytes, PlanPhase::Backward, "gradients of the embedding");
        }
        if (!m_stage->last || transformer().head != HeadKind::LanguageModel)
            return;
        if (sequence) {
            add(Kind::AllGather, group, m_times, bytes, PlanPhase::Forward, "input of the logits");
            add(Kind::ReduceScatter, group, m_times, bytes, PlanPhase::Backward, "gradients of the input of the logits");
            add(Kind::AllGather, group, m_times, bytes, PlanPhase::Backward, "input of the logits, kept split");
        } else {
            add(Kind::AllReduce, group, m_times, bytes, PlanPhase::Backward, "gradients of the input of the logits");
        }
        constexpr std::int64_t kFp32 = 4;
        const std::int64_t tokens = m_layout.microBatch * (m_spread.seq() / m_layout.contextSize);
        add(Kind::AllReduce, group, WideCount{3} * m_times, tokens * kFp32, PlanPhase::Forward, "largest logit, its sum and that of the target");
    }

    /// To the next stage and back.
    void addMessages(std::int64_t stage)
    {
        if (m_spread.layers.kinds.empty())
            return;
        const std::int64_t bytes = m_shares.ofTokens(m_spread.layers.kinds.front().boundaryBytes);
        const std::int64_t own = m_layout.rankOfStage(stage);
        const auto elsewhere = [&](std::int64_t other) { return other >= 0 && other < m_layout.stages() && m_layout.rankOfStage(other) != own; };
        if (elsewhere(stage + 1))
            add(Kind::Send, m_layout.pipelineGroup, m_times, bytes, PlanPhase::Forward, "activations to the next stage");
        if (elsewhere(stage - 1))
            add(Kind::Send, m_layout.pipelineGroup, m_times, bytes, PlanPhase::Backward, "gradients to the stage before");
    }

    /// ZeRO-3: parameters of every unit.
    void addUnits()
    {
        for (const GatheredUnit& unit : gatheredUnits(m_spread, *m_stage)) {
            const WideCount times = WideCount{unit.count} * m_times;
            addUnit(m_layout.denseShard, times, unit.denseBytes, unit.dense);
            addUnit(m_layout.expertShard, times, unit.expertBytes, unit.experts);
        }
    }

    void addUnit(const PlanGroup& group, WideCount times, std::int64_t bytes, std::int64_t elements)
    {
        add(Kind::AllGather, group, times, bytes, PlanPhase::Forward, "parameters of a unit");
        if (m_layout.data.reshard)
            add(Kind::AllGather, group, times, bytes, PlanPhase::Backward, "parameters of a unit");
        add(Kind::ReduceScatter, group, times, elements * bytesOf(m_spread.model->types.grad), PlanPhase::Backward, "gradients of a unit");
    }

    /// In buckets: whole ones and a rest.
    void addBuckets(Kind kind, const PlanGroup& group, std::int64_t bytes, WideCount times, PlanPhase phase, const char* cause)
    {
        const auto bucket = static_cast<std::int64_t>(std::clamp(m_layout.data.bucketMb * 1e6, 1.0, 4e18));
        add(kind, group, times * (bytes / bucket), bucket, phase, cause);
        add(kind, group, times, bytes % bucket, phase, cause);
    }

    /// Gradients and updated parameters of ranks that have the same; `elements` of one rank.
    void addStates(const PlanGroup& group, const PlanGroup& shard, const PlanGroup& copies, std::int64_t elements, std::int64_t bytes)
    {
        const std::int64_t gradients = elements * bytesOf(m_spread.model->types.grad);
        const std::int32_t zero = m_layout.data.zero;
        if (zero == 0)
            return addBuckets(Kind::AllReduce, group, gradients, 1, PlanPhase::Backward, "gradients");
        if (zero < 3) {
            // Split gradients are summed after every micro-batch; whole ones once.
            addBuckets(Kind::ReduceScatter, shard, gradients, zero == 2 ? m_layout.microBatches : 1, PlanPhase::Backward, "gradients");
            addBuckets(Kind::AllGather, shard, bytes, 1, PlanPhase::Optimizer, "updated parameters");
        }
        addBuckets(Kind::AllReduce, copies, OpShares::dividedUp(gradients, shard.size()), 1, PlanPhase::Backward, "gradients of copies of the states");
    }

    void addPerStep()
    {
        const HeldParameters held = heldParameters(m_spread, m_place);
        const std::int64_t gradient = bytesOf(m_spread.model->types.grad);
        if (m_shares.sequence())
            add(Kind::AllReduce, m_layout.tensorGroup, 1, held.repeated * gradient, PlanPhase::Backward, "gradients of what every rank of the group has");
        const std::int64_t p = m_layout.pipelineSize;
        if (m_layout.isDual()) {
            PlanGroup pair{m_layout.pipelineGroup.name + " pairs", {{2, m_layout.pipelineGroup.axes.front().stride}}};
            add(Kind::AllReduce, pair, 1, (held.dense + held.experts) * gradient, PlanPhase::Backward, "gradients of the other direction");
        }
        const std::int64_t last = m_layout.rankOfStage(m_layout.stages() - 1);
        if (m_spread.layers.tied && p > 1 && !m_layout.isDual() && m_layout.rankOfStage(0) != last && (m_place == last || m_place == m_layout.rankOfStage(0))) {
            PlanGroup ends{m_layout.pipelineGroup.name + " ends", {{2, m_layout.pipelineGroup.axes.front().stride * last}}};
            add(Kind::AllReduce, ends, 1, m_spread.tableParameters * gradient, PlanPhase::Backward, "gradients of the tied embedding");
        }
        addStates(m_layout.denseGroup, m_layout.denseShard, m_layout.denseCopies, held.dense, held.denseBytes);
        addStates(m_layout.expertDataGroup, m_layout.expertShard, m_layout.expertCopies, held.experts, held.expertBytes);
    }

    const SpreadModel& m_spread;
    const PlanLayout& m_layout;
    const OpShares& m_shares;
    std::int64_t m_place;
    const StageShare* m_stage = nullptr;
    std::int64_t m_times = 1;  ///< Micro-batches.
    bool m_again = false;      ///< Recomputation.
    std::vector<PlanCommunication> m_rows;
};

} // namespace

WideCount PlanCommunication::sentPerRank() const
{
    if (kind == Kind::Send)
        return count * bytes;
    return count * bytes * (kind == Kind::AllReduce ? 2 : 1) * (groupSize - 1) / groupSize;
}

HeldParameters heldParameters(const SpreadModel& spread, std::int64_t place)
{
    HeldParameters held;
    const auto hold = [&held](const PartShare& part, std::int64_t count) {
        held.dense += part.denseParameters * count;
        held.experts += part.expertParameters * count;
        held.repeated += part.repeated * count;
        held.denseBytes += part.denseBytes * count;
        held.expertBytes += part.expertBytes * count;
        held.factored += part.factored * count;
    };
    for (const std::int64_t stage : spread.layout->stagesOfRank(place)) {
        const StageShare& share = spread.stages[static_cast<std::size_t>(stage)];
        for (std::size_t part = 0; part < spread.parts(); ++part)
            hold(spread.part(part), spread.countOf(share, part));
    }
    if (spread.hasTableCopy(place)) {
        held.dense += spread.tableParameters;
        held.denseBytes += spread.tableBytes;
        held.repeated += spread.layout->tensor.vocabularyParallel ? 0 : spread.tableParameters;
    }
    return held;
}

std::vector<GatheredUnit> gatheredUnits(const SpreadModel& spread, const StageShare& stage)
{
    std::vector<GatheredUnit> units;
    const auto unitOf = [](const PartShare& part, std::int64_t layers, std::int64_t count) {
        return GatheredUnit{part.denseParameters * layers, part.expertParameters * layers, part.denseBytes * layers, part.expertBytes * layers, count};
    };
    for (std::size_t part = 0; part < spread.parts(); ++part) {
        const std::int64_t count = spread.countOf(stage, part);
        const std::int64_t together = part < spread.kinds.size() ? std::max<std::int64_t>(1, spread.layout->data.unit) : 1;
        if (count >= together)
            units.push_back(unitOf(spread.part(part), together, count / together));
        if (count % together != 0)
            units.push_back(unitOf(spread.part(part), count % together, 1));
    }
    if (stage.last && spread.hasTableCopy(spread.layout->rankOfStage(spread.layout->stages() - 1)))
        units.push_back({spread.tableParameters, 0, spread.tableBytes, 0, 1});
    return units;
}

std::vector<PlanCommunication> communicationsOf(const SpreadModel& spread, std::int64_t place)
{
    std::vector<PlanCommunication> rows = PlaceRows(spread, place).run();
    for (PlanCommunication& row : rows) {
        const StepShare share = stepShareOf(*spread.layout, row);
        if (share == StepShare::Forward || share == StepShare::Backward)
            row.apart = spread.layout->pipelineGroup;
    }
    return rows;
}

std::vector<PlanCommunication> allCommunications(const SpreadModel& spread)
{
    const PlanLayout& layout = *spread.layout;
    const auto places = static_cast<std::size_t>(layout.pipelineSize);
    std::vector<PlanCommunication> rows;
    std::vector<std::vector<bool>> whose;
    for (std::size_t place = 0; place < places; ++place) {
        for (PlanCommunication& row : communicationsOf(spread, static_cast<std::int64_t>(place))) {
            const auto same = std::find_if(rows.begin(), rows.end(), [&row](const PlanCommunication& other) {
                return other.kind == row.kind && other.bytes == row.bytes && other.count == row.count && other.phase == row.phase && other.cause == row.cause && other.group == row.group;
            });
            const auto index = static_cast<std::size_t>(same - rows.begin());
            if (same == rows.end()) {
                rows.push_back(std::move(row));
                whose.emplace_back(places, false);
            }
            whose[index][place] = true;
        }
    }
    std::map<std::vector<bool>, RankSet> sets;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        auto [set, isNew] = sets.try_emplace(whose[i]);
        if (isNew)
            set->second = layout.grid.ranksWith(layout.pipelineAxis, whose[i]);
        rows[i].ranks = set->second;
    }
    std::stable_sort(rows.begin(), rows.end(), [](const PlanCommunication& a, const PlanCommunication& b) { return a.phase < b.phase; });
    return rows;
}

} // namespace fabricscope
