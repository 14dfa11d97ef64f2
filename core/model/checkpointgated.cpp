#include "core/model/checkpointarchitectures.h"
#include "core/model/transformerfields.h"

#include <array>

namespace fabricscope {

namespace {

void readLlama(CheckpointFields& fields, TransformerSpec& spec)
{
    setGatedStyle(spec);
    readCommonSizes(fields, {}, spec);
    readKvHeads(fields, 0, spec);
    readHeadDim(fields, 0, spec);
    readDropout(fields, false, spec);
    spec.qkvBias = spec.outputBias = fields.flag("attention_bias", false);
    spec.mlpBias = fields.flag("mlp_bias", false);
}

void readMistral(CheckpointFields& fields, TransformerSpec& spec)
{
    setGatedStyle(spec);
    readCommonSizes(fields, {4096, 32, 32, 32000, 14336, 131072, false}, spec);
    readKvHeads(fields, 8, spec);
    readHeadDim(fields, 0, spec);
    readDropout(fields, false, spec);
    spec.window = fields.nullable("sliding_window", 4096, 0, 1, kMostRows);
    readSlidingTypes(fields, spec, slidesAlways, 0);
}

void readQwen2(CheckpointFields& fields, TransformerSpec& spec)
{
    setGatedStyle(spec);
    readCommonSizes(fields, {4096, 32, 32, 151936, 22016, 32768, false}, spec);
    readKvHeads(fields, 32, spec);
    readHeadDim(fields, 0, spec);
    readDropout(fields, false, spec);
    spec.qkvBias = true;
    readLayerWindow(fields, spec);
}

void readQwen3(CheckpointFields& fields, TransformerSpec& spec)
{
    setGatedStyle(spec);
    readCommonSizes(fields, {4096, 32, 32, 151936, 22016, 32768, false}, spec);
    readKvHeads(fields, 32, spec);
    readHeadDim(fields, 128, spec);
    readDropout(fields, false, spec);
    spec.qkvBias = spec.outputBias = fields.flag("attention_bias", false);
    readQueryKeyNorms(fields, spec);
    readLayerWindow(fields, spec);
}

void readGemma(CheckpointFields& fields, TransformerSpec& spec)
{
    setGatedStyle(spec);
    readCommonSizes(fields, {3072, 28, 16, 256000, 24576, 8192, true}, spec);
    readKvHeads(fields, 16, spec);
    readHeadDim(fields, 256, spec);
    readDropout(fields, false, spec);
    spec.qkvBias = spec.outputBias = fields.flag("attention_bias", false);
}

bool slidesWhenEven(const TransformerSpec&, std::int32_t layer, std::int64_t)
{
    return layer % 2 == 0;
}

void readGemma2(CheckpointFields& fields, TransformerSpec& spec)
{
    setGatedStyle(spec);
    readCommonSizes(fields, {2304, 26, 8, 256000, 9216, 8192, true}, spec);
    readKvHeads(fields, 4, spec);
    readHeadDim(fields, 256, spec);
    readDropout(fields, false, spec);
    spec.qkvBias = spec.outputBias = fields.flag("attention_bias", false);
    spec.normsPerLayer = 4;
    spec.window = fields.nullable("sliding_window", 4096, 0, 1, kMostRows);
    if (fields.nullable("sliding_window_size", spec.window, 0, 1, kMostRows) != spec.window)
        fields.refuse("sliding_window_size", "sliding_window and sliding_window_size are two names of one size and differ");
    readSlidingTypes(fields, spec, slidesWhenEven, 0);
}

void readPhi3(CheckpointFields& fields, TransformerSpec& spec)
{
    setGatedStyle(spec);
    readCommonSizes(fields, {3072, 32, 32, 32064, 8192, 4096, false}, spec);
    readKvHeads(fields, 0, spec);
    readHeadDim(fields, 0, spec);
    readDropout(fields, false, spec);
    spec.window = fields.nullable("sliding_window", 0, 0, 1, kMostRows);
    readSlidingTypes(fields, spec, slidesAlways, 0);
}

constexpr std::array<CheckpointArchitecture, 7> kGatedRows{{{"Gemma", "gemma", readGemma},
                                                       {"Gemma2", "gemma2", readGemma2},
                                                       {"Llama", "llama", readLlama},
                                                       {"Mistral", "mistral", readMistral},
                                                       {"Phi3", "phi3", readPhi3},
                                                       {"Qwen2", "qwen2", readQwen2},
                                                       {"Qwen3", "qwen3", readQwen3}}};

} // namespace

std::span<const CheckpointArchitecture> gatedArchitectures()
{
    return kGatedRows;
}

} // namespace fabricscope
