#include "core/planner/clustersimulation.h"

#include "core/base/index.h"
#include "core/design/file/readdesign.h"
#include "core/planner/placedsteps.h"
#include "core/run/rundesign.h"

#include <algorithm>
#include <cmath>

namespace fabricscope {

namespace {

/// The error of a design that was made of the platform: its lines are not the user's.
Error ofPlatform(Error error, const std::string& file)
{
    error.place = {file, 0, 0, -1, "place.cluster.platform", -1, -1, false};
    return error;
}

double secondsIn(SimTime time)
{
    return static_cast<double>(time.ps) * 1e-12;
}

} // namespace

Result<SimTime> ClusterSimulation::finishOf(const std::string& workload, std::int64_t devices, const std::stop_token& stop) const
{
    const Result<LoadedDesign> loaded = readDesignText("fabricscope: 1\nplatform: " + m_platform + "\nworkload: " + workload + "\n", m_file, {}, stop);
    if (!loaded)
        return ofPlatform(loaded.error(), m_file);
    RunDesignOptions options;
    options.taskTimes = false;
    const Result<RunResultPtr> run = runDesign(std::make_shared<const Design>(loaded.value().design), {}, options, stop);
    if (!run)
        return ofPlatform(run.error(), m_file);
    const std::int64_t npus = run.value()->record().rankCount;
    if (npus != devices)
        return ofPlatform(invalidInput("the platform has " + std::to_string(npus) + " NPUs, the cluster " + std::to_string(devices) + " devices", {}, "one NPU for each device"), m_file);
    if (!run.value()->record().complete)
        return ofPlatform({ErrorCode::Stuck, "a collective does not finish on the platform", {}, {}}, m_file);
    return run.value()->record().finish;
}

Status ClusterSimulation::timeCollectives(UnequalCluster& cluster, double mostBytes, const std::stop_token& stop) const
{
    const std::int64_t devices = cluster.devices();
    if (devices > kMostNpus)
        return ofPlatform({ErrorCode::Unsupported, "collectives of " + std::to_string(devices) + " devices are not timed by simulation", {}, "at most " + std::to_string(kMostNpus)}, m_file);
    const auto seconds = [&](std::string_view word, double bytes) -> Result<double> {
        const std::string workload = "{steps: [{collective: " + std::string(word) + ", size: " + std::to_string(static_cast<std::int64_t>(std::max(std::ceil(bytes), 1.0))) + " B}]}";
        const Result<SimTime> finish = finishOf(workload, devices, stop);
        return finish ? Result<double>(secondsIn(finish.value())) : Result<double>(finish.error());
    };
    constexpr double kLeastBytes = 1024;
    const double last = std::clamp(mostBytes * 2, 16 * kLeastBytes, 1e15);
    for (const ShareCollective kind : {ShareCollective::AllGather, ShareCollective::ReduceScatter, ShareCollective::AllReduce, ShareCollective::AllToAll}) {
        CollectiveTime& time = cluster.time(kind);
        time = {true, 0, 0, {}};
        for (double bytes = kLeastBytes;; bytes = std::min(bytes * 8, last)) {
            const double own = kind == ShareCollective::AllToAll ? bytes / static_cast<double>(devices) : bytes;
            const Result<double> taken = seconds(keyOf(kShareCollectiveWords, kind), own);
            if (!taken)
                return taken.error();
            time.samples.emplace_back(bytes, taken.value());
            if (bytes >= last)
                break;
        }
    }
    const double large = std::max(last / static_cast<double>(devices), 16 * kLeastBytes);
    const Result<double> few = seconds("broadcast", large / 16);
    const Result<double> many = few ? seconds("broadcast", large) : few;
    if (!many)
        return many.error();
    const double slope = std::max(0.0, (many.value() - few.value()) / (large * 15 / 16));
    for (const ShareCollective kind : {ShareCollective::GroupedAllGather, ShareCollective::GroupedReduceScatter})
        cluster.time(kind) = {true, std::max(0.0, many.value() - slope * large), slope, {}};
    return {};
}

Result<SimTime> ClusterSimulation::programTime(const PlacementProblem& problem, const PlacedProgram& program, const std::vector<DeviceRatios>& ratios, const std::stop_token& stop) const
{
    const Result<std::string> workload = workloadOf(problem, program, ratios);
    if (!workload)
        return workload.error();
    return finishOf(workload.value(), problem.cluster.devices(), stop);
}

} // namespace fabricscope
