#pragma once

#include "core/verify/lanechecks.h"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace fabricscope {

/// What pairs up with something at another rank: sends with receives, signals with waits.
constexpr bool isSendSide(OpKind kind) { return kind == OpKind::Send || kind == OpKind::Signal; }
constexpr bool isReceiveSide(OpKind kind) { return receives(kind) || kind == OpKind::Wait; }

/// FIFO matching: the k-th send of (source, target, connection) meets the k-th receive, in the order of the columns; signals and waits
/// likewise among themselves. 12 bytes per operation, 40 per connection.
class Connections {
public:
    struct Connection {
        std::int32_t source = 0;
        std::int32_t target = 0;
        std::int32_t tag = 0;             ///< ExplicitBody::connection.
        bool signals = false;
        bool oneSender = true;            ///< All sends are in one lane.
        bool oneReceiver = true;
        std::uint32_t sends = 0;
        std::uint32_t receives = 0;
        std::uint32_t sendBegin = 0;
        std::uint32_t receiveBegin = 0;
    };

    /// O(operations). Operations whose peer is no other rank are left out. Throws StopRequested. \pre a body of sound shape.
    Connections(const ExplicitBody& body, const Lanes& lanes, const std::stop_token& stop = {});

    const std::vector<Connection>& all() const { return m_connections; }
    /// UINT32_MAX where the operation is no part of one.
    std::uint32_t connectionOf(OpIndex op) const { return m_links[op].connection; }
    std::uint32_t sequenceOf(OpIndex op) const { return m_links[op].sequence; }
    OpIndex sendAt(const Connection& connection, std::uint32_t sequence) const { return m_sends[connection.sendBegin + sequence]; }
    OpIndex receiveAt(const Connection& connection, std::uint32_t sequence) const { return m_receives[connection.receiveBegin + sequence]; }
    /// Number of the message among all, by its send side. \pre the receive has a partner.
    std::uint32_t messageOf(OpIndex op) const { return m_connections[m_links[op].connection].sendBegin + m_links[op].sequence; }
    std::size_t messages() const { return m_sends.size(); }
    /// Has the operation a partner? Reads less memory than to ask who it is.
    bool isPaired(OpIndex op) const
    {
        const Link link = m_links[op];
        if (link.connection == UINT32_MAX)
            return false;
        const Connection& connection = m_connections[link.connection];
        return link.sequence < std::min(connection.sends, connection.receives);
    }
    /// What a receive or wait waits for; kNoOp: nothing ever comes.
    OpIndex senderOf(OpIndex receive) const
    {
        const Link link = m_links[receive];
        if (link.connection == UINT32_MAX)
            return kNoOp;
        const Connection& connection = m_connections[link.connection];
        return link.sequence < connection.sends ? sendAt(connection, link.sequence) : kNoOp;
    }
    /// The operation a send or signal goes to; kNoOp: none.
    OpIndex receiverOf(OpIndex send) const
    {
        const Link link = m_links[send];
        if (link.connection == UINT32_MAX)
            return kNoOp;
        const Connection& connection = m_connections[link.connection];
        return link.sequence < connection.receives ? receiveAt(connection, link.sequence) : kNoOp;
    }

private:
    struct Link {
        std::uint32_t connection = UINT32_MAX;
        std::uint32_t sequence = 0;
    };
    std::vector<Connection> m_connections; ///< In the order in which they are first named.
    std::vector<Link> m_links;             ///< By operation.
    std::vector<OpIndex> m_sends;          ///< By connection, in sequence.
    std::vector<OpIndex> m_receives;
};

} // namespace fabricscope
