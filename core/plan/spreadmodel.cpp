#include "core/plan/spreadmodel.h"

#include "core/plan/alikeplaces.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace fabricscope {

namespace {

/// Bytes of the parameters an op has of its own; those it borrows belong to another op.
Amount ownWeightBytes(const LayerOp& op, const ModelSpec& model, bool borrows)
{
    if (op.parameters.total() == 0)
        return {};
    const std::int64_t each = bytesOf(model.types.param);
    return borrows ? Amount{op.parameters.whole * each, op.parameters.divided * each} : op.weightBytes;
}

PartShare shareOf(const std::vector<LayerOp>& ops, const SpreadModel& spread)
{
    const OpShares& shares = *spread.shares;
    const Recompute recompute = spread.layout->recompute;
    PartShare part;
    bool expertsSeen = false;
    for (const LayerOp& op : ops) {
        const bool routed = op.split == SplitLetter::Expert;
        const std::int64_t elements = shares.parameters(op, op.parameters);
        const std::int64_t bytes = shares.parameters(op, ownWeightBytes(op, *spread.model, spread.layers.tied && op.split == SplitLetter::Vocab && op.kind == LayerOpKind::Linear));
        (routed ? part.expertParameters : part.denseParameters) += elements;
        (routed ? part.expertBytes : part.denseBytes) += bytes;
        part.repeated += shares.repeated(op);
        if (elements > 1)
            part.factored += 2 * static_cast<std::int64_t>(std::sqrt(static_cast<double>(elements)));
        const std::int64_t saved = shares.saved(op, routed && op.kind == LayerOpKind::ExpertLinear && !expertsSeen);
        expertsSeen = expertsSeen || (routed && op.kind == LayerOpKind::ExpertLinear);
        part.saved += saved;
        part.kept += recompute == Recompute::Selective && OpShares::isRecomputed(op) ? 0 : saved;
    }
    part.flops = matrixFlops(ops, shares);
    return part;
}

/// The model as the plan runs it.
ModelSpec asPlanned(const ModelSpec& model, const PlanLayout& layout)
{
    ModelSpec planned = model;
    if (layout.expert.dispatch == ExpertPlan::Dispatch::Dropless)
        planned.transformer.moe.capacityFactor = 0;
    return planned;
}

void addStages(SpreadModel& spread)
{
    const PlanLayout& layout = *spread.layout;
    std::size_t layer = 0;
    for (std::int64_t stage = 0; stage < layout.stages(); ++stage) {
        StageShare& share = spread.stages.emplace_back();
        share.first = stage == 0;
        share.last = stage + 1 == layout.stages();
        share.layersOfKind.assign(spread.kinds.size(), 0);
        for (std::int64_t i = 0; i < layout.stageLayers[static_cast<std::size_t>(stage)]; ++i)
            ++share.layersOfKind[static_cast<std::size_t>(spread.layers.kindOf[layer++])];
    }
}

} // namespace

std::int64_t StageShare::layers() const
{
    return std::accumulate(layersOfKind.begin(), layersOfKind.end(), std::int64_t{0});
}

bool SpreadModel::hasTableCopy(std::int64_t place) const
{
    const std::int64_t last = layout->stages() - 1;
    return layers.tied && !layout->isDual() && place == layout->rankOfStage(last) && layout->rankOfStage(0) != place;
}

const PartShare& SpreadModel::part(std::size_t index) const
{
    return index < kinds.size() ? kinds[index] : index == kinds.size() ? before : after;
}

std::int64_t SpreadModel::countOf(const StageShare& stage, std::size_t part) const
{
    if (part < kinds.size())
        return stage.layersOfKind[part];
    return (part == kinds.size() ? stage.first : stage.last) ? 1 : 0;
}

std::int64_t SpreadModel::seq() const
{
    return pass.tokens;
}

Result<SpreadModel> spreadModel(const ModelSpec& model, const PlanLayout& layout)
{
    return spreadModel(model, layout, PassShape::train(layout.microBatch, model.family == ComputeFamily::Transformer ? model.transformer.seq : 1));
}

Result<SpreadModel> spreadModel(const ModelSpec& model, const PlanLayout& layout, const PassShape& pass)
{
    SpreadModel spread;
    spread.pass = pass;
    spread.model = &model;
    spread.layout = &layout;
    auto layers = modelLayers(asPlanned(model, layout), pass);
    if (!layers) {
        Error error = std::move(layers).error();
        if (error.place.empty())
            error.place.field = "workload.model";
        return error;
    }
    spread.layers = std::move(layers).value();
    constexpr std::int64_t kMostParameters = std::int64_t{1} << 56; // So that bytes of all states fit.
    const Result<OpTotals> totals = totalsOf(spread.layers);
    if (!totals || totals.value().parameters > kMostParameters) {
        Place place;
        place.field = "workload.model";
        return Error{ErrorCode::Unsupported, "the model is too large to be planned", std::move(place), "at most 2^56 parameters, and sums below 2^63"};
    }
    spread.shares.emplace(layout, model);
    spread.before = shareOf(spread.layers.before, spread);
    spread.after = shareOf(spread.layers.after, spread);
    for (const LayerKind& kind : spread.layers.kinds) {
        PartShare share = shareOf(kind.ops, spread);
        if (layout.recompute == Recompute::Full)
            share.kept = spread.shares->ofTokens(kind.boundaryBytes);
        spread.kinds.push_back(share);
    }
    for (const LayerOp& op : spread.layers.before) {
        if (op.kind == LayerOpKind::Embedding && op.split == SplitLetter::Vocab) {
            spread.tableParameters = spread.shares->parameters(op, op.parameters);
            spread.tableBytes = spread.tableParameters * bytesOf(model.types.param);
        }
    }
    addStages(spread);
    return spread;
}

void restage(SpreadModel& spread, const PlanLayout& layout)
{
    spread.layout = &layout;
    spread.stages.clear();
    addStages(spread);
}

AlikePlaces alikePlaces(const SpreadModel& spread)
{
    const PlanLayout& layout = *spread.layout;
    std::vector<std::vector<std::int64_t>> stages;
    const auto sameStage = [&](std::int64_t a, std::int64_t b) {
        const StageShare& one = spread.stages[static_cast<std::size_t>(a)];
        const StageShare& other = spread.stages[static_cast<std::size_t>(b)];
        return one.first == other.first && one.last == other.last && one.layersOfKind == other.layersOfKind;
    };
    AlikePlaces alike;
    for (std::int64_t place = 0; place < layout.pipelineSize; ++place) {
        std::vector<std::int64_t> own = layout.stagesOfRank(place);
        std::size_t which = 0;
        while (which < stages.size() && !std::equal(own.begin(), own.end(), stages[which].begin(), stages[which].end(), sameStage))
            ++which;
        alike.classOf.push_back(which);
        if (which < stages.size())
            continue;
        stages.push_back(std::move(own));
        alike.example.push_back(place);
    }
    return alike;
}

} // namespace fabricscope
