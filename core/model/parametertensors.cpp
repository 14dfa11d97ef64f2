#include "core/model/parametertensors.h"

#include <map>

namespace fabricscope {

namespace {

/// Collects tensors of one layer under short calls.
class TensorList {
public:
    explicit TensorList(std::vector<ParameterTensor>& tensors) : m_tensors(tensors) {}

    void matrix(std::string name, std::int64_t out, std::int64_t in, SplitLetter split, TensorClass kind = TensorClass::Linear)
    {
        m_tensors.push_back({std::move(name), kind, out, in, 1, split, false});
    }
    void vector(std::string name, std::int64_t size, SplitLetter split, TensorClass kind = TensorClass::Bias)
    {
        if (size > 0)
            m_tensors.push_back({std::move(name), kind, size, 1, 1, split, false});
    }
    void norm(const TransformerSpec& spec, const std::string& name, std::int64_t width)
    {
        if (spec.norm == NormKind::Plain)
            return;
        vector(name, width, SplitLetter::None, TensorClass::Norm);
        if (spec.norm == NormKind::LayerNorm)
            vector(name + "_bias", width, SplitLetter::None, TensorClass::Norm);
    }
    void experts(std::string name, std::int64_t out, std::int64_t in, std::int64_t copies)
    {
        m_tensors.push_back({std::move(name), TensorClass::Linear, out, in, copies, SplitLetter::Expert, true});
    }

private:
    std::vector<ParameterTensor>& m_tensors;
};

void addAttentionTensors(const TransformerSpec& spec, TensorList& list)
{
    const std::int64_t h = spec.hidden;
    list.matrix("q_proj", spec.queryWidth(), h, SplitLetter::Heads);
    list.matrix("k_proj", spec.kvWidth(), h, SplitLetter::KvHeads);
    list.matrix("v_proj", spec.kvWidth(), h, SplitLetter::KvHeads);
    if (spec.qkvBias) {
        list.vector("q_proj_bias", spec.queryWidth(), SplitLetter::Heads);
        list.vector("k_proj_bias", spec.kvWidth(), SplitLetter::KvHeads);
        list.vector("v_proj_bias", spec.kvWidth(), SplitLetter::KvHeads);
    }
    list.vector("qk_norm", spec.queryKeyNorm, SplitLetter::None, TensorClass::Norm);
    if (spec.positions == PositionKind::Relative)
        list.matrix("relative_bias", spec.heads, spec.relativeBuckets, SplitLetter::Heads, TensorClass::Bias);
    list.matrix("o_proj", h, spec.queryWidth(), SplitLetter::Heads);
    if (spec.outputBias)
        list.vector("o_proj_bias", h, SplitLetter::None);
}

void addLatentTensors(const TransformerSpec& spec, TensorList& list)
{
    const LatentAttention& latent = spec.latent;
    const std::int64_t h = spec.hidden, heads = spec.heads;
    if (latent.queryRank > 0) {
        list.matrix("q_a", latent.queryRank, h, SplitLetter::None);
        if (spec.qkvBias)
            list.vector("q_a_bias", latent.queryRank, SplitLetter::None);
        list.vector("q_a_norm", latent.queryRank, SplitLetter::None, TensorClass::Norm);
        list.matrix("q_b", spec.queryWidth(), latent.queryRank, SplitLetter::Heads);
    } else {
        list.matrix("q_proj", spec.queryWidth(), h, SplitLetter::Heads);
    }
    list.matrix("kv_a", latent.kvRank + std::int64_t{latent.ropeDim}, h, SplitLetter::None);
    if (spec.qkvBias)
        list.vector("kv_a_bias", latent.kvRank + std::int64_t{latent.ropeDim}, SplitLetter::None);
    list.vector("kv_a_norm", latent.kvRank, SplitLetter::None, TensorClass::Norm);
    list.matrix("kv_b", heads * (latent.nopeDim + std::int64_t{latent.valueDim}), latent.kvRank, SplitLetter::Heads);
    list.matrix("o_proj", h, heads * latent.valueDim, SplitLetter::Heads);
    if (spec.outputBias)
        list.vector("o_proj_bias", h, SplitLetter::None);
}

/// A dense feed-forward part of width `f`; `prefix` tells shared experts from dense layers.
void addFeedForwardTensors(const TransformerSpec& spec, const std::string& prefix, std::int64_t f, TensorList& list)
{
    const bool glu = spec.ffKind == FeedForwardKind::Glu;
    if (glu)
        list.matrix(prefix + "gate", f, spec.hidden, SplitLetter::Ff);
    list.matrix(prefix + "up", f, spec.hidden, SplitLetter::Ff);
    if (spec.mlpBias)
        list.vector(prefix + "up_bias", glu ? 2 * f : f, SplitLetter::Ff);
    list.matrix(prefix + "down", spec.hidden, f, SplitLetter::Ff);
    if (spec.mlpBias)
        list.vector(prefix + "down_bias", spec.hidden, SplitLetter::None);
}

void addExpertTensors(const TransformerSpec& spec, TensorList& list)
{
    const MoeSpec& moe = spec.moe;
    list.matrix("router", moe.experts, spec.hidden, SplitLetter::None, TensorClass::Router);
    if (moe.correctionBias)
        list.vector("correction_bias", moe.experts, SplitLetter::None, TensorClass::Correction);
    if (spec.ffKind == FeedForwardKind::Glu)
        list.experts("expert_gate", moe.expertFf, spec.hidden, moe.experts);
    list.experts("expert_up", moe.expertFf, spec.hidden, moe.experts);
    list.experts("expert_down", spec.hidden, moe.expertFf, moe.experts);
    if (moe.sharedFf > 0)
        addFeedForwardTensors(spec, "shared_", moe.sharedFf, list);
    if (moe.sharedGate)
        list.vector("shared_scale", spec.hidden, SplitLetter::None);
}

std::vector<ParameterTensor> layerTensors(const TransformerSpec& spec, bool experts)
{
    std::vector<ParameterTensor> tensors;
    TensorList list(tensors);
    for (std::int32_t i = 1; i <= spec.normsPerLayer; ++i)
        list.norm(spec, "norm" + std::to_string(i), spec.hidden);
    spec.isLatent() ? addLatentTensors(spec, list) : addAttentionTensors(spec, list);
    experts ? addExpertTensors(spec, list) : addFeedForwardTensors(spec, "ff_", spec.ff, list);
    return tensors;
}

void addOutsideTensors(const TransformerSpec& spec, ModelTensors& model)
{
    const std::int64_t width = spec.embeddingDim > 0 ? spec.embeddingDim : spec.hidden;
    TensorList before(model.before);
    before.matrix("embedding", spec.vocab, width, SplitLetter::Vocab, TensorClass::Embedding);
    if (spec.embeddingDim > 0) {
        before.matrix("project_in", spec.hidden, width, SplitLetter::None, TensorClass::Embedding);
        before.matrix("project_out", width, spec.hidden, SplitLetter::None, TensorClass::Embedding);
    }
    if (spec.positions == PositionKind::Learned)
        before.matrix("positions", spec.positionRows, spec.hidden, SplitLetter::None, TensorClass::Embedding);
    if (spec.tokenTypes > 0)
        before.matrix("token_types", spec.tokenTypes, spec.hidden, SplitLetter::None, TensorClass::Embedding);
    if (spec.embeddingNorm)
        before.norm(spec, "embedding_norm", spec.hidden);
    TensorList after(model.after);
    if (spec.finalNorm)
        after.norm(spec, "final_norm", spec.hidden);
    if (spec.head == HeadKind::LanguageModel && !spec.tiedEmbedding)
        after.matrix("head", spec.vocab, width, SplitLetter::Vocab, TensorClass::Head);
    if (spec.head == HeadKind::LanguageModel && spec.headBias)
        after.vector("head_bias", spec.vocab, SplitLetter::Vocab, TensorClass::Head);
    if (spec.head == HeadKind::Pooler) {
        after.matrix("pooler", spec.hidden, spec.hidden, SplitLetter::None, TensorClass::Head);
        after.vector("pooler_bias", spec.hidden, SplitLetter::None, TensorClass::Head);
    }
}

} // namespace

ModelTensors transformerTensors(const TransformerSpec& spec)
{
    ModelTensors model;
    addOutsideTensors(spec, model);
    std::map<std::pair<bool, bool>, std::size_t> kinds; // Experts, sliding.
    for (std::int32_t layer = 0; layer < spec.layers; ++layer) {
        const bool experts = spec.hasExperts(layer), slides = spec.slidesAt(layer);
        const auto [at, isNew] = kinds.try_emplace({experts, slides}, model.layers.size());
        if (isNew)
            model.layers.push_back({std::string(experts ? "moe" : "dense") + (slides ? " sliding" : ""), {}, layerTensors(spec, experts)});
        model.layers[at->second].layers.push_back(layer);
    }
    if (spec.predictLayers > 0) {
        model.predict = layerTensors(spec, spec.layers > 0 && spec.hasExperts(spec.layers - 1));
        TensorList list(model.predict);
        list.matrix("eh_proj", spec.hidden, 2 * spec.hidden, SplitLetter::None, TensorClass::Head);
        for (const char* name : {"embedding_norm", "hidden_norm", "head_norm"})
            list.norm(spec, name, spec.hidden);
    }
    return model;
}

NumberType storedType(TensorClass kind, const ModelTypes& types)
{
    if (kind == TensorClass::Correction)
        return NumberType::Fp32;
    const bool narrow = types.param == NumberType::Fp8 || types.param == NumberType::Int8;
    return narrow && kind != TensorClass::Linear ? NumberType::Bf16 : types.param;
}

Count elementsOf(const ParameterTensor& tensor)
{
    return Count(tensor.out) * tensor.in * tensor.copies;
}

Count scalesOf(const ParameterTensor& tensor, const ModelTypes& types)
{
    if (storedType(tensor.kind, types) != NumberType::Fp8)
        return 0;
    constexpr std::int64_t kBlock = 128;
    return Count(tensor.out).dividedUp(kBlock) * Count(tensor.in).dividedUp(kBlock) * tensor.copies;
}

Count bytesOf(const ParameterTensor& tensor, const ModelTypes& types)
{
    return elementsOf(tensor) * bytesOf(storedType(tensor.kind, types)) + scalesOf(tensor, types) * 4;
}

} // namespace fabricscope
