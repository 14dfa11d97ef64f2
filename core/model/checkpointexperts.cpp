#include "core/model/checkpointarchitectures.h"
#include "core/model/transformerfields.h"

#include <array>

namespace fabricscope {

namespace {

/// Dropless routing, as inference and today's training do.
void setExperts(CheckpointFields& fields, const std::string& key, std::int64_t absent, std::int64_t topK, MoeSpec& moe)
{
    moe.capacityFactor = 0;
    moe.experts = static_cast<std::int32_t>(fields.nullable(key, absent, 0, 0, kMostHeads));
    moe.topK = fields.integer32("num_experts_per_tok", topK, 1, kMostHeads);
    if (moe.experts > 0 && moe.topK > moe.experts)
        fields.refuse("num_experts_per_tok", "a token cannot use " + std::to_string(moe.topK) + " of " + std::to_string(moe.experts) + " experts");
}

void readMixtral(CheckpointFields& fields, TransformerSpec& spec)
{
    setGatedStyle(spec);
    readCommonSizes(fields, {4096, 32, 32, 32000, 14336, 131072, false}, spec);
    readKvHeads(fields, 8, spec);
    readHeadDim(fields, 0, spec);
    readDropout(fields, false, spec);
    setExperts(fields, "num_local_experts", 8, 2, spec.moe);
    spec.moe.expertFf = spec.ff;
    spec.window = fields.nullable("sliding_window", 0, 0, 1, kMostRows);
    readSlidingTypes(fields, spec, slidesAlways, 0);
}

/// decoder_sparse_step and mlp_only_layers: layer i has experts when (i + 1) mod step == 0 and it is not listed.
void readSparseStep(CheckpointFields& fields, TransformerSpec& spec)
{
    spec.moe.every = fields.integer32("decoder_sparse_step", 1, 1, kMostLayers);
    spec.moe.phase = spec.moe.every - 1;
    spec.moe.denseLayers = fields.layers("mlp_only_layers", spec.layers);
    std::sort(spec.moe.denseLayers.begin(), spec.moe.denseLayers.end());
}

void readQwen2Moe(CheckpointFields& fields, TransformerSpec& spec)
{
    setGatedStyle(spec);
    readCommonSizes(fields, {2048, 24, 16, 151936, 5632, 32768, false}, spec);
    readKvHeads(fields, 16, spec);
    readHeadDim(fields, 0, spec);
    readDropout(fields, false, spec);
    spec.qkvBias = fields.flag("qkv_bias", true);
    setExperts(fields, "num_experts", 60, 4, spec.moe);
    spec.moe.expertFf = fields.integer("moe_intermediate_size", 1408, 1, kMostWidth);
    spec.moe.sharedExperts = 1;
    spec.moe.sharedFf = fields.integer("shared_expert_intermediate_size", 5632, 1, kMostWidth);
    spec.moe.sharedGate = true;
    readSparseStep(fields, spec);
    readLayerWindow(fields, spec);
}

void readQwen3Moe(CheckpointFields& fields, TransformerSpec& spec)
{
    setGatedStyle(spec);
    readCommonSizes(fields, {2048, 24, 32, 151936, 6144, 32768, false}, spec);
    readKvHeads(fields, 4, spec);
    readHeadDim(fields, 0, spec);
    readDropout(fields, false, spec);
    spec.qkvBias = spec.outputBias = fields.flag("attention_bias", false);
    readQueryKeyNorms(fields, spec);
    setExperts(fields, "num_experts", 128, 8, spec.moe);
    spec.moe.expertFf = fields.integer("moe_intermediate_size", 768, 1, kMostWidth);
    readSparseStep(fields, spec);
    readLayerWindow(fields, spec);
}

/// What both DeepSeek classes share. Their routing by groups changes no count.
void readDeepseek(CheckpointFields& fields, TransformerSpec& spec, std::int64_t experts, std::int64_t topK, std::int64_t expertFf, std::int64_t shared, std::int64_t dense)
{
    setGatedStyle(spec);
    spec.kvHeads = spec.heads;
    readDropout(fields, false, spec);
    spec.latent.queryRank = static_cast<std::int32_t>(fields.nullable("q_lora_rank", 1536, 0, 1, kMostHeads));
    spec.latent.kvRank = fields.integer32("kv_lora_rank", 512, 1, kMostHeads);
    spec.latent.nopeDim = fields.integer32("qk_nope_head_dim", 128, 1, kMostHeads);
    spec.latent.ropeDim = fields.integer32("qk_rope_head_dim", 64, 1, kMostHeads);
    spec.latent.valueDim = fields.integer32("v_head_dim", 128, 1, kMostHeads);
    spec.headDim = static_cast<std::int32_t>(std::min<std::int64_t>(spec.latent.nopeDim + std::int64_t{spec.latent.ropeDim}, kMostHeads));
    spec.qkvBias = spec.outputBias = fields.flag("attention_bias", false);
    MoeSpec& moe = spec.moe;
    setExperts(fields, "n_routed_experts", experts, topK, moe);
    moe.expertFf = fields.integer("moe_intermediate_size", expertFf, 1, kMostWidth);
    moe.sharedExperts = static_cast<std::int32_t>(fields.nullable("n_shared_experts", shared, 0, 0, kMostHeads));
    moe.sharedFf = moe.sharedExperts * moe.expertFf;
    moe.firstDense = fields.integer32("first_k_dense_replace", dense, 0, kMostLayers);
    moe.every = fields.integer32("moe_layer_freq", 1, 1, kMostLayers);
    moe.phase = 0;
    moe.groups = static_cast<std::int32_t>(fields.nullable("n_group", 1, 1, 1, kMostHeads));
    moe.groupLimit = static_cast<std::int32_t>(fields.nullable("topk_group", moe.groups, moe.groups, 1, kMostHeads));
    if (moe.experts > 0 && (moe.experts % moe.groups != 0 || moe.groupLimit > moe.groups))
        fields.refuse("n_group", std::to_string(moe.experts) + " experts do not fit in these groups");
    // Read for their names only: they say which experts are picked, not how many.
    fields.text("topk_method", {});
    fields.text("scoring_func", {});
    fields.value("norm_topk_prob");
    fields.value("routed_scaling_factor");
    fields.value("head_dim"); // Newer classes write derived widths too.
    fields.value("qk_head_dim");
    if (moe.experts == 0)
        moe = {};
}

void readDeepseekV2(CheckpointFields& fields, TransformerSpec& spec)
{
    readCommonSizes(fields, {4096, 30, 32, 102400, 11008, 2048, false}, spec);
    fields.nullable("num_key_value_heads", 1, 1, 1, kMostHeads); // Latent attention has none of its own.
    if (!fields.value("num_experts_per_tok") && !fields.isNull("n_routed_experts"))
        fields.refuse("num_experts_per_tok", "num_experts_per_tok is missing, and the class has no usual value");
    readDeepseek(fields, spec, 64, 6, 1407, 2, 0);
}

void readDeepseekV3(CheckpointFields& fields, TransformerSpec& spec)
{
    readCommonSizes(fields, {7168, 61, 128, 129280, 18432, 4096, false}, spec);
    fields.nullable("num_key_value_heads", 1, 1, 1, kMostHeads);
    readDeepseek(fields, spec, 256, 8, 2048, 1, 3);
    spec.moe.correctionBias = spec.moe.experts > 0;
    if (spec.moe.experts > 0 && !fields.has("n_group") && spec.moe.experts % 8 == 0) {
        spec.moe.groups = 8;
        spec.moe.groupLimit = 4;
    }
    spec.predictLayers = static_cast<std::int32_t>(fields.nullable("num_nextn_predict_layers", 0, 0, 0, 16));
}

constexpr std::array<CheckpointArchitecture, 5> kExpertRows{{{"DeepseekV2", "deepseek_v2", readDeepseekV2},
                                                             {"DeepseekV3", "deepseek_v3", readDeepseekV3},
                                                             {"Mixtral", "mixtral", readMixtral},
                                                             {"Qwen2Moe", "qwen2_moe", readQwen2Moe},
                                                             {"Qwen3Moe", "qwen3_moe", readQwen3Moe}}};

} // namespace

std::span<const CheckpointArchitecture> expertArchitectures()
{
    return kExpertRows;
}

} // namespace fabricscope
