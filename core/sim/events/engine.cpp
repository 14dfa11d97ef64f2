#include "core/sim/events/engine.h"

#include "core/sim/events/expectedmessages.h"

#include <algorithm>

namespace fabricscope::events {

Status Engine::run(std::stop_token stop)
{
    halt.watch(stop);
    m_pairQueue.assign(static_cast<std::size_t>(tasks.channelCount()), kNone);
    if (scenario.model == Model::Flow)
        makeFlow();
    if (options.progress)
        m_piecesExpected = expectedPieces(scenario, ideal || m_flow, stop);
    if (transfers)
        transfers->applyChanges();
    tasks.start();
    instant();
    while (!agenda.isEmpty() && !halt.isDue()) {
        agenda.nextInstant();
        if (transfers)
            transfers->applyChanges();
        instant();
        if (m_fastForward.isDue() && !halt.isDue())
            m_fastForward.lookForPeriod();
        if (agenda.handled() >= m_nextCheck) {
            if (const Status status = check(); !status)
                return status;
        }
    }
    if (halt.isDue() && halt.error().code == ErrorCode::Cancelled)
        m_pace.lastPartial([this] { return record(true, {}); });
    if (halt.isDue())
        return halt.error();
    if (transfers)
        transfers->noteBlocked();
    return {};
}

/// Number of the way between two nodes. A way on a graph that was not known takes as long as thousands of steps, and one step of a rank may ask for
/// thousands: each of them looks at the stop token, and a run that has to stop sends no more, so that any way will do.
std::int32_t Engine::wayBetween(NodeId source, NodeId target)
{
    const std::size_t known = routes.count();
    if (halt.isDue() && known > 0)
        return 0;
    const std::int32_t way = routes.find(source, target);
    if (routes.count() > known) {
        halt.lookNow();
    }
    return way;
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
        const std::int64_t bytes = memoryBytes() + m_messages.bytes() + m_pieces.bytes() + static_cast<std::int64_t>(agenda.pending() * sizeof(Event))
                                   + (m_flow ? m_flow->bytes() : 0);
        if (bytes > options.memoryLimit)
            return Error{ErrorCode::MemoryLimit, "the simulation needs more memory than the limit of " + showBytes({options.memoryLimit}), {}, "a higher memory limit"};
    }
    m_pace.progress([this] {
        const std::int64_t all = std::max<std::int64_t>(m_piecesExpected + tasks.count(), 1);
        return Progress{static_cast<double>(pieces + tasks.count() - tasks.left()) / static_cast<double>(all), agenda.handled(), SimTime{agenda.now()}};
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
        for (const std::int32_t link : m_headLinks) {
            if (halt.look())
                return;
            serveHeads(link);
        }
        m_headLinks.clear();
        if (m_switches.hasHeads())
            m_switches.serveHeads();
        if (!m_ends.empty())
            serveEnds();
        // Reductions that take no time belong to the deliveries of this instant, before any pick.
        if (agenda.isSettled()) {
            if (transfers && transfers->hasSlots())
                transfers->settleSlots();
            for (const std::int32_t link : m_dirtyLinks) {
                if (halt.look())
                    return;
                serve(link);
            }
            m_dirtyLinks.clear();
            if (!m_picked.empty())
                spendInjection();
            if (m_flow)
                serveFlows();
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
        delivered(event.object);
        break;
    case EventKind::Wake:
        if (links[static_cast<std::size_t>(event.object)].wakeAt == agenda.now())
            links[static_cast<std::size_t>(event.object)].wakeAt = -1;
        touch(event.object);
        break;
    case EventKind::Reduced:
        reduced(event.object);
        break;
    case EventKind::HeadAtLink:
        headAtNextLink(event.object);
        break;
    case EventKind::HeadAtSwitch:
        m_switches.headArrives(event.object);
        break;
    case EventKind::HeadAtEnd:
        m_ends.push_back(event.object);
        break;
    case EventKind::Ready:
        messageReady(event.object);
        break;
    case EventKind::Change: // Made by run(), before everything else of the instant.
        break;
    case EventKind::SlotFree:
        transfers->slotFree(event.object);
        break;
    case EventKind::Left:
        tellLeft(m_messages[event.object]);
        break;
    case EventKind::MemberDone:
        memberDone(event.object, static_cast<std::int32_t>(event.detail));
        break;
    case EventKind::OperationReady:
        sendOperation(event.object, unpark(event.detail));
        break;
    case EventKind::OperationDone:
        operationDone(event.object, unpark(event.detail));
        break;
    case EventKind::Remote:
        tasks.remoteEvent(event);
        break;
    case EventKind::TaskEnd:
        tasks.timeIsUp(static_cast<std::int32_t>(event.detail), event.object);
        break;
    case EventKind::FlowsEnd:
        endFlows();
        break;
    case EventKind::FlowHead:
        flowHead(event.object);
        break;
    case EventKind::FlowArrived:
        flowArrived(event.object);
        break;
    }
}

/// Deliveries, ends and what they make ready, until nothing changes. Each round settles the first kind of work there is, so later
/// kinds see everything the earlier ones can still do: slots choose among all ready tasks, groups among all issued collectives.
void Engine::settle()
{
    while (!halt.isDue() && !halt.look()) {
        if (!m_deliverNow.empty()) {
            const std::int32_t message = m_deliverNow.back();
            m_deliverNow.pop_back();
            delivered(message);
        } else if (!m_doneOperations.empty()) {
            const auto [number, operation] = m_doneOperations.back();
            m_doneOperations.pop_back();
            operationDone(number, operation);
        } else if (tasks.hasReady()) {
            tasks.settleReady();
        } else if (!m_dirtyWindows.empty()) {
            settleWindows();
        } else if (tasks.hasPairs()) {
            tasks.settlePairs();
        } else if (!tasks.hasUnits() || !tasks.settleUnits()) {
            if (!m_dirtyGroups.empty() || !m_entrants.empty())
                settleGroups();
            else if (tasks.hasRequests())
                tasks.settleMemory();
            else if (m_switches.hasPlaces())
                m_switches.settlePlaces();
            else
                return;
        }
    }
}

} // namespace fabricscope::events
