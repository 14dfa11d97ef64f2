#pragma once

#include "core/base/result.h"
#include "core/model/modelspec.h"

#include <cstdint>
#include <string>
#include <vector>

namespace fabricscope {

/// Which dimension of an op a tensor-parallel split of degree t divides.
enum class SplitLetter : std::uint8_t {
    None,    ///< Every rank does all of it; sequence parallelism divides it along the sequence.
    Heads,
    KvHeads, ///< Divided by min(t, kvHeads); beyond that copies.
    Ff,
    Vocab,
    Expert   ///< Divided by expert parallelism.
};
std::string_view splitWord(SplitLetter letter); ///< "heads"; "none".

/// A number of bytes or elements of an op of which one part is divided by a split along the letter of the op and one is not.
struct Amount {
    std::int64_t whole = 0;   ///< Not divided (inputs of column-parallel products, outputs of row-parallel ones, their biases).
    std::int64_t divided = 0;
    std::int64_t total() const { return whole + divided; }
    friend bool operator==(const Amount&, const Amount&) = default;
};

enum class LayerOpKind : std::uint8_t {
    Embedding, Norm, Linear, Scores, Softmax, Dropout, WeightedSum, FlashAttention, Residual, Activation, Router, Dispatch, ExpertLinear, Combine, Loss,
    Convolution, Pool, Interaction
};

/// When selective recomputation (manual: workload 4) runs an op again.
enum class RecomputeGroup : std::uint8_t { None, AttentionCore };

/// Modules of a layer that can be run again in backward, by Megatron's names; bits (manual: workload 4). core_attn, mlp, moe and shared_experts keep their
/// input; layernorm, moe_act and mla_up_proj give up their output.
enum RecomputeModule : std::uint16_t {
    kCoreAttention = 1,
    kLayerNorm = 2,
    kMlaUpProjection = 4,
    kMoeActivation = 8,
    kMlp = 16,
    kMoe = 32,
    kSharedExperts = 64
};
inline constexpr KeyTable<RecomputeModule, 7> kRecomputeModules{{{"core_attn", kCoreAttention},
                                                                 {"layernorm", kLayerNorm},
                                                                 {"mla_up_proj", kMlaUpProjection},
                                                                 {"moe_act", kMoeActivation},
                                                                 {"mlp", kMlp},
                                                                 {"moe", kMoe},
                                                                 {"shared_experts", kSharedExperts}}};

/// A tensor kept for backward, and the modules any of which makes it again.
struct SavedPart {
    Amount bytes;
    std::uint16_t madeBy = 0;
};

/// What one op does for one micro-batch on the whole model (no parallelism). FLOPs of an op with a letter are divided wholly.
struct LayerOp {
    std::string name; ///< "qkv", "scores", "ff_up".
    LayerOpKind kind = LayerOpKind::Linear;
    bool matrix = false;      ///< Runs at the rate of matrix products, else of vectors.
    bool fp8 = false;         ///< At that of FP8.
    SplitLetter split = SplitLetter::None;
    RecomputeGroup group = RecomputeGroup::None;
    std::int64_t flops = 0;         ///< Forward; a multiply-add is 2.
    std::int64_t backwardFlops = 0; ///< Without recomputation.
    Amount read, written;           ///< Bytes forward, weights included; of experts: those that are hit.
    Amount weightRead; ///< The part of `read` that is weights, a borrowed table of the embedding included.
    Amount backwardRead, backwardWritten;
    Amount parameters;  ///< Elements.
    Amount weightBytes; ///< Of `parameters` as stored for computing (scales of FP8 blocks included).
    Amount saved;       ///< Bytes kept from forward to backward.
    std::vector<SavedPart> savedParts; ///< The same in parts.
    std::uint16_t modules = 0;         ///< Those it is run again with.
};

/// Bytes of an op that are kept when `modules` (bits) are run again, and its FLOPs for that.
Amount keptBytes(const LayerOp& op, std::uint16_t modules); // optotals.cpp
inline std::int64_t rerunFlops(const LayerOp& op, std::uint16_t modules) { return (op.modules & modules) != 0 ? op.flops : 0; }

/// What works on a micro-batch.
enum class PassMode : std::uint8_t { Train, Prefill, Decode };
inline constexpr KeyTable<PassMode, 3> kPassModes{{{"train", PassMode::Train}, {"prefill", PassMode::Prefill}, {"decode", PassMode::Decode}}};

/// How latent attention reads its cache (manual: workload 5).
enum class LatentForm : std::uint8_t {
    Usual,    ///< Absorbed to decode; else naive, which expands the latents of a chunk's earlier tokens again.
    Naive,    ///< Keys and values of all heads are kept: kv_b works on new tokens.
    Absorbed, ///< Queries go to the latent space instead.
    Reexpand  ///< kv_b works on all tokens attended.
};

/// The sizes of one pass. Train: every sequence has `tokens` == `keys` tokens. Prefill: `tokens` new ones behind keys - tokens cached ones (a chunk at
/// that offset). Decode: usually one new token.
struct PassShape {
    PassMode mode = PassMode::Train;
    std::int64_t batch = 1;  ///< Sequences.
    std::int64_t tokens = 1; ///< New tokens of each.
    std::int64_t keys = 1;   ///< Tokens attended, new ones included; >= tokens.
    LatentForm latent = LatentForm::Usual; ///< Models with latent attention.
    static PassShape train(std::int64_t batch, std::int64_t seq) { return {PassMode::Train, batch, seq, seq, {}}; }
    static PassShape prefill(std::int64_t batch, std::int64_t tokens, std::int64_t offset = 0) { return {PassMode::Prefill, batch, tokens, offset + tokens, {}}; }
    static PassShape decode(std::int64_t batch, std::int64_t keys) { return {PassMode::Decode, batch, 1, keys, {}}; }
};

/// Layers that are alike: "dense", "moe", "dense sliding".
struct LayerKind {
    std::string name;
    std::vector<std::int32_t> layers; ///< Their indices, ascending.
    std::vector<LayerOp> ops;         ///< Of one of them, in order.
    bool experts = false;
    std::int64_t window = 0;          ///< Of sliding layers; 0: sees all.
    std::int64_t kvBytesPerToken = 0; ///< Cache of one of them.
    std::int64_t boundaryBytes = 0;   ///< Output of the layer for this pass: what a pipeline sends on, what full recomputation keeps.
    std::int64_t parameters = 0;      ///< Of one of them, all experts.
    std::int64_t expertParameters = 0; ///< The part in routed experts.
    std::int64_t activeParameters = 0;
};

/// A model as layers for one pass. Only transformers have kinds; the other families have everything in `before`.
struct ModelLayers {
    std::vector<LayerOp> before; ///< Embedding, ...
    std::vector<LayerKind> kinds;
    std::vector<LayerOp> after;  ///< Final norm, logits, loss (only Train).
    std::vector<std::int32_t> kindOf; ///< Per layer: which kind.
    bool tied = false; ///< The logits use the table of the embedding: their op has no parameters of its own, but its weight bytes are read.
};

/// Ops of every kind of layer for one pass (manual: workload 3). Refuses a pass that is not possible (no positive sizes, beyond 2^40, learned positions too few) and
/// numbers beyond 63 bits, naming the op. O(layers + kinds x ops).
Result<ModelLayers> modelLayers(const ModelSpec& model, const PassShape& pass);

/// FLOPs, bytes and so on summed over some ops.
struct OpTotals {
    std::int64_t flops = 0, backwardFlops = 0, matrixFlops = 0;
    std::int64_t readBytes = 0, writtenBytes = 0;
    std::int64_t parameters = 0;
    std::int64_t weightReadBytes = 0;
    std::int64_t savedBytes = 0;
};
/// Sums that leave 63 bits stop there. In optotals.cpp.
OpTotals totalsOf(const std::vector<LayerOp>& ops);
/// Of all layers and what stands around them. Refuses what is beyond 63 bits.
Result<OpTotals> totalsOf(const ModelLayers& layers);

} // namespace fabricscope
