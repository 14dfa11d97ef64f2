#pragma once

#include "core/model/count.h"
#include "core/model/layers.h"

namespace fabricscope {

/// What one pass of inference (prefill, a chunk of one, a decode step) works and moves on the whole model (manual: workload 7).
struct InferenceCost {
    std::int64_t linearFlops = 0;    ///< 2 x parameters of the layers' products x tokens, and the logits of each sequence's last token.
    std::int64_t attentionFlops = 0; ///< Products of queries with keys and of scores with values.
    std::int64_t vectorFlops = 0;
    std::int64_t weightBytes = 0;    ///< Weights read: all but the table of the embedding; of experts those that are hit, expected for uniform routing.
    std::int64_t kvReadBytes = 0;    ///< Cached keys and values read; within the window of sliding layers.
    std::int64_t kvWriteBytes = 0;   ///< Of the new tokens.
};

/// \pre pass.mode is not Train. Errors as modelLayers(). O(layers).
Result<InferenceCost> inferenceCost(const ModelSpec& model, const PassShape& pass);
/// A prompt of `tokens` in chunks of `chunk`, the last perhaps shorter. Refuses more than 100000 chunks. O(chunks x layers).
Result<std::vector<InferenceCost>> chunkedPrefill(const ModelSpec& model, std::int64_t batch, std::int64_t tokens, std::int64_t chunk);
/// Cache of one sequence of `tokens`: sliding layers keep their window.
Result<std::int64_t> kvCacheBytes(const ModelSpec& model, std::int64_t tokens);
/// Cache of one token in all layers, no window reached.
Result<std::int64_t> kvBytesPerToken(const ModelSpec& model);

/// What the layers do again in backward.
enum class LayerRecompute : std::uint8_t {
    None,
    Selective, ///< The core of attention: scores, softmax, dropout, weighted sum.
    Full       ///< Whole layers; their input is kept.
};
inline constexpr KeyTable<LayerRecompute, 3> kLayerRecomputes{
    {{"none", LayerRecompute::None}, {"selective", LayerRecompute::Selective}, {"full", LayerRecompute::Full}}};

/// One micro-batch of training on the whole model.
struct TrainingCost {
    WideCount forwardFlops = 0;  ///< Products only.
    WideCount modelFlops = 0;    ///< 3 x forward: what the model needs, the "model FLOPs" of utilisation.
    WideCount executedFlops = 0; ///< Forward, backward as its kernels do it and what is run again; products only.
    WideCount publishedHardwareFlops = 0; ///< As papers on selective recomputation count: model FLOPs, and the core of attention once more with backward.
    WideCount vectorFlops = 0;   ///< Forward.
    std::int64_t savedBytes = 0;    ///< Kept by the layers between forward and backward.
    std::int64_t outsideBytes = 0;  ///< Kept outside of them: masks of the embedding, final norm, logits.
};
Result<TrainingCost> trainingCost(const ModelSpec& model, std::int64_t batch, std::int64_t seq, LayerRecompute recompute);

/// The rule of thumb of reports, per token: 6 (active - V h) + 3 L 2 a (query + value head size) s / 2; causal.
Result<double> reportedFlopsPerToken(const ModelSpec& model, std::int64_t seq);

/// Bytes per parameter of training on one device without any sharding.
struct StateBytes {
    double parameter = 0; ///< Working weight; FP8 with its share of a block's scale.
    double gradient = 0;
    double optimizer = 0; ///< Master copy and moments.
    double total() const { return parameter + gradient + optimizer; }
    /// ZeRO-1 over `ranks`. \pre ranks > 0
    double zero1(std::int64_t ranks) const { return parameter + gradient + optimizer / static_cast<double>(ranks); }
};
/// Adam, AdamW, LAMB: two moments; momentum: one; SGD: none. Adafactor keeps a row and a column of a matrix, which is not counted here.
StateBytes stateBytesOf(const ModelTypes& types, OptimizerKind optimizer);

} // namespace fabricscope
