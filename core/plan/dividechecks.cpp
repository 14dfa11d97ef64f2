#include "core/plan/layoutchecks.h"

#include <numeric>

namespace fabricscope {

namespace {

std::string numbered(std::int64_t count, const char* what)
{
    return std::to_string(count) + ' ' + what;
}

/// `whole` things of a kind over `parts` ranks; nothing when they divide.
Status divides(const char* key, std::int64_t whole, const char* what, std::int64_t parts, const std::string& axis)
{
    if (whole % parts == 0)
        return {};
    return planError(key, numbered(whole, what) + " are not divided by " + numbered(parts, "ranks"), axis + " of " + nearestDivisors(whole, parts));
}

Status checkTensorSplit(const ModelSpec& model, const PlanLayout& layout)
{
    const std::int64_t t = layout.tensorSize;
    if (t == 1)
        return {};
    const TransformerSpec& of = model.transformer;
    const std::string axis = '"' + layout.tensor.axis + '"';
    const std::int64_t heads = of.heads;
    const std::int64_t kv = of.isLatent() ? heads : std::int64_t{of.kvHeads};
    // Heads decide first: what divides them and the KV heads is the nearest plan.
    if (heads % t != 0 || (t < kv ? kv % t != 0 : t % kv != 0)) {
        const bool whole = heads % t != 0;
        std::int64_t below = 1;
        std::int64_t above = 0;
        for (std::int64_t other = 1; other <= heads; ++other) {
            if (heads % other != 0 || (other < kv ? kv % other != 0 : other % kv != 0))
                continue;
            if (other < t)
                below = other;
            else if (above == 0)
                above = other;
        }
        return planError("tensor.axis", numbered(whole ? heads : kv, whole ? "heads" : "KV heads") + " are not divided by " + numbered(t, "ranks"),
                         axis + " of " + std::to_string(below) + (above > 0 ? " or " + std::to_string(above) : std::string()));
    }
    if (Status status = of.ff > 0 ? divides("tensor.axis", of.ff, "columns of the feed-forward part", t, axis) : Status(); !status)
        return status;
    if (of.moe.experts == 0)
        return {};
    if (Status status = divides("tensor.axis", of.moe.expertFf, "columns of an expert", t, axis); !status)
        return status;
    return of.moe.sharedExperts > 0 && of.moe.sharedFf > 0 ? divides("tensor.axis", of.moe.sharedFf, "columns of the shared experts", t, axis) : Status();
}

Status checkSequenceSplit(const ModelSpec& model, const PlanLayout& layout)
{
    const TransformerSpec& of = model.transformer;
    const std::string axis = '"' + layout.context.axis + '"';
    const std::int64_t c = layout.contextSize;
    if (Status status = divides("context.axis", of.seq, "tokens of a sequence", c, axis); !status)
        return status;
    if (c > 1 && layout.context.kind == ContextPlan::Kind::Ulysses) {
        const std::int64_t own = of.heads / layout.tensorSize;
        if (own % c != 0)
            return planError("context.axis", "ulysses: " + numbered(own, "heads") + " of a rank are not divided by " + numbered(c, "ranks"), axis + " of " + nearestDivisors(own, c) + ", or kind: ring");
    }
    if (layout.tensor.sequenceParallel && layout.tensorSize > 1)
        return divides("tensor.sequence_parallel", of.seq / c, "tokens of a rank", layout.tensorSize, '"' + layout.tensor.axis + '"');
    return {};
}

Status checkExpertSplit(const ModelSpec& model, const PlanLayout& layout)
{
    const std::int64_t experts = model.transformer.moe.experts;
    const std::int64_t e = layout.expertSize;
    if (e == 1)
        return {};
    if (experts == 0)
        return planError("expert.axis", "the model has no experts to split over " + numbered(e, "ranks"), "no section expert");
    const bool padded = layout.expert.dispatch == ExpertPlan::Dispatch::Capacity && model.transformer.moe.capacityFactor > 0;
    if (padded && layout.expert.imbalance != 1)
        return planError("expert.imbalance", "with a capacity every rank works on as many rows, padded to it", "dispatch: dropless, or imbalance: 1");
    if (experts % e != 0)
        return planError("expert.axis", numbered(experts, "experts") + " are not divided by " + numbered(e, "ranks"), '"' + layout.expert.axis + "\" of " + nearestDivisors(experts, e));
    return {};
}

} // namespace

Status checkDivisions(const ModelSpec& model, const PlanLayout& layout)
{
    if (model.family != ComputeFamily::Transformer) {
        for (const auto& [size, key] : {std::pair{layout.tensorSize, "tensor.axis"}, {layout.contextSize, "context.axis"}, {layout.expertSize, "expert.axis"}}) {
            if (size > 1)
                return planError(key, "only transformers are split this way", "an axis of 1");
        }
        return {};
    }
    for (const auto check : {checkTensorSplit, checkSequenceSplit, checkExpertSplit}) {
        if (Status status = check(model, layout); !status)
            return status;
    }
    return {};
}

} // namespace fabricscope
