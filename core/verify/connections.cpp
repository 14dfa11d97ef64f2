#include "core/verify/connections.h"

#include "core/base/seededhash.h"
#include "core/base/stop.h"

namespace fabricscope {

namespace {

using Connection = Connections::Connection;

/// Connections by (source, target, tag, kind): open addressing, at most half full.
class ConnectionTable {
public:
    explicit ConnectionTable(std::vector<Connection>& connections)
        : m_connections(connections)
        , m_slots(1024, UINT32_MAX)
    {
    }

    std::uint32_t find(std::int32_t source, std::int32_t target, std::int32_t tag, bool signals)
    {
        for (std::size_t at = hash(source, target, tag, signals) & (m_slots.size() - 1);; at = (at + 1) & (m_slots.size() - 1)) {
            const std::uint32_t index = m_slots[at];
            if (index == UINT32_MAX) {
                m_slots[at] = static_cast<std::uint32_t>(m_connections.size());
                Connection fresh;
                fresh.source = source;
                fresh.target = target;
                fresh.tag = tag;
                fresh.signals = signals;
                m_connections.push_back(fresh);
                if (2 * m_connections.size() > m_slots.size())
                    grow();
                return static_cast<std::uint32_t>(m_connections.size() - 1);
            }
            const Connection& known = m_connections[index];
            if (known.source == source && known.target == target && known.tag == tag && known.signals == signals)
                return index;
        }
    }

private:
    static std::size_t hash(std::int32_t source, std::int32_t target, std::int32_t tag, bool signals)
    {
        const std::uint64_t pair = static_cast<std::uint64_t>(static_cast<std::uint32_t>(source)) << 32 | static_cast<std::uint32_t>(target);
        return mixedBits(mixedBits(pair) ^ (static_cast<std::uint64_t>(static_cast<std::uint32_t>(tag)) << 1 | (signals ? 1u : 0u)));
    }

    void grow()
    {
        m_slots.assign(m_slots.size() * 2, UINT32_MAX);
        for (std::size_t index = 0; index < m_connections.size(); ++index) {
            const Connection& known = m_connections[index];
            std::size_t at = hash(known.source, known.target, known.tag, known.signals) & (m_slots.size() - 1);
            while (m_slots[at] != UINT32_MAX)
                at = (at + 1) & (m_slots.size() - 1);
            m_slots[at] = static_cast<std::uint32_t>(index);
        }
    }

    std::vector<Connection>& m_connections;
    std::vector<std::uint32_t> m_slots;
};

} // namespace

Connections::Connections(const ExplicitBody& body, const Lanes& lanes, const std::stop_token& stop)
    : m_links(body.size())
{
    ConnectionTable table(m_connections);
    struct Ends {
        std::uint32_t sender = UINT32_MAX;
        std::uint32_t receiver = UINT32_MAX;
    };
    std::vector<Ends> ends; // By connection: lanes of its first operations.
    for (std::int32_t rank = 0; rank < body.rankCount(); ++rank) {
        const OpIndex end = body.rankBegin[static_cast<std::size_t>(rank) + 1];
        for (OpIndex op = body.rankBegin[static_cast<std::size_t>(rank)]; op < end; ++op) {
            checkStop(stop);
            const OpKind kind = body.kind[op];
            const bool sends = isSendSide(kind);
            const std::int32_t peer = body.peer[op];
            if ((!sends && !isReceiveSide(kind)) || peer < 0 || peer >= body.rankCount() || peer == rank)
                continue;
            const std::uint32_t index = table.find(sends ? rank : peer, sends ? peer : rank, body.connection[op], kind == OpKind::Signal || kind == OpKind::Wait);
            if (index == ends.size())
                ends.emplace_back();
            Connection& connection = m_connections[index];
            m_links[op] = {index, sends ? connection.sends++ : connection.receives++};
            std::uint32_t& lane = sends ? ends[index].sender : ends[index].receiver;
            if (lane == UINT32_MAX)
                lane = lanes.laneOf(op);
            else if (lane != lanes.laneOf(op))
                (sends ? connection.oneSender : connection.oneReceiver) = false;
        }
    }

    std::uint32_t sends = 0;
    std::uint32_t receives = 0;
    for (Connection& connection : m_connections) {
        checkStop(stop);
        connection.sendBegin = sends;
        connection.receiveBegin = receives;
        sends += connection.sends;
        receives += connection.receives;
    }
    m_sends.resize(sends);
    m_receives.resize(receives);
    for (OpIndex op = 0; op < body.size(); ++op) {
        checkStop(stop);
        const Link link = m_links[op];
        if (link.connection == UINT32_MAX)
            continue;
        const Connection& connection = m_connections[link.connection];
        if (isSendSide(body.kind[op]))
            m_sends[connection.sendBegin + link.sequence] = op;
        else
            m_receives[connection.receiveBegin + link.sequence] = op;
    }
}

} // namespace fabricscope
