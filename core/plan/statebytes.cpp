#include "core/plan/statebytes.h"

#include "core/plan/alikeplaces.h"
#include "core/plan/sends.h"

#include <algorithm>
#include <cmath>

namespace fabricscope {

namespace {

std::int64_t clamped(WideCount value)
{
    return static_cast<std::int64_t>(std::min<WideCount>(value, INT64_MAX / 16));
}

/// What one stage keeps of a micro-batch.
struct StageKeeps {
    WideCount layers = 0;
    WideCount ends = 0; ///< What stands before and behind the layers.
};

StageKeeps keepsOf(const SpreadModel& spread, const StageShare& stage)
{
    StageKeeps keeps;
    for (std::size_t part = 0; part < spread.parts(); ++part)
        (part < spread.kinds.size() ? keeps.layers : keeps.ends) += WideCount{spread.part(part).kept} * spread.countOf(stage, part);
    return keeps;
}

/// The most that a rank keeps at once: one micro-batch more when a forward pass starts, one less when its last gradient is done.
StageKeeps peakOf(const std::vector<PipelineOperation>& operations, const std::vector<StageKeeps>& stages)
{
    StageKeeps now;
    StageKeeps worst;
    for (const PipelineOperation& operation : operations) {
        if (operation.isForward()) {
            const StageKeeps& more = stages[static_cast<std::size_t>(operation.pass.stage)];
            now.layers += more.layers;
            now.ends += more.ends;
            if (now.layers + now.ends > worst.layers + worst.ends)
                worst = now;
        }
        if (operation.frees()) {
            const StageKeeps& less = stages[static_cast<std::size_t>(operation.backward().stage)];
            now.layers -= less.layers;
            now.ends -= less.ends;
        }
    }
    return worst;
}

/// What is there only for a moment.
WideCount transientBytes(const SpreadModel& spread, std::int64_t place, const HeldParameters& held)
{
    const PlanLayout& layout = *spread.layout;
    const std::int64_t gradient = bytesOf(spread.model->types.grad);
    WideCount again = 0;
    WideCount gathered = 0;
    WideCount unit = 0;
    std::int64_t units = 0;
    for (const std::int64_t stage : layout.stagesOfRank(place)) {
        const StageShare& share = spread.stages[static_cast<std::size_t>(stage)];
        for (std::size_t kind = 0; kind < spread.kinds.size(); ++kind) {
            if (share.layersOfKind[kind] == 0)
                continue;
            if (layout.recompute != Recompute::None)
                again = std::max<WideCount>(again, layout.recompute == Recompute::Full ? spread.kinds[kind].saved : spread.kinds[kind].saved - spread.kinds[kind].kept);
            if (spread.shares->sequence())
                gathered = std::max<WideCount>(gathered, spread.shares->gathered(spread.layers.kinds[kind].boundaryBytes));
        }
        for (const GatheredUnit& one : gatheredUnits(spread, share)) {
            units += one.count;
            unit = std::max(unit, WideCount{layout.denseShard.size() > 1 ? one.denseBytes : 0} + (layout.expertShard.size() > 1 ? one.expertBytes : 0));
        }
    }
    WideCount sum = again + gathered;
    if (layout.data.zero == 3)
        sum += unit * std::min<std::int64_t>(units, std::int64_t{1} + layout.data.prefetch) + unit * gradient / bytesOf(spread.model->types.param);
    if (layout.data.zero == 2 && layout.denseShard.size() > 1)
        sum += std::min<WideCount>(WideCount{held.dense} * gradient, static_cast<std::int64_t>(std::clamp(layout.data.bucketMb * 1e6, 0.0, 4e18)));
    return sum;
}

/// Bytes of states that are shared from a stage of ZeRO on.
WideCount sharedBytes(const PlanLayout& layout, std::int32_t from, WideCount dense, WideCount experts)
{
    if (layout.data.zero < from)
        return dense + experts;
    const std::int64_t of = layout.denseShard.size();
    const std::int64_t ofExperts = layout.expertShard.size();
    return (dense + of - 1) / of + (experts + ofExperts - 1) / ofExperts;
}

/// All but what is kept of micro-batches.
PlanMemory statesOf(const SpreadModel& spread, std::int64_t place, std::int64_t framework)
{
    const PlanLayout& layout = *spread.layout;
    const ModelSpec& model = *spread.model;
    const HeldParameters held = heldParameters(spread, place);
    const std::int64_t gradient = bytesOf(model.types.grad);
    const std::int64_t optimizer = optimizerBytes(model);
    PlanMemory row;
    row.parameters = clamped(sharedBytes(layout, 3, held.denseBytes, held.expertBytes));
    row.gradients = clamped(sharedBytes(layout, 2, WideCount{held.dense} * gradient, WideCount{held.experts} * gradient));
    const WideCount factored = model.optimizer == OptimizerKind::Adafactor ? WideCount{held.factored} * bytesOf(model.types.moments) : 0;
    row.optimizer = clamped(sharedBytes(layout, 1, WideCount{held.dense} * optimizer + factored, WideCount{held.experts} * optimizer));
    row.buffers = clamped(transientBytes(spread, place, held) + framework);
    return row;
}

} // namespace

std::int64_t optimizerBytes(const ModelSpec& model)
{
    const std::int64_t master = model.types.master == model.types.param ? 0 : bytesOf(model.types.master);
    const std::int64_t moment = bytesOf(model.types.moments);
    switch (model.optimizer) {
    case OptimizerKind::Adam:
    case OptimizerKind::AdamW:
    case OptimizerKind::Lamb: return master + 2 * moment;
    case OptimizerKind::Momentum: return master + moment;
    case OptimizerKind::Adafactor:
    case OptimizerKind::Sgd: return master;
    }
    return master;
}

std::vector<PlanMemory> memoryOfPlaces(const SpreadModel& spread, const PipelineOrders& orders, std::int64_t framework)
{
    std::vector<StageKeeps> keeps;
    for (const StageShare& stage : spread.stages)
        keeps.push_back(keepsOf(spread, stage));
    // Places that are alike hold the same; how many micro-batches are in flight differs.
    const AlikePlaces alike = alikePlaces(spread);
    std::vector<PlanMemory> held;
    for (const std::int64_t place : alike.example)
        held.push_back(statesOf(spread, place, framework));
    std::vector<PlanMemory> rows;
    for (std::size_t place = 0; place < alike.classOf.size(); ++place) {
        const StageKeeps worst = peakOf(orders.ranks[place], keeps);
        PlanMemory& row = rows.emplace_back(held[alike.classOf[place]]);
        row.activations = clamped(worst.layers);
        row.buffers = clamped(WideCount{row.buffers} + worst.ends);
    }
    return rows;
}

std::int64_t leastMemory(const SpreadModel& spread, std::int64_t framework)
{
    const PlanLayout& layout = *spread.layout;
    WideCount dense = 0;
    WideCount experts = 0;
    WideCount denseBytes = 0;
    WideCount expertBytes = 0;
    WideCount kept = 0;
    for (const StageShare& stage : spread.stages) {
        for (std::size_t part = 0; part < spread.parts(); ++part) {
            const PartShare& share = spread.part(part);
            const std::int64_t count = spread.countOf(stage, part);
            dense += WideCount{share.denseParameters} * count;
            experts += WideCount{share.expertParameters} * count;
            denseBytes += WideCount{share.denseBytes} * count;
            expertBytes += WideCount{share.expertBytes} * count;
            kept += part < spread.kinds.size() ? WideCount{share.kept} * count : 0;
        }
    }
    const std::int64_t gradient = bytesOf(spread.model->types.grad);
    const std::int64_t optimizer = optimizerBytes(*spread.model);
    const WideCount states = sharedBytes(layout, 3, denseBytes, expertBytes) + sharedBytes(layout, 2, dense * gradient, experts * gradient) + sharedBytes(layout, 1, dense * optimizer, experts * optimizer);
    return clamped((states + kept) / layout.pipelineSize + framework);
}

} // namespace fabricscope
