#include "core/model/layerparts.h"

namespace fabricscope {

void addNorm(OpBuilder& ops, const std::string& name)
{
    const Count elements = ops.rows() * ops.model().transformer.hidden;
    ops.begin(name, LayerOpKind::Norm).within(kLayerNorm).weights(name).vector(elements * 5).reads(elements, false).writes(elements, false).saves(elements, false);
}

void addResidual(OpBuilder& ops, const std::string& name)
{
    const TransformerSpec& spec = ops.model().transformer;
    const Count elements = ops.rows() * spec.hidden;
    const bool drops = spec.dropout && ops.training();
    ops.begin(name, drops ? LayerOpKind::Dropout : LayerOpKind::Residual).vector(elements * (drops ? 2 : 1)).reads(elements * 2, false).writes(elements, false);
    if (drops)
        ops.writeBytes(elements, false).savesBytes(elements, false);
}

void addBefore(OpBuilder& ops)
{
    const TransformerSpec& spec = ops.model().transformer;
    const Count rows = ops.rows();
    const std::int64_t h = spec.hidden, width = spec.embeddingDim > 0 ? spec.embeddingDim : h;
    // A gather reads rows of the table, not all of it.
    ops.begin("embedding", LayerOpKind::Embedding, SplitLetter::Vocab).table("embedding");
    ops.reads(rows * width, false).writes(rows * width, false);
    if (spec.embeddingDim > 0) {
        ops.begin("project_in", LayerOpKind::Linear).weights("project_in");
        ops.matrix(rows * 2 * width * h).reads(rows * width, false).writes(rows * h, false).savesInput(rows, width, false);
    }
    if (spec.positions == PositionKind::Learned)
        ops.begin("positions", LayerOpKind::Embedding).table("positions").vector(rows * h).reads(rows * 2 * h, false).writes(rows * h, false);
    if (spec.tokenTypes > 0)
        ops.begin("token_types", LayerOpKind::Embedding).table("token_types").vector(rows * h).reads(rows * 2 * h, false).writes(rows * h, false);
    if (spec.embeddingNorm)
        addNorm(ops, "embedding_norm");
    if (spec.dropout && ops.training()) {
        ops.begin("embedding_dropout", LayerOpKind::Dropout).vector(rows * h).reads(rows * h, false).writes(rows * h, false);
        ops.writeBytes(rows * h, false).savesBytes(rows * h, false);
    }
}

namespace {

void addLogits(OpBuilder& ops)
{
    const TransformerSpec& spec = ops.model().transformer;
    // Inference needs the logits of each sequence's last token alone.
    const Count rows = ops.training() ? ops.rows() : Count(ops.pass().batch);
    const std::int64_t h = spec.hidden, width = spec.embeddingDim > 0 ? spec.embeddingDim : h;
    constexpr std::int64_t kFp32 = 4;
    if (spec.embeddingDim > 0) {
        ops.begin("project_out", LayerOpKind::Linear).weights("project_out");
        ops.matrix(rows * 2 * width * h).reads(rows * h, false).writes(rows * width, false).saves(rows * h, false);
    }
    ops.begin("logits", LayerOpKind::Linear, SplitLetter::Vocab).weights("head");
    if (spec.tiedEmbedding)
        ops.borrows("embedding");
    ops.matrix(rows * 2 * width * spec.vocab).reads(rows * width, false).writeBytes(rows * spec.vocab * kFp32, true).saves(rows * width, false);
    if (!ops.training())
        return;
    ops.begin("loss", LayerOpKind::Loss, SplitLetter::Vocab).vector(rows * 5 * spec.vocab).readBytes(rows * spec.vocab * kFp32, true);
    ops.savesBytes(rows * spec.vocab * kFp32, true);
}

void addPooler(OpBuilder& ops)
{
    const std::int64_t h = ops.model().transformer.hidden;
    const Count sequences = ops.pass().batch;
    ops.begin("pooler", LayerOpKind::Linear).weights("pooler").matrix(sequences * 2 * h * h);
    ops.reads(sequences * h, false).writes(sequences * h, false).saves(sequences * h, false);
}

} // namespace

void addAfter(OpBuilder& ops)
{
    const TransformerSpec& spec = ops.model().transformer;
    if (spec.finalNorm)
        addNorm(ops, "final_norm");
    if (spec.head == HeadKind::LanguageModel)
        addLogits(ops);
    if (spec.head == HeadKind::Pooler)
        addPooler(ops);
}

void addPrediction(OpBuilder& ops)
{
    const Count rows = ops.rows();
    const std::int64_t h = ops.model().transformer.hidden;
    addNorm(ops, "embedding_norm");
    addNorm(ops, "hidden_norm");
    ops.begin("eh_proj", LayerOpKind::Linear).weights("eh_proj").matrix(rows * 4 * h * h).reads(rows * 2 * h, false).writes(rows * h, false).saves(rows * 2 * h, false);
    addLayer(ops, ops.model().transformer.layers - 1);
    addNorm(ops, "head_norm");
    addLogits(ops);
}

} // namespace fabricscope
