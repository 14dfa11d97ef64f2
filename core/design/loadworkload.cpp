#include "core/design/loadworkload.h"

#include "core/design/computeconfig.h"
#include "core/design/joinjobs.h"
#include "core/design/plankernels.h"
#include "core/design/steps/steps.h"
#include "core/plan/lower/planworkload.h"
#include "core/workload/goalreader.h"
#include "core/workload/traceworkload.h"

#include <set>
#include <type_traits>

namespace fabricscope {

namespace {

/// One warning when a node's involved_dim says nothing about some dimensions; they take no part then. O(nodes of distinct ranks).
void warnAboutShortMasks(const TraceSet& traces, std::size_t dimensions, Diagnostics& diagnostics)
{
    std::set<const RankTrace*> seen;
    for (std::int64_t rank = 0; rank < traces.rankCount(); ++rank) {
        const RankTrace& trace = traces.rank(rank);
        if (!seen.insert(&trace).second)
            continue;
        for (std::uint32_t node = 0; node < trace.size(); ++node) {
            if (!trace.has(node, EtField::InvolvedDim))
                continue;
            const std::int64_t listed = trace.value(node, EtField::InvolvedDim) >> 32;
            if (listed >= static_cast<std::int64_t>(dimensions))
                continue;
            Place place = traces.place(rank, node);
            place.field = "involved_dim";
            diagnostics.push_back(warning("involved-dim-short",
                                          std::to_string(listed) + " of " + std::to_string(dimensions) + " dimensions are listed: the others take no part", place));
            return;
        }
    }
}

Result<LoadedWorkload> fromTraces(const Design& design, const TraceWorkload& trace, std::int32_t ranks, const Platform& platform, int threads,
                                  const std::stop_token& stop)
{
    if (const std::string path = design.resolve(trace.prefix); isGoalFile(path)) {
        LoadedWorkload loaded;
        auto read = workloadOfGoalFile(path, ranks, loaded.diagnostics, stop);
        if (!read)
            return std::move(read).error();
        loaded.workload = std::move(read).value();
        return loaded;
    }
    auto traces = TraceSet::load(design.resolve(trace.prefix), {ranks, threads, stop});
    if (!traces)
        return std::move(traces).error();
    if (design.jobs.empty() && platform.remainingNpus() < platform.npuCount() && traces.value().surplusFiles() > 0) {
        const std::string needed = std::to_string(ranks + traces.value().surplusFiles());
        return invalidInput(needed + " ranks need " + needed + " NPUs; " + std::to_string(ranks) + " are left", design.place("workload.trace"),
                            "traces of " + std::to_string(ranks) + " ranks, or a placement");
    }
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
    options.tensors = design.compute && design.compute->memory && design.compute->memory->follow;
    options.astraRules = traitsOf(design.model.model).referenceTraces;
    options.stop = stop;
    if (stop.stop_requested())
        return Error{ErrorCode::Cancelled, "reading the traces was stopped", {}, {}};
    auto built = workloadFromTraces(traces.value(), groups, options);
    if (!built)
        return std::move(built).error();
    warnAboutShortMasks(traces.value(), platform.dimensions().size(), built.value().diagnostics);
    return LoadedWorkload{std::move(built.value().workload), std::move(built.value().diagnostics)};
}

/// What `placement.rankCount()` ranks run, placed like this. `field`: of the workload in the design.
template <typename Spec>
Result<LoadedWorkload> fromSpec(const Design& design, const Spec& spec, const std::string& field, const Placement& placement, const Platform& platform, int threads,
                                const std::stop_token& stop)
{
    if (const auto* trace = std::get_if<TraceWorkload>(&spec))
        return fromTraces(design, *trace, placement.rankCount(), platform, threads, stop);
    Result<WorkloadPtr> built = invalidInput("nothing says what runs", design.place(field), "trace, steps or collective");
    if (const auto* steps = std::get_if<StepsWorkload>(&spec))
        built = workloadFromSteps(*steps, platform, placement, stop);
    else if (const auto* single = std::get_if<SingleCollective>(&spec))
        built = workloadFromCollective(*single, placement.rankCount());
    else if constexpr (std::is_same_v<Spec, WorkloadSpec>) {
        const std::optional<NpuKernels> kernels = planKernels(design);
        if (const auto* planned = std::get_if<PlannedWorkload>(&spec))
            built = lowerPlan(*planned->plan, planned->model.get(), placement.rankCount(), stop, kernels ? &*kernels : nullptr);
    }
    if (built)
        return LoadedWorkload{std::move(built).value(), {}};
    Error error = std::move(built).error();
    if (error.place.empty())
        error.place = design.place(field);
    else if (error.place.file.empty() && !error.place.field.empty())
        error.place = design.place(error.place.field.starts_with("workload") ? field + error.place.field.substr(std::string("workload").size()) : error.place.field);
    return error;
}

Result<LoadedWorkload> fromJobs(const Design& design, const JobsWorkload& jobs, const Platform& platform, int threads, const std::stop_token& stop)
{
    if (jobs.jobs.empty() || jobs.jobs.size() != design.jobs.size())
        return invalidInput("not every job has its place", design.place("workload.jobs"), "ranks and their NPUs for every job");
    LoadedWorkload loaded;
    std::vector<WorkloadPtr> parts;
    for (std::size_t j = 0; j < jobs.jobs.size(); ++j) {
        auto placement = Placement::create({design.jobs[j]}, platform);
        if (!placement)
            return std::move(placement).error();
        auto part = fromSpec(design, jobs.jobs[j].runs, "workload.jobs[" + std::to_string(j) + "]", placement.value(), platform, threads, stop);
        if (!part)
            return part;
        loaded.diagnostics.insert(loaded.diagnostics.end(), part.value().diagnostics.begin(), part.value().diagnostics.end());
        parts.push_back(std::move(part).value().workload);
    }
    auto joined = joinJobs(parts, design.jobs);
    if (!joined)
        return std::move(joined).error();
    loaded.workload = std::move(joined).value();
    return loaded;
}

} // namespace

Result<LoadedWorkload> loadWorkload(const Design& design, const Platform& platform, int threads)
{
    return loadWorkload(design, platform, threads, {});
}

Result<LoadedWorkload> loadWorkload(const Design& design, const Platform& platform, int threads, const std::stop_token& stop)
{
    Placement placement = Placement::onRemaining(platform, platform.remainingNpus());
    if (!design.jobs.empty()) {
        auto created = Placement::create(design.jobs, platform);
        if (!created)
            return std::move(created).error();
        placement = std::move(created).value();
    }
    if (!design.workload || std::holds_alternative<std::monostate>(*design.workload))
        return invalidInput("the design has no workload", design.place("workload"), "trace, steps, collective or plan");
    if (const auto* jobs = std::get_if<JobsWorkload>(design.workload.get()))
        return fromJobs(design, *jobs, platform, threads, stop);
    return fromSpec(design, *design.workload, "workload", placement, platform, threads, stop);
}

} // namespace fabricscope
