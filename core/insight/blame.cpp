// Critical paths as rows: who took how long.
#include "core/insight/explain.h"

#include "core/base/index.h"

#include <algorithm>
#include <array>
#include <map>
#include <tuple>

namespace fabricscope {

namespace {

std::string_view kindWord(const RankGraph& graph, TaskIndex task)
{
    switch (graph.kind[at(task)]) {
    case TaskKind::Compute:
        return graph.has(task, TaskFlag::kHost) ? "host" : "compute";
    case TaskKind::MemoryLoad:
        return "load";
    case TaskKind::MemoryStore:
        return "store";
    case TaskKind::Send:
        return "send";
    case TaskKind::Receive:
        return "receive";
    case TaskKind::Collective:
        return collectiveKey(graph.op[at(task)]);
    case TaskKind::Metadata:
        return "metadata";
    case TaskKind::Invalid:
        break;
    }
    return "node";
}

} // namespace

std::string pathResource(const Scenario& scenario, const PathPiece& piece)
{
    const Structure& structure = *scenario.structure;
    const std::string rank = "rank " + std::to_string(piece.rank);
    const auto npu = [&](std::int32_t of) {
        return of >= 0 && of < structure.workload->rankCount ? "NPU " + std::to_string(structure.placement.nodeOf(of)) : "rank " + std::to_string(of);
    };
    switch (piece.cause) {
    case PathCause::Compute:
    case PathCause::Slowed:
        return npu(piece.rank);
    case PathCause::Host:
        return "host of " + npu(piece.rank);
    case PathCause::RemoteMemory:
        return "remote memory";
    case PathCause::Endpoint:
    case PathCause::Protocol:
    case PathCause::Launch:
    case PathCause::Ramp:
        return "endpoint of " + npu(piece.rank);
    case PathCause::Reduction:
        return "reducer of " + npu(piece.peer);
    case PathCause::Latency:
    case PathCause::Serialisation:
    case PathCause::Waiting:
        if (piece.link >= 0)
            return "link " + structure.platform.linkName(piece.link);
        return piece.parameter == PathParameter::RemoteMemory ? "remote memory" : npu(piece.rank);
    case PathCause::Transfer:
        return piece.task >= 0 ? std::string(kindWord(structure.workload->graph(piece.rank), piece.task)) + " of " + rank : rank;
    case PathCause::Start:
    case PathCause::Turn:
    case PathCause::Idle:
        break;
    }
    return rank;
}

std::string taskTitle(const RankGraph& graph, TaskIndex task)
{
    const std::string kind(kindWord(graph, task));
    const std::string name(graph.name(task));
    if (name == kind)
        return name;
    return name.empty() ? kind + " node " + std::to_string(graph.sourceId[at(task)]) : kind + ' ' + name;
}

std::string parameterNameOf(const Scenario& scenario, PathParameter parameter, ResourceClass resource)
{
    const Structure& structure = *scenario.structure;
    const auto links = [&](const char* what) {
        const auto dimensions = static_cast<ResourceClass>(structure.platform.dimensions().size());
        if (resource < dimensions)
            return "dimension " + std::to_string(resource) + ' ' + what;
        const std::size_t own = at(resource - dimensions - structure.figureClasses);
        if (resource >= dimensions + structure.figureClasses && own < structure.classedLinks.size())
            return "link " + structure.platform.linkName(structure.classedLinks[own]) + ' ' + what;
        if (structure.platform.isExplicit() && structure.figureClasses == 0)
            return "link " + structure.platform.linkName(resource - dimensions) + ' ' + what;
        return std::string(what) + " of links of " + showBandwidth(scenario.params->linkRate[at(resource)]) + " and " + showTime(scenario.params->linkLatency[at(resource)]);
    };
    switch (parameter) {
    case PathParameter::None:
        return {};
    case PathParameter::ComputeTime:
        return "durations of the workload";
    case PathParameter::Peak:
        return "peak compute";
    case PathParameter::MemoryRate:
    case PathParameter::ReducerRate:
        return "memory bandwidth";
    case PathParameter::LinkRate:
        return links("bandwidth");
    case PathParameter::LinkLatency:
        return links("latency");
    case PathParameter::Injection:
        return "injection budget";
    case PathParameter::Ejection:
        return "ejection budget";
    case PathParameter::EndpointDelay:
        return "endpoint delay";
    case PathParameter::RemoteMemory:
        return "remote memory";
    case PathParameter::Launch:
    case PathParameter::Ramp: {
        const std::string name = parameter == PathParameter::Ramp ? "ramp of collectives" : "launch of collectives";
        return resource < 0 ? name : name + " by rule " + std::to_string(resource + 1);
    }
    }
    return {};
}

std::vector<BlameRow> blameOf(const Scenario& scenario, const CriticalPath& path)
{
    using Key = std::tuple<PathCause, std::int32_t, TaskIndex, LinkId, std::int32_t, PathParameter, ResourceClass, std::int32_t, TaskIndex>;
    std::map<Key, std::size_t> rows;
    std::vector<BlameRow> blame;
    const Workload& workload = *scenario.structure->workload;
    for (const PathPiece& piece : path.pieces) {
        const std::int32_t peer = piece.cause == PathCause::Reduction ? piece.peer : -1;
        const auto [entry, fresh] = rows.try_emplace({piece.cause, piece.rank, piece.task, piece.link, peer, piece.parameter, piece.resource, piece.holderRank, piece.holderTask}, blame.size());
        if (fresh) {
            BlameRow& row = blame.emplace_back();
            row.cause = piece.cause;
            row.rank = piece.rank;
            row.task = piece.task;
            if (piece.task >= 0) {
                const RankGraph& graph = workload.graph(piece.rank);
                row.node = graph.sourceId[at(piece.task)];
                row.name = taskTitle(graph, piece.task);
            }
            row.link = piece.link;
            row.resource = pathResource(scenario, piece);
            row.parameter = piece.parameter;
            row.resourceClass = piece.resource;
            row.parameterName = parameterNameOf(scenario, piece.parameter, piece.resource);
            if (piece.holderTask >= 0)
                row.holder = taskTitle(workload.graph(piece.holderRank), piece.holderTask) + " of rank " + std::to_string(piece.holderRank);
        }
        blame[entry->second].ps += piece.ps();
    }
    std::stable_sort(blame.begin(), blame.end(), [](const BlameRow& a, const BlameRow& b) { return a.ps > b.ps; });
    return blame;
}

} // namespace fabricscope
