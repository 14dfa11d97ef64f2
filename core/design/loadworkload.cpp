#include "core/design/design.h"
#include "core/design/steps.h"
#include "core/workload/traceworkload.h"

namespace fabricscope {

namespace {

Result<LoadedWorkload> fromTraces(const Design& design, const TraceWorkload& trace, std::int32_t ranks, int threads)
{
    auto traces = TraceSet::load(design.resolve(trace.prefix), {ranks, threads});
    if (!traces)
        return std::move(traces).error();
    CommGroups groups;
    if (!trace.commGroups.empty()) {
        auto read = readCommGroups(design.resolve(trace.commGroups));
        if (!read)
            return std::move(read).error();
        groups = std::move(read).value();
    }
    TraceWorkloadOptions options;
    options.ctrlDeps = trace.ctrlDeps;
    options.bytesPerElement = trace.bytesPerElement;
    options.rankCount = ranks;
    options.astraRules = isAstra(design.model.model);
    auto built = workloadFromTraces(traces.value(), groups, options);
    if (!built)
        return std::move(built).error();
    return LoadedWorkload{std::move(built.value().workload), std::move(built.value().diagnostics)};
}

} // namespace

Result<LoadedWorkload> loadWorkload(const Design& design, const Platform& platform, int threads)
{
    Placement placement = Placement::identity(platform.npuCount());
    if (!design.jobs.empty()) {
        auto created = Placement::create(design.jobs, platform.npuCount());
        if (!created)
            return std::move(created).error();
        placement = std::move(created).value();
    }
    if (!design.workload || std::holds_alternative<std::monostate>(*design.workload))
        return invalidInput("the design has no workload", design.place("workload"), "trace, steps or collective");
    if (const auto* trace = std::get_if<TraceWorkload>(design.workload.get()))
        return fromTraces(design, *trace, placement.rankCount(), threads);
    auto built = std::holds_alternative<StepsWorkload>(*design.workload)
        ? workloadFromSteps(std::get<StepsWorkload>(*design.workload), platform, placement)
        : workloadFromCollective(std::get<SingleCollective>(*design.workload), placement.rankCount());
    if (built)
        return LoadedWorkload{std::move(built).value(), {}};
    Error error = std::move(built).error();
    if (error.place.empty())
        error.place = design.place("workload");
    return error;
}

} // namespace fabricscope
