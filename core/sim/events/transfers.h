#pragma once

#include "core/base/index.h"
#include "core/platform/router.h"
#include "core/record/messagerecord.h"
#include "core/scenario/networkparams.h"
#include "core/sim/events/agenda.h"
#include "core/sim/events/message.h"
#include "core/sim/events/messageroutes.h"
#include "core/sim/events/setting.h"
#include "core/sim/events/slotpool.h"

#include <cstdint>
#include <map>
#include <optional>
#include <tuple>
#include <unordered_map>
#include <vector>

namespace fabricscope::events {

class Engine;
class Switches;

/// What the design says of transfers (NetworkParams): protocols, routing, jitter, and links that fail or change. Owns the router, the state of every link
/// that is not as the platform says, messages in parts and the slots of their connections, and what waits for a repair. There is none in a run
/// whose design says nothing of this. In transfers.cpp and faults.cpp, where the rules are, and ways.cpp.
///
/// Calls that come in: from a message when it is about to be ready (takeProtocol), is ready (begin), a part of it has left (partLeft) or is there
/// (partDelivered); applyChanges() at the begin of an instant, settleSlots() at its end; divert() of a piece before a failed link; questions of links
/// and ways. Calls that go out, but for runOf() all to Network: depart() of a message or part whose way is open; leftOwnLink() and delivered() of a message
/// whose parts have all left or come; headAtLink() of a piece on its new way; takeBlocked(), isUp() and change() of links; compareAtSource().
class Transfers {
public:
    /// A link that is not as the platform says.
    struct LinkNow {
        std::optional<ResourceClass> resource; ///< Its rate has changed.
        std::int32_t failures = 0;             ///< That strike it now.
        std::int64_t since = 0;                ///< Of the first of them, ps.
    };
    /// A message that has no way at the end of the run.
    struct Blocked {
        std::int32_t run = kNone; ///< kNone: point to point.
        std::int32_t source = 0;  ///< Ranks.
        std::int32_t target = 0;
        LinkId link = 0;          ///< That failed.
        std::int64_t since = 0;   ///< When, ps.
    };
    /// What travels belongs to Network.
    struct UnderWay {
        Pool<Message>& messages;
        Pool<Piece>& pieces;
    };

    /// \pre the design has NetworkParams. Ways of `routes` are from now on those of the design.
    Transfers(const Setting& given, Agenda& agenda, Routes& routes, const Switches& switches, const UnderWay& underWay, Engine& engine);

    /// Picks the protocol of a message that is about to get ready. Returns the latency it adds.
    std::int64_t takeProtocol(Message& message) const;
    /// A message is ready: control messages first if its protocol has any, else its data.
    void begin(std::int32_t message);
    void partLeft(const Message& part);
    void partDelivered(std::int32_t part);
    /// What of `bytes` on the links is payload.
    std::int64_t payloadBytes(const Message& message, std::int64_t bytes) const
    {
        return message.protocol == 0 ? bytes : protocolOf(message).payloadBytes(bytes);
    }
    // Ways by queues (manual: models 3.8).
    /// Do pieces choose for themselves? Then the heads of a node are served together.
    bool looksAtQueues() const { return m_looks; }
    /// What begins in this instant chooses its first link, in tie order, and departs.
    void chooseOwnLinks();
    /// The head of a piece is before the next link of its way, which it chooses now if that is still open. False: there is no way, it waits here.
    bool chooseLink(std::int32_t piece);
    NodeId nodeOf(const Piece& piece) const;
    /// May a head at a node still choose? Else its way is what its message says.
    bool isOpen(std::int32_t message) const { return m_looks && !m_messages[message].meetsSwitch() && !m_choosing[at(message)].settled; }
    /// A message is no longer among those that wait for its first link.
    void leavesQueue(std::int32_t message);

    /// The event SlotFree.
    void slotFree(std::int32_t connection);
    bool hasSlots() const { return !m_dirtyConnections.empty(); }
    void settleSlots();

    /// Is the use of a link drawn per message?
    bool drawsPerLink() const { return m_drawsPerLink; }
    std::int64_t drawnLatency(std::int64_t latency, const Message& message, std::int32_t link) const;
    std::int64_t drawnOccupancy(std::int64_t duration, const Message& message, std::int32_t link) const;

    /// Links change in this instant, if any do.
    void applyChanges();
    /// How a link is now; null: as the platform says.
    const LinkNow* now(LinkId link) const;
    /// The head of a piece is before a link that has failed: another way, or a wait.
    void divert(std::int32_t piece, std::int32_t link);
    /// Nothing happens any more: finds out which messages have no way.
    void noteBlocked();
    const std::vector<Blocked>& blocked() const { return m_blocked; }

    // Only with RunOptions::ways.
    /// All links a delivered message, or part of one, has crossed.
    std::vector<LinkId> linksTaken(const Message& message) const;
    /// The ways of the parts of a message, in the order of their delivery; empty: it had none.
    std::vector<TakenWay> waysOfParts(std::int32_t message);

private:
    /// A piece in front of a failed link, with no other way on.
    struct Held {
        std::int32_t piece = 0;
        NodeId node = 0;
    };
    /// Slots of one (protocol, stream, source, destination).
    struct Connection {
        std::int32_t free = 0;
        std::vector<std::int32_t> waiting;  ///< Messages, first come first.
        std::size_t first = 0;              ///< Of `waiting`; those before have gone.
        std::vector<std::int32_t> arrivals; ///< Of this instant.
        bool dirty = false;
    };

    const ProtocolParams& protocolOf(const Message& message) const { return m_params.protocols[message.protocol - std::size_t{1}]; }
    std::uint64_t identity(const Message& message) const;
    RouteFlow flowOf(const Message& message, std::int32_t number) const;
    void countFlow(std::int32_t message);
    void launch(std::int32_t message);
    void sendControl(std::int32_t message);
    void sendData(std::int32_t message);
    std::int32_t connectionOf(const Message& message);
    Connection& connectionAt(std::int32_t number) { return m_connections[at(number)]; }
    void touch(std::int32_t connection);
    bool takesSlot(const Message& part) const;
    bool hasOwnRoute(const Message& message) const;
    bool findWay(std::int32_t message);
    void resumeStalled();
    void goOnFrom(std::int32_t piece, NodeId node);
    bool chooseWay(std::int32_t message, NodeId node, std::int32_t hop);
    std::int64_t queueOf(LinkId link, bool begins) const;
    void settleWay(const Message& message, std::int32_t number, NodeId node, bool begins);
    void keepWayOfPart(const Message& part);

    const Setting m_given;
    const NetworkParams& m_params;
    Agenda& m_agenda;
    Routes& m_routes;
    const Switches& m_switches;
    Pool<Message>& m_messages;
    Pool<Piece>& m_pieces;
    Engine& m_engine;

    RoutingRules m_rules;
    Router m_router;
    /// Of one stream between two nodes, where the policy asks for it.
    struct FlowCount {
        std::uint64_t ordinal = 0;  ///< Streams that began between the same nodes before it.
        std::uint64_t messages = 0; ///< That were ready so far.
    };
    std::map<std::pair<NodeId, NodeId>, std::map<std::int32_t, FlowCount>> m_counted;
    std::vector<std::uint64_t> m_numbers;     ///< By message: RouteFlow::number.
    bool m_drawsPerLink;
    /// Of a message that chooses by queues.
    struct Choosing {
        bool settled = false;
        std::int32_t link = kNone; ///< Waits for this one, as Routes number it,
        std::int64_t time = 0;     ///< which it will occupy so long.
    };
    const bool m_looks;
    std::vector<Choosing> m_choosing;         ///< By message.
    std::vector<std::int64_t> m_waiting;      ///< By link: time of all that wait for it.
    std::vector<std::int32_t> m_beginning;    ///< Messages of this instant that have not chosen yet.
    std::vector<LinkId> m_closer;             ///< Choices at one node,
    std::vector<LinkId> m_way;                ///< the way over one of them,
    std::vector<LinkId> m_drawn;              ///< and the one beside it.
    std::size_t m_nextChange = 0;
    std::unordered_map<LinkId, LinkNow> m_changed;
    std::vector<std::int32_t> m_stalled;      ///< Messages that have no way.
    std::vector<Held> m_held;
    std::map<std::tuple<std::int32_t, std::int32_t, NodeId, NodeId>, std::int32_t> m_connectionOf;
    std::vector<Connection> m_connections;
    std::vector<std::int32_t> m_dirtyConnections;
    std::vector<Blocked> m_blocked;           ///< Filled when nothing happens any more.
    // Only with RunOptions::ways.
    std::unordered_map<std::int32_t, std::vector<TakenWay>> m_ofParts; ///< By message in parts: the ways of those delivered, in that order.
};

} // namespace fabricscope::events
