#pragma once

#include "core/base/error.h"
#include "core/base/keytable.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace fabricscope {

/// What a model is made of; decides which part of a ModelSpec counts.
enum class ComputeFamily : std::uint8_t { Transformer, Dlrm, Convnet, Graph };
inline constexpr KeyTable<ComputeFamily, 4> kComputeFamilies{{{"transformer", ComputeFamily::Transformer},
                                                          {"dlrm", ComputeFamily::Dlrm},
                                                          {"convnet", ComputeFamily::Convnet},
                                                          {"graph", ComputeFamily::Graph}}};

/// How numbers are stored.
enum class NumberType : std::uint8_t { Fp32, Fp16, Bf16, Fp8, Int8 };
inline constexpr KeyTable<NumberType, 5> kNumberTypes{
    {{"fp32", NumberType::Fp32}, {"fp16", NumberType::Fp16}, {"bf16", NumberType::Bf16}, {"fp8", NumberType::Fp8}, {"int8", NumberType::Int8}}};
/// Bytes of one number, without scales of blocks.
constexpr std::int64_t bytesOf(NumberType type)
{
    return type == NumberType::Fp32 ? 4 : type == NumberType::Fp16 || type == NumberType::Bf16 ? 2 : 1;
}

enum class OptimizerKind : std::uint8_t { Adam, AdamW, Lamb, Adafactor, Sgd, Momentum };
inline constexpr KeyTable<OptimizerKind, 6> kOptimizers{{{"adam", OptimizerKind::Adam},
                                                         {"adamw", OptimizerKind::AdamW},
                                                         {"lamb", OptimizerKind::Lamb},
                                                         {"adafactor", OptimizerKind::Adafactor},
                                                         {"sgd", OptimizerKind::Sgd},
                                                         {"momentum", OptimizerKind::Momentum}}};

/// Types of what training and inference store. FP8 (manual: workload 5): linear layers of the layers only; router, norms, embedding and
/// head stay BF16 where `param` or `linear` is fp8.
struct ModelTypes {
    NumberType param = NumberType::Fp16;   ///< Working weights; of linear layers where `linear` says nothing else.
    NumberType act = NumberType::Fp16;     ///< Activations kept and sent.
    NumberType grad = NumberType::Fp16;    ///< Gradients kept; fp32 where they are summed in fp32.
    NumberType master = NumberType::Fp32;  ///< The optimiser's own copy; the same as `param`: there is none.
    NumberType moments = NumberType::Fp32; ///< m and v of the optimiser.
    NumberType kv = NumberType::Fp16;      ///< KV cache.
    bool fp8Linears = false;               ///< Products of linear layers take FP8 inputs (saved as 1 + 4/128 bytes).
    friend bool operator==(const ModelTypes&, const ModelTypes&) = default;
};

enum class NormKind : std::uint8_t {
    LayerNorm, ///< Weight and bias.
    RmsNorm,   ///< Weight.
    Plain      ///< Layer norm without parameters.
};
inline constexpr KeyTable<NormKind, 3> kNormKinds{{{"layernorm", NormKind::LayerNorm}, {"rmsnorm", NormKind::RmsNorm}, {"plain", NormKind::Plain}}};

enum class PositionKind : std::uint8_t {
    Learned, ///< A table of `positionRows` rows.
    Rotary,
    Relative, ///< A bias of `relativeBuckets` x heads in every layer.
    None      ///< Or what has no parameters, as ALiBi.
};

enum class FeedForwardKind : std::uint8_t {
    Mlp, ///< Up and down.
    Glu  ///< Gate, up and down.
};
inline constexpr KeyTable<FeedForwardKind, 2> kFeedForwardKinds{{{"mlp", FeedForwardKind::Mlp}, {"glu", FeedForwardKind::Glu}}};

/// What stands behind the layers.
enum class HeadKind : std::uint8_t {
    LanguageModel, ///< Logits over the vocabulary.
    Pooler,        ///< h x h and a bias, on the first token (BERT).
    None
};
inline constexpr KeyTable<HeadKind, 3> kHeadKinds{{{"lm", HeadKind::LanguageModel}, {"pooler", HeadKind::Pooler}, {"none", HeadKind::None}}};

/// Latent attention (DeepSeek). kvRank == 0: the model has ordinary attention.
struct LatentAttention {
    std::int32_t queryRank = 0; ///< q_lora_rank; 0: q is one full product.
    std::int32_t kvRank = 0;    ///< kv_lora_rank.
    std::int32_t nopeDim = 0;   ///< Part of a head without positions.
    std::int32_t ropeDim = 0;   ///< Part of a head with rotary positions, shared by all heads on the key side.
    std::int32_t valueDim = 0;
    friend bool operator==(const LatentAttention&, const LatentAttention&) = default;
};

/// How tokens come to experts.
enum class MoeDispatch : std::uint8_t {
    Scatter, ///< Rows are copied: no FLOPs.
    Mask     ///< GShard's einsum with a mask of tokens x experts x capacity: 2 T E C h, and as many to combine.
};
inline constexpr KeyTable<MoeDispatch, 2> kMoeDispatches{{{"scatter", MoeDispatch::Scatter}, {"mask", MoeDispatch::Mask}}};

/// Layers with experts. experts == 0: none.
struct MoeSpec {
    std::int32_t experts = 0;
    std::int32_t topK = 2;
    std::int32_t every = 1;     ///< Layer i has experts when i mod every == phase ...
    std::int32_t phase = 0;     ///< ... usually every - 1.
    std::int32_t firstDense = 0; ///< ... and i >= firstDense ...
    std::vector<std::int32_t> denseLayers; ///< ... and i is not one of these (ascending).
    double capacityFactor = 1.25; ///< 0: dropless, exactly topK rows per token.
    std::int64_t expertFf = 0;    ///< Width of an expert; never 0 when there are experts.
    std::int32_t sharedExperts = 0;
    std::int64_t sharedFf = 0;    ///< Width of all shared experts together; one dense feed-forward part of every token.
    bool sharedGate = false;      ///< A vector of h that scales the shared part (Qwen2-MoE).
    bool correctionBias = false;  ///< One FP32 number per expert, for selection only (DeepSeek-V3).
    std::int32_t groups = 1;      ///< Node-limited routing: groups of experts, ...
    std::int32_t groupLimit = 1;  ///< ... and how many of them one token may use.
    MoeDispatch dispatch = MoeDispatch::Scatter;
    friend bool operator==(const MoeSpec&, const MoeSpec&) = default;
};

/// A stack of transformer layers with all that changes counts. Sizes are in elements.
struct TransformerSpec {
    std::int32_t layers = 0;
    std::int64_t hidden = 0;
    std::int32_t heads = 0;
    std::int32_t kvHeads = 0; ///< Of the cache and of k and v; never 0.
    std::int32_t headDim = 0; ///< Never 0; may differ from hidden / heads.
    LatentAttention latent;
    std::int64_t ff = 0;      ///< Width of dense layers; 0 only when every layer has experts.
    FeedForwardKind ffKind = FeedForwardKind::Mlp;

    bool qkvBias = true;
    bool outputBias = true;   ///< Of the projection behind attention.
    bool mlpBias = true;
    bool headBias = false;    ///< Of the logits: V.

    NormKind norm = NormKind::LayerNorm;
    std::int32_t normsPerLayer = 2;  ///< 1, 2 or 4.
    bool finalNorm = true;
    bool embeddingNorm = false;      ///< Behind the embedding (Bloom, BERT).
    std::int64_t queryKeyNorm = 0;   ///< Parameters of the norms of q and of k together, per layer; 0: none.
    bool parallelResidual = false;   ///< Attention and feed-forward part side by side, as in Falcon.

    PositionKind positions = PositionKind::Learned;
    std::int64_t positionRows = 0;   ///< Learned: usually `seq`.
    std::int32_t relativeBuckets = 0;
    std::int32_t tokenTypes = 0;     ///< Rows of a table of segments (BERT).

    std::int64_t vocab = 0;
    std::int64_t embeddingDim = 0;   ///< 0: hidden; else tables of this width and two projections without bias (OPT-350M).
    bool tiedEmbedding = true;
    HeadKind head = HeadKind::LanguageModel;

    std::int64_t seq = 0;            ///< Usual length of a sequence.
    bool causal = true;
    bool dropout = true;             ///< Keeps masks for backward; without: ops 5, 8 and 13 of manual: workload 3 only add.
    bool flashAttention = false;
    std::int64_t window = 0;         ///< Keys a token of a sliding layer sees, itself included; 0: no layer slides.
    std::vector<std::uint8_t> slides; ///< One per layer, 1: it slides; empty: none does.

    MoeSpec moe;
    std::int32_t predictLayers = 0;  ///< Layers that predict further tokens (DeepSeek-V3), counted; usually 0.
    friend bool operator==(const TransformerSpec&, const TransformerSpec&) = default;

    bool isLatent() const { return latent.kvRank > 0; }
    /// Width of all heads of q. What latent attention has: heads x (nopeDim + ropeDim).
    std::int64_t queryWidth() const { return std::int64_t{heads} * (isLatent() ? latent.nopeDim + latent.ropeDim : headDim); }
    std::int64_t kvWidth() const { return std::int64_t{kvHeads} * headDim; } ///< Of k alone; ordinary attention.
    /// \pre 0 <= layer < layers
    bool hasExperts(std::int32_t layer) const
    {
        return moe.experts > 0 && layer >= moe.firstDense && layer % moe.every == moe.phase
               && !std::binary_search(moe.denseLayers.begin(), moe.denseLayers.end(), layer);
    }
    bool slidesAt(std::int32_t layer) const { return window > 0 && !slides.empty() && slides[static_cast<std::size_t>(layer)] != 0; }
};

/// Recommendation model: bottom MLP, tables, dot interaction, top MLP.
struct DlrmSpec {
    struct Table {
        std::int64_t rows = 0;
        std::int64_t dim = 0;     ///< The same for all tables, and the last of `bottom`.
        std::int64_t pooling = 1; ///< Rows looked up and added per sample.
        friend bool operator==(const Table&, const Table&) = default;
    };
    std::int64_t denseIn = 0;
    std::vector<std::int64_t> bottom; ///< Widths behind each layer.
    std::vector<std::int64_t> top;
    std::vector<Table> tables;
    friend bool operator==(const DlrmSpec&, const DlrmSpec&) = default;
};

/// One layer of a convolutional network, or a residual block.
struct ConvLayer {
    enum class Kind : std::uint8_t { Conv, BatchNorm, Relu, Pool, GlobalPool, Fc, Residual };
    Kind kind = Kind::Conv;
    std::int64_t out = 0;      ///< Conv, Fc.
    std::int32_t size = 1;     ///< Conv, Pool: k.
    std::int32_t stride = 1;
    std::int32_t pad = 0;
    std::int32_t dilation = 1;
    std::int32_t groups = 1;
    bool bias = true;
    bool maxPool = true;
    std::vector<ConvLayer> body;     ///< Residual.
    std::vector<ConvLayer> shortcut; ///< Residual; empty: the input itself.
    friend bool operator==(const ConvLayer&, const ConvLayer&) = default;
};

struct ConvnetSpec {
    std::int64_t channels = 3, height = 224, width = 224;
    std::vector<ConvLayer> layers;
    friend bool operator==(const ConvnetSpec&, const ConvnetSpec&) = default;
};

/// An explicit list of einsums over letters.
struct GraphSpec {
    struct Op {
        std::string name, equation; ///< "bsm,mh->bsh"
        std::vector<std::string> inputs;
        std::string output;
        friend bool operator==(const Op&, const Op&) = default;
    };
    std::vector<std::pair<char, std::int64_t>> sizes; ///< Of letters.
    std::vector<std::string> parameters;              ///< Tensors that are weights.
    std::vector<Op> ops;
    friend bool operator==(const GraphSpec&, const GraphSpec&) = default;
};

struct TrainingBatch {
    std::int64_t global = 0; ///< Sequences (samples) per step; 0: not said.
    std::int64_t micro = 1;  ///< Per replica at a time.
    friend bool operator==(const TrainingBatch&, const TrainingBatch&) = default;
};

/// What a model computes (manual: workload 1); how it is spread over ranks is in a plan. Made by readModel(), presetModel() or a checkpoint's
/// config.json, which check it: sizes are within kModelLimits and fit together.
struct ModelSpec {
    std::string name;
    ComputeFamily family = ComputeFamily::Transformer;
    ModelTypes types;
    OptimizerKind optimizer = OptimizerKind::Adam;
    TransformerSpec transformer; ///< With that family.
    DlrmSpec dlrm;
    ConvnetSpec convnet;
    GraphSpec graph;
    TrainingBatch train;
    friend bool operator==(const ModelSpec&, const ModelSpec&) = default;
};

} // namespace fabricscope
