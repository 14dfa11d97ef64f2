#include "core/sim/astra/alikeranks.h"

#include <algorithm>

namespace fabricscope {

namespace {

bool onlyRings(const std::vector<AstraAlgorithm>& list)
{
    return std::all_of(list.begin(), list.end(), [](const AstraAlgorithm& use) { return use.algorithm == Algorithm::Ring && !use.one; });
}

/// Does the collective run the same on every member? Of those without a setting of their own all settings must.
bool goesAround(const AstraSystem& system, CollectiveOp op)
{
    const auto configured = configuredCollective(op);
    for (std::size_t kind = 0; kind < kAstraCollectives; ++kind) {
        if ((!configured || static_cast<std::size_t>(*configured) == kind) && (!system.custom[kind].empty() || !onlyRings(system.implementations[kind])))
            return false;
    }
    return true;
}

bool sameEverywhere(const Scenario& scenario, const RankGraph& graph, TaskIndex task)
{
    const auto at = static_cast<std::size_t>(task);
    switch (graph.kind[at]) {
    case TaskKind::Compute:
    case TaskKind::Metadata:
    case TaskKind::Invalid:
        return true;
    case TaskKind::MemoryLoad:
    case TaskKind::MemoryStore:
        return scenario.params->remoteMemory.kind == RemoteMemory::Kind::PerNpu;
    case TaskKind::Collective:
        return scenario.structure->workload->families[static_cast<std::size_t>(graph.family[at])].isWorld();
    default:
        return false;
    }
}

} // namespace

bool astraRanksAreAlike(const Scenario& scenario)
{
    const Platform& platform = scenario.structure->platform;
    const Workload& workload = *scenario.structure->workload;
    const AstraSystem& system = *scenario.astra;
    if (platform.npuCount() < 2 || system.rendezvous || scenario.params->rendezvous || !system.perNodeCustom.empty())
        return false;
    for (const Dimension& dimension : platform.dimensions()) {
        if (scenario.model == Model::AstraAware && dimension.shape == Shape::Switch)
            return false; // the links down from a switch have several senders
    }
    const auto& graphs = workload.graphOfRank;
    const auto first = graphs.begin();
    if (!graphs.empty() && !std::all_of(first, first + platform.npuCount(), [&](std::int32_t graph) { return graph == *first; }))
        return false;
    const RankGraph& graph = workload.graph(0);
    for (TaskIndex task = 0; task < graph.size(); ++task) {
        if (!sameEverywhere(scenario, graph, task))
            return false;
        if (graph.kind[static_cast<std::size_t>(task)] == TaskKind::Collective && !goesAround(system, graph.op[static_cast<std::size_t>(task)]))
            return false;
    }
    return true;
}

} // namespace fabricscope
