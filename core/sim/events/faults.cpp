// Links that change during a run: part of Engine (engine.h). An addition to physical/1:
//
// * Changes of an instant come before everything else in it: what ends (repairs, restored rates) before what begins (failures, new rates).
// * A new rate applies to the pieces picked, and on transit links to those whose head arrives, from that instant on.
// * A piece whose head has entered a link before the link fails passes it. Nothing enters a failed link.
// * Where links may fail, every piece finds its own way. A piece that has not been picked, and a message that becomes ready, take the
//   way of the routing policy if all of it is up, else the first listed of the shortest ways that are up. Without one they wait at
//   their source, outside the queues, and join them again in the instant of a repair that opens a way.
// * A piece whose head reaches a failed link goes on from there by the first listed of the shortest ways that are up, as transit
//   (rule 2) with no input port; without one it waits there and goes on in the instant of a repair, its head at that instant.
// * A message is delivered when its last piece is, whatever their order. Costs of pieces are shares of those of the whole message, so a
//   failure that meets nobody changes no time.
// * Under `ideal` a message finds its way when it becomes ready, and nothing meets it after that.
#include "core/sim/events/engine.h"

namespace fabricscope::events {

void Engine::applyChanges()
{
    const std::vector<LinkChange>& changes = network->params.changes;
    if (network->nextChange == changes.size() || (changes[network->nextChange].at.ps > agenda.now() && agenda.now() > 0))
        return;
    bool failed = false;
    bool repaired = false;
    for (; network->nextChange < changes.size() && changes[network->nextChange].at.ps <= agenda.now(); ++network->nextChange) {
        const LinkChange& change = changes[network->nextChange];
        NetworkState::LinkNow& link = network->changed[change.link];
        switch (change.kind) {
        case LinkChange::Kind::Repaired:
            --link.failures;
            repaired = true;
            break;
        case LinkChange::Kind::Failed:
            if (link.failures++ == 0)
                link.since = agenda.now();
            failed = true;
            break;
        case LinkChange::Kind::Restored:
            link.resource.reset();
            break;
        case LinkChange::Kind::Rate:
            link.resource = change.resource;
            break;
        }
        if (change.kind == LinkChange::Kind::Repaired || change.kind == LinkChange::Kind::Failed)
            network->router.setDown(change.link, link.failures > 0);
        const std::int32_t number = routes.numberOf(change.link);
        if (number != kNone && static_cast<std::size_t>(number) < links.size())
            applyChange(links[static_cast<std::size_t>(number)], change.link);
    }
    if (network->nextChange < changes.size())
        agenda.push(changes[network->nextChange].at.ps, EventKind::Change, 0);
    if (failed)
        rerouteQueued();
    if (repaired)
        resumeStalled();
}

/// Is every link of the route up?
bool Engine::isUp(const Route& route) const
{
    for (std::int32_t hop = 0; hop < route.hops; ++hop) {
        if (links[static_cast<std::size_t>(routes.link(route, hop))].down)
            return false;
    }
    return true;
}

/// What the way of a message is drawn for.
std::uint64_t Engine::flowOf(const Message& message) const
{
    return network->router.perMessage() ? identity(message) : static_cast<std::uint64_t>(message.stream);
}

/// Does its program say which links it takes? Then no draw decides, and it leaves that way only when a link of it has failed.
bool Engine::hasOwnRoute(const Message& message) const
{
    if (message.run == kNone || message.kind == MessageKind::Control || message.way != SwitchWay::None)
        return false;
    const Plan* plan = runs[static_cast<std::size_t>(message.run)].plan;
    return plan->operations && plan->program->asExplicit().routeOf(static_cast<std::size_t>(message.item)) >= 0;
}

/// Gives a message the way it takes now; false: there is none.
bool Engine::findWay(Message& message)
{
    const bool draws = network->router.dependsOnFlow() && !hasOwnRoute(message);
    if (!draws && (!network->params.failures || isUp(routes[message.route])))
        return true;
    const Route ends = routes[message.route];
    const std::int32_t found = routes.findOpen(ends.source, ends.target, flowOf(message));
    if (found == kNone)
        return false;
    message.route = found;
    if (links.size() < routes.linkIds().size())
        addLinks();
    return true;
}

/// Takes what has not been picked out of the queues if its way has failed, and sends it another way.
void Engine::rerouteQueued()
{
    std::vector<std::int32_t> moved;
    // Leaves in the queue what can stay; true: something has.
    const auto sift = [&](StreamQueue& queue) {
        std::int32_t item = queue.head;
        queue.head = queue.tail = kNone;
        while (item != kNone) {
            const std::int32_t following = m_messages[item].next;
            m_messages[item].next = kNone;
            if (m_messages[item].way == SwitchWay::None && !isUp(routes[m_messages[item].route])) {
                moved.push_back(item);
            } else {
                if (queue.head == kNone)
                    queue.head = item;
                else
                    m_messages[queue.tail].next = item;
                queue.tail = item;
            }
            item = following;
        }
        return queue.head != kNone;
    };
    for (Link& link : links) {
        std::int32_t number = link.roundHead;
        link.roundHead = link.roundTail = kNone;
        while (number != kNone) {
            const std::int32_t following = m_queues[number].next;
            m_queues[number].next = kNone;
            if (!sift(m_queues[number])) {
                m_queues.give(number);
            } else {
                if (link.roundHead == kNone)
                    link.roundHead = number;
                else
                    m_queues[link.roundTail].next = number;
                link.roundTail = number;
            }
            number = following;
        }
        if (link.deferred != kNone && !sift(m_queues[link.deferred])) {
            m_queues.give(link.deferred);
            link.deferred = kNone;
        }
    }
    for (const std::int32_t item : moved)
        launch(item);
}

/// Lets what waits for a repair go on where it can.
void Engine::resumeStalled()
{
    std::vector<std::int32_t> stalled;
    stalled.swap(network->stalled);
    for (const std::int32_t item : stalled)
        launch(item);
    std::vector<NetworkState::Held> held;
    held.swap(network->held);
    for (const NetworkState::Held& waiting : held) {
        Piece& piece = m_pieces[waiting.piece];
        piece.head = agenda.now();
        piece.tail = std::max(piece.tail, agenda.now());
        divert(waiting.piece, waiting.node);
    }
}

/// The head of a piece is at `node` and its way on has failed: another one, or a wait.
void Engine::divert(std::int32_t number, NodeId node)
{
    Piece& piece = m_pieces[number];
    Message& message = m_messages[piece.message];
    assert(message.pieces == 1);
    const std::int32_t found = routes.findOpen(node, routes[message.route].target, flowOf(message));
    if (found == kNone) {
        network->held.push_back({number, node});
        return;
    }
    if (options.ways)
        keepCrossed(piece);
    message.route = found;
    piece.hop = 0;
    if (links.size() < routes.linkIds().size())
        addLinks();
    headAtLink(number, routes.link(routes[found], 0));
}

/// Nothing happens any more: which messages have no way, for the list of waits.
void Engine::noteBlocked()
{
    // Where ways are drawn, a message has no way of its own to look at.
    LinkId firstFailed = -1;
    for (const auto& [link, state] : network->changed) {
        if (state.failures > 0 && (firstFailed < 0 || std::pair(state.since, link) < std::pair(network->changed.at(firstFailed).since, firstFailed)))
            firstFailed = link;
    }
    const auto note = [this, firstFailed](const Message& message) {
        NetworkState::Blocked blocked;
        blocked.run = message.run;
        blocked.source = message.source;
        blocked.target = message.target;
        if (message.run != kNone) {
            const Plan& plan = *runs[static_cast<std::size_t>(message.run)].plan;
            blocked.source = plan.ranks[static_cast<std::size_t>(message.source)];
            blocked.target = plan.ranks[static_cast<std::size_t>(message.target)];
        }
        blocked.link = firstFailed;
        const Route& route = routes[message.route];
        for (std::int32_t hop = route.hops - 1; hop >= 0; --hop) {
            const LinkId link = routes.linkIds()[static_cast<std::size_t>(routes.link(route, hop))];
            if (network->router.isDown(link))
                blocked.link = link;
        }
        blocked.since = network->changed[blocked.link].since;
        network->blocked.push_back(blocked);
    };
    network->blocked.clear();
    for (const std::int32_t item : network->stalled)
        note(m_messages[item]);
    for (const NetworkState::Held& waiting : network->held)
        note(m_messages[m_pieces[waiting.piece].message]);
    std::sort(network->blocked.begin(), network->blocked.end(), [](const NetworkState::Blocked& a, const NetworkState::Blocked& b) {
        return std::tuple(a.since, a.link, a.run, a.source, a.target) < std::tuple(b.since, b.link, b.run, b.source, b.target);
    });
}

} // namespace fabricscope::events
