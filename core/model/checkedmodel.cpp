#include "core/model/checkedmodel.h"

#include "core/model/transformerfields.h"

namespace fabricscope {

namespace {

using Problem = std::optional<ModelProblem>;

Problem problemOfSize(std::string_view key, std::int64_t value, std::int64_t least, std::int64_t most)
{
    if (value >= least && value <= most)
        return std::nullopt;
    return ModelProblem{"transformer." + std::string(key), std::string(key) + " " + std::to_string(value) + " is not possible",
                        std::to_string(least) + " to " + std::to_string(most)};
}

template <typename Spec, std::size_t count>
Problem problemOfCounts(const Spec& spec, const std::array<CountField<Spec>, count>& fields, const std::string& inside)
{
    for (const auto& field : fields) {
        if (auto problem = problemOfSize(inside + std::string(field.key), countOf(spec, field), field.least, field.most))
            return problem;
    }
    return std::nullopt;
}

Problem problemOfAttention(const TransformerSpec& spec)
{
    if (spec.heads % spec.kvHeads != 0)
        return ModelProblem{"transformer.kv_heads", std::to_string(spec.heads) + " heads cannot share " + std::to_string(spec.kvHeads) + " key and value heads evenly",
                            "a divisor of heads"};
    if (spec.window > 0 && !spec.slides.empty() && spec.slides.size() != static_cast<std::size_t>(spec.layers))
        return ModelProblem{"transformer.sliding_layers", "sliding layers are given for " + std::to_string(spec.slides.size()) + " layers, the model has "
                                                              + std::to_string(spec.layers), {}};
    if (spec.isLatent() && spec.window > 0)
        return ModelProblem{"transformer.sliding_window", "latent attention has no sliding window", {}};
    if (spec.isLatent() && spec.queryKeyNorm > 0)
        return ModelProblem{"transformer.qk_norm", "latent attention has norms of its own", {}};
    if (spec.isLatent() && spec.positions == PositionKind::Relative)
        return ModelProblem{"transformer.positions", "latent attention has no relative bias", {}};
    return spec.isLatent() ? problemOfCounts(spec.latent, kLatentCounts, "latent.") : std::nullopt;
}

Problem problemOfExperts(const TransformerSpec& spec)
{
    const MoeSpec& moe = spec.moe;
    if (auto problem = problemOfCounts(moe, kMoeCounts, "moe."))
        return problem;
    if (moe.experts == 0)
        return std::nullopt;
    if (moe.topK > moe.experts)
        return ModelProblem{"transformer.moe.top_k", "a token cannot use " + std::to_string(moe.topK) + " of " + std::to_string(moe.experts) + " experts", {}};
    if (moe.phase >= moe.every)
        return ModelProblem{"transformer.moe.phase", "phase " + std::to_string(moe.phase) + " never comes with every " + std::to_string(moe.every),
                            "less than every"};
    if (moe.expertFf < 1)
        return ModelProblem{"transformer.moe.expert_ff", "experts have no width", "expert_ff, or ff above 0"};
    if (moe.experts % moe.groups != 0 || moe.groupLimit > moe.groups)
        return ModelProblem{"transformer.moe.groups", std::to_string(moe.experts) + " experts in " + std::to_string(moe.groups) + " groups of which a token uses "
                                                         + std::to_string(moe.groupLimit) + " are not possible", "a divisor of experts, and group_limit within it"};
    if (!(moe.capacityFactor >= 0) || moe.capacityFactor > 1e6)
        return ModelProblem{"transformer.moe.capacity_factor", "this capacity factor is not possible", "a number up to 1000000, or none"};
    if (moe.dispatch == MoeDispatch::Mask && moe.capacityFactor == 0.0)
        return ModelProblem{"transformer.moe.dispatch", "a mask needs a capacity factor", {}};
    if (moe.sharedGate && moe.sharedFf == 0)
        return ModelProblem{"transformer.moe.shared_gate", "there is no shared expert to scale", {}};
    return std::nullopt;
}

Problem problemOfTransformer(const TransformerSpec& spec)
{
    TransformerSpec checked = spec;
    if (checked.positions != PositionKind::Learned)
        checked.positionRows = 1; // Does not count.
    if (auto problem = problemOfCounts(checked, kTransformerCounts, ""))
        return problem;
    if (spec.normsPerLayer == 3 || (spec.normsPerLayer == 1 && !spec.parallelResidual) || (spec.normsPerLayer == 4 && spec.parallelResidual))
        return ModelProblem{"transformer.norms_per_layer", std::to_string(spec.normsPerLayer) + " norms per layer are not possible here",
                            spec.parallelResidual ? "1 or 2, as attention and feed-forward part are side by side" : "2 or 4"};
    if (spec.positions == PositionKind::Relative && spec.relativeBuckets < 1)
        return ModelProblem{"transformer.positions", "relative positions have no buckets", "relative(32)"};
    if (spec.positions == PositionKind::Learned && spec.seq > spec.positionRows)
        return ModelProblem{"transformer.position_rows", "learned positions for " + std::to_string(spec.positionRows) + " tokens are less than seq", {}};
    if (auto problem = problemOfAttention(spec))
        return problem;
    if (auto problem = problemOfExperts(spec))
        return problem;
    for (std::int32_t layer = 0; layer < spec.layers; ++layer) {
        if (spec.ff == 0 && !spec.hasExperts(layer))
            return ModelProblem{"transformer.ff", "layer " + std::to_string(layer) + " has no experts and no feed-forward width", "ff above 0"};
    }
    return std::nullopt;
}

} // namespace

std::optional<ModelProblem> problemOf(const ModelSpec& model)
{
    if (model.train.micro < 1 || model.train.global < 0)
        return ModelProblem{"train", "a batch of nothing is not possible", {}};
    if (model.train.global > 0 && model.train.global < model.train.micro)
        return ModelProblem{"train.micro_batch", "a micro-batch is larger than the global batch", {}};
    return model.family == ComputeFamily::Transformer ? problemOfTransformer(model.transformer) : std::nullopt;
}

} // namespace fabricscope
