#include "core/plan/inference/servedwork.h"

#include "core/base/index.h"
#include "core/model/attentionpairs.h"

#include <algorithm>

namespace fabricscope {

std::vector<InferencePass> inferencePasses(const PlanLayout& layout)
{
    const InferencePlan& inference = *layout.inference;
    std::vector<InferencePass> passes;
    const std::int64_t chunk = inference.chunk > 0 ? inference.chunk : inference.prompt;
    for (std::int64_t offset = 0; offset < inference.prompt; offset += chunk) {
        const std::int64_t tokens = std::min(chunk, inference.prompt - offset);
        passes.push_back({PassShape::prefill(layout.microBatch, tokens, offset), offset + tokens == inference.prompt ? 1 : 0});
    }
    const std::int64_t all = inference.output - 1;
    const std::int64_t simulated = inference.decodeSteps > 0 ? inference.decodeSteps : all;
    for (std::int64_t i = 0; i < simulated; ++i) {
        // From the first step to the last; one alone stands in the middle.
        const std::int64_t step = simulated == 1 ? (all + 1) / 2 : 1 + i * (all - 1) / (simulated - 1);
        passes.push_back({PassShape::decode(layout.microBatch, inference.prompt + step), step + 1});
    }
    return passes;
}

Result<SpreadModel> spreadPass(const ModelSpec& model, const PlanLayout& layout, const InferencePass& pass)
{
    auto spread = spreadModel(model, layout, pass.shape);
    if (!spread)
        return spread;
    const std::int64_t copies = model.transformer.isLatent() ? 1 : layout.tensorSize / spread.value().shares->parts(SplitLetter::KvHeads);
    if (copies == 1)
        return spread;
    for (LayerKind& kind : spread.value().layers.kinds) {
        const Count cached = Count(kind.kvBytesPerToken) * pass.shape.batch * cachedTokensRead(pass.shape, kind.window) * (copies - 1);
        for (LayerOp& op : kind.ops) {
            if (op.kind == LayerOpKind::FlashAttention && cached.fits())
                op.read.divided += std::min(cached.value(), INT64_MAX - op.read.divided);
        }
    }
    return spread;
}

std::int64_t cacheBytesOf(const SpreadModel& spread, std::int64_t place, std::int64_t tokens)
{
    const std::int64_t parts = spread.model->transformer.isLatent() ? 1 : spread.shares->parts(SplitLetter::KvHeads);
    Count bytes;
    for (const std::int64_t stage : spread.layout->stagesOfRank(place)) {
        const StageShare& share = spread.stages[at(stage)];
        for (std::size_t kind = 0; kind < spread.kinds.size(); ++kind) {
            const LayerKind& of = spread.layers.kinds[kind];
            const std::int64_t kept = of.window > 0 ? std::min(of.window, tokens) : tokens;
            bytes += Count(OpShares::dividedUp(of.kvBytesPerToken, parts)) * share.layersOfKind[kind] * kept * spread.layout->microBatch;
        }
    }
    return bytes.fits() ? bytes.value() : INT64_MAX / 16;
}

} // namespace fabricscope
