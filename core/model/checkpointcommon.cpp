#include "core/base/showntext.h"
#include "core/model/checkpointarchitectures.h"
#include "core/model/transformerfields.h"

namespace fabricscope {

void readCommonSizes(CheckpointFields& fields, const CheckpointDefaults& defaults, TransformerSpec& spec)
{
    spec.hidden = fields.integer("hidden_size", defaults.hidden, 1, kMostWidth);
    spec.layers = fields.integer32("num_hidden_layers", defaults.layers, 1, kMostLayers);
    spec.heads = fields.integer32("num_attention_heads", defaults.heads, 1, kMostHeads);
    spec.vocab = fields.integer("vocab_size", defaults.vocab, 1, kMostRows);
    spec.ff = fields.integer("intermediate_size", defaults.ff, 1, kMostWidth);
    spec.seq = fields.integer("max_position_embeddings", defaults.positions, 1, kMostRows);
    spec.tiedEmbedding = fields.flag("tie_word_embeddings", defaults.tied);
}

void readKvHeads(CheckpointFields& fields, std::int64_t absent, TransformerSpec& spec)
{
    spec.kvHeads = static_cast<std::int32_t>(fields.nullable("num_key_value_heads", absent > 0 ? absent : spec.heads, spec.heads, 1, kMostHeads));
    if (spec.heads % spec.kvHeads != 0)
        fields.refuse("num_key_value_heads", std::to_string(spec.heads) + " heads cannot share " + std::to_string(spec.kvHeads) + " key and value heads evenly");
}

void readHeadDim(CheckpointFields& fields, std::int64_t absent, TransformerSpec& spec)
{
    const std::int64_t derived = spec.hidden / spec.heads;
    const std::int64_t dim = fields.nullable("head_dim", absent > 0 ? absent : 0, 0, 1, kMostHeads);
    if (dim == 0 && (spec.hidden % spec.heads != 0 || derived > kMostHeads))
        fields.refuse("num_attention_heads", "hidden_size " + std::to_string(spec.hidden) + " does not divide by " + std::to_string(spec.heads) + " heads, and there is no head_dim");
    spec.headDim = static_cast<std::int32_t>(std::clamp<std::int64_t>(dim > 0 ? dim : derived, 1, kMostHeads));
}

void readDropout(CheckpointFields& fields, bool absent, TransformerSpec& spec)
{
    spec.dropout = absent;
    bool said = false;
    for (const char* key : {"attention_dropout", "attn_pdrop", "resid_pdrop", "embd_pdrop", "hidden_dropout", "dropout"}) {
        if (!fields.value(key))
            continue;
        spec.dropout = (said && spec.dropout) || fields.number(key, 0) > 0;
        said = true;
    }
}

void readQueryKeyNorms(CheckpointFields& fields, TransformerSpec& spec)
{
    if (!fields.flag("use_qk_norm", true))
        fields.refuse("use_qk_norm", "layers of this class have norms of queries and keys", "true");
    spec.queryKeyNorm = 2 * std::int64_t{spec.headDim};
}

void setGatedStyle(TransformerSpec& spec)
{
    spec.ffKind = FeedForwardKind::Glu;
    spec.qkvBias = spec.outputBias = spec.mlpBias = false;
    spec.norm = NormKind::RmsNorm;
    spec.positions = PositionKind::Rotary;
    spec.flashAttention = true;
}

bool slidesAlways(const TransformerSpec&, std::int32_t, std::int64_t)
{
    return true;
}

void readSlidingTypes(CheckpointFields& fields, TransformerSpec& spec, bool (*usual)(const TransformerSpec&, std::int32_t layer, std::int64_t parameter),
                      std::int64_t parameter)
{
    const auto count = static_cast<std::size_t>(spec.layers);
    const std::vector<std::string> types = fields.words("layer_types");
    if (!types.empty() && types.size() != count)
        fields.refuse("layer_types", "layer_types has " + std::to_string(types.size()) + " entries for " + std::to_string(spec.layers) + " layers");
    for (const std::string& type : types) {
        if (type != "sliding_attention" && type != "full_attention")
            fields.refuse("layer_types", "layers of type \"" + shownText(type, 60) + "\" are not understood", "sliding_attention or full_attention");
    }
    if (fields.error())
        return;
    if (spec.window == 0) {
        if (std::find(types.begin(), types.end(), "sliding_attention") != types.end())
            fields.refuse("layer_types", "layers slide, but there is no sliding_window");
        return;
    }
    spec.slides.assign(count, 0);
    for (std::size_t layer = 0; layer < count; ++layer)
        spec.slides[layer] = types.empty() ? usual(spec, static_cast<std::int32_t>(layer), parameter) : types[layer] == "sliding_attention";
    if (std::find(spec.slides.begin(), spec.slides.end(), 1) == spec.slides.end()) {
        spec.window = 0;
        spec.slides.clear();
    }
}

void readLayerWindow(CheckpointFields& fields, TransformerSpec& spec)
{
    const bool used = fields.flag("use_sliding_window", false);
    const std::int64_t window = fields.nullable("sliding_window", 4096, 0, 1, kMostRows);
    const std::int64_t first = fields.integer("max_window_layers", 28, 0, kMostLayers);
    spec.window = used ? window : 0;
    readSlidingTypes(
        fields, spec, [](const TransformerSpec&, std::int32_t layer, std::int64_t begin) { return layer >= begin; }, first);
}

} // namespace fabricscope
