#include "core/sim/symmetry/alike.h"

#include "core/base/index.h"
#include "core/base/stop.h"
#include "core/sim/events/tasks.h"

#include <algorithm>

namespace fabricscope {

Error noSymmetry(std::string why, Place place)
{
    return Error{ErrorCode::Unsupported, "not all NPUs do the same: " + std::move(why), std::move(place), "the engine auto or events for this run"};
}

Status npusAlike(const Scenario& scenario, const std::stop_token& stop)
{
    const Structure& structure = *scenario.structure;
    const Platform& platform = structure.platform;
    const std::int32_t ranks = structure.workload->rankCount;
    if (platform.isExplicit())
        return noSymmetry("the platform is a graph, not made of dimensions");
    const Placement& placement = structure.placement;
    if (placement.jobs().size() > 1)
        return noSymmetry("there are " + std::to_string(placement.jobs().size()) + " jobs");
    for (std::int32_t rank = 0; !placement.isIdentity() && rank < placement.rankCount(); ++rank) {
        checkStop(stop);
        if (placement.nodeOf(rank) != rank)
            return noSymmetry("rank " + std::to_string(rank) + " is on NPU " + std::to_string(placement.nodeOf(rank)));
    }
    if (ranks != platform.npuCount())
        return noSymmetry("NPU " + std::to_string(ranks) + " is idle");
    const PlatformSpec& spec = platform.spec();
    if (!spec.linkOverrides.empty())
        return noSymmetry("link " + platform.linkName(spec.linkOverrides.front().link) + (spec.linkOverrides.front().removed ? " is removed" : " has its own figures"));
    if (!spec.npuOverrides.empty())
        return noSymmetry("NPU " + std::to_string(spec.npuOverrides.front().node) + (spec.npuOverrides.front().removed ? " is removed" : " has its own figures"));
    return {};
}

Status ranksAlike(const Scenario& scenario, const std::stop_token& stop)
{
    const auto differs = [&stop](const auto& list) {
        return std::find_if(list.begin(), list.end(), [&](const auto& entry) {
            checkStop(stop);
            return entry != list.front();
        });
    };
    const auto& graphs = scenario.structure->workload->graphOfRank;
    if (const auto other = differs(graphs); other != graphs.end())
        return noSymmetry("rank " + std::to_string(other - graphs.begin()) + " has other tasks than rank 0");
    const auto& ordinals = scenario.structure->ordinalsOfRank;
    if (const auto other = differs(ordinals); other != ordinals.end())
        return noSymmetry("rank " + std::to_string(other - ordinals.begin()) + " runs its collectives in another order than rank 0");
    return {};
}

Status memoryApart(const Scenario& scenario, std::int32_t rank, const std::stop_token& stop)
{
    const RemoteMemory::Kind memory = scenario.params->remoteMemory.kind;
    if (scenario.params->replayOnly || (memory != RemoteMemory::Kind::PerNode && memory != RemoteMemory::Kind::Pool && memory != RemoteMemory::Kind::Hierarchical))
        return {};
    const RankGraph& tasks = scenario.structure->workload->graph(rank);
    for (TaskIndex task = 0; task < tasks.size(); ++task) {
        checkStop(stop);
        if (tasks.kind[at(task)] == TaskKind::MemoryLoad || tasks.kind[at(task)] == TaskKind::MemoryStore)
            return noSymmetry("NPUs queue for a shared remote memory", events::placeOfTask(rank, tasks, task));
    }
    return {};
}

Status tasksAlike(const Scenario& scenario, const std::stop_token& stop)
{
    const RankGraph& tasks = scenario.structure->workload->graph(0);
    for (TaskIndex task = 0; task < tasks.size(); ++task) {
        checkStop(stop);
        if (tasks.kind[at(task)] == TaskKind::Send || tasks.kind[at(task)] == TaskKind::Receive)
            return noSymmetry("there are messages between two ranks", events::placeOfTask(0, tasks, task));
    }
    return memoryApart(scenario, 0, stop);
}

Result<std::vector<TaskIndex>> collectivesOf(const Scenario& scenario, std::size_t family, const std::stop_token& stop)
{
    const Structure& structure = *scenario.structure;
    const GroupFamily& groups = structure.workload->families[family];
    const RankGraph& graph = structure.workload->graph(0);
    std::vector<TaskIndex> tasks;
    if (structure.ordinalsOfRank.empty() || structure.instanceBase[family].empty())
        return tasks;
    const Ordinals& ordinals = structure.ordinalsOfRank.front();
    for (TaskIndex task = 0; task < graph.size(); ++task) {
        checkStop(stop);
        const auto i = static_cast<std::size_t>(task);
        if (graph.kind[i] != TaskKind::Collective || static_cast<std::size_t>(graph.family[i]) != family || !ordinals || (*ordinals)[i] < 0)
            continue;
        tasks.resize(std::max(tasks.size(), static_cast<std::size_t>((*ordinals)[i]) + 1), 0);
        tasks[at((*ordinals)[i])] = task;
    }
    if (tasks.empty())
        return tasks;
    const std::int64_t count = groups.groupCount();
    std::int64_t members = groups.isStrided() ? count * groups.groupSize(0) : 0;
    for (std::int64_t group = 0; !groups.isStrided() && group < count; ++group) {
        checkStop(stop);
        members += groups.groupSize(group);
    }
    if (members != structure.workload->rankCount)
        return noSymmetry("only some ranks are in a group of " + groups.name());
    return tasks;
}

bool runTheSame(const Program& a, const Program& b)
{
    return &a == &b || (a.isTemplate() && b.isTemplate() && a.chunks == b.chunks && a.window == b.window && a.asTemplate() == b.asTemplate());
}

bool doTheSame(const CollectiveInstance& a, const CollectiveInstance& b)
{
    if (a.op != b.op || a.bytes != b.bytes || a.sequence != b.sequence || a.priority != b.priority || a.replayPs != b.replayPs || a.rule != b.rule)
        return false;
    if (!a.program || !b.program)
        return a.program == b.program;
    return runTheSame(*a.program, *b.program);
}

} // namespace fabricscope
