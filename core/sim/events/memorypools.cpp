#include "core/sim/events/memorypools.h"

#include "core/base/index.h"
#include "core/program/phaserules.h"

#include <algorithm>

namespace fabricscope::events {

namespace {

std::size_t graphOf(const Workload& workload, std::int32_t rank)
{
    return workload.graphOfRank.empty() ? 0 : static_cast<std::size_t>(workload.graphOfRank[at(rank)]);
}

} // namespace

RemoteTasks::RemoteTasks(const Structure& structure, const RemoteMemory& memory, std::int64_t pieceBytes, bool ideal)
    : pool(memory, pieceBytes, ideal)
    , m_structure(structure)
{
    for (const auto& graph : structure.workload->graphs) {
        std::map<FamilyId, std::int32_t> next;
        auto& numbers = m_numbers.emplace_back();
        for (TaskIndex task = 0; task < graph->size(); ++task) {
            if (graph->kind[at(task)] == TaskKind::MemoryLoad && graph->has(task, TaskFlag::kGather))
                numbers.emplace_hint(numbers.end(), task, next[graph->family[at(task)]]++);
        }
    }
}

RemoteTasks::Key RemoteTasks::keyOf(std::int32_t rank, TaskIndex task) const
{
    const Workload& workload = *m_structure.workload;
    const FamilyId family = workload.graph(rank).family[at(task)];
    return {family, workload.families[at(family)].membership(rank).group, m_numbers[graphOf(workload, rank)].at(task)};
}

std::int32_t RemoteTasks::rankOf(const Gather& gather, std::size_t position) const
{
    return static_cast<std::int32_t>(m_structure.workload->families[at(gather.family)].member(gather.group, static_cast<std::int64_t>(position)));
}

void RemoteTasks::endIfDone(const Gather& gather, Member& member, std::size_t position, std::vector<RankTask>& ended) const
{
    if (member.task < 0 || member.ended || static_cast<std::size_t>(member.shards) < gather.members.size())
        return;
    member.ended = true;
    ended.push_back({rankOf(gather, position), member.task});
}

std::optional<Error> RemoteTasks::start(std::int32_t rank, TaskIndex task, std::int64_t now, std::vector<RankTask>& ended)
{
    const Workload& workload = *m_structure.workload;
    const RankGraph& graph = workload.graph(rank);
    const std::int64_t bytes = graph.bytes[at(task)];
    const NodeId node = m_structure.placement.nodeOf(rank);
    if (!graph.has(task, TaskFlag::kGather)) {
        if (bytes == 0)
            ended.push_back({rank, task});
        else
            pool.begin(now, graph.kind[at(task)] == TaskKind::MemoryStore, node, bytes, {node}, (std::int64_t{rank} << 32) | task);
        return std::nullopt;
    }
    const Key key = keyOf(rank, task);
    const auto [entry, added] = m_known.emplace(key, static_cast<std::int32_t>(m_gathers.size()));
    const GroupFamily& family = workload.families[at(std::get<0>(key))];
    if (added) {
        Gather gather;
        gather.family = std::get<0>(key);
        gather.group = std::get<1>(key);
        gather.bytes = bytes;
        gather.members.resize(static_cast<std::size_t>(family.groupSize(gather.group)));
        for (std::size_t position = 0; position < gather.members.size(); ++position)
            gather.nodes.push_back(m_structure.placement.nodeOf(rankOf(gather, position)));
        m_gathers.push_back(std::move(gather));
    }
    Gather& gather = m_gathers[at(entry->second)];
    if (gather.bytes != bytes) {
        Place place;
        place.rank = rank;
        place.node = static_cast<std::int64_t>(graph.sourceId[at(task)]);
        place.hasNode = true;
        return invalidInput("this load gathers " + std::to_string(bytes) + " bytes, another member of the group " + std::to_string(gather.bytes), place,
                            "the same size in the whole group");
    }
    const auto position = static_cast<std::size_t>(family.membership(rank).position);
    gather.members[position].task = task;
    const std::int64_t shard = blockBytes(bytes, static_cast<std::int32_t>(gather.members.size()), static_cast<std::int32_t>(position));
    if (shard > 0) {
        pool.begin(now, false, node, shard, gather.nodes, -1 - std::int64_t{entry->second});
        return std::nullopt;
    }
    for (std::size_t other = 0; other < gather.members.size(); ++other) {
        ++gather.members[other].shards;
        endIfDone(gather, gather.members[other], other, ended);
    }
    return std::nullopt;
}

void RemoteTasks::done(const RemotePool::Done& done, std::vector<RankTask>& ended)
{
    if (done.tag >= 0) {
        ended.push_back({static_cast<std::int32_t>(done.tag >> 32), static_cast<TaskIndex>(done.tag & 0xffffffff)});
        return;
    }
    Gather& gather = m_gathers[at(-1 - done.tag)];
    Member& member = gather.members[at(done.target)];
    ++member.shards;
    endIfDone(gather, member, static_cast<std::size_t>(done.target), ended);
}

std::vector<std::int32_t> RemoteTasks::missing(std::int32_t rank, TaskIndex task) const
{
    std::vector<std::int32_t> ranks;
    if (!m_structure.workload->graph(rank).has(task, TaskFlag::kGather))
        return ranks;
    const auto found = m_known.find(keyOf(rank, task));
    if (found == m_known.end())
        return ranks;
    const Gather& gather = m_gathers[at(found->second)];
    for (std::size_t position = 0; position < gather.members.size(); ++position) {
        if (gather.members[position].task < 0)
            ranks.push_back(rankOf(gather, position));
    }
    std::sort(ranks.begin(), ranks.end());
    return ranks;
}

} // namespace fabricscope::events
