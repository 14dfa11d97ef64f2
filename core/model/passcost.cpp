#include "core/model/passcost.h"

#include "core/model/attentionpairs.h"
#include "core/model/parametertensors.h"

#include <algorithm>

namespace fabricscope {

namespace {

Error tooLargePass()
{
    return {ErrorCode::Unsupported, "the sums over the layers are beyond 2^63: the model or the batch is too large", {}, {}};
}

bool isAttentionCore(const LayerOp& op)
{
    return op.group == RecomputeGroup::AttentionCore;
}

struct InferenceSum {
    Count linear, attention, vectors, weights, kvRead, kvWrite;

    void add(const std::vector<LayerOp>& ops, std::int64_t times)
    {
        for (const LayerOp& op : ops) {
            (!op.matrix ? vectors : isAttentionCore(op) ? attention : linear) += Count(op.flops) * times;
            weights += Count(op.weightRead.total()) * times;
        }
    }
    bool fits() const { return linear.fits() && attention.fits() && vectors.fits() && weights.fits() && kvRead.fits() && kvWrite.fits(); }
};

} // namespace

Result<InferenceCost> inferenceCost(const ModelSpec& model, const PassShape& pass)
{
    const auto layers = modelLayers(model, pass);
    if (!layers)
        return layers.error();
    InferenceSum sum;
    sum.add(layers.value().before, 1);
    sum.add(layers.value().after, 1);
    for (const LayerKind& kind : layers.value().kinds) {
        const auto times = static_cast<std::int64_t>(kind.layers.size());
        sum.add(kind.ops, times);
        const Count perToken = Count(kind.kvBytesPerToken) * times * pass.batch;
        sum.kvRead += perToken * cachedTokensRead(pass, kind.window);
        sum.kvWrite += perToken * pass.tokens;
    }
    if (!sum.fits())
        return tooLargePass();
    return InferenceCost{sum.linear.value(), sum.attention.value(), sum.vectors.value(), sum.weights.value(), sum.kvRead.value(), sum.kvWrite.value()};
}

Result<std::vector<InferenceCost>> chunkedPrefill(const ModelSpec& model, std::int64_t batch, std::int64_t tokens, std::int64_t chunk)
{
    constexpr std::int64_t kMost = 100'000;
    if (chunk < 1 || tokens < 1 || (tokens - 1) / chunk >= kMost)
        return invalidInput("a prompt of " + std::to_string(tokens) + " tokens cannot be done in chunks of " + std::to_string(chunk), {},
                            "at most " + std::to_string(kMost) + " chunks of at least one token");
    std::vector<InferenceCost> costs;
    for (std::int64_t offset = 0; offset < tokens; offset += chunk) {
        const auto cost = inferenceCost(model, PassShape::prefill(batch, std::min(chunk, tokens - offset), offset));
        if (!cost)
            return cost.error();
        costs.push_back(cost.value());
    }
    return costs;
}

Result<std::int64_t> kvCacheBytes(const ModelSpec& model, std::int64_t tokens)
{
    const auto layers = modelLayers(model, PassShape::decode(1, std::max<std::int64_t>(tokens, 1)));
    if (!layers)
        return layers.error();
    Count bytes;
    for (const LayerKind& kind : layers.value().kinds) {
        const std::int64_t kept = kind.window > 0 ? std::min(kind.window, tokens) : tokens;
        bytes += Count(kind.kvBytesPerToken) * static_cast<std::int64_t>(kind.layers.size()) * kept;
    }
    if (!bytes.fits())
        return tooLargePass();
    return bytes.value();
}

Result<std::int64_t> kvBytesPerToken(const ModelSpec& model)
{
    return kvCacheBytes(model, 1);
}

namespace {

struct TrainingSum {
    WideCount forward = 0, backward = 0, again = 0, core = 0, vectors = 0;
    Count saved, outside;

    void add(const std::vector<LayerOp>& ops, std::int64_t times, LayerRecompute recompute, bool inLayers)
    {
        for (const LayerOp& op : ops) {
            const WideCount flops = WideCount{op.flops} * times;
            if (!op.matrix)
                vectors += flops;
            // Flash attention computes its scores again in any case.
            const bool selected = recompute == LayerRecompute::Selective && isAttentionCore(op) && op.kind != LayerOpKind::FlashAttention;
            const bool rerun = inLayers && (recompute == LayerRecompute::Full || selected);
            if (op.matrix) {
                forward += flops;
                backward += WideCount{op.backwardFlops} * times;
                again += rerun ? flops : 0;
                core += isAttentionCore(op) ? flops : 0;
            }
            const bool keeps = !inLayers || recompute != LayerRecompute::Full;
            const std::uint16_t modules = inLayers && selected ? kCoreAttention : 0;
            if (keeps)
                (inLayers ? saved : outside) += Count(keptBytes(op, modules).total()) * times;
        }
    }
    bool fits() const { return saved.fits() && outside.fits(); }
};

} // namespace

Result<TrainingCost> trainingCost(const ModelSpec& model, std::int64_t batch, std::int64_t seq, LayerRecompute recompute)
{
    const auto layers = modelLayers(model, PassShape::train(batch, seq));
    if (!layers)
        return layers.error();
    TrainingSum sum;
    // What has no layers keeps everything in one part.
    const bool whole = model.family != ComputeFamily::Transformer;
    sum.add(layers.value().before, 1, whole ? LayerRecompute::None : recompute, whole);
    sum.add(layers.value().after, 1, recompute, false);
    for (const LayerKind& kind : layers.value().kinds) {
        const auto times = static_cast<std::int64_t>(kind.layers.size());
        sum.add(kind.ops, times, recompute, true);
        if (recompute == LayerRecompute::Full)
            sum.saved += Count(kind.boundaryBytes) * times;
    }
    if (!sum.fits())
        return tooLargePass();
    TrainingCost cost;
    cost.forwardFlops = sum.forward;
    cost.modelFlops = sum.forward * 3;
    cost.executedFlops = sum.forward + sum.backward + sum.again;
    cost.publishedHardwareFlops = cost.modelFlops + (recompute == LayerRecompute::Selective ? sum.core * 3 : sum.again);
    cost.vectorFlops = sum.vectors;
    cost.savedBytes = sum.saved.value();
    cost.outsideBytes = sum.outside.value();
    return cost;
}

Result<double> reportedFlopsPerToken(const ModelSpec& model, std::int64_t seq)
{
    const auto count = countParameters(model);
    if (!count)
        return count.error();
    const TransformerSpec& spec = model.transformer;
    if (model.family != ComputeFamily::Transformer)
        return 6 * static_cast<double>(count.value().active);
    const std::int64_t width = spec.isLatent() ? spec.heads * (spec.latent.nopeDim + std::int64_t{spec.latent.ropeDim} + spec.latent.valueDim) : 2 * spec.queryWidth();
    const auto table = static_cast<double>(spec.vocab) * static_cast<double>(spec.embeddingDim > 0 ? spec.embeddingDim : spec.hidden);
    return 6 * (static_cast<double>(count.value().active) - table) + 3.0 * spec.layers * static_cast<double>(width) * static_cast<double>(seq);
}

StateBytes stateBytesOf(const ModelTypes& types, OptimizerKind optimizer)
{
    constexpr double kBlockScale = 4.0 / (128 * 128);
    StateBytes bytes;
    bytes.parameter = static_cast<double>(bytesOf(types.param)) + (types.param == NumberType::Fp8 ? kBlockScale : 0);
    bytes.gradient = static_cast<double>(bytesOf(types.grad));
    const int moments = optimizer == OptimizerKind::Sgd || optimizer == OptimizerKind::Adafactor ? 0 : optimizer == OptimizerKind::Momentum ? 1 : 2;
    bytes.optimizer = (types.master == types.param ? 0 : static_cast<double>(bytesOf(types.master))) + moments * static_cast<double>(bytesOf(types.moments));
    return bytes;
}

} // namespace fabricscope
