#include "core/report/placedfigures.h"

#include "core/base/index.h"
#include "core/base/rankset.h"
#include "core/planner/placementrows.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

namespace fabricscope {

namespace {

SimTime timeOf(double seconds)
{
    return {std::llround(std::min(seconds * static_cast<double>(kPsPerSecond), 9e18))};
}

std::vector<PlacedDevices> deviceRows(const DesignPlacement& placed)
{
    const std::vector<PlacedMemoryRow> memory = placedMemoryRows(placed.problem, placed.placement);
    const std::vector<double>& ratios = placed.placement.ratios.front().ratios();
    std::vector<std::pair<PlacedDevices, RankSet>> rows;
    std::map<std::tuple<double, double, std::int64_t>, std::size_t> known;
    std::int64_t device = 0;
    for (std::size_t t = 0; t < placed.problem.cluster.types.size(); ++t) {
        const DeviceType& type = placed.problem.cluster.types[t];
        const auto capacity = static_cast<std::int64_t>(type.memory);
        const auto [row, fresh] = known.emplace(std::tuple(type.speed, ratios[at(device)], capacity), rows.size());
        if (fresh)
            rows.push_back({{{}, 0, type.speed, ratios[at(device)], static_cast<std::int64_t>(std::ceil(memory[t].peak - 1e-6)), capacity}, {}});
        rows[row->second].first.count += type.count;
        for (std::int64_t i = 0; i < type.count; ++i, ++device)
            rows[row->second].second.add(device);
    }
    std::vector<PlacedDevices> out;
    for (auto& [row, devices] : rows) {
        row.name = "NPU " + devices.text();
        out.push_back(std::move(row));
    }
    return out;
}

Activity activityOf(const PlacedStep& step)
{
    if (step.kind == PlacedStep::Kind::Compute)
        return Activity::Compute;
    if (step.kind == PlacedStep::Kind::Slice)
        return Activity::Memory;
    switch (step.collective) {
    case ShareCollective::AllGather:
    case ShareCollective::GroupedAllGather:
        return Activity::AllGather;
    case ShareCollective::ReduceScatter:
    case ShareCollective::GroupedReduceScatter:
        return Activity::ReduceScatter;
    case ShareCollective::AllToAll:
        return Activity::AllToAll;
    case ShareCollective::AllReduce:
        break;
    }
    return Activity::AllReduce;
}

/// A stage ends where all devices wait for a collective; gradients that are reduced beside the backward pass end none.
std::vector<PlacedInstruction> instructionRows(const DesignPlacement& placed)
{
    using Part = PlacedInstruction::Part;
    const PlacementProblem& problem = placed.problem;
    const UnequalPlacement& placement = placed.placement;
    std::vector<PlacedInstruction> rows;
    std::int32_t stage = 1;
    bool computed = false;
    for (const PlacedStep& step : placement.program.steps) {
        if (!isShownStep(step, placement))
            continue;
        const bool computes = step.kind == PlacedStep::Kind::Compute;
        const Part part = computes ? Part::Computing : step.behind ? Part::Gradients : Part::Entering;
        if (step.kind == PlacedStep::Kind::Collective && part == Part::Entering && computed) {
            ++stage;
            computed = false;
        }
        computed = computed || computes;
        const ChosenForm* const form = simulatedFormOf(problem, placement, placed.times, step);
        const std::string_view how = computes ? wordOf(step.word) : form ? keyOf(kShareForms, form->form) : std::string_view();
        rows.push_back({stage, part, activityOf(step), std::string(shownKindOf(step, form)), madeBy(problem.graph, step), std::string(how), step.makes.text(),
            static_cast<std::int64_t>(problem.graph.tensors[at(step.tensor)].bytes), ownersOfStep(problem, step, placement), timeOf(secondsOf(problem.cluster, step.terms, placement.ratios))});
    }
    return rows;
}

} // namespace

PlacementFigures figuresOf(const DesignPlacement& placed)
{
    const UnequalPlacement& placement = placed.placement;
    PlacementFigures figures;
    figures.devices = deviceRows(placed);
    figures.program = instructionRows(placed);
    const auto add = [&](const char* name, const std::optional<double>& cost, const std::optional<SimulatedProgram>& simulated) {
        if (cost)
            figures.times.push_back({name, timeOf(*cost), simulated ? std::optional(SimTime{simulated->ns * kPsPerNs}) : std::nullopt});
    };
    add("Found", placement.cost, placed.times.program);
    add("Even ratios", placement.even, placed.times.even);
    add("DP-EV", placement.dataParallelEven, placed.times.dataParallelEven);
    add("DP-CP", placement.dataParallelProportional, placed.times.dataParallelProportional);
    if (placed.times.program) {
        figures.times.front().estimate = {placed.times.program->costNs * kPsPerNs};
        for (const TimeDifference& row : placed.times.program->difference)
            figures.way.emplace_back(causeText(row.cause), SimTime{row.ns * kPsPerNs});
    }
    figures.note = placed.times.reason;
    figures.states = placement.expanded;
    figures.proved = placement.proved;
    return figures;
}

std::shared_ptr<const PlanFigures> placedFigures(const DesignPlacement& placed)
{
    auto figures = std::make_shared<PlanFigures>();
    figures->ranks = placed.problem.cluster.devices();
    figures->placement = std::make_shared<const PlacementFigures>(figuresOf(placed));
    return figures;
}

} // namespace fabricscope
