#include "core/study/leastruntime.h"

#include "core/base/stop.h"
#include "core/report/collectivebounds.h"
#include "core/scenario/computeparams.h"
#include "core/scenario/networkparams.h"
#include "core/scenario/taskscheduling.h"

#include <algorithm>

namespace fabricscope {

namespace {

constexpr std::int64_t kMostTasksBounded = std::int64_t{1} << 21;

/// Of the rank that has most; 0: it is not known.
std::int64_t computationsOf(const Scenario& scenario, const std::stop_token& stop)
{
    const Structure& structure = *scenario.structure;
    const Workload& workload = *structure.workload;
    const bool oneAtATime = !scenario.params->scheduling || scenario.params->scheduling->computeUnits <= 1;
    if (!oneAtATime || workload.taskCount() > kMostTasksBounded)
        return 0;
    std::int64_t most = 0;
    for (std::int32_t rank = 0; rank < workload.rankCount; ++rank) {
        checkStop(stop);
        const RankGraph& graph = workload.graph(rank);
        std::int64_t sum = 0;
        for (TaskIndex task = 0; task < graph.size(); ++task) {
            if (graph.kind[static_cast<std::size_t>(task)] == TaskKind::Compute && !graph.has(task, TaskFlag::kHost))
                sum += computeWork(structure, *scenario.params, rank, task).duration();
        }
        most = std::max(most, sum);
    }
    return most;
}

} // namespace

std::optional<SimTime> leastRunTime(const Scenario& scenario, const std::stop_token& stop)
{
    const NetworkParams* const network = scenario.params ? scenario.params->network.get() : nullptr;
    if (!scenario.params || traitsOf(scenario.model).wholeNanoseconds || (network && (network->draws() || !network->changes.empty())))
        return std::nullopt;
    const std::int64_t collective = leastCollectiveTime(scenario, stop).value_or(SimTime{}).ps;
    const std::int64_t least = std::max(collective, computationsOf(scenario, stop));
    return least > 0 ? std::optional(SimTime{least}) : std::nullopt;
}

} // namespace fabricscope
