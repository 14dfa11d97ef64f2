#pragma once

#include "core/base/digest.h"
#include "core/base/index.h"
#include "core/record/runrecord.h"
#include "core/sim/events/agenda.h"
#include "core/sim/events/boxes.h"
#include "core/sim/events/flowstate.h"
#include "core/sim/events/outcome/halt.h"
#include "core/sim/events/message.h"
#include "core/sim/events/messageroutes.h"
#include "core/sim/events/periodstate.h"
#include "core/sim/events/setting.h"
#include "core/sim/events/slotpool.h"
#include "core/sim/events/transfers.h"

#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

namespace fabricscope::events {

class Engine;
class Switches;
class Tasks;

/// What one stream has to send over one link.
struct StreamQueue {
    std::int64_t served = 0;     ///< When its previous piece left, for the warning about order.
    std::int32_t stream = 0;
    std::int32_t head = kNone;   ///< Messages.
    std::int32_t tail = kNone;
    std::int32_t next = kNone;   ///< In the round.
};

struct Link {
    std::int64_t committed = 0;  ///< w: end of the work committed to it.
    std::int64_t wakeAt = -1;    ///< Instant of the latest Wake under way; -1: none.
    std::int64_t latency = 0;
    ResourceClass resource = 0;
    std::int32_t dimension = 0;     ///< Index into Network::busy().
    std::int32_t roundHead = kNone; ///< StreamQueues in turn.
    std::int32_t roundTail = kNone;
    std::int32_t deferred = kNone;  ///< Served last and has more: goes behind all that wait at the next pick.
    std::int32_t arrivals = kNone;  ///< Messages that became ready in this instant.
    std::int32_t heads = kNone;     ///< Pieces whose head arrives in this instant.
    std::int32_t lastStream = kNone;
    bool dirty = false;
    bool several = false;           ///< More than one arrival in this instant.
    bool down = false;              ///< Failed: nothing enters.
    std::int32_t crossbar = kNone;  ///< Of the switch that it leaves, where that limits what passes through: in Network::crossbars().
    // Use.
    std::int64_t messages = 0;
    std::int64_t bytes = 0;
    std::int64_t busy = 0;
    std::int64_t busyFrom = 0;      ///< The busy interval that ends at `committed`.
};

/// Endpoint of one node.
struct Endpoint {
    std::int64_t reducerFree = 0;
    std::int64_t injection = 0;     ///< P (manual: models 3.4).
    std::int64_t ejection = 0;
    std::int64_t reducerRate = 0;   ///< M; 0: reductions take no time.
    std::int64_t firstArrival = INT64_MAX; ///< At the reducer or the ejection budget.
    std::int32_t pendingHead = kNone; ///< Pieces on their way into the reducer, by arrival and tie key.
    std::int32_t pendingTail = kNone;
};

/// Crossbar of a switch that limits what passes through (manual: models 3.4).
struct Crossbar {
    std::int32_t limit = 0;     ///< Entry of Params::crossbars.
    std::int64_t committed = 0; ///< P: end of the work committed to it.
    std::int64_t busy = 0;      ///< All of that work, ps.
    std::int64_t delayed = 0;   ///< Pieces whose tail waited for it.
};

/// What travels and what it travels over: messages and their pieces, links with their queues, endpoints with their budgets and reducers, the flows of
/// model `flow`, and how much of all that has been used. Owns all of it; Transfers alone shares the pools of messages and pieces
/// (underWay()). In network.cpp (links), budgets.cpp, endpoint.cpp, ties.cpp (who goes first), linkchanges.cpp (links that fail or change), flowmessages.cpp (model
/// flow, flowmodel.h), switchlinks.cpp (messages to and from switches) and ways.cpp.
///
/// Calls that come in: send(), or take(), message() and start(), of who has something to send; deliverHere() and deliverNow() of what needs no link;
/// releaseWaiting() when the own part of a reduction is there; the events of messages, pieces, links and flows; serve*() at the end of a round; what
/// Transfers and Switches do with messages of theirs. Calls that go out: begin(), partLeft(), partDelivered(), divert() and drawn*() of Transfers;
/// contribute() and nameEnds() of Switches; to Engine sourceLeft() and arrived() of a message, priorityOf() and taskOf(); waitingPlace() and runOf() of Collectives.
class Network {
public:
    Network(const Setting& given, Agenda& agenda, Halt& halt, Routes& routes, const Tasks& tasks, Switches& switches, Engine& engine)
        : m_given(given), m_agenda(agenda), m_halt(halt), m_routes(routes), m_tasks(tasks), m_switches(switches), m_engine(engine)
    {
    }

    // Before the run.
    /// Messages find their ways and parts there from now on.
    void transferBy(Transfers& transfers) { m_transfers = &transfers; }
    /// Messages of what is not answered as a whole are told of.
    void tell(Boxes& boxes) { m_boxes = &boxes; }
    /// Keeps busy intervals one by one instead of adding them up.
    void keepIntervals(std::vector<BusyInterval>& intervals) { m_intervals = &intervals; }
    /// Endpoints of an earlier run on the same machine, as giveEndpoints() gave them; without them build() makes them.
    void takeEndpoints(std::vector<Endpoint> endpoints) { m_endpoints = std::move(endpoints); }
    static std::int64_t bytesOfEndpoints(const Setting& given, const Routes& routes);
    void build();
    void start(); ///< \pre the channels of Tasks are known

    // Messages.
    /// Number of the way between two nodes; any, where the run has to stop.
    std::int32_t wayBetween(NodeId source, NodeId target);
    /// Sends a message that becomes ready at `ready`.
    void send(const Message& message, std::int64_t ready);
    /// The same in three steps without a copy: a place, in which all fields that count are to be set, and its start.
    std::int32_t take() { return m_messages.take(); }
    Message& message(std::int32_t number) { return m_messages[number]; }
    void start(std::int32_t message, std::int64_t ready);
    /// Delivers a message of a rank to itself in this instant.
    void deliverHere(const Message& message);
    /// The same of a message that has a place, and does not count as sent.
    void deliverNow(std::int32_t message) { m_deliverNow.push_back(message); }
    /// The rank's own part is there: what waited for it arrives at the reducer now.
    void releaseWaiting(std::int32_t& waiting);
    void setReducerRate(NodeId node, std::int64_t bytesPerSecond) { m_endpoints[at(node)].reducerRate = bytesPerSecond; }

    // For Switches.
    /// The message begins at a switch; its pieces follow with passDown(), in order. Returns its number.
    std::int32_t sendDown(const Message& message);
    void passDown(std::int32_t message, std::int32_t index, std::int64_t head, std::int64_t tail);
    /// The tie rule as far as the message decides it.
    int compareMessages(const Message& a, const Message& b) const;

    // For Transfers.
    int compareAtSource(const Message& a, const Message& b) const;
    /// A message or part with an open way joins the queues, or whatever stands for them in the model.
    void depart(std::int32_t message);
    /// The last piece has been picked; it leaves the own link at Message::left.
    void leftOwnLink(std::int32_t message);
    void delivered(std::int32_t message);
    void headAtLink(std::int32_t piece, std::int32_t link); ///< Where pieces choose by queues: at the node before it.
    /// The head of a piece is now where its message goes.
    void endHere(std::int32_t piece);
    std::int32_t piecesOf(std::int64_t bytes) const;
    /// Takes up the links that Routes has found since.
    void useNewLinks()
    {
        if (m_links.size() < m_routes.linkIds().size())
            addLinks();
    }
    void changeLink(LinkId link, const Transfers::LinkNow& now);
    bool isUp(const Route& route) const; ///< All its links.
    /// Takes messages that have not been picked and whose way has failed out of the queues.
    std::vector<std::int32_t> takeBlocked();
    Transfers::UnderWay underWay() { return {m_messages, m_pieces}; }

    // Events.
    void messageReady(std::int32_t message);
    void wake(std::int32_t link);
    void headAtNextLink(std::int32_t piece);
    void headAtEnd(std::int32_t piece) { m_ends.push_back(piece); }
    void reduced(std::int32_t piece);
    void endFlows();
    void flowHead(std::int32_t message);
    void flowArrived(std::int32_t message);

    // Work of the present instant, one kind each: is there any, and do it.
    bool hasDeliveries() const { return !m_deliverNow.empty(); }
    void settleDelivery(); ///< One message.
    /// Heads that have come to links and ends. False: the run has to stop.
    bool serveHeads();
    bool hasEnds() const { return !m_ends.empty(); }
    void serveEnds();
    /// One pick per idle link, and flows; after all else of the instant. False: the run has to stop.
    bool servePicks();

    // What has been used.
    bool isFlow() const { return m_flow != nullptr; }
    const std::vector<Link>& links() const { return m_links; } ///< As Routes numbers them.
    const std::vector<Endpoint>& endpoints() const { return m_endpoints; } ///< By node.
    const std::vector<Crossbar>& crossbars() const { return m_crossbars; } ///< As Params::crossbars; of a dimension one for each line.
    const std::vector<BusyPyramid>& busy() const { return m_busy; } ///< Per dimension; explicit platforms: one for all links.
    std::int64_t messages() const { return m_messageCount; }
    std::int64_t pieces() const { return m_pieceCount; } ///< Injected so far.
    std::int64_t orderSensitive() const { return m_orderSensitive; } ///< Pieces that waited long behind another stream.
    /// Folded: a tie was left to relative positions that differ from NPU to NPU (symmetricrun.h).
    bool positionsDecided() const { return m_positionsDecided; }
    const CommutativeDigest& digest() const { return m_digest; } ///< Of all messages; RunOptions::messageDigest.
    std::int64_t bytes() const;
    std::size_t underWayCount() const { return m_messages.used(); }
    void showFlowBusy(); ///< Model flow: puts its busy times into busy().

    /// Folded: what is counted of one NPU is so many times as much.
    void standFor(std::int64_t npus) { m_orderSensitive *= npus; }

    // For collectives that are answered as wholes.
    void addWork(std::int32_t link, std::int64_t messages, std::int64_t bytes, std::int64_t busy);
    void addPieces(std::int64_t pieces) { m_pieceCount += pieces; }
    void addRecord(const MessageRecord& record) { m_digest.add(record.words()); }
    void setBusy(std::size_t dimension, BusyPyramid busy) { m_busy[dimension] = std::move(busy); }
    void endIntervals(); ///< Hands over the last busy interval of every link.
    /// The endpoints for another run: those of `used` as before this one.
    std::vector<Endpoint> giveEndpoints(std::span<const NodeId> used);

private:
    friend class FastForward; ///< Reads and moves all of it while nothing else happens, and says of every field whether it counts.

    struct Picked {
        std::int32_t message;
        std::int32_t index;
        std::int64_t head;
        std::int64_t tail;
        std::int64_t latency;
    };

    void makeEndpoints();
    void addLinks();
    void change(Link& link, LinkId id, const Transfers::LinkNow& now);
    /// Hands the busy interval a link has finished to its dimension.
    void flushBusy(const Link& link) { addBusy(link, link.busyFrom, link.committed); }
    void addBusy(const Link& link, std::int64_t begin, std::int64_t end)
    {
        if (!m_given.options.busyOverTime)
            return;
        if (m_busyLog)
            m_busyLog->push_back({static_cast<std::size_t>(link.dimension), begin, end});
        if (m_intervals)
            m_intervals->push_back({static_cast<std::int32_t>(&link - m_links.data()), begin, end, end - begin});
        else
            m_busy[at(link.dimension)].add(begin, end);
    }
    /// Does the work of a link that begins then, or all of the message, end beyond the clock? Then the run ends with an error that names both.
    bool pastClock(const Link& link, std::int64_t bytes, std::int64_t begin, std::int64_t duration);
    /// The link works from `start` on so long on so many bytes; `last`: a message ends with them.
    void commit(Link& link, std::int64_t start, std::int64_t duration, std::int64_t bytes, bool last)
    {
        if (start > link.committed) {
            flushBusy(link);
            link.busyFrom = start;
            link.committed = start;
        }
        link.committed += duration;
        link.busy += duration;
        link.bytes += bytes;
        link.messages += last ? 1 : 0;
    }

    // Links: network.cpp.
    template <typename Cost>
    std::int64_t pieceShare(const Message& message, std::int32_t index, Cost&& cost) const
    {
        return shareOfPiece(message, index, m_given.pieceBytes, std::forward<Cost>(cost));
    }
    std::int64_t pieceSize(const Message& message, std::int32_t index) const
    {
        return pieceShare(message, index, [](std::int64_t bytes) { return bytes; });
    }
    std::int64_t payloadBytes(const Message& message, std::int64_t bytes) const { return message.protocol == 0 ? bytes : m_transfers->payloadBytes(message, bytes); }
    void sendWithoutSharing(std::int32_t message);
    void touch(std::int32_t link);
    void insertBySize(StreamQueue& queue, std::int32_t message);
    void bringHighestToFront(Link& link);
    void queueArrivals(Link& link);
    void returnDeferred(Link& link);
    void enqueue(Link& link, std::int32_t message);
    void serve(std::int32_t link);
    void arm(std::int32_t link);
    void crossed(std::int32_t message, std::int32_t index, std::int64_t head, std::int64_t tail, std::int32_t hop, std::int32_t piece);
    void serveHeadsAt(std::int32_t link);
    void serveHead(std::int32_t piece, std::int32_t link);
    bool serveHeadsAtNodes();
    std::int32_t keepPiece(std::int32_t piece, std::int32_t message, std::int32_t index, std::int64_t head, std::int64_t tail);
    void tellOf(std::int32_t number, const Message& message);
    void tellWays(std::int32_t number, const Message& message, const MessageRecord& record);
    void warnOfOrder(const Message& message, std::int64_t waited, std::int64_t duration);

    // Injection budgets and crossbars: budgets.cpp.
    void spendInjection();
    void makeCrossbars();
    std::int32_t crossbarBefore(LinkId link) const;
    int comparePassing(std::int32_t a, std::int32_t b) const;
    void passCrossbar(std::int32_t piece, std::int32_t link);
    bool passCrossbars();

    // Destinations: endpoint.cpp.
    void land(std::int32_t message, std::int32_t index, std::int64_t head, std::int64_t tail, std::int32_t piece);
    void intoReducer(std::int32_t piece, std::int64_t arrival);
    void drainReducer(Endpoint& endpoint, std::int64_t limit);
    std::int64_t reduction(const Endpoint& endpoint, std::int64_t bytes, std::int32_t k) const;

    // Who goes first: ties.cpp.
    std::pair<std::int64_t, std::int64_t> stepInTies(const Message& message) const;
    std::pair<std::int64_t, std::int64_t> pieceAndPhase(const Message& message) const;
    static std::int32_t numberInTask(const Message& message);
    bool positionsDiffer(const Message& a, const Message& b, bool atEnd) const;
    int compareBeforePorts(const Piece& a, const Piece& b) const;
    int comparePieces(const Piece& a, const Piece& b, bool atEnd) const;

    // Model flow: flowmessages.cpp.
    void makeFlow();
    void keepFlowIntervals();
    void flowReady(std::int32_t message);
    void serveFlows();
    void queueFlows(FlowState::Connection& connection);
    void startFlow(std::int32_t message);
    void flowLeft(std::int32_t message);
    void waitForOwnPart(std::int32_t message, std::int32_t& waiting);
    void startReduction(std::int32_t message);

    // Messages to and from switches: switchlinks.cpp.
    bool crossedSwitch(std::int32_t message, std::int32_t index, std::int64_t head, std::int64_t tail, std::int32_t hop);
    void passLink(std::int32_t message, Link& link, std::int64_t head, std::int64_t tail);

    const Setting m_given;
    Agenda& m_agenda;
    Halt& m_halt;
    Routes& m_routes;
    const Tasks& m_tasks;
    Switches& m_switches;
    Engine& m_engine;
    Transfers* m_transfers = nullptr; ///< Null: the design sets no routing, protocol, faults or jitter.
    Boxes* m_boxes = nullptr;

    Pool<Message> m_messages;
    Pool<Piece> m_pieces;
    Pool<StreamQueue> m_queues;
    std::vector<Link> m_links;
    std::vector<Endpoint> m_endpoints;
    std::vector<Crossbar> m_crossbars;     ///< As Params::crossbars; of a dimension one for each line.
    std::vector<std::int32_t> m_pairQueue; ///< By point-to-point stream: its queue; kNone.
    std::int64_t m_order = 0;              ///< Pieces processed so far.
    std::unique_ptr<FlowState> m_flow;     ///< Model flow only.

    std::vector<BusyPyramid> m_busy;
    std::vector<LoggedBusy>* m_busyLog = nullptr; ///< Gets what goes into m_busy, while somebody wants it.
    std::vector<BusyInterval>* m_intervals = nullptr;
    CommutativeDigest m_digest;
    std::int64_t m_messageCount = 0;
    std::int64_t m_pieceCount = 0;
    std::int64_t m_orderSensitive = 0;
    mutable bool m_positionsDecided = false;

    // Work of the current instant.
    std::vector<std::int32_t> m_dirtyLinks;
    std::vector<std::int32_t> m_headLinks;
    std::vector<std::int32_t> m_nodeHeads; ///< Pieces before any link, where they choose by queues.
    std::vector<std::int32_t> m_crossbarHeads; ///< Those of them that come to a switch with a crossbar limit, where ways are settled before.
    std::vector<std::int32_t> m_ends;
    std::vector<std::int32_t> m_sort;
    std::vector<Picked> m_picked;
    std::vector<std::int32_t> m_deliverNow;
};

// What every piece goes through, kept here so that it is inlined.

inline void Network::touch(std::int32_t number)
{
    Link& link = m_links[at(number)];
    if (!link.dirty) {
        link.dirty = true;
        m_dirtyLinks.push_back(number);
    }
}

/// Wakes the link when its committed work ends. A wake under way is enough: it comes no later and arms again.
inline void Network::arm(std::int32_t number)
{
    Link& link = m_links[at(number)];
    if (link.wakeAt > m_agenda.now() || (link.roundHead == kNone && link.deferred == kNone))
        return;
    link.wakeAt = link.committed;
    m_agenda.push(link.committed, EventKind::Wake, number);
}

} // namespace fabricscope::events
