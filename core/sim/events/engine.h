#pragma once

#include "core/sim/common/runpace.h"
#include "core/sim/events/enginestate.h"
#include "core/sim/events/fastforward.h"
#include "core/sim/events/flowstate.h"

#include <algorithm>
#include <memory>
#include <tuple>

namespace fabricscope::events {

/// The event engine of `links` and `ideal` (manual: models 1 to 4) and of `flow` (flowmodel.h).
///
/// One instant: everything delivered or ended is handled, and what that makes ready, until nothing changes; then the heads that
/// arrive at links and endpoints, in tie order per resource; then one pick per idle link. No step depends on the order in which
/// the agenda hands over the events of an instant, nor on rank numbers. No allocation, hash lookup or virtual call per message once the pools have grown.
///
/// Who owns what: Agenda, time and what is to come; Halt, why the run stops early; Tasks, the ranks, their tasks, and pairs of sends and receives;
/// Switches, those that reduce and copy, and what they do; Transfers, protocols, routing, jitter and faults; Routes and Plans (EngineState), ways and the
/// shape of collectives; FastForward, what it has seen of a folded run. All else is still EngineState's and this class's, by the groups below, each in
/// the file its comment names: messages, pieces, links and endpoints; runs, groups, phases and operations.
class Engine : public EngineState {
public:
    Engine(const Scenario& scenario_, const RunOptions& options_)
        : EngineState(scenario_, options_, *this)
        , m_pace(options_)
    {
        if (params.network)
            transfers = std::make_unique<Transfers>(*this, agenda, routes, m_switches, Transfers::UnderWay{m_messages, m_pieces}, *this);
    }
    Engine(const Engine&) = delete; ///< Its parts refer to it.
    Engine& operator=(const Engine&) = delete;

    /// Runs until nothing is left to happen. Errors: Cancelled, MemoryLimit, InvalidInput.
    Status run(std::stop_token stop);
    /// recordOf() of this engine; under flow its busy times are put in first.
    Result<RunRecord> record(bool cut, const std::stop_token& stop);

    // What Tasks, Switches and Transfers call.
    void issueCollective(std::int32_t rank, TaskIndex task);
    std::int32_t wayBetween(NodeId source, NodeId target);
    /// Sends a message that becomes ready at `ready`.
    void send(const Message& message, std::int64_t ready);
    /// Delivers a message of a rank to itself in this instant.
    void deliverHere(const Message& message);
    /// The message begins at a switch; its pieces follow with passDown(), in order. Returns its number.
    std::int32_t sendDown(const Message& message);
    void passDown(std::int32_t message, std::int32_t index, std::int64_t head, std::int64_t tail);
    /// The member has so many messages more to send.
    void owe(std::int32_t run, std::int32_t position, std::int32_t messagesMore)
    {
        runs[static_cast<std::size_t>(run)].members[static_cast<std::size_t>(position)].outstanding += messagesMore;
    }
    /// The tie rule as far as the message decides it.
    int compareMessages(const Message& a, const Message& b) const;
    int compareAtSource(const Message& a, const Message& b) const;
    /// A message or part with an open way joins the queues, or whatever stands for them in the model.
    void depart(std::int32_t message);
    /// The last piece has been picked; it leaves the own link at Message::left.
    void leftOwnLink(std::int32_t message);
    void delivered(std::int32_t message);
    void headAtLink(std::int32_t piece, std::int32_t link);
    std::int32_t piecesOf(std::int64_t bytes) const;
    /// Takes up the links that Routes has found since.
    void useNewLinks()
    {
        if (links.size() < routes.linkIds().size())
            addLinks();
    }
    void changeLink(LinkId link, const Transfers::LinkNow& now);
    bool isUp(const Route& route) const; ///< All its links.
    /// Takes messages that have not been picked and whose way has failed out of the queues.
    std::vector<std::int32_t> takeBlocked();
    const Run& runOf(const Message& message) const { return runs[static_cast<std::size_t>(message.run)]; }
    void setReducerRate(NodeId node, std::int64_t bytesPerSecond) { endpoints[static_cast<std::size_t>(node)].reducerRate = bytesPerSecond; }

private:
    // The run: engine.cpp.
    void instant();
    Status check();
    void handle(const Event& event);
    void settle();

    // Links, endpoints, and who goes first: network.cpp, linkchanges.cpp, endpoint.cpp, ties.cpp.
    std::pair<std::int64_t, std::int64_t> stepInTies(const Message& message) const;
    std::pair<std::int64_t, std::int64_t> pieceAndPhase(const Message& message) const;
    bool positionsDiffer(const Message& a, const Message& b, bool atEnd) const;
    int comparePieces(const Piece& a, const Piece& b, bool atEnd) const;
    TaskIndex taskOf(const Message& message) const;
    template <typename Cost>
    std::int64_t pieceShare(const Message& message, std::int32_t index, Cost&& cost) const
    {
        return shareOfPiece(message, index, pieceBytes, std::forward<Cost>(cost));
    }
    std::int64_t pieceSize(const Message& message, std::int32_t index) const;
    std::int64_t payloadBytes(const Message& message, std::int64_t bytes) const { return message.protocol == 0 ? bytes : transfers->payloadBytes(message, bytes); }
    void startMessage(std::int32_t message, std::int64_t ready);
    void messageReady(std::int32_t message);
    void sendWithoutSharing(std::int32_t message);
    void touch(std::int32_t link);
    void insertBySize(StreamQueue& queue, std::int32_t message);
    void bringHighestToFront(Link& link);
    void queueArrivals(Link& link);
    void returnDeferred(Link& link);
    void enqueue(Link& link, std::int32_t message);
    void serve(std::int32_t link);
    void arm(std::int32_t link);
    void spendInjection();
    void crossed(std::int32_t message, std::int32_t index, std::int64_t head, std::int64_t tail, std::int32_t hop, std::int32_t piece);
    void headAtNextLink(std::int32_t piece);
    void serveHeads(std::int32_t link);
    void serveEnds();
    void land(std::int32_t message, std::int32_t index, std::int64_t head, std::int64_t tail, std::int32_t piece);
    std::int32_t keepPiece(std::int32_t piece, std::int32_t message, std::int32_t index, std::int64_t head, std::int64_t tail);
    void intoReducer(std::int32_t piece, std::int64_t arrival);
    void drainReducer(Endpoint& endpoint, std::int64_t limit);
    void reduced(std::int32_t piece);
    void releaseWaiting(std::int32_t& waiting);
    std::int32_t* waitingPlace(const Message& message);
    void tellLeft(Message message);
    void warnOfOrder(const Message& message, std::int64_t waited, std::int64_t duration);

    // Model flow: flowmessages.cpp.
    void makeFlow();
    void flowReady(std::int32_t message);
    void serveFlows();
    void queueFlows(FlowState::Connection& connection);
    void startFlow(std::int32_t message);
    void endFlows();
    void flowLeft(std::int32_t message);
    void flowHead(std::int32_t message);
    void flowArrived(std::int32_t message);
    void waitForOwnPart(std::int32_t message, std::int32_t& waiting);
    void startReduction(std::int32_t message);

    // Collectives of a group: collectives.cpp.
    void shapeChunks(Run& run);
    std::int32_t makeRun(std::int32_t instance);
    void settleGroups();
    void tryEnter(std::int32_t run, std::int32_t position);
    void enterNext(std::int32_t group, std::size_t family, std::size_t rank);
    void overtake(Group& group);
    void enter(std::int32_t run, std::int32_t position);
    void enterBox(std::int32_t run, std::int32_t position);
    void memberDone(std::int32_t run, std::int32_t position);
    void finishIfDone(std::int32_t run, std::int32_t position);

    // Phases of template programs: phases.cpp.
    PhaseState& phaseState(Run& run, std::int32_t position, std::int32_t chunk, std::int32_t phase);
    std::int64_t held(Run& run, std::int32_t position, std::int32_t chunk, std::int32_t phase);
    void enterPhase(std::int32_t run, std::int32_t position, std::int32_t chunk, std::int32_t phase);
    void settleWindows();
    static std::vector<WindowPlace::Waiting>::iterator nextInWindow(const Run& run, WindowPlace& place, std::size_t number);
    void own(std::int32_t run, std::int32_t position, std::int32_t chunk, std::int32_t phase);
    bool receivedAll(Run& run, std::int32_t position, std::int32_t chunk, std::int32_t phase);
    void completeIfDone(std::int32_t run, std::int32_t position, std::int32_t chunk, std::int32_t phase);
    void sendReady(std::int32_t run, std::int32_t position, std::int32_t chunk, std::int32_t phase);
    void sendDirect(std::int32_t run, std::int32_t position, std::int32_t chunk, std::int32_t phase, std::int32_t slot);
    void forward(std::int32_t run, std::int32_t position, std::int32_t chunk, std::int32_t phase, std::int32_t step, std::int64_t bytes);
    void forwardRest(std::int32_t run, std::int32_t position, std::int32_t chunk, std::int32_t phase, std::int32_t step);
    void forwardEarly(std::int32_t run, std::int32_t position);
    void sendPhase(std::int32_t run, std::int32_t position, std::int32_t target, std::int32_t chunk, std::int32_t phase, std::int32_t step,
                   std::int32_t slot, std::int64_t bytes, std::int32_t reduceBuffers, std::int32_t routeKey);
    void phaseMessageArrived(const Message& message);
    void phaseMessageLeft(const Message& message);

    // Collectives done by switches: switchphases.cpp.
    std::int32_t switchLine(Plan& plan, PhasePlan& phase, std::int32_t position);
    void ownInNetwork(std::int32_t run, std::int32_t position, std::int32_t chunk, std::int32_t phase);
    bool crossedSwitch(std::int32_t message, std::int32_t index, std::int64_t head, std::int64_t tail, std::int32_t hop);
    void passLink(std::int32_t message, Link& link, std::int64_t head, std::int64_t tail);
    void switchDelivered(const Message& message);
    std::int64_t expectedReceives(Run& run, std::int32_t position, std::int32_t chunk, std::int32_t phase);

    // The same for explicit bodies: teams.cpp.
    std::int32_t teamLine(Plan& plan, std::int32_t team);
    void startTeamOperation(std::int32_t run, std::int32_t operation);
    void partOfTeamDone(std::int32_t run, std::int32_t position);
    void startWaitingSums(std::int32_t run);
    void teamDelivered(const Message& message, const Switches::Receipt& receipt);

    // Explicit bodies: operations.cpp.
    void enterOperations(std::int32_t run, std::int32_t position);
    void startOperation(std::int32_t run, std::int32_t operation);
    void sendOperation(std::int32_t run, std::int32_t operation);
    void operationDone(std::int32_t run, std::int32_t operation);
    std::int32_t operationRoute(Run& run, std::size_t operation);
    std::int64_t slotReturn(const Run& run, std::int32_t send);
    std::uint32_t park(std::int32_t operation);
    std::int32_t unpark(std::uint32_t place);

    // Which ways messages took; only with RunOptions::ways: ways.cpp.
    void tellWays(std::int32_t number, const Message& message, const MessageRecord& record);

    struct Picked {
        std::int32_t message;
        std::int32_t index;
        std::int64_t head;
        std::int64_t tail;
        std::int64_t latency;
    };

    Pool<Message> m_messages;
    Pool<Piece> m_pieces;
    Pool<StreamQueue> m_queues;
    Pool<EarlyMessage> m_early;
    Switches m_switches{*this, agenda, halt, routes, *this};
    std::vector<std::int32_t> m_pairQueue; ///< By point-to-point stream: its queue; kNone.
    std::int64_t m_order = 0;
    std::unique_ptr<FlowState> m_flow;   ///< Model flow only.

    // Work of the current instant.
    std::vector<std::int32_t> m_dirtyLinks;
    std::vector<std::int32_t> m_headLinks;
    std::vector<std::int32_t> m_ends;
    std::vector<std::int32_t> m_sort;
    std::vector<Picked> m_picked;
    std::vector<std::int32_t> m_deliverNow;
    std::vector<std::pair<std::int32_t, std::int32_t>> m_doneOperations; ///< Run, operation: those that took no time.
    std::vector<std::int32_t> m_dirtyGroups;
    std::vector<std::pair<std::int32_t, std::int32_t>> m_entrants;     ///< Run, position.
    std::vector<std::pair<std::int32_t, std::int32_t>> m_dirtyWindows; ///< Run, index into Run::windows.
    Pool<std::int32_t> m_parked;         ///< Operations named by events.
    FastForward m_fastForward{*this, {m_messages, m_pieces, m_queues, m_early, m_parked, m_order}}; ///< Behind what it refers to.

    std::int64_t m_nextCheck = 0;
    RunPace m_pace;
    std::int64_t m_piecesExpected = 0;     ///< Only with RunOptions::progress.
};

// What every piece goes through, kept here so that it is inlined.

inline std::int64_t Engine::pieceSize(const Message& message, std::int32_t index) const
{
    return pieceShare(message, index, [](std::int64_t bytes) { return bytes; });
}

inline void Engine::touch(std::int32_t number)
{
    Link& link = links[static_cast<std::size_t>(number)];
    if (!link.dirty) {
        link.dirty = true;
        m_dirtyLinks.push_back(number);
    }
}

/// Wakes the link when its committed work ends. A wake under way is enough: it comes no later and arms again.
inline void Engine::arm(std::int32_t number)
{
    Link& link = links[static_cast<std::size_t>(number)];
    if (link.wakeAt > agenda.now() || (link.roundHead == kNone && link.deferred == kNone))
        return;
    link.wakeAt = link.committed;
    agenda.push(link.committed, EventKind::Wake, number);
}

inline PhaseState& Engine::phaseState(Run& run, std::int32_t position, std::int32_t chunk, std::int32_t phase)
{
    const auto row = static_cast<std::size_t>(position) * static_cast<std::size_t>(run.plan->program->chunks) + static_cast<std::size_t>(chunk);
    return run.phases[row * static_cast<std::size_t>(run.plan->phaseCount) + static_cast<std::size_t>(phase)];
}

} // namespace fabricscope::events
