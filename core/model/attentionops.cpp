#include "core/model/attentionpairs.h"
#include "core/model/layerparts.h"

namespace fabricscope {

namespace {

/// Queries, keys and values that backward needs.
void keepQueriesAndKeys(OpBuilder& ops, const AttentionCore& core)
{
    ops.madeBy(core.projected).saves(ops.rows() * core.heads * core.queryDim, true).saves(ops.rows() * core.kvHeads * core.queryDim, true);
}

void addFlashCore(OpBuilder& ops, const AttentionCore& core, Count pairs)
{
    const Count rows = ops.rows();
    ops.begin("attention", LayerOpKind::FlashAttention, SplitLetter::Heads).core().weights("relative_bias");
    const Count flops = pairs * core.heads * (core.queryDim + core.valueDim);
    ops.matrix(flops).backward((flops * 5).half()).reads(rows * core.heads * core.queryDim, true);
    const std::int64_t cached = cachedTokensRead(ops.pass(), core.window);
    if (ops.pass().mode != PassMode::Decode)
        ops.reads(rows * core.kvHeads * (core.queryDim + core.valueDim), true);
    ops.readBytes(Count(ops.pass().batch) * cached * core.cacheBytes, core.cacheSplit != SplitLetter::None);
    ops.writes(rows * core.heads * core.valueDim, true);
    if (!ops.training())
        return;
    constexpr std::int64_t kLogSumExp = 4; // Bytes per row and head.
    keepQueriesAndKeys(ops, core);
    ops.writeBytes(rows * core.heads * kLogSumExp, true).saves(rows * core.kvHeads * core.valueDim, true);
    ops.madeBy(kCoreAttention).savesBytes(rows * core.heads * kLogSumExp, true);
}

void addPlainCore(OpBuilder& ops, const AttentionCore& core, Count pairs)
{
    const Count rows = ops.rows();
    const Count square = Count(ops.pass().batch) * core.heads * ops.pass().tokens * ops.pass().keys;
    ops.begin("scores", LayerOpKind::Scores, SplitLetter::Heads).core().weights("relative_bias");
    ops.matrix(pairs * core.heads * core.queryDim).reads(rows * (core.heads + core.kvHeads) * core.queryDim, true).writes(square, true);
    keepQueriesAndKeys(ops, core);
    ops.begin("softmax", LayerOpKind::Softmax, SplitLetter::Heads).core().madeBy(kCoreAttention);
    ops.vector(square * 5).reads(square, true).writes(square, true).saves(square, true);
    if (ops.model().transformer.dropout) {
        ops.begin("attention_dropout", LayerOpKind::Dropout, SplitLetter::Heads).core().vector(square).reads(square, true).writes(square, true);
        ops.writeBytes(square, true).madeBy(kCoreAttention).savesBytes(square, true).saves(square, true); // The mask and the output.
    }
    ops.begin("weighted_sum", LayerOpKind::WeightedSum, SplitLetter::Heads).core().matrix(pairs * core.heads * core.valueDim);
    ops.reads(square + rows * core.kvHeads * core.valueDim, true).writes(rows * core.heads * core.valueDim, true);
    ops.madeBy(core.projected).saves(rows * core.kvHeads * core.valueDim, true);
}

} // namespace

void addAttentionCore(OpBuilder& ops, const AttentionCore& core)
{
    const TransformerSpec& spec = ops.model().transformer;
    // Of the whole micro-batch and one head. A multiply-add is two operations, and a pair counts twice here: the product with a width is FLOPs.
    const Count pairs = doublePairs(spec, ops.pass(), core.window) * ops.pass().batch;
    if (!ops.training() || spec.flashAttention)
        addFlashCore(ops, core, pairs);
    else
        addPlainCore(ops, core, pairs);
}

void addAttention(OpBuilder& ops, std::int64_t window)
{
    const TransformerSpec& spec = ops.model().transformer;
    const Count rows = ops.rows();
    const std::int64_t h = spec.hidden, q = spec.queryWidth(), kv = spec.kvWidth();
    const bool together = spec.kvHeads == spec.heads;
    ops.begin(together ? "qkv" : "q", LayerOpKind::Linear, SplitLetter::Heads).weights("q_proj");
    ops.matrix(rows * 2 * h * (together ? q + 2 * kv : q)).reads(rows * h, false).writes(rows * (together ? q + 2 * kv : q), true);
    ops.madeBy(kLayerNorm).savesInput(rows, h, false);
    if (together) {
        ops.weights("k_proj").weights("v_proj");
    } else {
        ops.begin("kv", LayerOpKind::Linear, SplitLetter::KvHeads).weights("k_proj").weights("v_proj");
        ops.matrix(rows * 4 * h * kv).reads(rows * h, false).writes(rows * 2 * kv, true);
    }
    if (spec.queryKeyNorm > 0) {
        ops.begin("qk_norm", LayerOpKind::Norm, SplitLetter::Heads).weights("qk_norm");
        ops.vector(rows * 5 * (q + kv)).reads(rows * (q + kv), true).writes(rows * (q + kv), true).saves(rows * (q + kv), true);
    }
    const std::int64_t cacheBytes = 2 * kv * bytesOf(ops.model().types.kv);
    addAttentionCore(ops, {spec.headDim, spec.headDim, spec.heads, spec.kvHeads, cacheBytes, window, SplitLetter::KvHeads, 0});
    ops.begin("attention_out", LayerOpKind::Linear, SplitLetter::Heads).weights("o_proj");
    ops.matrix(rows * 2 * q * h).reads(rows * q, true).writes(rows * h, false).savesInput(rows, q, true);
}

} // namespace fabricscope
