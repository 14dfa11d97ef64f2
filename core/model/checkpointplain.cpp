#include "core/model/checkpointarchitectures.h"
#include "core/model/transformerfields.h"

#include <array>

namespace fabricscope {

namespace {

void setPlainStyle(TransformerSpec& spec)
{
    spec.ffKind = FeedForwardKind::Mlp;
    spec.norm = NormKind::LayerNorm;
}

/// Sizes that have another name in older files of the architecture.
void readOldSizes(CheckpointFields& fields, const CheckpointDefaults& defaults, const std::string& hidden, TransformerSpec& spec)
{
    spec.hidden = fields.integer("hidden_size", hidden, defaults.hidden, 1, kMostWidth);
    spec.layers = static_cast<std::int32_t>(fields.integer("num_hidden_layers", "n_layer", defaults.layers, 1, kMostLayers));
    spec.heads = static_cast<std::int32_t>(fields.integer("num_attention_heads", "n_head", defaults.heads, 1, kMostHeads));
    spec.vocab = fields.integer("vocab_size", defaults.vocab, 1, kMostRows);
    spec.tiedEmbedding = fields.flag("tie_word_embeddings", defaults.tied);
    spec.kvHeads = spec.heads;
}

void readPhi(CheckpointFields& fields, TransformerSpec& spec)
{
    setPlainStyle(spec);
    readCommonSizes(fields, {2048, 24, 32, 51200, 8192, 2048, false}, spec);
    readKvHeads(fields, 0, spec);
    readHeadDim(fields, 0, spec);
    readDropout(fields, false, spec);
    spec.positions = PositionKind::Rotary;
    spec.parallelResidual = true;
    spec.normsPerLayer = 1;
    spec.headBias = true;
    spec.flashAttention = true;
    if (fields.flag("qk_layernorm", false))
        spec.queryKeyNorm = 4 * std::int64_t{spec.headDim};
}

void readGpt2(CheckpointFields& fields, TransformerSpec& spec)
{
    setPlainStyle(spec);
    readOldSizes(fields, {768, 12, 12, 50257, 0, 0, true}, "n_embd", spec);
    readHeadDim(fields, 0, spec);
    readDropout(fields, true, spec);
    spec.positions = PositionKind::Learned;
    spec.seq = fields.integer("n_positions", "max_position_embeddings", 1024, 1, kMostRows);
    spec.positionRows = spec.seq;
    const std::int64_t usual = 4 * spec.hidden;
    spec.ff = fields.nullable("n_inner", usual, usual, 1, kMostWidth);
    if (fields.flag("add_cross_attention", false))
        fields.refuse("add_cross_attention", "cross attention is not understood", "false");
}

void readGptNeoX(CheckpointFields& fields, TransformerSpec& spec)
{
    setPlainStyle(spec);
    readCommonSizes(fields, {6144, 44, 64, 50432, 24576, 2048, false}, spec);
    spec.kvHeads = spec.heads;
    readHeadDim(fields, 0, spec);
    readDropout(fields, false, spec);
    spec.positions = PositionKind::Rotary;
    spec.parallelResidual = fields.flag("use_parallel_residual", true);
    spec.qkvBias = spec.outputBias = fields.flag("attention_bias", true);
}

void readOpt(CheckpointFields& fields, TransformerSpec& spec)
{
    setPlainStyle(spec);
    CheckpointDefaults defaults{768, 12, 12, 50272, 3072, 2048, true};
    readCommonSizes(fields, defaults, spec);
    spec.ff = fields.integer("ffn_dim", defaults.ff, 1, kMostWidth);
    spec.kvHeads = spec.heads;
    readHeadDim(fields, 0, spec);
    readDropout(fields, true, spec);
    spec.positions = PositionKind::Learned;
    spec.positionRows = spec.seq + 2; // The first two are for padding.
    spec.qkvBias = spec.outputBias = spec.mlpBias = fields.flag("enable_bias", true);
    if (!fields.flag("layer_norm_elementwise_affine", true))
        spec.norm = NormKind::Plain;
    const std::int64_t width = fields.nullable("word_embed_proj_dim", spec.hidden, spec.hidden, 1, kMostWidth);
    spec.embeddingDim = width == spec.hidden ? 0 : width;
    const bool before = fields.flag("do_layer_norm_before", true);
    spec.finalNorm = before && !fields.flag("_remove_final_layer_norm", false);
}

void readFalcon(CheckpointFields& fields, TransformerSpec& spec)
{
    setPlainStyle(spec);
    readOldSizes(fields, {4544, 32, 71, 65024, 0, 2048, true}, "n_embed", spec);
    readHeadDim(fields, 0, spec);
    readDropout(fields, false, spec);
    spec.seq = fields.integer("max_position_embeddings", 2048, 1, kMostRows);
    const std::int64_t usual = 4 * spec.hidden;
    spec.ff = fields.nullable("ffn_hidden_size", usual, usual, 1, kMostWidth);
    spec.qkvBias = spec.outputBias = spec.mlpBias = fields.flag("bias", false);
    spec.positions = fields.flag("alibi", false) ? PositionKind::None : PositionKind::Rotary;
    // Before they had a class of their own, Falcon-40B was a "RefinedWeb" and the smaller ones were "RefinedWebModel".
    const bool isNew = fields.flag("new_decoder_architecture", fields.text("model_type", {}) == "RefinedWeb");
    const bool multiQuery = fields.flag("multi_query", true);
    const std::string kvKey = fields.value("num_kv_heads") ? "num_kv_heads" : "n_head_kv";
    fields.value("n_head_kv");
    const auto kvHeads = static_cast<std::int32_t>(fields.nullable(kvKey, spec.heads, spec.heads, 1, kMostHeads));
    spec.kvHeads = isNew ? kvHeads : multiQuery ? 1 : spec.heads;
    if (spec.heads % spec.kvHeads != 0)
        fields.refuse(kvKey, std::to_string(spec.heads) + " heads cannot share " + std::to_string(spec.kvHeads) + " key and value heads evenly");
    spec.parallelResidual = fields.flag("parallel_attn", true) || isNew;
    const std::int64_t norms = fields.nullable("num_ln_in_parallel_attn", 0, 0, 1, 2);
    spec.normsPerLayer = !spec.parallelResidual || (isNew && norms != 1) ? 2 : 1;
    spec.flashAttention = true;
}

void readBloom(CheckpointFields& fields, TransformerSpec& spec)
{
    setPlainStyle(spec);
    readOldSizes(fields, {64, 2, 8, 250880, 0, 2048, true}, "n_embed", spec);
    readHeadDim(fields, 0, spec);
    readDropout(fields, false, spec);
    spec.positions = PositionKind::None;
    spec.seq = fields.integer("seq_length", 2048, 1, kMostRows);
    spec.ff = 4 * spec.hidden;
    fields.value("n_inner"); // Never counts.
    spec.embeddingNorm = true;
}

constexpr std::array<CheckpointArchitecture, 7> kPlainRows{{{"Bloom", "bloom", readBloom},
                                                            {"Falcon", "falcon", readFalcon},
                                                            {"GPT2", "gpt2", readGpt2},
                                                            {"GPTNeoX", "gpt_neox", readGptNeoX},
                                                            {"OPT", "opt", readOpt},
                                                            {"Phi", "phi", readPhi},
                                                            {"RW", "RefinedWebModel", readFalcon, "RefinedWeb"}}};

} // namespace

std::span<const CheckpointArchitecture> plainArchitectures()
{
    return kPlainRows;
}

} // namespace fabricscope
