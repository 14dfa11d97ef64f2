#include "core/workload/membercheck.h"

#include "core/base/index.h"
#include "core/base/seededhash.h"

#include <algorithm>
#include <map>

namespace fabricscope {

void MemberCheck::add(std::int32_t rank, const RankGraph& graph)
{
    std::map<std::size_t, std::uint64_t> sums;
    std::uint64_t* sum = nullptr;
    FamilyId summed = -1;
    for (TaskIndex task = 0; task < graph.size(); ++task) {
        const auto i = static_cast<std::size_t>(task);
        switch (graph.kind[i]) {
        case TaskKind::Send: m_messages += seededHash(1, {rank, graph.peerRank(task, rank), graph.tag[i], graph.bytes[i]}); break;
        case TaskKind::Receive: m_messages -= seededHash(1, {graph.peerRank(task, rank), rank, graph.tag[i], graph.bytes[i]}); break;
        case TaskKind::Collective:
            if (graph.family[i] != summed) {
                summed = graph.family[i];
                sum = &sums[at(summed)];
            }
            *sum += seededHash(2, {static_cast<std::int64_t>(graph.op[i]), graph.bytes[i]});
            break;
        default: break;
        }
    }
    m_world.resize(std::max(m_world.size(), static_cast<std::size_t>(rank) + 1));
    for (const auto& [family, found] : sums) {
        note(family, found);
        if (family == 0)
            m_world[at(rank)] = found;
    }
}

void MemberCheck::addLike(std::int32_t rank, std::int32_t like)
{
    m_world.resize(std::max(m_world.size(), static_cast<std::size_t>(rank) + 1));
    const std::uint64_t sum = m_world[at(like)];
    m_world[at(rank)] = sum;
    if (sum != 0)
        note(0, sum);
}

void MemberCheck::note(std::size_t family, std::uint64_t sum)
{
    m_calls.resize(std::max(m_calls.size(), family + 1));
    Calls& calls = m_calls[family];
    calls.equal = calls.equal && (calls.members == 0 || calls.sum == sum);
    calls.sum = sum;
    ++calls.members;
}

bool MemberCheck::collectivesFit(std::span<const GroupFamily> families) const
{
    for (std::size_t family = 0; family < m_calls.size(); ++family) {
        const Calls& calls = m_calls[family];
        if (!calls.equal || (calls.members != 0 && calls.members != families[family].groupSize(0)))
            return false;
    }
    return true;
}

} // namespace fabricscope
