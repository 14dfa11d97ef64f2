#include "core/planner/specgraph.h"

#include "core/planner/graphmaker.h"

#include <array>

namespace fabricscope {

namespace {

/// The part of a model that its graph would not have; empty: it has all.
std::string missingPart(const ModelSpec& model)
{
    if (model.family != ComputeFamily::Transformer)
        return "a model of family " + std::string(keyOf(kComputeFamilies, model.family));
    const TransformerSpec& t = model.transformer;
    const std::array<std::pair<bool, const char*>, 13> parts{{{t.moe.experts > 0, "experts"}, {t.isLatent(), "latent attention"}, {t.window > 0, "sliding attention"},
        {t.parallelResidual, "a parallel residual"}, {t.normsPerLayer != 2, "other than two norms in a layer"}, {t.queryKeyNorm > 0, "norms of queries and keys"},
        {t.embeddingNorm, "a norm behind the embedding"}, {t.positions == PositionKind::Relative, "relative positions"}, {t.tokenTypes > 0, "token types"},
        {t.embeddingDim != 0 && t.embeddingDim != t.hidden, "an embedding of another width"}, {t.head != HeadKind::LanguageModel, "a head other than logits"},
        {t.predictLayers > 0, "layers that predict further tokens"}, {t.kvHeads <= 0 || t.heads % t.kvHeads != 0, "heads that no number of KV heads divides"}}};
    for (const auto& [present, name] : parts) {
        if (present)
            return name;
    }
    return {};
}

class TransformerGraph {
public:
    TransformerGraph(const TransformerSpec& spec, GraphMaker make) : m_spec(spec), m_make(std::move(make)) {}

    Result<ModelGraph> write()
    {
        const TensorId ids = m_make.input("ids", {m_spec.seq}, true);
        const TensorId table = m_make.parameter("embedding", {m_spec.vocab, m_spec.hidden});
        TensorId x = m_make.add("words", GraphOpKind::Gather, {table, ids});
        if (m_spec.positions == PositionKind::Learned)
            x = learnedPositions(x);
        for (std::int32_t layer = 0; layer < m_spec.layers; ++layer) {
            const std::string p = "l" + std::to_string(layer) + "_";
            x = m_make.binary(p + "sum1", GraphOpKind::Add, x, attention(p, norm(p + "norm1", x)));
            x = m_make.binary(p + "sum2", GraphOpKind::Add, x, feedForward(p, norm(p + "norm2", x)));
        }
        if (m_spec.finalNorm)
            x = norm("final", x);
        TensorId logits = m_spec.tiedEmbedding ? m_make.einsum("logits", {"bsm", "vm", "bsv"}, x, table)
                                               : m_make.einsum("logits", {"bsm", "mv", "bsv"}, x, m_make.parameter("head_w", {m_spec.hidden, m_spec.vocab}));
        if (m_spec.headBias)
            logits = m_make.bias("logits_bias", logits, {m_spec.vocab});
        m_make.reduce("loss", ReduceKind::Sum, logits, {0, 1, 2});
        return m_make.finish();
    }

private:
    /// Rows beyond the sequence are a parameter that nothing reads.
    TensorId learnedPositions(TensorId x)
    {
        return m_make.binary("placed", GraphOpKind::Add, x, m_make.parameter("positions", {m_spec.seq, m_spec.hidden}));
    }

    TensorId norm(const std::string& name, TensorId x)
    {
        if (m_spec.norm == NormKind::LayerNorm)
            return m_make.layerNorm(name, x);
        GraphOp op;
        op.name = name + "_normal";
        op.kind = GraphOpKind::LayerNorm;
        op.inputs = {x};
        op.dim = 2;
        const TensorId normal = m_make.add(std::move(op));
        return m_spec.norm == NormKind::Plain ? normal : m_make.binary(name, GraphOpKind::Mul, normal, m_make.parameter(name + "_g", {m_spec.hidden}));
    }

    TensorId biased(bool wanted, const std::string& name, TensorId x, TensorShape shape) { return wanted ? m_make.bias(name, x, std::move(shape)) : x; }

    TensorId attention(const std::string& p, TensorId x)
    {
        // Groups of queries share keys and values.
        const std::int64_t groups = m_spec.kvHeads;
        const std::int64_t queries = m_spec.heads / groups;
        const std::int64_t head = m_spec.headDim;
        const TensorId q = biased(m_spec.qkvBias, p + "q", m_make.einsum(p + "q_product", {"bsm", "mgnd", "bsgnd"}, x, m_make.parameter(p + "q_w", {m_spec.hidden, groups, queries, head})), {groups, queries, head});
        const auto keys = [&](const std::string& name) {
            const TensorId product = m_make.einsum(p + name + "_product", {"bsm", "mgd", "bsgd"}, x, m_make.parameter(p + name + "_w", {m_spec.hidden, groups, head}));
            return biased(m_spec.qkvBias, p + name, product, {groups, head});
        };
        const TensorId k = keys("k");
        const TensorId v = keys("v");
        const TensorId weights = m_make.softmax(p + "weights", m_make.einsum(p + "scores", {"bqgnd", "bkgd", "bgnqk"}, q, k));
        const TensorId context = m_make.einsum(p + "context", {"bgnqk", "bkgd", "bqgnd"}, weights, v);
        const TensorId out = m_make.einsum(p + "out", {"bqgnd", "gndm", "bqm"}, context, m_make.parameter(p + "out_w", {groups, queries, head, m_spec.hidden}));
        return biased(m_spec.outputBias, p + "attention", out, {m_spec.hidden});
    }

    TensorId feedForward(const std::string& p, TensorId x)
    {
        const auto in = [&](const std::string& name) {
            return biased(m_spec.mlpBias, p + name + "_bias", m_make.einsum(p + name, {"bsm", "mh", "bsh"}, x, m_make.parameter(p + name + "_w", {m_spec.hidden, m_spec.ff})), {m_spec.ff});
        };
        const TensorId up = in("up");
        const TensorId active = m_spec.ffKind == FeedForwardKind::Glu ? m_make.binary(p + "gated", GraphOpKind::Mul, m_make.unary(p + "silu", GraphOpKind::Silu, in("gate")), up)
                                                                      : m_make.unary(p + "gelu", GraphOpKind::Gelu, up);
        const TensorId down = m_make.einsum(p + "down", {"bsh", "hm", "bsm"}, active, m_make.parameter(p + "down_w", {m_spec.ff, m_spec.hidden}));
        return biased(m_spec.mlpBias, p + "feed", down, {m_spec.hidden});
    }

    const TransformerSpec& m_spec;
    GraphMaker m_make;
};

ElementType elementOf(NumberType type)
{
    const std::int64_t bytes = bytesOf(type);
    return type == NumberType::Bf16 ? ElementType::Bf16 : bytes == 4 ? ElementType::Fp32 : bytes == 2 ? ElementType::Fp16 : ElementType::Fp8;
}

} // namespace

Result<ModelGraph> graphOfModel(const ModelSpec& model, std::int64_t batch)
{
    if (const std::string missing = missingPart(model); !missing.empty())
        return Error{ErrorCode::Unsupported, "placement: hap does not place " + missing, {}, "a dense transformer, or a graph of its own (fabricscope-cli place)"};
    return TransformerGraph(model.transformer, GraphMaker(batch, elementOf(model.types.param))).write();
}

} // namespace fabricscope
