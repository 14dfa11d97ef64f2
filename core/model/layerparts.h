#pragma once

#include "core/model/opbuilder.h"

namespace fabricscope {

/// Parts of a transformer layer, each adding its ops (manual: workload 3). Declared here for layers.cpp; each in the file named behind it.

void addAttention(OpBuilder& ops, std::int64_t window); // attentionops.cpp
void addLatentAttention(OpBuilder& ops, std::int64_t window); // latentops.cpp
/// `savesInput`: the input is kept for this part, not already for attention beside it.
void addFeedForward(OpBuilder& ops, bool savesInput);   // feedforwardops.cpp
void addExperts(OpBuilder& ops, bool savesInput);       // expertops.cpp
/// One vector op on the micro-batch: norm of a weight by that name.
void addNorm(OpBuilder& ops, const std::string& name);  // outsideops.cpp
/// Adds to the residual stream, with dropout where the model has it.
void addResidual(OpBuilder& ops, const std::string& name);
void addBefore(OpBuilder& ops);
void addAfter(OpBuilder& ops);
/// A layer that predicts a further token, with its logits; training.
void addPrediction(OpBuilder& ops);
void addLayer(OpBuilder& ops, std::int32_t layer); // layers.cpp

/// Scores, softmax, dropout and weighted sum as one or as four ops: `queryDim` elements of a head meet for a score, `valueDim` come out; `heads` and
/// `kvHeads` of them are held. Inference: cached keys and values are read from the cache, `cacheBytes` per token.
struct AttentionCore {
    std::int64_t queryDim = 0, valueDim = 0;
    std::int64_t heads = 0, kvHeads = 0;
    std::int64_t cacheBytes = 0;
    std::int64_t window = 0;
    SplitLetter cacheSplit = SplitLetter::Heads; ///< None: the cache is the same on all ranks.
    std::uint16_t projected = 0; ///< Modules that make queries, keys and values again.
};
void addAttentionCore(OpBuilder& ops, const AttentionCore& core);

/// Families without layers; their ops are a whole model's.
Result<std::vector<LayerOp>> dlrmOps(const ModelSpec& model, const PassShape& pass);    // dlrmops.cpp
Result<std::vector<LayerOp>> convnetOps(const ModelSpec& model, const PassShape& pass); // convops.cpp
Result<std::vector<LayerOp>> graphOps(const ModelSpec& model, const PassShape& pass);   // graphops.cpp

} // namespace fabricscope
