#pragma once

#include "core/base/index.h"
#include "core/sim/events/agenda.h"
#include "core/sim/events/boxes.h"
#include "core/sim/events/outcome/halt.h"
#include "core/sim/events/message.h"
#include "core/sim/events/messageroutes.h"
#include "core/sim/events/runplan.h"
#include "core/sim/events/setting.h"
#include "core/sim/events/slotpool.h"
#include "core/sim/events/switches.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace fabricscope::events {

class FastForward;
class Network;
class Tasks;

/// One phase of one chunk on one member.
struct PhaseState {
    std::uint32_t received = 0;  ///< Ring, direct: messages; else bits by index of the receive.
    std::uint32_t sent = 0;      ///< Halving-doubling, trees: bits by index of the send.
    std::int32_t waiting = kNone; ///< Pieces whose reduction waits for the own part; all-to-all on a ring: EarlyMessages.
    bool own = false;            ///< The previous phase is complete and the chunk has entered this one.
    bool complete = false;
};

enum class MemberState : std::uint8_t { Absent, Issued, Entered, Done };

struct Member {
    std::int64_t lastLeft = 0;   ///< When its last send so far leaves its own link.
    std::int32_t outstanding = 0; ///< Sends that have not been picked to the end.
    std::int32_t chunksLeft = 0; ///< Explicit body: operations left, and what switches have still to take from it or bring.
    TaskIndex task = kNone;
    MemberState state = MemberState::Absent;
    std::int32_t early = kNone;  ///< EarlyMessages that came before it entered.
};

/// A message on a ring that cannot be passed on yet: its receiver has not entered (all-gather) or its own part is missing (all-to-all).
struct EarlyMessage {
    std::int64_t bytes = 0;
    std::int32_t chunk = 0;
    std::int32_t phase = 0;
    std::int32_t step = 0;
    std::int32_t next = kNone;
};

/// Chunks of one member in phases of one axis and direction (Program::window).
struct WindowPlace {
    struct Waiting {
        std::int64_t since;
        std::int32_t chunk;
        std::int32_t phase;
    };
    std::int32_t inside = 0;
    std::int32_t turn = 0;         ///< Next of Plan::turns.
    bool dirty = false;
    std::vector<Waiting> waiting;
};

/// State of one operation of an explicit body.
struct OperationState {
    std::int32_t waitsFor = 0;
    std::int32_t waiting = kNone;  ///< Pieces whose reduction waits for the operation to start.
    std::int32_t blocked = kNone;  ///< First send that waits for a slot this operation gives back ...
    std::int32_t nextBlocked = kNone; ///< ... and, of a send that waits, the next one.
    std::int64_t end = -1;
    bool started = false;
    bool arrived = false;          ///< Receive: its message has been delivered.
};

/// A collective under way, from the first issue to the last member's end.
struct Run {
    std::int32_t instance = 0;
    const CollectiveInstance* def = nullptr;
    const GroupLayout* layout = nullptr;
    Plan* plan = nullptr;          ///< Null: nothing to move.
    std::int32_t group = 0;
    std::int32_t place = kNone;    ///< In the run order of its group.
    std::int32_t size = 0;
    std::int32_t active = 0;       ///< Members that are simulated; folded not all (folding.h).
    std::int32_t kept = 0;         ///< Members of whom there is something in what follows, by position (Plan::kept).
    std::int32_t membersDone = 0;
    std::int32_t issued = 0;       ///< Members that have issued it; counted where collectives may overtake.
    bool begun = false;            ///< Some member has entered.
    bool uniform = true;           ///< Every member holds the same in a phase.
    bool released = false;
    bool boxed = false;            ///< Answered as a whole (Boxes).
    std::int32_t entered = 0;      ///< Boxed: members that have entered.
    std::vector<Member> members;
    std::vector<PhaseState> phases; ///< [(position * chunks + chunk) * phase count + phase]
    std::vector<std::int32_t> shapeOfChunk; ///< Chunks of one size and order share a shape; empty: all chunks are of shape 0.
    std::vector<std::int64_t> shapeBytes;   ///< Size of the chunks of a shape.
    std::vector<std::int64_t> held; ///< H; uniform: [shape * phase count + phase], else [that * members + position], -1: not known yet.
    std::vector<WindowPlace> windows; ///< [position * 2 axes + place]
    /// Does the chunk carry anything? \pre a template
    bool isFilled(std::int32_t chunk) const { return shapeBytes[shapeOfChunk.empty() ? 0 : static_cast<std::size_t>(shapeOfChunk[at(chunk)])] > 0; }
    std::vector<OperationState> operations;
    std::vector<std::int32_t> waitingSums; ///< Sums in a switch that wait for members to enter.
    std::shared_ptr<const OperationBytes> sizes; ///< Of the operations.
};

/// Run order of one communicator group (manual: models 4: collectives of one group run in issue order).
struct Group {
    std::vector<std::int32_t> order;  ///< Runs.
    std::vector<std::int32_t> fresh;  ///< Runs issued in this instant and not in the order yet.
    std::vector<std::int32_t> complete; ///< Runs that may overtake: the last member has issued them in this instant.
    bool dirty = false;
};

/// Collectives: in which order those of a group run, what each member of one has done, phase by phase or operation by operation, and what it sends
/// next. Owns all of that, and the plans of their programs. In collectives.cpp (order of a group, members), phases.cpp (templates), operations.cpp
/// (explicit bodies), switchphases.cpp and teams.cpp (what of both switches do).
///
/// Calls that come in: issue() from Tasks; owe() from Switches; what Engine and Network say and ask of messages; the events MemberDone, OperationReady and
/// OperationDone. Calls that go out: end() and collectivesUnderWay() of Tasks; of Network take(), message() and start() of what a member sends,
/// deliverNow(), releaseWaiting(), wayBetween(); addLine(), start(), segments() and received() of Switches; FastForward, when a folded ring goes on.
class Collectives {
public:
    Collectives(const Setting& given, Agenda& agenda, Halt& halt, Routes& routes, Tasks& tasks, Network& network, Switches& switches, FastForward& fastForward)
        : m_given(given), m_agenda(agenda), m_halt(halt), m_routes(routes), m_tasks(tasks), m_network(network), m_switches(switches), m_fastForward(fastForward),
          m_plans(given.structure)
    {
    }

    // Before the run.
    /// They are answered as wholes where that can be done.
    void answerBy(Boxes& boxes) { m_boxes = &boxes; }
    /// Position 0 of every plan stands for all its positions (Plans::fold()).
    void fold(const FoldedOperations& operations) { m_plans.fold(operations); }
    /// Some ranks stand for all.
    void fold(const Folding& folding)
    {
        m_folding = &folding;
        m_plans.fold(folding);
    }
    void build();

    /// The task of the rank is a collective that it enters when its turn has come.
    void issue(std::int32_t rank, TaskIndex task);
    /// The member has so many messages more to send.
    void owe(std::int32_t run, std::int32_t position, std::int32_t messagesMore)
    {
        m_runs[at(run)].members[at(position)].outstanding += messagesMore;
    }

    // Messages of collectives.
    const Run& runOf(const Message& message) const { return m_runs[at(message.run())]; }
    /// Where pieces of a reduced message wait for the own part of the receiver; null: it is there.
    std::int32_t* waitingPlace(const Message& message);
    /// The last piece has been picked; it leaves the own link at Message::left.
    void sourceLeft(const Message& message);
    /// It has left its own link. \pre Message::tellLeft
    void left(const Message& message);
    void arrived(const Message& message)
    {
        if (const auto* const phase = std::get_if<OfPhase>(&message.of))
            phaseMessageArrived(phase->run, message);
        else if (const auto* const send = std::get_if<OfOperation>(&message.of))
            operationArrived(send->run, send->operation);
        else if (std::holds_alternative<FromSwitch>(message.of))
            switchDelivered(message);
    }

    // Events; operations by the place they are parked at.
    void memberDone(std::int32_t run, std::int32_t position);
    void operationReady(std::int32_t run, std::uint32_t parked) { sendOperation(run, unpark(parked)); }
    void operationEnds(std::int32_t run, std::uint32_t parked) { operationDone(run, unpark(parked)); }

    // Work of the present instant, one kind each: is there any, and do it.
    bool hasOperations() const { return !m_doneOperations.empty(); }
    void settleOperation(); ///< One that took no time.
    bool hasWindows() const { return !m_dirtyWindows.empty(); }
    void settleWindows();
    bool hasGroups() const { return !m_dirtyGroups.empty() || !m_entrants.empty(); }
    void settleGroups();

    const std::vector<Run>& runs() const { return m_runs; }
    /// Number of the run of an instance; kNone: nobody has issued it.
    std::int32_t runOfInstance(std::int32_t instance) const { return m_runOfInstance[at(instance)]; }
    /// The collective of the group that the rank is in, or has to go through first; null: none is before `run`.
    const Run* before(const Run& run, std::int32_t rank) const;
    /// Was a member done only when its instant had been gone through before (zero-time work)?
    bool hadLateMembers() const { return m_lateMembers; }
    std::int64_t bytes() const { return m_runBytes; } ///< Of those under way.

private:
    friend class FastForward; ///< Reads and moves all of it while nothing else happens, and says of every field whether it counts.

    // Collectives of a group: collectives.cpp.
    /// Place in the run order of the next collective of the family that the rank enters.
    std::int32_t nextPlace(std::size_t family, std::size_t rank) const { return m_begunByRank.empty() ? m_progress[family][rank] : m_begunByRank[family][rank]; }
    void shapeChunks(Run& run);
    void open(Run& run);
    static std::int64_t bytesOf(const Run& run);
    std::int32_t makeRun(std::int32_t instance);
    std::int32_t activeOf(const Run& run) const;
    void tryEnter(std::int32_t run, std::int32_t position);
    void enterNext(std::int32_t group, std::size_t family, std::size_t rank);
    void overtake(Group& group);
    void enter(std::int32_t run, std::int32_t position);
    void enterOpen(std::int32_t run, std::int32_t position);
    void enterBox(std::int32_t run, std::int32_t position);
    void finishIfDone(std::int32_t run, std::int32_t position);

    // Phases of template programs: phases.cpp.
    PhaseState& phaseState(Run& run, std::int32_t position, std::int32_t chunk, std::int32_t phase);
    std::int64_t held(Run& run, std::int32_t position, std::int32_t chunk, std::int32_t phase);
    void enterPhase(std::int32_t run, std::int32_t position, std::int32_t chunk, std::int32_t phase);
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
    void phaseMessageArrived(std::int32_t run, const Message& message);
    void phaseMessageLeft(const Message& message);

    // Collectives done by switches: switchphases.cpp.
    std::int32_t switchLine(Plan& plan, PhasePlan& phase, std::int32_t position);
    void ownInNetwork(std::int32_t run, std::int32_t position, std::int32_t chunk, std::int32_t phase);
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
    void operationArrived(std::int32_t run, std::int32_t send);
    std::int32_t operationRoute(Run& run, std::size_t operation);
    std::int64_t slotReturn(const Run& run, std::int32_t send);
    std::uint32_t park(std::int32_t operation);
    std::int32_t unpark(std::uint32_t place);

    const Setting m_given;
    Agenda& m_agenda;
    Halt& m_halt;
    Routes& m_routes;
    Tasks& m_tasks;
    Network& m_network;
    Switches& m_switches;
    FastForward& m_fastForward;
    Boxes* m_boxes = nullptr;                  ///< Answers collectives as wholes; null: nobody does.

    const Folding* m_folding = nullptr;
    Plans m_plans;
    std::vector<Run> m_runs;
    std::vector<std::int32_t> m_runOfInstance; ///< kNone: nobody has issued it.
    std::vector<Group> m_groups;
    std::vector<std::int32_t> m_groupBase;     ///< First group of a family.
    std::vector<std::vector<std::int32_t>> m_progress; ///< [family][rank]: collectives of its group the rank has finished.
    std::vector<std::vector<std::int32_t>> m_begunByRank; ///< [family][rank]: ... has entered; only with several streams.
    Pool<EarlyMessage> m_early;
    Pool<std::int32_t> m_parked;               ///< Operations named by events.
    bool m_lateMembers = false;
    std::int64_t m_runBytes = 0;

    // Work of the current instant.
    std::vector<std::pair<std::int32_t, std::int32_t>> m_doneOperations; ///< Run, operation: those that took no time.
    std::vector<std::int32_t> m_dirtyGroups;
    std::vector<std::pair<std::int32_t, std::int32_t>> m_entrants;     ///< Run, position.
    std::vector<std::pair<std::int32_t, std::int32_t>> m_dirtyWindows; ///< Run, index into Run::windows.
};

// What every message goes through, kept here so that it is inlined.

inline PhaseState& Collectives::phaseState(Run& run, std::int32_t position, std::int32_t chunk, std::int32_t phase)
{
    const auto row = static_cast<std::size_t>(position) * static_cast<std::size_t>(run.plan->program->chunks) + static_cast<std::size_t>(chunk);
    return run.phases[row * static_cast<std::size_t>(run.plan->phaseCount) + static_cast<std::size_t>(phase)];
}

inline void Collectives::sourceLeft(const Message& message)
{
    if (std::holds_alternative<OfOperation>(message.of))
        return;
    const std::int32_t run = message.run();
    Member& member = m_runs[at(run)].members[at(message.source)];
    member.lastLeft = std::max(member.lastLeft, message.left);
    if (--member.outstanding == 0 && member.chunksLeft == 0)
        m_agenda.push(member.lastLeft, EventKind::MemberDone, run, static_cast<std::uint32_t>(message.source));
}

} // namespace fabricscope::events
