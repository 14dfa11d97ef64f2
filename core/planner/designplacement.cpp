#include "core/planner/designplacement.h"

#include "core/base/index.h"
#include "core/base/quantity.h"
#include "core/design/computeconfig.h"
#include "core/model/modelspec.h"
#include "core/plan/planspec.h"
#include "core/planner/placedworkload.h"
#include "core/planner/specgraph.h"
#include "core/scenario/computeparams.h"

namespace fabricscope {

namespace {

const PlannedWorkload* hapWorkload(const Design& design)
{
    const auto* planned = design.workload ? std::get_if<PlannedWorkload>(design.workload.get()) : nullptr;
    return planned && planned->plan->placement == PlanPlacement::Hap ? planned : nullptr;
}

Error atField(const Design& design, Error error, const char* field)
{
    if (error.code != ErrorCode::Cancelled && error.place.file.empty())
        error.place = design.place(field);
    return error;
}

/// NPUs in a row that are alike become one type.
Result<UnequalCluster> clusterOf(const Design& design, const Platform& platform)
{
    constexpr std::int64_t kLargeOperations = 1'000'000'000'000;
    const double share = static_cast<double>(efficiencyOf(design.compute ? *design.compute : ComputeConfig{}).operationsShare("", kLargeOperations)) / static_cast<double>(kMillion);
    const double framework = std::get<PlannedWorkload>(*design.workload).plan->framework.base();
    std::map<NodeId, const NpuOverride*> changes;
    for (const NpuOverride& change : platform.spec().npuOverrides)
        changes.emplace(change.node, &change);
    UnequalCluster cluster;
    for (NodeId npu = 0; npu < platform.npuCount(); ++npu) {
        if (platform.isNpuRemoved(npu))
            continue;
        const auto peak = platform.peak(npu);
        if (!peak)
            return invalidInput("placement: hap needs the peak of NPU " + std::to_string(npu), design.place("platform.npu"), "platform.npu.peak, or one among overrides");
        const auto change = changes.find(npu);
        const auto memory = change != changes.end() && change->second->memory ? change->second->memory : platform.spec().npu.memory;
        const double bytes = memory ? memory->base() - framework : 0;
        if (memory && bytes <= 0)
            return invalidInput("libraries take all memory of NPU " + std::to_string(npu), design.place("workload.plan.framework"), "less than " + memory->text());
        const double speed = static_cast<double>(peak->flopsPerSecond) * platform.speed(npu) * share;
        if (cluster.types.empty() || cluster.types.back().speed != speed || cluster.types.back().memory != bytes)
            cluster.types.push_back({"NPU " + std::to_string(npu), speed, 0, bytes});
        DeviceType& type = cluster.types.back();
        ++type.count;
    }
    for (std::int64_t first = 0; DeviceType& type : cluster.types) {
        type.name = type.count == 1 ? "NPU " + std::to_string(first) : "NPU " + std::to_string(first) + "-" + std::to_string(first + type.count - 1);
        first += type.count;
    }
    return cluster;
}

/// Bytes of the optimiser for each byte of a parameter.
double optimizerBytes(const ModelSpec& model)
{
    const double copy = model.types.master == model.types.param ? 0 : static_cast<double>(bytesOf(model.types.master));
    const bool two = model.optimizer == OptimizerKind::Adam || model.optimizer == OptimizerKind::AdamW || model.optimizer == OptimizerKind::Lamb;
    const double moments = (two ? 2 : model.optimizer == OptimizerKind::Momentum ? 1 : 0) * static_cast<double>(bytesOf(model.types.moments));
    return (copy + moments) / static_cast<double>(bytesOf(model.types.param));
}

Result<PlacementProblem> problemOf(const Design& design, const ModelSpec& model, const Platform& platform)
{
    if (model.train.global < 1)
        return invalidInput("placement: hap needs the sequences of a step", design.place("workload.model"), "model.train.global_batch");
    auto cluster = clusterOf(design, platform);
    if (!cluster)
        return cluster.error();
    const Result<ModelGraph> graph = graphOfModel(model, model.train.global);
    if (!graph)
        return atField(design, graph.error(), "workload.model");
    auto placed = placedGraphOf(graph.value().graph, graph.value().notes);
    if (!placed)
        return atField(design, placed.error(), "workload.model");
    PlacementProblem problem;
    problem.graph = std::move(placed).value();
    problem.cluster = std::move(cluster).value();
    problem.theory.gradientBytes = static_cast<double>(bytesOf(model.types.grad)) / static_cast<double>(bytesOf(model.types.param));
    problem.theory.optimizerBytes = optimizerBytes(model);
    problem.segmentOf.assign(problem.graph.ops.size(), 0);
    return problem;
}

} // namespace

bool isPlacedByHap(const Design& design)
{
    return hapWorkload(design) != nullptr;
}

Result<DesignPlacement> placeDesign(const Design& design, const std::stop_token& stop, PlacementWatch* watch)
{
    const PlannedWorkload& planned = *hapWorkload(design);
    if (!design.jobs.empty())
        return Error{ErrorCode::Unsupported, "placement: hap places one model on all NPUs, not on those of a job", design.place("placement"), "no placement of jobs"};
    if (!traitsOf(design.model.model).ownCollectives)
        return Error{ErrorCode::Unsupported, "placement: hap sends parts of different size, which models of ASTRA-sim do not have", design.place("model"), "model links, ideal or flow"};
    auto simulation = ClusterSimulation::create(design, stop);
    if (!simulation)
        return simulation.error();
    auto problem = problemOf(design, *planned.model, simulation.value().platform());
    if (!problem)
        return problem.error();
    DesignPlacement made{std::move(problem).value(), {}, {}, nullptr};
    const auto atPlacement = [&](Error error) { return atField(design, std::move(error), "workload.plan.placement"); };
    if (Status status = simulation.value().timeCollectives(made.problem.cluster, made.problem.mostBytes(), stop); !status)
        return atPlacement(status.error());
    if (watch)
        watch->stage = PlacementWatch::Stage::Searching;
    auto placement = place(made.problem, SearchMethod::Bound, stop, watch);
    if (!placement)
        return atPlacement(placement.error());
    made.placement = std::move(placement).value();
    if (watch)
        watch->stage = PlacementWatch::Stage::Simulating;
    auto times = simulatePlacement(made.problem, made.placement, &simulation.value(), stop);
    if (!times)
        return atPlacement(times.error());
    made.times = std::move(times).value();
    auto workload = workloadOf(made.problem, made.placement.program, made.placement.ratios, made.times.program->forms, GradientOrder::Beside);
    if (!workload)
        return atPlacement(workload.error());
    made.workload = std::move(workload).value();
    return made;
}

} // namespace fabricscope
