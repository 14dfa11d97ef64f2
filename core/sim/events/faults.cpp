// Links that change during a run: part of Transfers (transfers.h). An addition to physical/1:
//
// * Changes of an instant come before everything else in it: what ends (repairs, restored rates) before what begins (failures, new rates).
// * A new rate applies to the pieces picked, and on transit links to those whose head arrives, from that instant on.
// * A piece whose head has entered a link before the link fails passes it. Nothing enters a failed link.
// * Where links may fail, every piece finds its own way. A piece that has not been picked, and a message that becomes ready, take the
//   way of the routing policy if all of it is up, else the first listed of the shortest ways that are up. Without one they wait at
//   their source, outside the queues, and join them again in the instant of a repair that opens a way.
//   A policy that chooses among links (routepolicies.h: ECMP, balanced, spray and others) goes on choosing: among those that are up.
// * A piece whose head reaches a failed link goes on from there by the policy's choices among the shortest ways that are up (where it does not choose among links: the
//   first listed), as transit (rule 2): links it has come over and the port it came by count in ties as ever. Without a way it waits there and goes on in
//   the instant of a repair, its head at that instant. One that is where its message goes, on a way by a middle beyond, has arrived.
// * Under least_queued and adaptive (ways.cpp) a piece whose way is not settled never meets a failed link: it chooses among what is up at every node, and without a
//   choice waits there for the instant of a repair, in which it chooses. One that waits at its source begins anew when the link it has chosen fails, or one of a way
//   that is settled. On the way, where all is settled, it is turned away as above, and straight on.
// * A message is delivered when its last piece is, whatever their order. Costs of pieces are shares of those of the whole message, so a
//   failure that meets nobody changes no time.
// * Under `ideal` a message finds its way when it becomes ready, and nothing meets it after that.
#include "core/base/index.h"
#include "core/sim/events/engine.h"

namespace fabricscope::events {

void Transfers::applyChanges()
{
    const std::vector<LinkChange>& changes = m_params.changes;
    if (m_nextChange == changes.size() || (changes[m_nextChange].at.ps > m_agenda.now() && m_agenda.now() > 0))
        return;
    bool failed = false;
    bool repaired = false;
    for (; m_nextChange < changes.size() && changes[m_nextChange].at.ps <= m_agenda.now(); ++m_nextChange) {
        const LinkChange& change = changes[m_nextChange];
        LinkNow& link = m_changed[change.link];
        switch (change.kind) {
        case LinkChange::Kind::Repaired:
            --link.failures;
            repaired = true;
            break;
        case LinkChange::Kind::Failed:
            if (link.failures++ == 0)
                link.since = m_agenda.now();
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
            m_router.setDown(change.link, link.failures > 0);
        m_engine.network.changeLink(change.link, link);
    }
    if (m_nextChange < changes.size())
        m_agenda.push(changes[m_nextChange].at.ps, EventKind::Change, 0);
    if (failed)
        for (const std::int32_t message : m_engine.network.takeBlocked())
            launch(message);
    if (repaired)
        resumeStalled();
}

/// What the way of a message is chosen for.
RouteFlow Transfers::flowOf(const Message& message, std::int32_t number) const
{
    RouteFlow flow;
    flow.id = m_router.perMessage() ? identity(message) : static_cast<std::uint64_t>(message.stream);
    if (m_router.numbersFlows())
        flow.number = m_numbers[at(message.parent == kNone ? number : message.parent)];
    return flow;
}

/// Counts a message that is ready: among those of its stream between its nodes, or its stream among those that went between them.
void Transfers::countFlow(std::int32_t number)
{
    if (!m_router.numbersFlows())
        return;
    const Message& message = m_messages[number];
    const Route& ends = m_routes[message.route];
    auto& streams = m_counted[{ends.source, ends.target}];
    const auto [entry, added] = streams.emplace(message.stream, FlowCount{streams.size(), 0});
    if (m_numbers.size() <= static_cast<std::size_t>(number))
        m_numbers.resize(static_cast<std::size_t>(number) + 1);
    const bool byMessage = rowOf(m_rules.policy).overtakes;
    m_numbers[at(number)] = byMessage ? entry->second.messages++ : entry->second.ordinal;
}

/// Does its program say which links it takes? Then no draw decides, and it leaves that way only when a link of it has failed.
bool Transfers::hasOwnRoute(const Message& message) const
{
    const auto* const send = std::get_if<OfOperation>(&message.of);
    return send && message.kind != MessageKind::Control
           && m_engine.collectives.runOf(message).plan->program->asExplicit().routeOf(static_cast<std::size_t>(send->operation)) >= 0;
}

/// Gives a message the way it takes now; false: there is none.
bool Transfers::findWay(std::int32_t number)
{
    Message& message = m_messages[number];
    const bool draws = m_router.dependsOnFlow() && !hasOwnRoute(message);
    if (!draws && (!m_params.failures || m_engine.network.isUp(m_routes[message.route])))
        return true;
    const Route ends = m_routes[message.route];
    const std::int32_t found = m_routes.findOpen(ends.source, ends.target, flowOf(message, number));
    if (found == kNone)
        return false;
    message.route = found;
    m_engine.network.useNewLinks();
    return true;
}

/// Lets what waits for a repair go on where it can.
void Transfers::resumeStalled()
{
    std::vector<std::int32_t> stalled;
    stalled.swap(m_stalled);
    for (const std::int32_t item : stalled)
        launch(item);
    std::vector<Held> held;
    held.swap(m_held);
    for (const Held& waiting : held) {
        Piece& piece = m_pieces[waiting.piece];
        piece.head = m_agenda.now();
        piece.tail = std::max(piece.tail, m_agenda.now());
        goOnFrom(waiting.piece, waiting.node);
    }
}

void Transfers::divert(std::int32_t piece, std::int32_t link)
{
    goOnFrom(piece, m_params.graph->from(m_routes.linkIds()[at(link)]));
}

const Transfers::LinkNow* Transfers::now(LinkId link) const
{
    const auto found = m_changed.find(link);
    return found == m_changed.end() ? nullptr : &found->second;
}

/// The head of a piece is at `node` and its way on has failed: another one, or a wait.
void Transfers::goOnFrom(std::int32_t number, NodeId node)
{
    Piece& piece = m_pieces[number];
    Message& message = m_messages[piece.message];
    assert(message.pieces == 1);
    if (isOpen(piece.message)) { // It chooses again.
        m_engine.network.headAtLink(number, kNone);
        return;
    }
    if (node == m_routes[message.route].target) { // Where it came by on its way to a middle.
        message.route = m_routes.beginningOf(message.route, piece.hop);
        m_engine.network.endHere(number);
        return;
    }
    m_way.clear();
    if (!m_router.route(node, m_routes[message.route].target, flowOf(message, piece.message), m_way)) {
        m_held.push_back({number, node});
        return;
    }
    message.route = m_routes.goingOn(message.route, piece.hop, m_way);
    m_engine.network.useNewLinks();
    m_engine.network.headAtLink(number, m_routes.link(m_routes[message.route], piece.hop));
}

/// Nothing happens any more: which messages have no way, for the list of waits.
void Transfers::noteBlocked()
{
    // Where ways are drawn, a message has no way of its own to look at.
    LinkId firstFailed = -1;
    for (const auto& [link, state] : m_changed) {
        if (state.failures > 0 && (firstFailed < 0 || std::pair(state.since, link) < std::pair(m_changed.at(firstFailed).since, firstFailed)))
            firstFailed = link;
    }
    const auto note = [this, firstFailed](const Message& message) {
        Blocked blocked;
        blocked.run = message.run();
        blocked.source = message.source;
        blocked.target = message.target;
        if (!message.isOfPair()) {
            const Plan& plan = *m_engine.collectives.runOf(message).plan;
            blocked.source = plan.ranks[at(message.source)];
            blocked.target = plan.ranks[at(message.target)];
        }
        blocked.link = firstFailed;
        const Route& route = m_routes[message.route];
        for (std::int32_t hop = route.hops - 1; hop >= 0; --hop) {
            const LinkId link = m_routes.linkIds()[at(m_routes.link(route, hop))];
            if (m_router.isDown(link))
                blocked.link = link;
        }
        blocked.since = m_changed[blocked.link].since;
        m_blocked.push_back(blocked);
    };
    m_blocked.clear();
    for (const std::int32_t item : m_stalled)
        note(m_messages[item]);
    for (const Held& waiting : m_held)
        note(m_messages[m_pieces[waiting.piece].message]);
    std::sort(m_blocked.begin(), m_blocked.end(), [](const Blocked& a, const Blocked& b) {
        return std::tuple(a.since, a.link, a.run, a.source, a.target) < std::tuple(b.since, b.link, b.run, b.source, b.target);
    });
}

} // namespace fabricscope::events
