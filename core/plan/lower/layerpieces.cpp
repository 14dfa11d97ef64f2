#include "core/plan/lower/layerpieces.h"

#include "core/model/experts.h"
#include "core/plan/lower/opwalk.h"

#include <algorithm>

namespace fabricscope {

namespace {

/// A range of ops of a layer; empty where it has none.
struct OpRange {
    std::size_t first = 0;
    std::size_t last = 0;
    bool any = false;
    void add(std::size_t i)
    {
        first = any ? first : i;
        last = i;
        any = true;
    }
};

/// Where the parts of a layer begin and end.
struct LayerParts {
    OpRange attention, core, dense, experts, all; ///< `experts`: their products; `all`: the feed-forward part, routing included.

    explicit LayerParts(const std::vector<LayerOp>& ops)
    {
        for (std::size_t i = 0; i < ops.size(); ++i) {
            const LayerOp& op = ops[i];
            if (op.split == SplitLetter::Heads || op.split == SplitLetter::KvHeads)
                attention.add(i);
            if (op.group == RecomputeGroup::AttentionCore)
                core.add(i);
            if (op.split == SplitLetter::Ff)
                dense.add(i);
            if (op.split == SplitLetter::Expert)
                experts.add(i);
            if (op.split == SplitLetter::Ff || op.split == SplitLetter::Expert || op.kind == LayerOpKind::Router || op.kind == LayerOpKind::Dispatch || op.kind == LayerOpKind::Combine)
                all.add(i);
        }
    }
};

WorkPiece collective(const char* name, CollectiveOp op, std::int64_t bytes, FamilyId family)
{
    WorkPiece piece;
    piece.kind = WorkPiece::Kind::Collective;
    piece.name = name;
    piece.op = op;
    piece.bytes = bytes;
    piece.family = family;
    return piece;
}

/// Puts the communications of a layer between its ops. The counterpart of sends.cpp, which counts them.
class LayerCommunication {
public:
    LayerCommunication(const SpreadModel& spread, const LayerKind& kind, const LayerFamilies& families)
        : m_spread(spread)
        , m_layout(*spread.layout)
        , m_families(families)
        , m_kind(kind)
        , m_parts(kind.ops)
        , m_between(kind.ops.size())
    {
    }

    BetweenOps run()
    {
        if (m_families.tensor >= 0)
            m_spread.shares->sequence() ? addSequence() : addSums();
        if (m_families.context >= 0 && m_parts.core.any)
            m_layout.context.kind == ContextPlan::Kind::Ring ? addRing() : addHeads();
        if (m_families.experts >= 0 && m_kind.experts && m_parts.experts.any)
            addExchange();
        return std::move(m_between);
    }

private:
    const TransformerSpec& transformer() const { return m_spread.model->transformer; }
    std::int64_t act() const { return bytesOf(m_spread.model->types.act); }

    /// Collectives of no bytes are none.
    static void put(std::vector<WorkPiece>& at, const WorkPiece& piece, bool inFront = false)
    {
        if (piece.bytes > 0)
            at.insert(inFront ? at.begin() : at.end(), piece);
    }

    void addSums()
    {
        const WorkPiece sum = collective("sum", CollectiveOp::AllReduce, m_spread.shares->gathered(m_kind.boundaryBytes), m_families.tensor);
        if (!transformer().parallelResidual && m_parts.attention.any) {
            put(m_between.behind[m_parts.attention.last], sum);
            put(m_between.behindBackward[m_parts.all.any ? m_parts.all.first : m_parts.attention.last], sum);
        }
        const OpRange& last = m_parts.all.any ? m_parts.all : m_parts.attention;
        put(m_between.behind[last.last], sum);
        put(m_between.behindBackward[m_parts.attention.any ? m_parts.attention.first : last.first], sum);
    }

    void addSequence()
    {
        const std::int64_t bytes = m_spread.shares->gathered(m_kind.boundaryBytes);
        OpRange first = m_parts.attention;
        if (transformer().parallelResidual && m_parts.dense.any) {
            first.add(m_parts.dense.first);
            first.last = std::max(m_parts.attention.last, m_parts.dense.last);
        }
        addSequencePart(first, bytes);
        // Rows come from other ranks already routed; experts of the own rank work on the gathered input.
        const bool routed = m_kind.experts && m_layout.expertSize > 1;
        const bool routedOnly = routed && transformer().moe.sharedFf == 0;
        if (routed)
            addSequencePart(m_parts.experts, m_spread.shares->gathered(routedRows()));
        if (!routedOnly && !transformer().parallelResidual)
            addSequencePart(m_kind.experts && !routed ? m_parts.all : m_parts.dense, bytes);
    }

    void addSequencePart(const OpRange& range, std::int64_t bytes)
    {
        if (!range.any)
            return;
        const WorkPiece gather = collective("gather", CollectiveOp::AllGather, bytes, m_families.tensor);
        const WorkPiece scatter = collective("scatter", CollectiveOp::ReduceScatter, bytes, m_families.tensor);
        put(m_between.before[range.first], gather);
        put(m_between.behind[range.last], scatter, true);
        put(m_between.beforeBackward[range.last], gather);
        put(m_between.beforeBackward[range.last], collective("gather input", CollectiveOp::AllGather, bytes, m_families.tensor));
        put(m_between.behindBackward[range.first], scatter, true);
    }

    /// Bytes of the rows that experts get from the tokens of a micro-batch.
    std::int64_t routedRows() const
    {
        MoeSpec moe = transformer().moe;
        if (m_layout.expert.dispatch == ExpertPlan::Dispatch::Dropless)
            moe.capacityFactor = 0;
        const bool training = m_spread.pass.mode == PassMode::Train;
        return m_spread.shares->ofFullest((expertRows(moe, m_layout.microBatch * m_spread.seq(), training) * transformer().hidden * act()).value());
    }

    void addExchange()
    {
        const std::int64_t bytes = m_spread.shares->ofTokens(routedRows());
        const WorkPiece there = collective("dispatch", CollectiveOp::AllToAll, bytes, m_families.experts);
        const WorkPiece back = collective("combine", CollectiveOp::AllToAll, bytes, m_families.experts);
        const OpRange& range = m_parts.experts;
        put(m_between.before[range.first], there, true);
        put(m_between.behind[range.last], back);
        put(m_between.beforeBackward[range.last], back, true);
        put(m_between.behindBackward[range.first], there);
    }

    std::int64_t ofHeads(std::int64_t heads, std::int64_t dim) const
    {
        return (Count(m_layout.microBatch) * (m_spread.seq() / m_layout.contextSize) * heads * dim * act()).value();
    }

    struct HeadSizes {
        std::int64_t heads = 1, keyHeads = 1, keyDim = 1, valueDim = 1;
    };
    HeadSizes headSizes() const
    {
        const TransformerSpec& of = transformer();
        const bool latent = of.isLatent();
        HeadSizes sizes;
        sizes.heads = of.heads / m_layout.tensorSize;
        sizes.keyHeads = latent ? sizes.heads : std::max<std::int64_t>(1, of.kvHeads / m_layout.tensorSize);
        sizes.keyDim = latent ? of.latent.nopeDim + of.latent.ropeDim : of.headDim;
        sizes.valueDim = latent ? of.latent.valueDim : of.headDim;
        return sizes;
    }

    void addRing()
    {
        const HeadSizes sizes = headSizes();
        m_between.ringFirst = m_parts.core.first;
        m_between.ringEnd = m_parts.core.last + 1;
        m_between.ring.kind = WorkPiece::Kind::Ring;
        m_between.ring.name = "attention";
        m_between.ring.bytes = ofHeads(sizes.keyHeads, sizes.keyDim + sizes.valueDim);
        m_between.ring.ringSteps = static_cast<std::int32_t>(m_layout.contextSize - 1);
    }

    void addHeads()
    {
        const HeadSizes sizes = headSizes();
        const std::int64_t keyHeads = std::max(sizes.keyHeads, m_layout.contextSize);
        const auto exchange = [&](const char* name, std::int64_t bytes) { return collective(name, CollectiveOp::AllToAll, bytes, m_families.context); };
        const WorkPiece queries = exchange("queries", ofHeads(sizes.heads, sizes.keyDim));
        const WorkPiece keys = exchange("keys", ofHeads(keyHeads, sizes.keyDim));
        const WorkPiece values = exchange("values", ofHeads(keyHeads, sizes.valueDim));
        const WorkPiece outputs = exchange("outputs", ofHeads(sizes.heads, sizes.valueDim));
        for (const WorkPiece* piece : {&queries, &keys, &values}) {
            put(m_between.before[m_parts.core.first], *piece);
            put(m_between.behindBackward[m_parts.core.first], *piece);
        }
        put(m_between.behind[m_parts.core.last], outputs);
        put(m_between.beforeBackward[m_parts.core.last], outputs);
    }

    const SpreadModel& m_spread;
    const PlanLayout& m_layout;
    const LayerFamilies& m_families;
    const LayerKind& m_kind;
    LayerParts m_parts;
    BetweenOps m_between;
};

bool endsCommunicate(const SpreadModel& spread, const LayerFamilies& families)
{
    return families.tensor >= 0 && !spread.layers.kinds.empty() && spread.layout->tensor.vocabularyParallel;
}

std::int64_t boundaryOf(const SpreadModel& spread)
{
    return spread.shares->gathered(spread.layers.kinds.front().boundaryBytes);
}

} // namespace

LayerPieces piecesOfLayer(const SpreadModel& spread, const LayerKind& kind, const LayerFamilies& families, const NpuKernels* kernels)
{
    return walkOps(kind.ops, LayerCommunication(spread, kind, families).run(), OpCosts(spread, kernels), spread.layout->recompute, kind.experts ? "moe" : "layer");
}

LayerPieces piecesBefore(const SpreadModel& spread, const LayerFamilies& families, const NpuKernels* kernels)
{
    const std::vector<LayerOp>& ops = spread.layers.before;
    BetweenOps between(ops.size());
    if (!ops.empty() && endsCommunicate(spread, families)) {
        const bool sequence = spread.shares->sequence();
        between.behind.back().push_back(collective("sum", sequence ? CollectiveOp::ReduceScatter : CollectiveOp::AllReduce, boundaryOf(spread), families.tensor));
        if (sequence)
            between.beforeBackward.back().push_back(collective("gather", CollectiveOp::AllGather, boundaryOf(spread), families.tensor));
    }
    return walkOps(ops, between, OpCosts(spread, kernels), Recompute::None, "embedding");
}

LayerPieces piecesBehind(const SpreadModel& spread, const LayerFamilies& families, const NpuKernels* kernels)
{
    const std::vector<LayerOp>& ops = spread.layers.after;
    BetweenOps between(ops.size());
    const auto logits = std::find_if(ops.begin(), ops.end(), [](const LayerOp& op) { return op.kind == LayerOpKind::Linear && op.split == SplitLetter::Vocab; });
    if (logits != ops.end() && endsCommunicate(spread, families) && spread.model->transformer.head == HeadKind::LanguageModel) {
        const auto i = static_cast<std::size_t>(logits - ops.begin());
        if (spread.pass.mode != PassMode::Train) { // Of the last token of every sequence, all of the vocabulary.
            between.behind[i].push_back(collective("logits", CollectiveOp::AllGather, (Count(spread.layout->microBatch) * spread.model->transformer.vocab * bytesOf(spread.model->types.act)).value(), families.tensor));
            return walkOps(ops, between, OpCosts(spread, kernels), Recompute::None, "head");
        }
        const std::int64_t bytes = boundaryOf(spread);
        if (spread.shares->sequence()) {
            between.before[i].push_back(collective("gather", CollectiveOp::AllGather, bytes, families.tensor));
            between.beforeBackward[i].push_back(collective("gather input", CollectiveOp::AllGather, bytes, families.tensor));
            between.behindBackward[i].push_back(collective("scatter", CollectiveOp::ReduceScatter, bytes, families.tensor));
        } else {
            between.behindBackward[i].push_back(collective("sum", CollectiveOp::AllReduce, bytes, families.tensor));
        }
        constexpr std::int64_t kFp32 = 4;
        const std::int64_t tokens = spread.layout->microBatch * (spread.seq() / spread.layout->contextSize);
        for (const char* name : {"largest logit", "sum of logits", "logit of the target"})
            between.behind[i].push_back(collective(name, CollectiveOp::AllReduce, tokens * kFp32, families.tensor));
    }
    return walkOps(ops, between, OpCosts(spread, kernels), Recompute::None, "head");
}

} // namespace fabricscope
