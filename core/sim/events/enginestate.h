#pragma once

#include "core/sim/events/agenda.h"
#include "core/sim/events/boxes.h"
#include "core/sim/events/runplan.h"
#include "core/sim/events/shortcuts.h"
#include "core/sim/events/slotpool.h"
#include "core/sim/events/messageroutes.h"
#include "core/sim/events/switches.h"
#include "core/sim/events/tasks.h"
#include "core/sim/events/transfers.h"
#include "core/sim/events/periodstate.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace fabricscope::events {

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
    std::int32_t dimension = 0;     ///< Index into EngineState::busy.
    std::int32_t roundHead = kNone; ///< StreamQueues in turn.
    std::int32_t roundTail = kNone;
    std::int32_t deferred = kNone;  ///< Served last and has more: goes behind all that wait at the next pick.
    std::int32_t arrivals = kNone;  ///< Messages that became ready in this instant.
    std::int32_t heads = kNone;     ///< Pieces whose head arrives in this instant.
    std::int32_t lastStream = kNone;
    bool dirty = false;
    bool several = false;           ///< More than one arrival in this instant.
    bool down = false;              ///< Failed: nothing enters.
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
    bool isFilled(std::int32_t chunk) const { return shapeBytes[shapeOfChunk.empty() ? 0 : static_cast<std::size_t>(shapeOfChunk[static_cast<std::size_t>(chunk)])] > 0; }
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

/// What an engine knows. Built from the scenario, read by the result.
struct EngineState : Setting {
    /// `engine`: what this is the state of.
    EngineState(const Scenario& scenario, const RunOptions& options, Engine& engine);

    /// First field of the tie rule, ascending.
    std::int32_t priorityOf(const Message& message) const
    {
        if (message.run != kNone)
            return runs[static_cast<std::size_t>(message.run)].def->priority;
        return byPriority ? tasks.priority(message.item, message.chunk) : 0;
    }
    /// Place in the run order of the next collective of the family that the rank enters.
    std::int32_t nextPlace(std::size_t family, std::size_t rank) const { return begunByRank.empty() ? progress[family][rank] : begunByRank[family][rank]; }

    /// Prepares tasks, groups and channels. Errors: Cancelled, memory limit, memory tasks without a remote memory.
    Status build(const std::stop_token& stop = {});
    void makeGroups();
    void makeEndpoints();
    std::int64_t memoryBytes() const;
    /// Takes up the links that Routes has found since.
    void addLinks();
    /// Brings a link up to date with how Transfers says it is now.
    void change(Link& link, LinkId id, const Transfers::LinkNow& now);
    /// Hands the busy interval a link has finished to its dimension.
    void flushBusy(const Link& link) { addBusy(link, link.busyFrom, link.committed); }
    void addBusy(const Link& link, std::int64_t begin, std::int64_t end)
    {
        if (!options.busyOverTime)
            return;
        if (busyLog)
            busyLog->push_back({static_cast<std::size_t>(link.dimension), begin, end});
        if (intervals)
            intervals->push_back({static_cast<std::int32_t>(&link - links.data()), begin, end});
        else
            busy[static_cast<std::size_t>(link.dimension)].add(begin, end);
    }
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
    std::int64_t reduction(const Endpoint& endpoint, std::int64_t bytes, std::int32_t k) const;

    Agenda agenda;
    Halt halt;
    Tasks tasks;
    Shortcuts shortcuts;                     ///< What a folded run may pass over.
    Boxes* boxes = nullptr;                  ///< Answers collectives as wholes; null: nobody does.
    std::vector<BusyInterval>* intervals = nullptr; ///< Keeps busy intervals one by one instead of adding them up; null: no.

    std::unique_ptr<Transfers> transfers;    ///< Null: the design sets no routing, protocol, faults or jitter.
    Routes routes;
    Plans plans;
    std::vector<Link> links;                 ///< As Routes numbers them.
    std::vector<Endpoint> endpoints;         ///< By node.
    std::vector<Run> runs;
    std::vector<std::int32_t> runOfInstance; ///< kNone: nobody has issued it.
    std::vector<Group> groups;
    std::vector<std::int32_t> groupBase;     ///< First group of a family.
    std::vector<std::vector<std::int32_t>> progress; ///< [family][rank]: collectives of its group the rank has finished.
    std::vector<std::vector<std::int32_t>> begunByRank; ///< [family][rank]: ... has entered; only with several streams.

    std::vector<LoggedBusy>* busyLog = nullptr; ///< Gets what goes into `busy`, while somebody wants it.
    std::vector<BusyPyramid> busy;           ///< Per dimension; explicit platforms: one for all links.
    CommutativeDigest digest;
    std::int64_t messages = 0;
    std::int64_t pieces = 0;                 ///< Injected so far.
    mutable bool positionsDecided = false;   ///< Folded: a tie was left to relative positions that differ from NPU to NPU (symmetricrun.h).
    bool lateMembers = false;                ///< A member was done only when its instant had been gone through before (zero-time work).
    std::int64_t orderSensitive = 0;         ///< Pieces that waited long behind another stream.
    std::int64_t runBytes = 0;               ///< Memory of collectives under way.
};

} // namespace fabricscope::events
