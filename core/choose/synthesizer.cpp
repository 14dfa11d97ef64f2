#include "core/choose/synthesizer.h"

#include "core/base/index.h"
#include "core/bounds/bounds.h"
#include "core/scenario/lowering.h"
#include "core/sim/simulate.h"

#include <algorithm>
#include <numeric>

namespace fabricscope {

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
        GroupLayout& layout = structure->layouts[at(instance.layout)];
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
