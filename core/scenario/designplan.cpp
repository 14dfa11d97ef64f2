#include "core/scenario/designplan.h"

#include "core/platform/placement.h"
#include "core/scenario/computeparams.h"

#include <algorithm>
#include <cmath>

namespace fabricscope {

namespace {

/// A part of a group that lies in one dimension of the platform.
struct Span {
    double size = 1;
    double rate = 0;    ///< Bytes/s of one NPU.
    double latency = 0; ///< Seconds of a message.
};


/// A span of every dimension of a platform, whole.
std::vector<Span> dimensionSpans(const Platform& platform)
{
    std::vector<Span> spans;
    for (const Dimension& dimension : platform.dimensions()) {
        spans.push_back({static_cast<double>(dimension.size), static_cast<double>(dimension.npuBandwidth().bytesPerSecond),
                         static_cast<double>(dimension.linkLatency().ps) * 1e-12 * (dimension.shape == Shape::Switch ? 2 : 1)});
    }
    return spans;
}

/// The dimensions that the axes of a group go along, the lowest first; ranks stand on NPUs of the same number.
std::vector<Span> spansOf(const PlanGroup& group, const std::vector<Span>& dimensions)
{
    std::vector<Span> spans;
    std::int64_t stride = 1;
    for (const Span& dimension : dimensions) {
        const auto size = static_cast<std::int64_t>(dimension.size);
        std::int64_t inside = 1;
        for (const GroupFamily::Axis& axis : group.axes) {
            // Both are runs of numbers: [stride, stride x size).
            const std::int64_t low = std::max(stride, axis.stride);
            const std::int64_t high = std::min(stride * size, axis.stride * axis.size);
            if (high > low)
                inside *= std::max<std::int64_t>(1, high / low);
        }
        if (inside > 1)
            spans.push_back({static_cast<double>(inside), dimension.rate, dimension.latency});
        stride *= size;
    }
    return spans;
}

/// Bandwidth-optimal phases, one dimension after another; every step pays the latency once.
double collectiveSeconds(const PlanCommunication& row, const std::vector<Span>& spans)
{
    const auto bytes = static_cast<double>(row.bytes);
    if (spans.empty())
        return 0;
    if (row.kind == PlanCommunication::Kind::Send) {
        const auto slowest = std::min_element(spans.begin(), spans.end(), [](const Span& a, const Span& b) { return a.rate < b.rate; });
        return slowest->latency + bytes / slowest->rate;
    }
    double seconds = 0;
    double part = bytes;
    for (const Span& span : spans) {
        seconds += (span.size - 1) * span.latency + part * (span.size - 1) / span.size / span.rate;
        if (row.kind != PlanCommunication::Kind::AllToAll)
            part /= span.size;
    }
    return row.kind == PlanCommunication::Kind::AllReduce ? 2 * seconds : seconds;
}

double opSeconds(const ComputeParams& tables, const NpuSpec& npu, const std::string& name, double operations, double bytes)
{
    const auto whole = [](double value) { return static_cast<std::int64_t>(std::clamp(value, 0.0, 9e18)); };
    const auto share = [](std::int64_t of) { return static_cast<double>(of) / static_cast<double>(kMillion); };
    const double computing = npu.peak && operations > 0 ? operations / (npu.peak->base() * share(tables.operationsShare(name, whole(operations)))) : 0;
    const double moving = npu.memoryBandwidth && bytes > 0 ? bytes / (npu.memoryBandwidth->base() * share(tables.bytesShare(name, whole(bytes)))) : 0;
    return std::max(computing, moving);
}

} // namespace

PlanNpu planNpuOf(const Design& design, const Platform& platform)
{
    const NpuSpec& spec = platform.spec().npu;
    PlanNpu npu;
    if (spec.peak && spec.peak->base() > 0) {
        npu.peak = spec.peak->base();
        npu.seconds = [tables = efficiencyOf(design.compute ? *design.compute : ComputeConfig{}), spec](const std::string& name, double operations, double bytes) { return opSeconds(tables, spec, name, operations, bytes); };
    }
    if (spec.memoryBandwidth && spec.memoryBandwidth->base() > 0)
        npu.memoryBandwidth = spec.memoryBandwidth->base();
    if (spec.memory)
        npu.memory = toBytes(*spec.memory).value;
    if (!platform.isExplicit())
        npu.communication = [dimensions = dimensionSpans(platform)](const PlanCommunication& row) { return collectiveSeconds(row, spansOf(row.group, dimensions)); };
    return npu;
}

std::string planEstimateText(const Design& design, const Platform& platform, const PlannedWorkload& planned)
{
    std::string text = planned.model ? "ops: the larger of operations / peak and bytes / memory bandwidth" : "times of stages as given";
    if (planned.model && design.compute && design.compute->hasEfficiency())
        text += ", with compute.efficiency";
    text += planned.model ? "; collectives" : "; messages";
    return text + (platform.isExplicit() ? " take no time: the platform is a graph" : " alone, dimension by dimension");
}

Result<std::int64_t> planRanks(const Design& design, const Platform& platform)
{
    if (design.jobs.empty())
        return platform.remainingNpus();
    const auto placement = Placement::create(design.jobs, platform);
    if (!placement)
        return placement.error();
    return placement.value().rankCount();
}

Result<DesignPlan> analyseDesign(const Design& design, const std::stop_token& stop)
{
    const auto* planned = design.workload ? std::get_if<PlannedWorkload>(design.workload.get()) : nullptr;
    if (planned && planned->plan->graph)
        return Error{ErrorCode::Unsupported, "the workload of this design is a sharded graph, which has no plan", design.place("workload.shard"), "the command shard, or workload: {model: ..., plan: ...}"};
    if (!planned)
        return invalidInput("the workload of this design is no plan", design.place("workload"), "workload: {model: ..., plan: ...}");
    Diagnostics noticed = validate(design, stop);
    for (const Diagnostic& problem : noticed) {
        if (problem.severity == Severity::Error)
            return toError(problem);
    }
    auto platform = Platform::create(*design.platform, stop);
    if (!platform)
        return std::move(platform).error();
    const Result<std::int64_t> counted = planRanks(design, platform.value());
    if (!counted)
        return counted.error();
    const std::int64_t ranks = counted.value();
    auto analysis = analysePlan(planned->model.get(), *planned->plan, ranks, planNpuOf(design, platform.value()));
    if (!analysis) {
        Error error = std::move(analysis).error();
        if (error.place.file.empty())
            error.place = design.place(error.place.field.empty() ? "workload.plan" : error.place.field);
        return error;
    }
    DesignPlan out{std::move(analysis).value(), planEstimateText(design, platform.value(), *planned)};
    for (Diagnostic& finding : out.analysis.findings)
        finding.place = design.place(finding.place.field);
    out.analysis.findings.insert(out.analysis.findings.begin(), noticed.begin(), noticed.end());
    return out;
}

} // namespace fabricscope
