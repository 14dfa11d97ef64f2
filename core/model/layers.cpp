#include "core/model/layerparts.h"

#include <iterator>

namespace fabricscope {

namespace {

constexpr std::int64_t kMostSequences = std::int64_t{1} << 32;
constexpr std::int64_t kMostTokens = std::int64_t{1} << 32;

Error refusedPass(std::string message, std::string expected = {})
{
    return {ErrorCode::InvalidInput, std::move(message), {}, std::move(expected)};
}

Status checkPass(const ModelSpec& model, const PassShape& pass)
{
    if (pass.batch < 1 || pass.batch > kMostSequences)
        return refusedPass("a batch of " + std::to_string(pass.batch) + " is not possible", "1 to " + std::to_string(kMostSequences));
    if (pass.tokens < 1 || pass.keys < pass.tokens || pass.keys > kMostTokens)
        return refusedPass("a pass of " + std::to_string(pass.tokens) + " tokens that see " + std::to_string(pass.keys) + " is not possible",
                           "1 <= tokens <= keys <= " + std::to_string(kMostTokens));
    const TransformerSpec& spec = model.transformer;
    if (model.family == ComputeFamily::Transformer && spec.positions == PositionKind::Learned && pass.keys > spec.positionRows)
        return refusedPass("the model has learned positions for " + std::to_string(spec.positionRows) + " tokens, not for " + std::to_string(pass.keys));
    return {};
}

void addSequential(OpBuilder& ops, const auto& attention, const auto& feedForward)
{
    const bool sandwich = ops.model().transformer.normsPerLayer == 4;
    addNorm(ops, "norm1");
    attention();
    if (sandwich)
        addNorm(ops, "norm2");
    addResidual(ops, "attention_residual");
    addNorm(ops, sandwich ? "norm3" : "norm2");
    feedForward(true);
    if (sandwich)
        addNorm(ops, "norm4");
    addResidual(ops, "ff_residual");
}

Result<LayerKind> layerKind(const ModelSpec& model, const PassShape& pass, const LayerTensors& tensors)
{
    const TransformerSpec& spec = model.transformer;
    LayerKind kind;
    kind.name = tensors.kind;
    kind.layers = tensors.layers;
    const std::int32_t first = kind.layers.front();
    kind.experts = spec.hasExperts(first);
    kind.window = spec.slidesAt(first) ? spec.window : 0;
    const std::int64_t perToken = spec.isLatent() ? std::int64_t{spec.latent.kvRank} + spec.latent.ropeDim : 2 * spec.kvWidth();
    kind.kvBytesPerToken = perToken * bytesOf(model.types.kv);
    OpBuilder ops(model, pass, tensors.tensors);
    addLayer(ops, first);
    auto built = ops.take();
    if (!built)
        return std::move(built).error();
    kind.ops = std::move(built).value();
    const Count boundary = ops.rows() * spec.hidden * bytesOf(model.types.act);
    Count parameters, routed, active;
    for (const ParameterTensor& tensor : tensors.tensors) {
        const Count all = elementsOf(tensor);
        parameters += all;
        if (tensor.routed)
            routed += all;
        active += tensor.routed ? Count(tensor.out) * tensor.in * spec.moe.topK : all;
    }
    if (!boundary.fits() || !parameters.fits())
        return Error{ErrorCode::Unsupported, "a layer has numbers beyond 2^63", {}, {}};
    kind.boundaryBytes = boundary.value();
    kind.parameters = parameters.value();
    kind.expertParameters = routed.value();
    kind.activeParameters = active.value();
    return kind;
}

Status addAround(const ModelSpec& model, const PassShape& pass, const ModelTensors& tensors, ModelLayers& layers)
{
    // The head may read the table of the embedding.
    std::vector<ParameterTensor> around = tensors.before;
    around.insert(around.end(), tensors.after.begin(), tensors.after.end());
    OpBuilder before(model, pass, around);
    addBefore(before);
    auto ops = before.take();
    if (!ops)
        return std::move(ops).error();
    layers.before = std::move(ops).value();
    OpBuilder after(model, pass, around);
    addAfter(after);
    ops = after.take();
    if (!ops)
        return std::move(ops).error();
    layers.after = std::move(ops).value();
    if (pass.mode != PassMode::Train)
        return {};
    OpBuilder predict(model, pass, tensors.predict);
    for (std::int32_t i = 0; i < model.transformer.predictLayers; ++i)
        addPrediction(predict);
    ops = predict.take();
    if (!ops)
        return std::move(ops).error();
    std::move(ops.value().begin(), ops.value().end(), std::back_inserter(layers.after));
    return {};
}

Result<ModelLayers> transformerLayers(const ModelSpec& model, const PassShape& pass)
{
    const ModelTensors tensors = transformerTensors(model.transformer);
    ModelLayers layers;
    layers.tied = model.transformer.tiedEmbedding && model.transformer.head == HeadKind::LanguageModel;
    layers.kindOf.resize(static_cast<std::size_t>(model.transformer.layers));
    for (const LayerTensors& alike : tensors.layers) {
        auto kind = layerKind(model, pass, alike);
        if (!kind)
            return std::move(kind).error();
        for (const std::int32_t layer : alike.layers)
            layers.kindOf[static_cast<std::size_t>(layer)] = static_cast<std::int32_t>(layers.kinds.size());
        layers.kinds.push_back(std::move(kind).value());
    }
    if (const Status around = addAround(model, pass, tensors, layers); !around)
        return around.error();
    return layers;
}

} // namespace

std::string_view splitWord(SplitLetter letter)
{
    switch (letter) {
    case SplitLetter::None: return "none";
    case SplitLetter::Heads: return "heads";
    case SplitLetter::KvHeads: return "kv_heads";
    case SplitLetter::Ff: return "ff";
    case SplitLetter::Vocab: return "vocab";
    case SplitLetter::Expert: return "expert";
    }
    return {};
}

void addLayer(OpBuilder& ops, std::int32_t layer)
{
    const TransformerSpec& spec = ops.model().transformer;
    const std::int64_t window = spec.slidesAt(layer) ? spec.window : 0;
    const auto attention = [&] { spec.isLatent() ? addLatentAttention(ops, window) : addAttention(ops, window); };
    const auto feedForward = [&](bool savesInput) { spec.hasExperts(layer) ? addExperts(ops, savesInput) : addFeedForward(ops, savesInput); };
    if (!spec.parallelResidual) {
        addSequential(ops, attention, feedForward);
        return;
    }
    // Side by side: one norm for both, or one for each.
    addNorm(ops, "norm1");
    if (spec.normsPerLayer > 1)
        addNorm(ops, "norm2");
    attention();
    feedForward(spec.normsPerLayer > 1);
    addResidual(ops, "residual");
}

Result<ModelLayers> modelLayers(const ModelSpec& model, const PassShape& pass)
{
    if (const Status possible = checkPass(model, pass); !possible)
        return possible.error();
    if (model.family == ComputeFamily::Transformer)
        return transformerLayers(model, pass);
    auto ops = model.family == ComputeFamily::Dlrm ? dlrmOps(model, pass) : model.family == ComputeFamily::Convnet ? convnetOps(model, pass) : graphOps(model, pass);
    if (!ops)
        return std::move(ops).error();
    ModelLayers layers;
    layers.before = std::move(ops).value();
    return layers;
}

} // namespace fabricscope
