#include "core/verify/happensbefore.h"

#include "core/base/stop.h"

namespace fabricscope {

HappensBefore::HappensBefore(const ExplicitBody& body, const Lanes& lanes, const Connections& connections, const Schedule& schedule, const std::stop_token& stop)
    : m_body(body)
    , m_lanes(lanes)
    , m_connections(connections)
    , m_schedule(schedule)
    , m_stop(stop)
{
}

/// \pre groups, a scheduled before b.
bool HappensBefore::isDirect(OpIndex a, OpIndex b) const
{
    const std::uint32_t lane = m_lanes.laneOf(a);
    const bool ordered = m_lanes.isOrdered(lane);
    if (a == b || (ordered && lane == m_lanes.laneOf(b)))
        return true;
    const OpIndex end = groupEnd(m_body, b);
    for (std::uint32_t i = m_body.dependBegin[b]; i < m_body.dependBegin[end]; ++i) {
        checkStop(m_stop);
        const OpIndex earlier = m_body.depends[i];
        if (groupOf(m_body, earlier) == a || (ordered && earlier > a && m_lanes.laneOf(earlier) == lane))
            return true;
    }
    return false;
}

HappensBefore::Answer HappensBefore::before(OpIndex a, OpIndex b)
{
    a = groupOf(m_body, a);
    b = groupOf(m_body, b);
    return isDirect(a, b) ? Answer::Yes : search(a, b, -1);
}

HappensBefore::Answer HappensBefore::writtenBefore(OpIndex a, std::int32_t target, OpIndex b)
{
    return search(a, groupOf(m_body, b), target);
}

HappensBefore::Answer HappensBefore::search(OpIndex a, OpIndex b, std::int32_t target)
{
    const OpIndex goal = groupOf(m_body, a);
    const std::uint32_t goalLane = m_lanes.isOrdered(m_lanes.laneOf(goal)) ? m_lanes.laneOf(goal) : UINT32_MAX;
    const std::uint32_t goalPosition = m_schedule.position[goal];
    const std::int32_t goalRank = m_lanes.rankOf(goal);
    for (auto& seen : m_seen)
        seen.resize(m_body.size(), 0);
    ++m_search;

    const auto isTelling = [&](OpIndex group) { // Does the group signal what `a` has written?
        if (m_lanes.rankOf(group) != goalRank)
            return false;
        const OpIndex end = groupEnd(m_body, group);
        for (OpIndex op = group; op < end; ++op) {
            if (m_body.kind[op] == OpKind::Signal && m_body.peer[op] == target && m_body.connection[op] == m_body.connection[a] && op > a)
                return true;
        }
        return false;
    };
    bool found = false;
    const auto visit = [&](OpIndex group, bool told) {
        if (m_schedule.position[group] < goalPosition)
            return;
        if (told && (group == goal || m_lanes.laneOf(group) == goalLane))
            found = true;
        std::uint32_t& seen = m_seen[told ? 1 : 0][group];
        if (seen == m_search)
            return;
        seen = m_search;
        m_stack.emplace_back(group, told);
    };

    m_stack.clear();
    m_stack.emplace_back(b, target < 0);
    while (!m_stack.empty() && !found) {
        checkStop(m_stop);
        auto [group, told] = m_stack.back();
        m_stack.pop_back();
        if (++m_visits > kMostVisits)
            return Answer::Unknown;
        if (!told && isTelling(group)) {
            told = true;
            if (m_lanes.laneOf(group) == goalLane)
                return Answer::Yes;
        }
        // Messages are looked at first, so that the search goes on with what is nearest: dependencies and the lane.
        const OpIndex end = groupEnd(m_body, group);
        for (OpIndex op = group; op < end; ++op) {
            if (!isReceiveSide(m_body.kind[op]))
                continue;
            const OpIndex send = m_connections.senderOf(op);
            if (send != kNoOp)
                visit(groupOf(m_body, send), told);
        }
        if (m_lanes.previous(group) != kNoOp)
            visit(m_lanes.previous(group), told);
        for (std::uint32_t i = m_body.dependBegin[group]; i < m_body.dependBegin[end]; ++i) {
            checkStop(m_stop);
            const OpIndex earlier = groupOf(m_body, m_body.depends[i]);
            if (earlier != group)
                visit(earlier, told);
        }
    }
    return found ? Answer::Yes : Answer::No;
}

} // namespace fabricscope
