#include "core/model/layerparts.h"

namespace fabricscope {

void addFeedForward(OpBuilder& ops, bool savesInput)
{
    const TransformerSpec& spec = ops.model().transformer;
    const Count rows = ops.rows();
    const std::int64_t h = spec.hidden, f = spec.ff;
    const bool glu = spec.ffKind == FeedForwardKind::Glu;
    const std::int64_t wide = glu ? 2 * f : f;
    ops.begin(glu ? "ff_gate_up" : "ff_up", LayerOpKind::Linear, SplitLetter::Ff).within(kMlp).weights("ff_gate").weights("ff_up");
    ops.matrix(rows * 2 * h * wide).reads(rows * h, false).writes(rows * wide, true);
    if (savesInput)
        ops.madeBy(kLayerNorm).savesInput(rows, h, false);
    ops.begin("activation", LayerOpKind::Activation, SplitLetter::Ff).within(kMlp).madeBy(kMlp);
    ops.vector(rows * (glu ? 6 : 8) * f).reads(rows * wide, true).writes(rows * f, true).saves(rows * wide, true);
    ops.begin("ff_down", LayerOpKind::Linear, SplitLetter::Ff).within(kMlp).madeBy(kMlp).weights("ff_down");
    ops.matrix(rows * 2 * f * h).reads(rows * f, true).writes(rows * h, false).savesInput(rows, f, true);
}

} // namespace fabricscope
