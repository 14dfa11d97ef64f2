#include "core/sim/events/engine.h"

#include "core/sim/events/expectedmessages.h"
#include "core/sim/events/outcome/runresult.h"

#include <algorithm>

namespace fabricscope::events {

Status Engine::run(std::stop_token stop)
{
    halt.watch(stop);
    network.start();
    if (options.progress)
        m_piecesExpected = expectedPieces(scenario, ideal || network.isFlow(), copies(), stop);
    if (transfers)
        transfers->applyChanges();
    tasks.start();
    instant();
    while (!agenda.isEmpty() && !halt.isDue() && !agenda.isPastClock()) {
        agenda.nextInstant();
        if (transfers)
            transfers->applyChanges();
        instant();
        if (fastForward.isDue() && !halt.isDue())
            fastForward.lookForPeriod();
        if (agenda.handled() >= m_nextCheck) {
            if (const Status status = check(); !status)
                return status;
        }
    }
    if (agenda.isPastClock() && !halt.isDue())
        halt.fail(invalidInput("the run takes longer than the clock reaches (106 days)", {}, "smaller sizes or durations, or higher rates"));
    if (halt.isDue() && halt.error().code == ErrorCode::Cancelled)
        m_pace.lastPartial([this] { return record(true, {}); });
    if (halt.isDue())
        return halt.error();
    if (transfers)
        transfers->noteBlocked();
    return {};
}

Status Engine::check()
{
    constexpr std::int64_t kEventsBetweenChecks = 8192;
    m_nextCheck = agenda.handled() + kEventsBetweenChecks;
    if (halt.token().stop_requested()) {
        m_pace.lastPartial([this] { return record(true, {}); });
        return stoppedRun();
    }
    if (options.memoryLimit > 0) {
        const std::int64_t bytes = memoryBytes() + static_cast<std::int64_t>(agenda.pending() * sizeof(Event));
        if (bytes > options.memoryLimit)
            return Error{ErrorCode::MemoryLimit, "the simulation needs more memory than the limit of " + showBytes({options.memoryLimit}), {}, "a higher memory limit"};
    }
    m_pace.progress([this] {
        const std::int64_t all = std::max<std::int64_t>(m_piecesExpected + tasks.count(), 1);
        // What is under way is half done: under ideal most pieces may have begun when a quarter of the events is still to come.
        const double done = static_cast<double>(network.pieces() + tasks.count() - tasks.left()) - static_cast<double>(agenda.pending()) / 2;
        return Progress{done / static_cast<double>(all), agenda.handled(), SimTime{agenda.now()}};
    });
    m_pace.partial([this] { return record(true, halt.token()); });
    return {};
}

void Engine::instant()
{
    for (;;) {
        for (const Event& event : agenda.round()) {
            if (halt.look())
                return;
            handle(event);
        }
        agenda.endRound();
        settle();
        if (halt.isDue())
            return;
        if (!network.serveHeads())
            return;
        if (switches.hasHeads())
            switches.serveHeads();
        if (network.hasEnds())
            network.serveEnds();
        // Reductions that take no time belong to the deliveries of this instant, before any pick.
        if (agenda.isSettled()) {
            if (transfers && transfers->hasSlots())
                transfers->settleSlots();
            if (!network.servePicks())
                return;
            if (tasks.hasRemote())
                tasks.serveRemote();
        }
        if (agenda.isSettled())
            return;
        agenda.nextRound();
    }
}

void Engine::handle(const Event& event)
{
    switch (static_cast<EventKind>(event.kind)) {
    case EventKind::Delivered:
        network.delivered(event.object);
        break;
    case EventKind::Wake:
        network.wake(event.object);
        break;
    case EventKind::Reduced:
        network.reduced(event.object);
        break;
    case EventKind::HeadAtLink:
        network.headAtNextLink(event.object);
        break;
    case EventKind::HeadAtSwitch:
        switches.headArrives(event.object);
        break;
    case EventKind::HeadAtEnd:
        network.headAtEnd(event.object);
        break;
    case EventKind::Ready:
        network.messageReady(event.object);
        break;
    case EventKind::Change: // Made by run(), before everything else of the instant.
        break;
    case EventKind::SlotFree:
        transfers->slotFree(event.object);
        break;
    case EventKind::Left:
        tellLeft(network.message(event.object));
        break;
    case EventKind::MemberDone:
        collectives.memberDone(event.object, static_cast<std::int32_t>(event.detail));
        break;
    case EventKind::OperationReady:
        collectives.operationReady(event.object, event.detail);
        break;
    case EventKind::OperationDone:
        collectives.operationEnds(event.object, event.detail);
        break;
    case EventKind::Remote:
        tasks.remoteEvent(event);
        break;
    case EventKind::TaskEnd:
        tasks.timeIsUp(static_cast<std::int32_t>(event.detail), event.object);
        break;
    case EventKind::FlowsEnd:
        network.endFlows();
        break;
    case EventKind::FlowHead:
        network.flowHead(event.object);
        break;
    case EventKind::FlowArrived:
        network.flowArrived(event.object);
        break;
    }
}

/// Deliveries, ends and what they make ready, until nothing changes. Each round settles the first kind of work there is, so later
/// kinds see everything the earlier ones can still do: slots choose among all ready tasks, groups among all issued collectives.
void Engine::settle()
{
    while (!halt.isDue() && !halt.look()) {
        if (network.hasDeliveries()) {
            network.settleDelivery();
        } else if (collectives.hasOperations()) {
            collectives.settleOperation();
        } else if (tasks.hasReady()) {
            tasks.settleReady();
        } else if (collectives.hasWindows()) {
            collectives.settleWindows();
        } else if (tasks.hasPairs()) {
            tasks.settlePairs();
        } else if (!tasks.hasUnits() || !tasks.settleUnits()) {
            if (collectives.hasGroups())
                collectives.settleGroups();
            else if (tasks.hasRequests())
                tasks.settleMemory();
            else if (switches.hasPlaces())
                switches.settlePlaces();
            else
                return;
        }
    }
}

void Engine::tellLeft(const Message message)
{
    if (const auto* const pair = std::get_if<OfPair>(&message.of))
        tasks.leftSource(pair->channel, message.chunk);
    else
        collectives.left(message);
}

Result<RunRecord> Engine::record(bool cut, const std::stop_token& stop)
{
    network.showFlowBusy();
    return recordOf(*this, cut, stop);
}

} // namespace fabricscope::events
