#include "core/choose/synthesizer.h"

#include "core/base/outofmemory.h"
#include "core/bounds/bounds.h"
#include "core/scenario/lowering.h"
#include "core/sim/simulate.h"
#include "core/synthesis/exact.h"
#include "core/synthesis/forest.h"
#include "core/synthesis/greedy.h"
#include "core/synthesis/treepacking.h"

#include <algorithm>
#include <numeric>
#include <optional>

namespace fabricscope {

namespace {

using Run = Result<Synthesis> (*)(const SynthesisGraph&, const SynthesisOptions&);

constexpr SynthesisMethod kMethods[] = {
    {"greedy", "Greedy matching", "Any connected platform and every collective; several seeds help."},
    {"trees", "Packed trees", "Few trees that share the links, found by multiplicative weights."},
    {"forest", "Optimal forest", "Trees at the best rate there is; for large data."},
    {"exact", "Exact search", "Fewest steps and rounds, for a few NPUs; set a time limit.", false},
};
constexpr Run kRuns[] = {synthesizeGreedy, synthesizeTrees, synthesizeForest, synthesizeExact};
constexpr CollectiveOp kOps[] = {CollectiveOp::AllGather, CollectiveOp::ReduceScatter, CollectiveOp::AllReduce,
                                 CollectiveOp::AllToAll,  CollectiveOp::Broadcast,     CollectiveOp::Reduce};
constexpr std::int32_t kAutomaticChunks[] = {1, 2, 4, 8, 16};

} // namespace

std::span<const SynthesisMethod> synthesisMethods()
{
    return kMethods;
}

std::string synthesisMethodNames()
{
    std::string names;
    for (const SynthesisMethod& method : kMethods)
        names += std::string(method.key) + ", ";
    return names + "auto";
}

std::span<const CollectiveOp> synthesisOps()
{
    return kOps;
}

std::span<const std::int32_t> automaticChunks()
{
    return kAutomaticChunks;
}

Result<SynthesisTrial> searchProgram(const SynthesisGraph& graph, const SynthesisSearch& search)
{
    std::vector<std::size_t> methods;
    for (std::size_t i = 0; i < std::size(kMethods); ++i) {
        if (search.method == "auto" ? kMethods[i].automatic : search.method == kMethods[i].key)
            methods.push_back(i);
    }
    const auto usage = [](std::string message, std::string expected) { return Error{ErrorCode::Usage, std::move(message), {}, std::move(expected)}; };
    if (methods.empty())
        return usage("there is no method \"" + search.method + '"', synthesisMethodNames());
    if (search.chunks.empty())
        return usage("there is no number of chunks to try", "at least one");
    const double trials = static_cast<double>(methods.size() * search.chunks.size());
    SynthesisOptions options = search.options;
    std::optional<SynthesisTrial> best;
    std::optional<Error> refused;
    for (std::size_t m = 0; m < methods.size(); ++m) {
        const SynthesisMethod& method = kMethods[methods[m]];
        for (std::size_t c = 0; c < search.chunks.size(); ++c) {
            if (best && options.stop.stop_requested()) {
                best->synthesis.cutShort = true;
                return *best;
            }
            options.chunks = search.chunks[c];
            if (search.options.progress) {
                const double before = static_cast<double>(m * search.chunks.size() + c);
                options.progress = [&search, before, trials](const SynthesisProgress& progress) {
                    search.options.progress({(before + progress.share) / trials, progress.best});
                };
            }
            Result<Synthesis> found = kRuns[methods[m]](graph, options);
            if (!found && best && found.error().code == ErrorCode::Cancelled) {
                best->synthesis.cutShort = true;
                return *best;
            }
            if (!found && !endsTheJob(found.error()) && (found.error().code == ErrorCode::Unsupported || best)) {
                refused = refused.value_or(found.error());
                break;
            }
            if (!found)
                return std::move(found).error();
            SynthesisTrial trial{std::string(method.key), options.chunks, std::move(found).value()};
            if (search.tried)
                search.tried(trial);
            if (!best || trial.synthesis.plannedPs < best->synthesis.plannedPs)
                best = std::move(trial);
        }
    }
    if (!best)
        return *refused;
    return *best;
}

Result<SimTime> simulatedTime(const PlatformSpec& platform, const ProgramPtr& program, std::int64_t bytes, int threads, const std::stop_token& stop,
                              std::span<const NodeId> members)
{
    // A design of one collective by the members, with the program in place of the planned one.
    Design design;
    design.platform = std::make_shared<const PlatformSpec>(platform);
    if (!members.empty()) {
        Placement::Job job;
        job.ranks = static_cast<std::int32_t>(members.size());
        job.nodes.assign(members.begin(), members.end());
        design.jobs.push_back(std::move(job));
    }
    design.workload = std::make_shared<const WorkloadSpec>(SingleCollective{CollectiveOp::AllGather, {static_cast<double>(bytes), "B", Measure::Size}});
    design.model.model = Model::Links;
    Result<ScenarioPtr> prepared = prepare(design, threads, stop);
    if (!prepared)
        return std::move(prepared).error();
    Scenario scenario = *prepared.value();
    auto structure = std::make_shared<Structure>(*scenario.structure);
    for (CollectiveInstance& instance : structure->instances) {
        instance.op = program->op;
        instance.program = program;
        GroupLayout& layout = structure->layouts[static_cast<std::size_t>(instance.layout)];
        layout = {};
        layout.extents = {program->ranks};
        layout.list.resize(static_cast<std::size_t>(program->ranks));
        std::iota(layout.list.begin(), layout.list.end(), 0);
    }
    scenario.structure = structure;
    RunOptions options;
    options.taskTimes = false;
    options.busyOverTime = false;
    const Result<RunRecord> record = simulate(scenario, options, stop);
    if (!record)
        return record.error();
    return record.value().finish;
}

Result<SimTime> leastTime(const Platform& platform, std::span<const NodeId> members, const Program& program, std::int64_t bytes, const std::stop_token& stop)
{
    // The bound takes equal shards. Where chunks have weights every end of one may be a byte off.
    const bool whole = program.op == CollectiveOp::AllReduce || program.op == CollectiveOp::Broadcast || program.op == CollectiveOp::Reduce;
    if (!whole && !program.asExplicit().chunkWeights.empty())
        bytes = std::max<std::int64_t>(bytes - std::int64_t{2} * program.chunks, 0);
    const Result<CollectiveBound> bound = collectiveBound(platform, members, program.op, bytes, program.root, stop);
    if (!bound)
        return bound.error();
    return SimTime{bound.value().timePs};
}

} // namespace fabricscope
