#include "core/plan/layoutchecks.h"

#include <algorithm>
#include <array>

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

/// Heads over so many ranks, and KV heads or whole copies of them.
bool splitsHeads(const TransformerSpec& of, std::int64_t ranks)
{
    const std::int64_t kv = of.isLatent() ? of.heads : of.kvHeads;
    return of.heads % ranks == 0 && (ranks < kv ? kv % ranks == 0 : ranks % kv == 0);
}

struct SplitColumns {
    std::int64_t count = 0;
    const char* what = "";
};

/// Of matrices that ranks share; 0: there are none.
std::array<SplitColumns, 3> columnsOf(const TransformerSpec& of)
{
    const bool experts = of.moe.experts > 0;
    return {{{of.ff, "columns of the feed-forward part"}, {experts ? of.moe.expertFf : 0, "columns of an expert"},
             {experts && of.moe.sharedExperts > 0 ? of.moe.sharedFf : 0, "columns of the shared experts"}}};
}

/// The nearest numbers of ranks over which all can be split, below and above.
std::string nearestTensorAxes(const TransformerSpec& of, const PlanLayout& layout)
{
    const std::int64_t tokens = layout.tensor.sequenceParallel && of.seq % layout.contextSize == 0 ? of.seq / layout.contextSize : 0;
    const auto columns = columnsOf(of);
    std::int64_t below = 1;
    std::int64_t above = 0;
    for (std::int64_t other = 1; other <= of.heads && above == 0; ++other) {
        if (!splitsHeads(of, other) || tokens % other != 0 || std::ranges::any_of(columns, [&](const SplitColumns& each) { return each.count % other != 0; }))
            continue;
        (other < layout.tensorSize ? below : above) = other;
    }
    return '"' + layout.tensor.axis + "\" of " + std::to_string(below) + (above > 0 ? " or " + std::to_string(above) : std::string());
}

Status checkTensorSplit(const ModelSpec& model, const PlanLayout& layout)
{
    const std::int64_t t = layout.tensorSize;
    if (t == 1)
        return {};
    const TransformerSpec& of = model.transformer;
    const auto refused = [&](std::int64_t count, const char* what) {
        return planError("tensor.axis", numbered(count, what) + " are not divided by " + numbered(t, "ranks"), nearestTensorAxes(of, layout));
    };
    if (!splitsHeads(of, t))
        return of.heads % t != 0 ? refused(of.heads, "heads") : refused(of.kvHeads, "KV heads");
    for (const SplitColumns& each : columnsOf(of)) {
        if (each.count % t != 0)
            return refused(each.count, each.what);
    }
    return {};
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
    if (!layout.tensor.sequenceParallel || of.seq / c % layout.tensorSize == 0)
        return {};
    return planError("tensor.sequence_parallel", numbered(of.seq / c, "tokens of a rank") + " are not divided by " + numbered(layout.tensorSize, "ranks"), nearestTensorAxes(of, layout));
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
