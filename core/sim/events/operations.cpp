// Explicit bodies (imports, synthesis, custom collectives): part of Collectives (collectives.h).
#include "core/base/index.h"
#include "core/sim/events/collectives.h"

#include "core/sim/events/network.h"

#include <algorithm>

namespace fabricscope::events {

/// The place of an operation number that an event carries in 24 bits.
std::uint32_t Collectives::park(std::int32_t operation)
{
    const std::int32_t place = m_parked.take();
    m_parked[place] = operation;
    return static_cast<std::uint32_t>(place);
}

/// The operation an event carries; its place is free again.
std::int32_t Collectives::unpark(std::uint32_t place)
{
    const std::int32_t operation = m_parked[static_cast<std::int32_t>(place)];
    m_parked.give(static_cast<std::int32_t>(place));
    return operation;
}

void Collectives::enterOperations(std::int32_t number, std::int32_t position)
{
    Run& run = m_runs[at(number)];
    const ExplicitBody& body = run.plan->program->asExplicit();
    const auto first = static_cast<std::int32_t>(body.rankBegin[at(position)]);
    const auto end = static_cast<std::int32_t>(body.rankBegin[static_cast<std::size_t>(position) + 1]);
    if (run.members[at(position)].chunksLeft == 0) {
        memberDone(number, position);
        return;
    }
    if (!run.waitingSums.empty())
        startWaitingSums(number);
    std::vector<std::int32_t> roots;
    for (std::int32_t operation = first; operation < end; ++operation) {
        if (m_runs[at(number)].operations[at(operation)].waitsFor == 0)
            roots.push_back(operation);
    }
    for (const std::int32_t operation : roots)
        startOperation(number, operation);
}

/// Number of the way a send takes: that of the platform, or its own.
std::int32_t Collectives::operationRoute(Run& run, std::size_t operation)
{
    const ExplicitPlan& plan = *run.plan->operations;
    std::int32_t& known = run.plan->routeOfWay[at(plan.way[operation])];
    if (known == kNone) {
        const ExplicitBody& body = run.plan->program->asExplicit();
        const NodeId source = run.plan->nodes[at(plan.rank[operation])];
        const NodeId target = run.plan->nodeOf(body.peer[operation]);
        const std::int32_t own = body.routeOf(operation);
        known = own < 0 ? m_network.wayBetween(source, target) : m_routes.along(source, target, body.routes[at(own)]);
    }
    return known;
}

/// Latency of the way on which the receiver of a send tells that a slot is free.
std::int64_t Collectives::slotReturn(const Run& run, std::int32_t send)
{
    const auto source = static_cast<std::size_t>(run.plan->operations->rank[at(send)]);
    const auto target = static_cast<std::size_t>(run.plan->program->asExplicit().peer[at(send)]);
    return m_routes[m_network.wayBetween(run.plan->nodes[target], run.plan->nodes[source])].latency;
}

void Collectives::startOperation(std::int32_t number, std::int32_t operation)
{
    Run& run = m_runs[at(number)];
    const auto index = static_cast<std::size_t>(operation);
    const ExplicitBody& body = run.plan->program->asExplicit();
    OperationState& state = run.operations[index];
    state.started = true;
    switch (body.kind[index]) {
    case OpKind::Compute:
        if (body.durationOf(index) > 0)
            m_agenda.push(m_agenda.now() + body.durationOf(index), EventKind::OperationDone, number, park(operation));
        else
            m_doneOperations.push_back({number, operation});
        break;
    case OpKind::SwitchReduce:
    case OpKind::SwitchMulticast:
        startTeamOperation(number, operation);
        break;
    case OpKind::Put: // One-sided operations are rewritten before a run.
    case OpKind::Signal:
    case OpKind::Wait:
    case OpKind::Copy: // Takes no time in physical/1.
    case OpKind::Reduce:
        m_doneOperations.push_back({number, operation});
        break;
    case OpKind::Receive:
    case OpKind::ReceiveReduce: {
        const std::int32_t send = run.plan->operations->partner[index];
        m_network.releaseWaiting(state.waiting);
        if (state.arrived || (send >= 0 && run.sizes->of(static_cast<std::size_t>(send)) == 0))
            m_doneOperations.push_back({number, operation});
        break;
    }
    case OpKind::Send: {
        const auto& freedBy = run.plan->operations->slotFreedBy;
        const std::int32_t freeing = freedBy.empty() ? kNone : freedBy[index];
        if (freeing == kNone || run.sizes->of(index) == 0) {
            sendOperation(number, operation);
            break;
        }
        OperationState& freed = run.operations[at(freeing)];
        if (freed.end < 0) {
            state.nextBlocked = freed.blocked;
            freed.blocked = operation;
            break;
        }
        m_agenda.push(std::max(m_agenda.now(), freed.end + slotReturn(run, operation)), EventKind::OperationReady, number, park(operation));
        break;
    }
    }
}

void Collectives::sendOperation(std::int32_t number, std::int32_t operation)
{
    Run& run = m_runs[at(number)];
    const auto index = static_cast<std::size_t>(operation);
    const ExplicitBody& body = run.plan->program->asExplicit();
    const std::int64_t bytes = run.sizes->of(index);
    if (bytes == 0) {
        m_doneOperations.push_back({number, operation});
        return;
    }
    const auto source = static_cast<std::size_t>(run.plan->operations->rank[index]);
    const std::int32_t partner = run.plan->operations->partner[index];

    const std::int32_t item = m_network.take();
    Message& message = m_network.message(item);
    message.bytes = bytes;
    message.of.emplace<OfOperation>(OfOperation{number, operation});
    message.source = static_cast<std::int32_t>(source);
    message.target = run.plan->placeOf(body.peer[index]);
    message.chunk = std::max(body.chunk[index], 0);
    message.phase = 0;
    message.step = body.step[index];
    message.slot = body.slotOf(index);
    message.stream = run.def->stream;
    message.sent = 0;
    message.reduceBuffers = partner >= 0 && body.kind[at(partner)] == OpKind::ReceiveReduce ? 1 : 0;
    message.tellLeft = true;
    if (run.plan->nodes[source] == run.plan->nodeOf(body.peer[index])) { // A copy of its own: no network.
        message.ready = message.left = m_agenda.now();
        m_network.deliverNow(item);
        m_doneOperations.push_back({number, operation});
        return;
    }
    message.route = operationRoute(run, index);
    m_network.start(item, m_agenda.now() + m_given.endpointDelay);
}

/// The message of a send has come.
void Collectives::operationArrived(std::int32_t number, std::int32_t send)
{
    Run& run = m_runs[at(number)];
    const std::int32_t receive = run.plan->operations->partner[at(send)];
    if (receive < 0)
        return;
    OperationState& state = run.operations[at(receive)];
    state.arrived = true;
    if (state.started)
        operationDone(number, receive);
}

void Collectives::settleOperation()
{
    const auto [number, operation] = m_doneOperations.back();
    m_doneOperations.pop_back();
    operationDone(number, operation);
}

void Collectives::operationDone(std::int32_t number, std::int32_t operation)
{
    Run& run = m_runs[at(number)];
    const auto index = static_cast<std::size_t>(operation);
    const ExplicitPlan& plan = *run.plan->operations;
    const std::int32_t position = plan.rank[index];
    OperationState& state = run.operations[index];
    state.end = m_agenda.now();
    for (std::int32_t blocked = state.blocked; blocked != kNone; blocked = run.operations[at(blocked)].nextBlocked)
        m_agenda.push(m_agenda.now() + slotReturn(run, blocked), EventKind::OperationReady, number, park(blocked));
    for (std::uint32_t i = plan.nextBegin[index]; i < plan.nextBegin[index + 1]; ++i) {
        const std::int32_t follower = static_cast<std::int32_t>(plan.next[i]);
        if (--run.operations[at(follower)].waitsFor == 0)
            startOperation(number, follower);
    }
    if (--run.members[at(position)].chunksLeft == 0)
        finishIfDone(number, position);
}

} // namespace fabricscope::events
