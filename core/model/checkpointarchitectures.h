#pragma once

#include "core/model/checkpointfields.h"
#include "core/model/modelspec.h"

#include <span>
#include <string_view>

namespace fabricscope {

/// One architecture: how its fields become sizes. Rows are in the three files behind.
struct CheckpointArchitecture {
    std::string_view name;      ///< "Llama": LlamaForCausalLM.
    std::string_view modelType; ///< "llama"
    void (*read)(CheckpointFields& fields, TransformerSpec& spec);
    std::string_view otherType = {}; ///< A second model_type of the class.
    bool isOfType(std::string_view type) const { return !type.empty() && (type == modelType || type == otherType); }
};
std::span<const CheckpointArchitecture> gatedArchitectures();  // checkpointgated.cpp: Llama and what came from it
std::span<const CheckpointArchitecture> plainArchitectures();  // checkpointplain.cpp: GPT-2 and what came from it
std::span<const CheckpointArchitecture> expertArchitectures(); // checkpointexperts.cpp: with routed experts

/// What a class takes where the file says nothing.
struct CheckpointDefaults {
    std::int64_t hidden = 4096, layers = 32, heads = 32, vocab = 32000, ff = 11008, positions = 2048;
    bool tied = false;
};

/// hidden_size, num_hidden_layers, num_attention_heads, vocab_size, intermediate_size, max_position_embeddings, tie_word_embeddings; dropout where any is above 0.
/// (checkpointcommon.cpp, as all below)
void readCommonSizes(CheckpointFields& fields, const CheckpointDefaults& defaults, TransformerSpec& spec);
/// num_key_value_heads: absent `absent` (0: as many as heads), null as many as heads.
void readKvHeads(CheckpointFields& fields, std::int64_t absent, TransformerSpec& spec);
/// head_dim: absent `absent` (0: hidden / heads), null hidden / heads.
void readHeadDim(CheckpointFields& fields, std::int64_t absent, TransformerSpec& spec);
/// Any of the fields for dropout above 0 keeps masks; `absent`: where none is there.
void readDropout(CheckpointFields& fields, bool absent, TransformerSpec& spec);
/// A norm of queries and one of keys in every layer, which the class (Qwen3) has whatever the file says.
void readQueryKeyNorms(CheckpointFields& fields, TransformerSpec& spec);
/// RMS norms, rotary positions, gated feed-forward part without bias, flash attention.
void setGatedStyle(TransformerSpec& spec);
/// layer_types where it is there, else `usual` for each layer; nothing where the window is 0.
void readSlidingTypes(CheckpointFields& fields, TransformerSpec& spec, bool (*usual)(const TransformerSpec&, std::int32_t layer, std::int64_t parameter),
                      std::int64_t parameter);
/// use_sliding_window, sliding_window and max_window_layers (Qwen): if used, the layers from that one on slide.
void readLayerWindow(CheckpointFields& fields, TransformerSpec& spec);
bool slidesAlways(const TransformerSpec& spec, std::int32_t layer, std::int64_t parameter);

} // namespace fabricscope
