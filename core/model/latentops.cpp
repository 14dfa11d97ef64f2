#include "core/model/layerparts.h"

namespace fabricscope {

namespace {

/// The form a pass takes when none is asked for.
LatentForm usualForm(const PassShape& pass)
{
    if (pass.latent != LatentForm::Usual)
        return pass.latent;
    if (pass.mode == PassMode::Decode)
        return LatentForm::Absorbed;
    return pass.keys > pass.tokens ? LatentForm::Reexpand : LatentForm::Naive;
}

/// Queries, through a rank of their own where the model has one.
void addLatentQueries(OpBuilder& ops)
{
    const TransformerSpec& spec = ops.model().transformer;
    const Count rows = ops.rows();
    const std::int64_t h = spec.hidden, q = spec.queryWidth(), rank = spec.latent.queryRank;
    if (rank == 0) {
        ops.begin("q", LayerOpKind::Linear, SplitLetter::Heads).weights("q_proj");
        ops.matrix(rows * 2 * h * q).reads(rows * h, false).writes(rows * q, true).madeBy(kLayerNorm).savesInput(rows, h, false);
        return;
    }
    ops.begin("q_a", LayerOpKind::Linear).weights("q_a");
    ops.matrix(rows * 2 * h * rank).reads(rows * h, false).writes(rows * rank, false);
    ops.madeBy(kLayerNorm).savesInput(rows, h, false);
    ops.begin("q_a_norm", LayerOpKind::Norm).within(kMlaUpProjection).weights("q_a_norm");
    ops.vector(rows * 5 * rank).reads(rows * rank, false).writes(rows * rank, false).saves(rows * rank, false);
    ops.begin("q_b", LayerOpKind::Linear, SplitLetter::Heads).within(kMlaUpProjection).weights("q_b");
    ops.matrix(rows * 2 * rank * q).reads(rows * rank, false).writes(rows * q, true).madeBy(kMlaUpProjection).savesInput(rows, rank, false);
}

void addLatentKeys(OpBuilder& ops, LatentForm form)
{
    const TransformerSpec& spec = ops.model().transformer;
    const LatentAttention& latent = spec.latent;
    const Count rows = ops.rows();
    const std::int64_t h = spec.hidden, heads = spec.heads, rank = latent.kvRank, width = rank + std::int64_t{latent.ropeDim};
    ops.begin("kv_a", LayerOpKind::Linear).weights("kv_a");
    ops.matrix(rows * 2 * h * width).reads(rows * h, false).writes(rows * width, false);
    ops.begin("kv_a_norm", LayerOpKind::Norm).within(kMlaUpProjection).weights("kv_a_norm");
    ops.vector(rows * 5 * rank).reads(rows * rank, false).writes(rows * rank, false).saves(rows * width, false);
    if (form == LatentForm::Absorbed) {
        // W_UK and W_UV are the two halves of kv_b; its parameters are those of the first op, which reads its half.
        ops.begin("q_absorb", LayerOpKind::Linear, SplitLetter::Heads).weights("kv_b");
        ops.matrix(rows * 2 * heads * latent.nopeDim * rank).reads(rows * heads * latent.nopeDim, true).writes(rows * heads * rank, true);
        return;
    }
    const Count expanded = form == LatentForm::Reexpand ? Count(ops.pass().batch) * ops.pass().keys : rows;
    const std::int64_t out = heads * (latent.nopeDim + std::int64_t{latent.valueDim});
    ops.begin("kv_b", LayerOpKind::Linear, SplitLetter::Heads).within(kMlaUpProjection).weights("kv_b");
    ops.matrix(expanded * 2 * rank * out).reads(expanded * rank, false).writes(expanded * out, true);
    ops.madeBy(kMlaUpProjection).savesInput(rows, rank, false);
}

} // namespace

void addLatentAttention(OpBuilder& ops, std::int64_t window)
{
    const TransformerSpec& spec = ops.model().transformer;
    const LatentAttention& latent = spec.latent;
    const LatentForm form = usualForm(ops.pass());
    const Count rows = ops.rows();
    const std::int64_t heads = spec.heads, width = latent.kvRank + std::int64_t{latent.ropeDim}, kvBytes = bytesOf(ops.model().types.kv);
    addLatentQueries(ops);
    addLatentKeys(ops, form);
    const std::int64_t queryDim = latent.nopeDim + std::int64_t{latent.ropeDim};
    if (form == LatentForm::Absorbed) {
        addAttentionCore(ops, {width, latent.kvRank, heads, 1, width * kvBytes, window, SplitLetter::None, kMlaUpProjection});
        ops.begin("value_up", LayerOpKind::Linear, SplitLetter::Heads); // W_UV, read with kv_b.
        ops.matrix(rows * 2 * heads * latent.kvRank * latent.valueDim).reads(rows * heads * latent.kvRank, true).writes(rows * heads * latent.valueDim, true);
    } else {
        const bool naive = form == LatentForm::Naive;
        const std::int64_t cache = naive ? heads * (queryDim + latent.valueDim) : width;
        addAttentionCore(ops, {queryDim, latent.valueDim, heads, heads, cache * kvBytes, window, naive ? SplitLetter::Heads : SplitLetter::None, kMlaUpProjection});
    }
    ops.begin("attention_out", LayerOpKind::Linear, SplitLetter::Heads).weights("o_proj");
    ops.matrix(rows * 2 * heads * latent.valueDim * spec.hidden).reads(rows * heads * latent.valueDim, true).writes(rows * spec.hidden, false);
    ops.savesInput(rows, heads * std::int64_t{latent.valueDim}, true);
}

} // namespace fabricscope
