#include "core/workload/rankclasses.h"

#include "core/base/index.h"

#include <type_traits>

namespace fabricscope {

Digest digestOfTasks(const RankGraph& graph)
{
    std::vector<std::int64_t> parts;
    const auto addBytes = [&parts](const void* data, std::size_t size) {
        const Digest digest = digestOf(std::string_view(static_cast<const char*>(data), size));
        parts.insert(parts.end(), {static_cast<std::int64_t>(digest.low), static_cast<std::int64_t>(digest.high), static_cast<std::int64_t>(size)});
    };
    const auto add = [&addBytes](const auto& column) {
        static_assert(std::has_unique_object_representations_v<std::remove_cvref_t<decltype(column[0])>>);
        addBytes(column.data(), column.size() * sizeof(column[0]));
    };
    add(graph.kind);
    add(graph.flags);
    add(graph.sourceId);
    add(graph.nameEnd);
    add(graph.durationUs);
    add(graph.durationPs);
    add(graph.operations);
    add(graph.bytes);
    add(graph.op);
    add(graph.family);
    add(graph.tag);
    add(graph.involved);
    add(graph.priority);
    add(graph.dependBegin);
    add(graph.depends);
    add(graph.names);
    for (const RankGraph::EdgePart& part : graph.edgeParts)
        parts.insert(parts.end(), {static_cast<std::int64_t>(part.edge), part.tensor, part.partWise ? 1 : 0});
    for (const RankGraph::Tensor& tensor : graph.tensors)
        parts.insert(parts.end(), {tensor.producer, tensor.usersEnd, tensor.nameEnd, tensor.bytes});
    add(graph.tensorUsers);
    add(graph.tensorNames);
    for (const RankGraph::Shares& shares : graph.shares) {
        parts.push_back(shares.task);
        add(shares.weights);
    }
    return digestOf(std::span<const std::int64_t>(parts));
}

namespace {

bool hasPeer(const RankGraph& graph, std::size_t task)
{
    return graph.kind[task] == TaskKind::Send || graph.kind[task] == TaskKind::Receive;
}

Digest withPeers(Digest tasks, const RankGraph& graph, std::int64_t base)
{
    std::vector<std::int64_t> words{static_cast<std::int64_t>(tasks.low), static_cast<std::int64_t>(tasks.high)};
    for (std::size_t task = 0; task < graph.kind.size(); ++task) {
        if (hasPeer(graph, task))
            words.push_back(graph.peer[task] - base);
    }
    return digestOf(std::span<const std::int64_t>(words));
}

} // namespace

std::int32_t RankClasses::classOf(std::map<Digest, std::int32_t>& known, Digest digest, bool& isNew)
{
    const auto [place, added] = known.try_emplace(digest, static_cast<std::int32_t>(known.size()));
    isNew = isNew || added;
    return place->second;
}

void RankClasses::add(std::int64_t rank, RankGraph graph)
{
    const Digest tasks = digestOfTasks(graph);
    bool isNew = false;
    m_absolute[at(rank)] = classOf(m_knownAbsolute, withPeers(tasks, graph, 0), isNew);
    m_relative[at(rank)] = classOf(m_knownRelative, withPeers(tasks, graph, rank), isNew);
    if (isNew)
        m_kept.push_back({rank, std::move(graph)});
}

void RankClasses::addLike(std::int64_t rank, std::int64_t earlier)
{
    m_absolute[at(rank)] = m_absolute[at(earlier)];
    m_relative[at(rank)] = m_relative[at(earlier)];
}

void RankClasses::finish(Workload& workload)
{
    const bool relative = m_knownRelative.size() < m_knownAbsolute.size();
    workload.graphOfRank = relative ? std::move(m_relative) : std::move(m_absolute);
    workload.graphs.assign(relative ? m_knownRelative.size() : m_knownAbsolute.size(), nullptr);
    for (Kept& kept : m_kept) {
        auto& place = workload.graphs[at(workload.graphOfRank[at(kept.rank)])];
        if (place)
            continue;
        if (relative) {
            for (std::size_t task = 0; task < kept.graph.kind.size(); ++task) {
                if (hasPeer(kept.graph, task))
                    kept.graph.peer[task] -= static_cast<std::int32_t>(kept.rank);
            }
            kept.graph.peerIsRelative = true;
        }
        place = std::make_shared<const RankGraph>(std::move(kept.graph));
    }
    m_kept.clear();
    if (workload.graphs.size() == 1)
        workload.graphOfRank.clear();
}

} // namespace fabricscope
