#include "core/plan/analysis.h"

#include "core/plan/inference/analyseinference.h"
#include "core/plan/pipeline/timing.h"
#include "core/plan/sends.h"
#include "core/plan/statebytes.h"
#include "core/plan/steptime.h"

#include <algorithm>
#include <map>

namespace fabricscope {

namespace {

/// Everybody's matrix products of a step.
void addFlops(const SpreadModel& spread, PlanAnalysis& out)
{
    const PlanLayout& layout = *spread.layout;
    WideCount executed = 0;
    WideCount usual = 0;
    for (const StageShare& stage : spread.stages) {
        for (std::size_t part = 0; part < spread.parts(); ++part) {
            const MatrixFlops& flops = spread.part(part).flops;
            const WideCount again = part >= spread.kinds.size() ? 0 : layout.recompute == Recompute::Full ? flops.forward : layout.recompute == Recompute::Selective ? flops.core : 0;
            const std::int64_t count = spread.countOf(stage, part);
            executed += (flops.forward + flops.backward + again) * count;
            usual += flops.usual * count;
        }
    }
    const WideCount batches = WideCount{layout.microBatches} * layout.replicas;
    out.stepFlops = executed * batches;
    out.modelFlops = usual * batches;
}

/// Ranks of the places whose rows are alike, and the rows once each.
template <class Row, class Same>
std::vector<Row> joined(const std::vector<Row>& rows, const PlanLayout& layout, Same same)
{
    std::vector<Row> out;
    std::vector<std::vector<bool>> whose;
    for (std::size_t place = 0; place < rows.size(); ++place) {
        const auto found = std::find_if(out.begin(), out.end(), [&](const Row& other) { return same(other, rows[place]); });
        const auto index = static_cast<std::size_t>(found - out.begin());
        if (found == out.end()) {
            out.push_back(rows[place]);
            whose.emplace_back(rows.size(), false);
        }
        whose[index][place] = true;
    }
    for (std::size_t i = 0; i < out.size(); ++i)
        out[i].ranks = layout.grid.ranksWith(layout.pipelineAxis, whose[i]);
    return out;
}

bool isSameMemory(const PlanMemory& a, const PlanMemory& b)
{
    return a.parameters == b.parameters && a.gradients == b.gradients && a.optimizer == b.optimizer && a.activations == b.activations && a.buffers == b.buffers && a.kvCache == b.kvCache;
}

std::vector<PlanStage> stageRows(const PlanLayout& layout, const PipelineOrders& orders)
{
    const std::vector<std::int64_t> inFlight = peakInFlight(orders);
    std::vector<PlanStage> rows;
    for (std::int64_t place = 0; place < layout.pipelineSize; ++place) {
        PlanStage& row = rows.emplace_back();
        row.stage = place;
        row.inFlight = inFlight[static_cast<std::size_t>(place)];
        for (const std::int64_t stage : layout.stagesOfRank(place))
            row.layers += layout.stageLayers[static_cast<std::size_t>(stage)];
        std::vector<bool> wanted(static_cast<std::size_t>(layout.pipelineSize), false);
        wanted[static_cast<std::size_t>(place)] = true;
        row.ranks = layout.grid.ranksWith(layout.pipelineAxis, wanted);
    }
    return rows;
}

Result<PipelineOrders> ordersOf(const PlanLayout& layout)
{
    auto orders = pipelineOrders(layout.shape);
    if (orders)
        return orders;
    Error error = std::move(orders).error();
    error.place.field = "workload.plan.pipeline." + (error.place.field.empty() ? std::string("schedule") : error.place.field);
    return error;
}

/// The worst peak of a changed plan; nothing where it cannot be, or surely is more than `memory`.
std::optional<std::int64_t> peakOfPlan(const ModelSpec& model, const PlanSpec& plan, std::int64_t ranks, std::int64_t memory)
{
    const auto layout = layoutOf(&model, plan, ranks);
    if (!layout)
        return std::nullopt;
    const auto spread = spreadModel(model, layout.value());
    if (!spread || leastMemory(spread.value(), toBytes(plan.framework).value) > memory)
        return std::nullopt;
    const auto orders = ordersOf(layout.value());
    if (!orders)
        return std::nullopt;
    std::int64_t worst = 0;
    for (const PlanMemory& row : memoryOfPlaces(spread.value(), orders.value(), toBytes(plan.framework).value))
        worst = std::max(worst, row.peak());
    return worst;
}

void addRates(const SpreadModel& spread, const PlanNpu& npu, PlanAnalysis& out)
{
    const PlanLayout& layout = *spread.layout;
    const double step = out.times->step;
    if (!(step > 0))
        return;
    if (npu.peak) {
        const double whole = *npu.peak * static_cast<double>(layout.grid.ranks()) * step;
        out.mfu = static_cast<double>(out.modelFlops) / whole;
        out.hfu = static_cast<double>(out.stepFlops) / whole;
    }
    out.tokensPerSecond = static_cast<double>(layout.microBatch) * static_cast<double>(layout.microBatches) * static_cast<double>(layout.replicas) * static_cast<double>(spread.seq()) / step;
}

Status addModel(const ModelSpec& model, const PlanSpec& plan, const PlanLayout& layout, const PipelineOrders& orders, const PlanNpu& npu, PlanAnalysis& out)
{
    const auto spread = spreadModel(model, layout);
    if (!spread)
        return spread.error();
    addFlops(spread.value(), out);
    out.communications = allCommunications(spread.value());
    out.memory = joined(memoryOfPlaces(spread.value(), orders, toBytes(plan.framework).value), layout, isSameMemory);
    if (npu.memory) {
        const auto peakOf = [&](const PlanSpec& changed, std::int64_t microBatch) {
            ModelSpec spec = model;
            spec.train.micro = microBatch;
            return peakOfPlan(spec, changed, layout.grid.ranks(), *npu.memory);
        };
        if (auto finding = memoryFinding(out.memory, *npu.memory, plan, model.train.micro, peakOf))
            out.findings.push_back(std::move(*finding));
    }
    if (!npu.peak && !npu.seconds)
        return {};
    auto times = stepTimes(spread.value(), orders, npu);
    if (!times)
        return std::move(times).error();
    out.times = times.value();
    addRates(spread.value(), npu, out);
    return {};
}

} // namespace

Result<PlanAnalysis> analysePlan(const ModelSpec* model, const PlanSpec& plan, std::int64_t ranks, const PlanNpu& npu)
{
    const auto layout = layoutOf(model, plan, ranks);
    if (!layout)
        return layout.error();
    auto made = ordersOf(layout.value());
    if (!made)
        return std::move(made).error();
    PlanAnalysis out;
    out.orders = std::make_shared<const PipelineOrders>(std::move(made).value());
    const PipelineOrders& orders = *out.orders;
    out.stages = stageRows(layout.value(), orders);
    if (layout.value().inference) {
        if (Status status = addInference(*model, plan, layout.value(), npu, out); !status)
            return std::move(status).error();
        return out;
    }
    if (model) {
        if (Status status = addModel(*model, plan, layout.value(), orders, npu, out); !status)
            return std::move(status).error();
        return out;
    }
    auto times = givenTimes(layout.value(), orders, npu);
    if (!times)
        return std::move(times).error();
    out.times = times.value();
    return out;
}

} // namespace fabricscope
