#pragma once

#include "core/record/messagerecord.h"
#include "core/scenario/scenario.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <utility>
#include <vector>

namespace fabricscope::test {

/// ceil(bytes * 10^12 * factor / (rate * divisor)).
std::int64_t occupancyPs(std::int64_t bytes, std::int64_t rate, std::int64_t factor = 1, std::int64_t divisor = 1);

/// A message as the oracle's network knows it.
struct OracleMessage {
    MessageRecord record;
    std::array<std::int64_t, 7> key{}; ///< Tie key: priority, job, sequence, chunk, phase, step, slot.
    std::int64_t stream = 0;
    std::int64_t issuer = 0;           ///< Last resort of the tie rule on the own link: what issued it on the source rank, in order.
    bool reduces = false;
    std::int32_t k = 1;
    bool mayReduce = false;            ///< The receiver's own part is there.
    bool left = false;
    bool arrived = false;              ///< All pieces delivered; a reduction that costs nothing may still wait.
    bool done = false;

    // The network's own.
    std::vector<LinkId> route;
    std::int64_t nextPiece = 0;
    std::int64_t piecesLeft = 0; ///< Without a final tail yet.
    std::int64_t arriveAt = 0;
    std::vector<int> waitingPieces;
};

/// Links, crossbars, reducers and budgets (manual: models 3), piece by piece.
class OracleNetwork {
public:
    explicit OracleNetwork(const Scenario& scenario);

    std::deque<OracleMessage> messages;

    /// The message is ready at this instant. \pre between different ranks, size above 0.
    void join(int message);
    /// The receiver's own part is there: reductions that waited count as arriving at this instant.
    void allowReduction(int message);

    /// Latency of the way between two ranks, ps.
    std::int64_t emptyLatency(std::int32_t fromRank, std::int32_t toRank) const;

    /// Something about a message that is due at an instant.
    struct Notice {
        enum class Kind { Left, Arrived } kind = Kind::Left;
        int message = 0;
    };
    /// First instant after or at `now` at which something happens.
    std::optional<std::int64_t> nextTime(std::int64_t now) const;
    /// First part of an instant: what left and what arrived.
    std::vector<Notice> begin(std::int64_t now);
    /// Second and third part: heads in tie order, then link picks.
    void finish();

private:
    using Time = std::int64_t;
    using Key = std::array<std::int64_t, 12>; ///< Message key, piece, -hops, input port, order at the previous resource, issuer.
    struct Piece {
        int message = 0;
        std::int64_t index = 0;
        std::int64_t from = 0; ///< Bytes [from, to) of the message.
        std::int64_t to = 0;
        std::size_t hops = 0;  ///< Links travelled.
        Time head = 0;
        Time tail = 0;
        std::int64_t served = 0; ///< Order at the resource before.
    };
    struct OwnLink {
        std::map<std::int64_t, std::deque<int>> queues; ///< Messages by stream.
        std::deque<std::int64_t> round;                 ///< Streams.
        std::optional<std::int64_t> rejoins;            ///< Stream that goes behind all at the next pick.
    };

    OracleMessage& of(const Piece& piece) { return messages[static_cast<std::size_t>(piece.message)]; }
    const OracleMessage& of(const Piece& piece) const { return messages[static_cast<std::size_t>(piece.message)]; }
    std::size_t targetNode(const OracleMessage& message) const;
    std::size_t sourceNode(const OracleMessage& message) const;
    std::size_t classOf(LinkId link) const;
    std::int64_t rateOf(LinkId link) const { return m_params.linkRate[classOf(link)].bytesPerSecond; }
    std::int64_t reducerRateAt(std::size_t node) const;
    Time latencyOf(LinkId link) const { return m_params.linkLatency[classOf(link)].ps; }
    Time& busyOf(LinkId link) { return m_linkBusy[static_cast<std::size_t>(link)]; }
    Time busyOf(LinkId link) const { return m_linkBusy[static_cast<std::size_t>(link)]; }
    Time commit(Time& busy, Time head, Time duration) const;
    Key keyOf(const Piece& piece, std::int64_t port) const;
    std::int32_t portOf(const Piece& piece) const;
    std::vector<int> inTieOrder(const std::vector<int>& pieces) const;

    void startIdeal();
    void joinQueues();
    void serveHeads();
    void throughCrossbar(Piece& piece, NodeId node);
    void serveReducers();
    void pickAll();
    void chargeInjection(std::vector<std::pair<Key, int>> picked);
    int start(Piece piece);
    void cross(int id, LinkId link, Time end);
    void land(const Piece& piece);

    const Structure& m_structure;
    const Params& m_params;
    const Platform& m_platform;
    const bool m_ideal;
    Time m_now = 0;
    std::int64_t m_served = 1;
    std::multimap<Time, Notice> m_notices;
    std::multimap<Time, int> m_heads;
    std::vector<Piece> m_pieces;
    std::map<LinkId, OwnLink> m_own;
    std::vector<Time> m_linkBusy;
    std::map<NodeId, Time> m_crossbarBusy;
    std::map<std::size_t, Time> m_reducerBusy, m_injectionBusy, m_ejectionBusy; ///< By node.
    std::vector<int> m_joining;  ///< Messages that became ready in this instant.
    std::vector<int> m_arriving; ///< Pieces whose head reaches the next resource in this instant.
    std::vector<int> m_reducing; ///< Pieces that reach a reducer in this instant.
};

} // namespace fabricscope::test
