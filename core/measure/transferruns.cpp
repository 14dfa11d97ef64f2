#include "core/measure/measuredtransfers.h"

#include "core/scenario/lowering.h"
#include "core/sim/simulate.h"

namespace fabricscope {

namespace {

Quantity bytesOf(const MeasuredTransfer& transfer)
{
    return {static_cast<double>(transfer.bytes), "B", Measure::Size};
}

WorkloadSpec workloadOf(const MeasuredTransfer& transfer)
{
    if (!transfer.message)
        return SingleCollective{transfer.op, bytesOf(transfer)};
    const auto half = [&transfer](Step::Kind kind, int rank) {
        Step step;
        step.kind = kind;
        step.bytes = bytesOf(transfer);
        step.peer = std::to_string(1 - rank);
        step.ranks = RankSet::single(rank);
        return step;
    };
    StepsWorkload steps;
    steps.steps.push_back(half(Step::Kind::Send, 0));
    steps.steps.push_back(half(Step::Kind::Receive, 1));
    return steps;
}

/// The NPUs of its nodes, which lie along the first dimension; empty: they do not fit.
std::vector<NodeId> npusOf(const Platform& platform, const MeasuredTransfer& transfer)
{
    const std::int32_t perNode = transfer.gpus / transfer.nodes;
    const std::int32_t inside = platform.dimensions().empty() ? platform.npuCount() : platform.dimensions().front().size;
    // A flat fabric of as many NPUs stands for all of the nodes together.
    const bool flat = transfer.nodes > 1 && platform.dimensions().size() == 1 && inside == transfer.gpus;
    const std::int32_t stride = flat ? perNode : inside;
    if (perNode > inside || (transfer.nodes - 1) * stride + perNode > platform.npuCount())
        return {};
    std::vector<NodeId> npus;
    for (std::int32_t node = 0; node < transfer.nodes; ++node) {
        for (std::int32_t gpu = 0; gpu < perNode; ++gpu)
            npus.push_back(node * stride + gpu);
    }
    return npus;
}

} // namespace

Result<double> simulatedSeconds(const Design& fabric, const MeasuredTransfer& transfer, const std::stop_token& stop)
{
    if (!fabric.platform)
        return Error{ErrorCode::Unsupported, "the fabric has no platform", {}, "a platform"};
    const Result<Platform> platform = Platform::create(*fabric.platform);
    if (!platform)
        return platform.error();
    Placement::Job job;
    job.nodes = npusOf(platform.value(), transfer);
    job.ranks = transfer.gpus;
    if (job.nodes.empty())
        return Error{ErrorCode::Unsupported, "the fabric has no " + std::to_string(transfer.nodes) + " nodes of " + std::to_string(transfer.gpus / transfer.nodes) + " NPUs", {}, "a larger fabric"};
    Design design = fabric;
    design.jobs.clear();
    if (platform.value().npuCount() != transfer.gpus)
        design.jobs = {job};
    design.workload = std::make_shared<const WorkloadSpec>(workloadOf(transfer));
    const Result<ScenarioPtr> scenario = prepare(design, 1, stop);
    if (!scenario)
        return scenario.error();
    RunOptions options;
    options.taskTimes = false;
    const Result<RunRecord> record = simulate(*scenario.value(), options, stop);
    if (!record)
        return record.error();
    return static_cast<double>(record.value().finish.ps) * 1e-12;
}

} // namespace fabricscope
