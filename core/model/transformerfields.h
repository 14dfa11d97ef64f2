#pragma once

#include "core/model/modelspec.h"

#include <array>
#include <string_view>
#include <variant>

namespace fabricscope {

/// A key of `transformer:` (or of `moe:`, `latent:` in it) with its member and range: what reading and writing a model share.
template <typename Spec>
struct CountField {
    std::string_view key;
    std::variant<std::int32_t Spec::*, std::int64_t Spec::*> member;
    std::int64_t least = 0;
    std::int64_t most = 0;
};
template <typename Spec>
struct FlagField {
    std::string_view key;
    bool Spec::*member;
};

constexpr std::int64_t kMostLayers = 10'000;
constexpr std::int64_t kMostWidth = std::int64_t{1} << 26;
constexpr std::int64_t kMostHeads = std::int64_t{1} << 16;
constexpr std::int64_t kMostRows = std::int64_t{1} << 32; ///< Of tables; tokens of a sequence.

inline constexpr std::array<CountField<TransformerSpec>, 16> kTransformerCounts{{
    {"layers", &TransformerSpec::layers, 1, kMostLayers},
    {"hidden", &TransformerSpec::hidden, 1, kMostWidth},
    {"heads", &TransformerSpec::heads, 1, kMostHeads},
    {"kv_heads", &TransformerSpec::kvHeads, 1, kMostHeads},
    {"head_dim", &TransformerSpec::headDim, 1, kMostHeads},
    {"ff", &TransformerSpec::ff, 0, kMostWidth},
    {"norms_per_layer", &TransformerSpec::normsPerLayer, 1, 4},
    {"qk_norm", &TransformerSpec::queryKeyNorm, 0, kMostWidth},
    {"position_rows", &TransformerSpec::positionRows, 1, kMostRows},
    {"relative_buckets", &TransformerSpec::relativeBuckets, 0, kMostHeads},
    {"token_types", &TransformerSpec::tokenTypes, 0, kMostHeads},
    {"vocab", &TransformerSpec::vocab, 1, kMostRows},
    {"embedding_dim", &TransformerSpec::embeddingDim, 0, kMostWidth},
    {"seq", &TransformerSpec::seq, 1, kMostRows},
    {"sliding_window", &TransformerSpec::window, 0, kMostRows},
    {"predict_layers", &TransformerSpec::predictLayers, 0, 16},
}};
inline constexpr std::array<FlagField<TransformerSpec>, 11> kTransformerFlags{{
    {"qkv_bias", &TransformerSpec::qkvBias},
    {"output_bias", &TransformerSpec::outputBias},
    {"mlp_bias", &TransformerSpec::mlpBias},
    {"head_bias", &TransformerSpec::headBias},
    {"final_norm", &TransformerSpec::finalNorm},
    {"embedding_norm", &TransformerSpec::embeddingNorm},
    {"parallel_residual", &TransformerSpec::parallelResidual},
    {"tied_embedding", &TransformerSpec::tiedEmbedding},
    {"causal", &TransformerSpec::causal},
    {"dropout", &TransformerSpec::dropout},
    {"flash_attention", &TransformerSpec::flashAttention},
}};
inline constexpr std::array<CountField<LatentAttention>, 5> kLatentCounts{{
    {"query_rank", &LatentAttention::queryRank, 0, kMostHeads},
    {"kv_rank", &LatentAttention::kvRank, 1, kMostHeads},
    {"nope_dim", &LatentAttention::nopeDim, 1, kMostHeads},
    {"rope_dim", &LatentAttention::ropeDim, 0, kMostHeads},
    {"value_dim", &LatentAttention::valueDim, 1, kMostHeads},
}};
inline constexpr std::array<CountField<MoeSpec>, 10> kMoeCounts{{
    {"experts", &MoeSpec::experts, 0, kMostHeads},
    {"top_k", &MoeSpec::topK, 1, kMostHeads},
    {"every", &MoeSpec::every, 1, kMostLayers},
    {"phase", &MoeSpec::phase, 0, kMostLayers},
    {"first_dense", &MoeSpec::firstDense, 0, kMostLayers},
    {"expert_ff", &MoeSpec::expertFf, 0, kMostWidth},
    {"shared_experts", &MoeSpec::sharedExperts, 0, kMostHeads},
    {"shared_ff", &MoeSpec::sharedFf, 0, kMostWidth},
    {"groups", &MoeSpec::groups, 1, kMostHeads},
    {"group_limit", &MoeSpec::groupLimit, 1, kMostHeads},
}};
inline constexpr std::array<FlagField<MoeSpec>, 2> kMoeFlags{{
    {"shared_gate", &MoeSpec::sharedGate},
    {"correction_bias", &MoeSpec::correctionBias},
}};

/// Sets a member from a checked number, and reads it.
template <typename Spec>
void setCount(Spec& spec, const CountField<Spec>& field, std::int64_t value)
{
    if (const auto* narrow = std::get_if<std::int32_t Spec::*>(&field.member))
        spec.*(*narrow) = static_cast<std::int32_t>(value);
    else
        spec.*std::get<std::int64_t Spec::*>(field.member) = value;
}
template <typename Spec>
std::int64_t countOf(const Spec& spec, const CountField<Spec>& field)
{
    if (const auto* narrow = std::get_if<std::int32_t Spec::*>(&field.member))
        return spec.*(*narrow);
    return spec.*std::get<std::int64_t Spec::*>(field.member);
}

} // namespace fabricscope
