#include "core/verify/schedule.h"

#include "core/base/stop.h"

#include <algorithm>
#include <unordered_map>

namespace fabricscope {

namespace {

class Run {
public:
    Run(const ExplicitBody& body, const Lanes& lanes, const Connections& connections, const std::stop_token& stop)
        : m_body(body)
        , m_lanes(lanes)
        , m_connections(connections)
        , m_stop(stop)
        , m_waiters(body.size(), kNoOp)
        , m_nextWaiter(body.size(), kNoOp)
        , m_senders(connections.all().size(), kNoOp)
        , m_received(connections.all().size(), 0)
        , m_isFull(connections.all().size(), false)
    {
        m_schedule.position.assign(body.size(), UINT32_MAX);
        m_schedule.order.reserve(body.size());
    }

    Schedule run(const std::vector<std::int32_t>& asked, const ProgressShare& progress)
    {
        start();
        for (;;) {
            drain(progress);
            if (m_inOrder) {
                letLoose();
                continue;
            }
            std::erase_if(m_full, [this](std::uint32_t connection) {
                checkStop(m_stop);
                m_isFull[connection] = m_senders[connection] != kNoOp;
                return !m_isFull[connection];
            });
            if (m_full.empty())
                break;
            if (std::binary_search(asked.begin(), asked.end(), m_slots))
                m_schedule.rings.push_back({m_slots, ring()});
            ++m_slots;
            for (const std::uint32_t connection : m_full) {
                checkStop(m_stop);
                wake(m_senders[connection]);
            }
        }
        m_schedule.complete = m_schedule.order.size() == m_groups;
        if (!m_schedule.complete) {
            m_slots = INT32_MAX;
            m_schedule.rings.push_back({0, ring()});
        } else if (m_connections.messages() > 0) {
            m_schedule.minimumSlots = m_slots;
        }
        return std::move(m_schedule);
    }

private:
    bool isDone(OpIndex group) const { return m_schedule.position[group] != UINT32_MAX; }

    /// Puts what comes first in every lane on the stack; of the groups of a rank that are in no lane the first alone, see `m_inOrder`.
    void start()
    {
        m_cursors.assign(m_lanes.all().size(), kNoOp);
        for (OpIndex op = m_body.size(); op-- > 0;) { // The stack then has the first on top.
            checkStop(m_stop);
            if (m_body.isFused(op))
                continue;
            ++m_groups;
            const std::uint32_t lane = m_lanes.laneOf(op);
            if (!m_lanes.isOrdered(lane))
                m_cursors[lane] = op;
            else if (m_lanes.previous(op) == kNoOp)
                m_ready.push_back(op);
        }
        for (std::size_t lane = m_cursors.size(); lane-- > 0;) {
            if (m_cursors[lane] != kNoOp)
                m_ready.push_back(m_cursors[lane]);
        }
    }

    /// The group to try when `group` has run: the next of its lane, or of those of its rank that are in none.
    OpIndex following(OpIndex group)
    {
        const std::uint32_t lane = m_lanes.laneOf(group);
        if (m_lanes.isOrdered(lane))
            return m_lanes.next(group);
        return m_inOrder ? m_cursors[lane] = nextOutside(group, lane) : kNoOp;
    }

    /// The next group of a lane without order, in the order of the columns.
    OpIndex nextOutside(OpIndex group, std::uint32_t lane) const
    {
        const OpIndex end = m_body.rankBegin[static_cast<std::size_t>(m_lanes.lane(lane).rank) + 1];
        for (OpIndex op = group + 1; op < end; ++op) {
            checkStop(m_stop);
            if (m_lanes.laneOf(op) == lane && !m_body.isFused(op))
                return op;
        }
        return kNoOp;
    }

    /// Gives up the order of the columns: all groups outside lanes that have not been tried come on the stack.
    void letLoose()
    {
        m_inOrder = false;
        for (std::uint32_t lane = 0; lane < m_cursors.size(); ++lane) {
            if (m_cursors[lane] == kNoOp)
                continue;
            const std::size_t begin = m_ready.size(); // The group at the cursor has been tried; it waits.
            for (OpIndex op = nextOutside(m_cursors[lane], lane); op != kNoOp; op = nextOutside(op, lane))
                m_ready.push_back(op);
            std::reverse(m_ready.begin() + static_cast<std::ptrdiff_t>(begin), m_ready.end());
        }
    }

    void drain(const ProgressShare& progress)
    {
        std::uint32_t count = 0;
        while (!m_ready.empty()) {
            OpIndex group = m_ready.back();
            m_ready.pop_back();
            while (group != kNoOp && mayRun(group)) {
                finish(group);
                group = following(group);
                if ((++count & 0xffffu) == 0)
                    progress.tell(m_schedule.order.size(), m_groups);
            }
        }
    }

    /// The group `group` must wait for, kNoOp: none; `connection` is set where it is a slot it waits for. A send that nobody receives takes none.
    OpIndex obstacle(OpIndex group, std::uint32_t& connection) const
    {
        connection = UINT32_MAX;
        const OpIndex end = groupEnd(m_body, group);
        for (OpIndex op = group; op < end; ++op) {
            checkStop(m_stop);
            for (std::uint32_t i = m_body.dependBegin[op]; i < m_body.dependBegin[op + 1]; ++i) {
                checkStop(m_stop);
                const OpIndex earlier = groupOf(m_body, m_body.depends[i]);
                if (earlier != group && !isDone(earlier))
                    return earlier;
            }
            if (isReceiveSide(m_body.kind[op])) {
                const OpIndex send = m_connections.senderOf(op);
                if (send != kNoOp && !isDone(groupOf(m_body, send)))
                    return groupOf(m_body, send);
            }
        }
        for (OpIndex op = group; op < end; ++op) {
            if (m_body.kind[op] != OpKind::Send || !m_connections.isPaired(op))
                continue;
            const std::uint32_t index = m_connections.connectionOf(op);
            const std::uint32_t received = m_received[index];
            if (static_cast<std::int64_t>(m_connections.sequenceOf(op)) - received >= m_slots) {
                connection = index;
                return groupOf(m_body, m_connections.receiveAt(m_connections.all()[index], received));
            }
        }
        return kNoOp;
    }

    /// Otherwise the group is put where what it waits for wakes it.
    bool mayRun(OpIndex group)
    {
        std::uint32_t connection = UINT32_MAX;
        const OpIndex other = obstacle(group, connection);
        if (other == kNoOp)
            return true;
        if (connection != UINT32_MAX && !m_isFull[connection]) {
            m_isFull[connection] = true;
            m_full.push_back(connection);
        }
        OpIndex& waiters = connection != UINT32_MAX ? m_senders[connection] : m_waiters[other];
        m_nextWaiter[group] = waiters;
        waiters = group;
        return false;
    }

    void wake(OpIndex& waiters)
    {
        for (OpIndex group = waiters; group != kNoOp; group = m_nextWaiter[group]) {
            checkStop(m_stop);
            m_ready.push_back(group);
        }
        waiters = kNoOp;
    }

    void finish(OpIndex group)
    {
        m_schedule.position[group] = static_cast<std::uint32_t>(m_schedule.order.size());
        m_schedule.order.push_back(group);
        const OpIndex end = groupEnd(m_body, group);
        for (OpIndex op = group; op < end; ++op) {
            if (receives(m_body.kind[op]) && m_connections.connectionOf(op) != UINT32_MAX)
                freeSlots(m_connections.connectionOf(op));
        }
        wake(m_waiters[group]);
    }

    void freeSlots(std::uint32_t index)
    {
        const Connections::Connection& connection = m_connections.all()[index];
        std::uint32_t& received = m_received[index];
        const std::uint32_t before = received;
        while (received < connection.receives && isDone(groupOf(m_body, m_connections.receiveAt(connection, received))))
            ++received;
        if (received != before)
            wake(m_senders[index]);
    }

    /// Follows what the groups that have not run wait for, until one comes again. \pre not all have run.
    std::vector<OpIndex> ring() const
    {
        OpIndex group = 0;
        while (m_body.isFused(group) || isDone(group))
            ++group;
        std::unordered_map<OpIndex, std::size_t> seen;
        std::vector<OpIndex> path;
        for (;;) {
            const auto [at, fresh] = seen.try_emplace(group, path.size());
            if (!fresh)
                return {path.begin() + static_cast<std::ptrdiff_t>(at->second), path.end()};
            checkStop(m_stop);
            path.push_back(group);
            OpIndex next = m_lanes.previous(group);
            if (next == kNoOp || isDone(next)) {
                std::uint32_t connection = UINT32_MAX;
                next = obstacle(group, connection);
            } else { // On to the group its lane stands at.
                for (OpIndex before = m_lanes.previous(next); before != kNoOp && !isDone(before); before = m_lanes.previous(next)) {
                    checkStop(m_stop);
                    next = before;
                }
            }
            group = next;
        }
    }

    const ExplicitBody& m_body;
    const Lanes& m_lanes;
    const Connections& m_connections;
    const std::stop_token& m_stop;
    Schedule m_schedule;
    std::size_t m_groups = 0;
    std::int32_t m_slots = 1;
    std::vector<OpIndex> m_ready;           ///< Stack: lanes run as far as they can, which keeps their rows in the cache.
    /// Groups outside lanes are tried in the order of the columns while that gets on: they are mostly written in an order that runs, and
    /// then none of them has to be kept waiting. When nothing moves any more, all are free to run.
    bool m_inOrder = true;
    std::vector<OpIndex> m_cursors;         ///< By lane without order: the group that is tried; kNoOp: all are done.
    std::vector<OpIndex> m_waiters;         ///< By group: first of those that wait for it.
    std::vector<OpIndex> m_nextWaiter;      ///< By group: the next that waits for the same.
    std::vector<OpIndex> m_senders;         ///< By connection: first of those that wait for a slot.
    std::vector<std::uint32_t> m_received;  ///< By connection: receives done without a gap.
    std::vector<std::uint32_t> m_full;      ///< Connections somebody waits for a slot of; some may have been served since.
    std::vector<bool> m_isFull;             ///< By connection: is in m_full.
};

} // namespace

Schedule makeSchedule(const ExplicitBody& body, const Lanes& lanes, const Connections& connections, const std::vector<std::int32_t>& asked,
                      const std::stop_token& stop, const ProgressShare& progress)
{
    return Run(body, lanes, connections, stop).run(asked, progress);
}

} // namespace fabricscope
