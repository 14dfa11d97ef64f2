#include "core/report/flowpairs.h"

#include "core/base/index.h"
#include "core/base/stop.h"
#include "core/design/model.h"

#include <algorithm>

namespace fabricscope {

MessagePairs::MessagePairs(const RunRecord& record, const Workload& workload)
    : m_record(record), m_workload(workload), m_sizesMatch(traitsOf(record.model).sizesMatch), m_classOfRank(at(workload.rankCount), -1)
{
    for (std::size_t i = 0; i < record.classes.size(); ++i) {
        for (const RankSet::Interval& interval : record.classes[i].ranks.intervals()) {
            for (std::int64_t rank = interval.first; rank <= interval.last; ++rank)
                m_classOfRank[at(rank)] = static_cast<std::int32_t>(i);
        }
    }
}

const TaskTimes* MessagePairs::timesOf(std::int32_t rank) const
{
    const bool known = rank >= 0 && at(rank) < m_classOfRank.size() && m_classOfRank[at(rank)] >= 0;
    return known ? m_record.classes[at(m_classOfRank[at(rank)])].tasks.get() : nullptr;
}

MessagePairs::Lanes MessagePairs::lanesOf(std::int32_t rank, TaskKind kind, const std::stop_token& stop) const
{
    Lanes lanes;
    const TaskTimes* const times = timesOf(rank);
    if (!times)
        return lanes;
    const RankGraph& graph = m_workload.graph(rank);
    for (TaskIndex task = 0; task < graph.size(); ++task) {
        checkStop(stop);
        if (graph.kind[at(task)] == kind && times->issuePs[at(task)] >= 0)
            lanes[{graph.peerRank(task, rank), graph.tag[at(task)], m_sizesMatch ? graph.bytes[at(task)] : 0}].push_back(task);
    }
    for (auto& [lane, tasks] : lanes)
        std::stable_sort(tasks.begin(), tasks.end(), [times](TaskIndex a, TaskIndex b) { return times->issuePs[at(a)] < times->issuePs[at(b)]; });
    return lanes;
}

std::vector<MessagePair> MessagePairs::ofRank(std::int32_t rank, const std::stop_token& stop)
{
    std::vector<MessagePair> pairs;
    for (const auto& [lane, sends] : lanesOf(rank, TaskKind::Send, stop)) {
        const auto& [peer, tag, bytes] = lane;
        const auto [known, fresh] = m_receives.try_emplace(peer);
        if (fresh)
            known->second = lanesOf(peer, TaskKind::Receive, stop);
        const auto receives = known->second.find({rank, tag, bytes});
        const std::size_t count = receives == known->second.end() ? 0 : std::min(sends.size(), receives->second.size());
        for (std::size_t i = 0; i < count; ++i)
            pairs.push_back({rank, sends[i], peer, receives->second[i]});
    }
    return pairs;
}

} // namespace fabricscope
