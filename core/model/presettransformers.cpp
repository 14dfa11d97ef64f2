#include "core/model/presettable.h"

#include <array>

namespace fabricscope {

namespace {

constexpr PresetForm kModel = PresetForm::Model;

// Sizes of published training runs. GPT of Megatron-LM: 2048 tokens, a vocabulary of 51200, dropout, every bias.
constexpr std::array<PresetRow, 12> kTransformerPresets{{
    {"gpt3-175b", "GPT-3", kModel,
     "{optimizer: adam, transformer: {layers: 96, hidden: 12288, heads: 96, ff: 49152, vocab: 50257, seq: 2048}, train: {global_batch: 1536, micro_batch: 1}}"},
    {"megatron-1.7b", "GPT of Megatron-LM", kModel,
     "{transformer: {layers: 24, hidden: 2304, heads: 24, ff: 9216, vocab: 51200, seq: 2048}, train: {global_batch: 512, micro_batch: 1}}"},
    {"megatron-22b", "GPT of Megatron-LM, selective recomputation", kModel,
     "{transformer: {layers: 48, hidden: 6144, heads: 64, ff: 24576, vocab: 51200, seq: 2048}, train: {global_batch: 4, micro_batch: 4}}"},
    {"megatron-175b", "GPT-3 of Megatron-LM", kModel,
     "{transformer: {layers: 96, hidden: 12288, heads: 96, ff: 49152, vocab: 51200, seq: 2048}, train: {global_batch: 64, micro_batch: 1}}"},
    {"megatron-530b", "Megatron-Turing NLG", kModel,
     "{transformer: {layers: 105, hidden: 20480, heads: 128, ff: 81920, vocab: 51200, seq: 2048}, train: {global_batch: 280, micro_batch: 1}}"},
    {"megatron-1t", "GPT of Megatron-LM", kModel,
     "{transformer: {layers: 128, hidden: 25600, heads: 160, ff: 102400, vocab: 51200, seq: 2048}, train: {global_batch: 512, micro_batch: 1}}"},
    {"gpt-13b", "GPT of 40 layers of 5120", kModel,
     "{transformer: {layers: 40, hidden: 5120, heads: 40, ff: 20480, vocab: 50257, seq: 2048}, train: {micro_batch: 1}}"},
    {"bert-base", "BERT with pooler", kModel,
     "{transformer: {layers: 12, hidden: 768, heads: 12, ff: 3072, vocab: 30522, seq: 512, token_types: 2, embedding_norm: true, final_norm: false, head: pooler, causal: false}}"},
    {"bert-large", "BERT with pooler", kModel,
     "{transformer: {layers: 24, hidden: 1024, heads: 16, ff: 4096, vocab: 30522, seq: 512, token_types: 2, embedding_norm: true, final_norm: false, head: pooler, causal: false}}"},
    {"gshard-128b", "dense language model of GSPMD, wide attention", kModel,
     "{dtype: {param: bf16, act: bf16, grad: bf16}, optimizer: adafactor, transformer: {layers: 64, hidden: 8192, heads: 128, head_dim: 128, ff: 65536, ff_kind: glu, "
     "bias: false, norm: rmsnorm, positions: relative(32), vocab: 32000, seq: 1024, dropout: false}}"},
    {"gshard-1t", "dense language model of GSPMD, wide attention", kModel,
     "{dtype: {param: bf16, act: bf16, grad: bf16}, optimizer: adafactor, transformer: {layers: 128, hidden: 16384, heads: 256, head_dim: 128, ff: 131072, ff_kind: glu, "
     "bias: false, norm: rmsnorm, positions: relative(32), vocab: 32000, seq: 1024, dropout: false}}"},
    {"gshard-175b", "GPT-3 in the same library", kModel,
     "{dtype: {param: bf16, act: bf16, grad: bf16}, optimizer: adafactor, transformer: {layers: 96, hidden: 12288, heads: 96, ff: 49152, bias: false, norm: rmsnorm, "
     "vocab: 32000, seq: 2048, dropout: false}}"},
}};

} // namespace

std::span<const PresetRow> transformerPresetRows()
{
    return kTransformerPresets;
}

} // namespace fabricscope
