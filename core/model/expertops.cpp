#include "core/model/experts.h"
#include "core/model/layerparts.h"

namespace fabricscope {

namespace {

void addRouter(OpBuilder& ops, bool savesInput)
{
    const MoeSpec& moe = ops.model().transformer.moe;
    const Count rows = ops.rows();
    const std::int64_t h = ops.model().transformer.hidden;
    constexpr std::int64_t kFp32 = 4;
    ops.begin("router", LayerOpKind::Router).within(kMoe).madeBy(kMoe).weights("router").weights("correction_bias");
    ops.matrix(rows * 2 * h * moe.experts).reads(rows * h, false).writeBytes(rows * moe.experts * kFp32, false);
    ops.savesBytes(rows * moe.experts * kFp32, false);
    if (savesInput)
        ops.madeBy(kLayerNorm).saves(rows * h, false);
}

/// Rows come to experts and back: copies, or GShard's products with a mask of tokens x experts x capacity.
void addExchange(OpBuilder& ops, bool dispatch, Count routed)
{
    const TransformerSpec& spec = ops.model().transformer;
    const Count rows = ops.rows();
    const std::int64_t h = spec.hidden;
    ops.begin(dispatch ? "dispatch" : "combine", dispatch ? LayerOpKind::Dispatch : LayerOpKind::Combine).within(kMoe).madeBy(kMoe);
    if (spec.moe.dispatch == MoeDispatch::Mask)
        ops.matrix(rows * 2 * routed * h);
    else if (!dispatch)
        ops.vector(rows * 2 * spec.moe.topK * h);
    if (dispatch)
        ops.reads(rows * h, false).writes(routed * h, true);
    else
        ops.reads(routed * h, true).writes(rows * h, false).saves(routed * h, true);
}

void addSharedExperts(OpBuilder& ops)
{
    const TransformerSpec& spec = ops.model().transformer;
    const Count rows = ops.rows();
    const std::int64_t h = spec.hidden, f = spec.moe.sharedFf;
    const std::int64_t wide = spec.ffKind == FeedForwardKind::Glu ? 2 * f : f;
    constexpr std::uint16_t kBoth = kMoe | kSharedExperts;
    ops.begin("shared_up", LayerOpKind::Linear, SplitLetter::Ff).within(kBoth).weights("shared_gate").weights("shared_up");
    ops.matrix(rows * 2 * h * wide).reads(rows * h, false).writes(rows * wide, true);
    ops.begin("shared_activation", LayerOpKind::Activation, SplitLetter::Ff).within(kBoth).madeBy(kBoth);
    ops.vector(rows * (wide > f ? 6 : 8) * f).reads(rows * wide, true).writes(rows * f, true).saves(rows * wide, true);
    ops.begin("shared_down", LayerOpKind::Linear, SplitLetter::Ff).within(kBoth).madeBy(kBoth).weights("shared_down");
    ops.matrix(rows * 2 * f * h).reads(rows * f, true).writes(rows * h, false).savesInput(rows, f, true);
    if (spec.moe.sharedGate) {
        ops.begin("shared_scale", LayerOpKind::Activation).within(kBoth).madeBy(kBoth).weights("shared_scale");
        ops.matrix(rows * 2 * h).reads(rows * 2 * h, false).writes(rows * h, false).saves(rows * h, false);
    }
}

} // namespace

void addExperts(OpBuilder& ops, bool savesInput)
{
    const TransformerSpec& spec = ops.model().transformer;
    const std::int64_t h = spec.hidden, f = spec.moe.expertFf;
    const std::int64_t wide = spec.ffKind == FeedForwardKind::Glu ? 2 * f : f;
    const Count routed = ops.rows().fits() ? expertRows(spec.moe, ops.rows().value(), ops.training()) : ops.rows();
    const double hit = ops.training() ? -1 : expectedExperts(spec.moe.experts, spec.moe.topK, static_cast<double>(ops.rows().value()));
    addRouter(ops, savesInput);
    addExchange(ops, true, routed);
    ops.begin("expert_up", LayerOpKind::ExpertLinear, SplitLetter::Expert).within(kMoe).madeBy(kMoe).weights("expert_gate", hit).weights("expert_up", hit);
    ops.matrix(routed * 2 * h * wide).reads(routed * h, true).writes(routed * wide, true);
    ops.savesInput(routed, h, true);
    ops.begin("expert_activation", LayerOpKind::Activation, SplitLetter::Expert).within(kMoe | kMoeActivation).madeBy(kMoe);
    ops.vector(routed * (wide > f ? 6 : 8) * f).reads(routed * wide, true).writes(routed * f, true).saves(routed * wide, true);
    ops.begin("expert_down", LayerOpKind::ExpertLinear, SplitLetter::Expert).within(kMoe).madeBy(kMoe | kMoeActivation).weights("expert_down", hit);
    ops.matrix(routed * 2 * f * h).reads(routed * f, true).writes(routed * h, true).savesInput(routed, f, true);
    if (spec.moe.sharedFf > 0)
        addSharedExperts(ops);
    addExchange(ops, false, routed);
}

} // namespace fabricscope
