#include "core/run/simulateshard.h"

#include "core/base/index.h"
#include "core/base/stop.h"
#include "core/design/validate.h"
#include "core/scenario/lowering.h"
#include "core/sim/simulate.h"

#include <algorithm>

namespace fabricscope {

namespace {

/// Longest time of any rank from the issue of a step's first task to the end of its last.
std::vector<std::int64_t> timesOfSteps(const RunRecord& record, const std::vector<ShardedWorkload::Tasks>& steps)
{
    std::vector<std::int64_t> times(steps.size(), -1);
    for (const RankClass& ranks : record.classes) {
        for (std::size_t s = 0; s < steps.size() && ranks.tasks; ++s) {
            if (steps[s].first == steps[s].end)
                continue;
            std::int64_t begin = INT64_MAX;
            std::int64_t end = 0;
            for (TaskIndex task = steps[s].first; task < steps[s].end; ++task) {
                begin = std::min(begin, ranks.tasks->issuePs[at(task)]);
                end = std::max(end, ranks.tasks->endPs[at(task)]);
            }
            times[s] = std::max(times[s], end - begin);
        }
    }
    return times;
}

Result<ShardTimes> simulatedOnPlatform(const Design& platform, const PartitionedProgram& program, const ShardLowering& how, const std::stop_token& stop)
{
    const Design design = platformOf(platform);
    for (const Diagnostic& found : validate(design, stop)) {
        if (found.severity == Severity::Error)
            return toError(found);
    }
    if (!design.platform->npu.peak)
        return Error{ErrorCode::Unsupported, "the NPU of the platform has no peak rate, so how long an op takes is not known", design.place("platform.npu"), "platform.npu.peak and memory_bandwidth"};
    auto made = Platform::create(*design.platform, stop);
    if (!made)
        return made.error();
    auto lowered = lowerSharding(program, how, stop);
    if (!lowered)
        return lowered.error();
    const auto scenario = lower(design, made.value(), lowered.value().workload, stop);
    if (!scenario)
        return scenario.error();
    RunOptions options;
    options.busyOverTime = false;
    auto record = simulate(*scenario.value(), options, stop);
    if (!record)
        return record.error();
    if (!record.value().complete)
        return Error{ErrorCode::Stuck, "the run of the sharded program does not end", {}, {}};
    ShardTimes times;
    times.finishPs = record.value().finish.ps;
    times.stepPs = timesOfSteps(record.value(), lowered.value().steps);
    for (RankClass& ranks : record.value().classes) {
        times.computePs = std::max(times.computePs, ranks.times.compute.ps);
        times.exposedPs = std::max(times.exposedPs, ranks.times.exposedComm.ps);
        ranks.tasks.reset();
    }
    times.record = std::move(record).value();
    return times;
}

} // namespace

Design platformOf(Design design)
{
    if (design.jobs.size() > 1)
        design.jobs.clear(); // Of one its placement stays.
    design.workload = std::make_shared<const WorkloadSpec>(SingleCollective{CollectiveOp::AllReduce, Quantity{1, "MiB", Measure::Size}});
    return design;
}

Result<ShardTimes> simulateSharding(const Design& platform, const PartitionedProgram& program, const ShardLowering& how, const std::stop_token& stop)
{
    return untilStopped([&] { return simulatedOnPlatform(platform, program, how, stop); });
}

} // namespace fabricscope
