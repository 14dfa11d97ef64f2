// Explicit bodies (imports, synthesis, custom collectives): part of Engine (engine.h).
#include "core/sim/events/engine.h"

namespace fabricscope::events {

/// The place of an operation number that an event carries in 24 bits.
std::uint32_t Engine::park(std::int32_t operation)
{
    const std::int32_t place = m_parked.take();
    m_parked[place] = operation;
    return static_cast<std::uint32_t>(place);
}

/// The operation an event carries; its place is free again.
std::int32_t Engine::unpark(std::uint32_t place)
{
    const std::int32_t operation = m_parked[static_cast<std::int32_t>(place)];
    m_parked.give(static_cast<std::int32_t>(place));
    return operation;
}

void Engine::enterOperations(std::int32_t number, std::int32_t position)
{
    Run& run = runs[static_cast<std::size_t>(number)];
    const ExplicitBody& body = run.plan->program->asExplicit();
    const auto first = static_cast<std::int32_t>(body.rankBegin[static_cast<std::size_t>(position)]);
    const auto end = static_cast<std::int32_t>(body.rankBegin[static_cast<std::size_t>(position) + 1]);
    if (run.members[static_cast<std::size_t>(position)].chunksLeft == 0) {
        memberDone(number, position);
        return;
    }
    if (!run.waitingSums.empty())
        startWaitingSums(number);
    std::vector<std::int32_t> roots;
    for (std::int32_t operation = first; operation < end; ++operation) {
        if (runs[static_cast<std::size_t>(number)].operations[static_cast<std::size_t>(operation)].waitsFor == 0)
            roots.push_back(operation);
    }
    for (const std::int32_t operation : roots)
        startOperation(number, operation);
}

/// Number of the way a send takes: that of the platform, or its own.
std::int32_t Engine::operationRoute(Run& run, std::size_t operation)
{
    const ExplicitPlan& plan = *run.plan->operations;
    std::int32_t& known = run.plan->routeOfWay[static_cast<std::size_t>(plan.way[operation])];
    if (known == kNone) {
        const ExplicitBody& body = run.plan->program->asExplicit();
        const NodeId source = run.plan->nodes[static_cast<std::size_t>(plan.rank[operation])];
        const NodeId target = run.plan->nodes[static_cast<std::size_t>(body.peer[operation])];
        const std::int32_t own = body.routeOf(operation);
        known = own < 0 ? wayBetween(source, target) : routes.along(source, target, body.routes[static_cast<std::size_t>(own)]);
    }
    return known;
}

/// Latency of the way on which the receiver of a send tells that a slot is free.
std::int64_t Engine::slotReturn(const Run& run, std::int32_t send)
{
    const auto source = static_cast<std::size_t>(run.plan->operations->rank[static_cast<std::size_t>(send)]);
    const auto target = static_cast<std::size_t>(run.plan->program->asExplicit().peer[static_cast<std::size_t>(send)]);
    return routes[wayBetween(run.plan->nodes[target], run.plan->nodes[source])].latency;
}

void Engine::startOperation(std::int32_t number, std::int32_t operation)
{
    Run& run = runs[static_cast<std::size_t>(number)];
    const auto index = static_cast<std::size_t>(operation);
    const ExplicitBody& body = run.plan->program->asExplicit();
    OperationState& state = run.operations[index];
    state.started = true;
    switch (body.kind[index]) {
    case OpKind::Compute:
        if (body.durationOf(index) > 0)
            agenda.push(agenda.now() + body.durationOf(index), EventKind::OperationDone, number, park(operation));
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
        releaseWaiting(state.waiting);
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
        OperationState& freed = run.operations[static_cast<std::size_t>(freeing)];
        if (freed.end < 0) {
            state.nextBlocked = freed.blocked;
            freed.blocked = operation;
            break;
        }
        agenda.push(std::max(agenda.now(), freed.end + slotReturn(run, operation)), EventKind::OperationReady, number, park(operation));
        break;
    }
    }
}

void Engine::sendOperation(std::int32_t number, std::int32_t operation)
{
    Run& run = runs[static_cast<std::size_t>(number)];
    const auto index = static_cast<std::size_t>(operation);
    const ExplicitBody& body = run.plan->program->asExplicit();
    const std::int64_t bytes = run.sizes->of(index);
    if (bytes == 0) {
        m_doneOperations.push_back({number, operation});
        return;
    }
    const auto source = static_cast<std::size_t>(run.plan->operations->rank[index]);
    const auto target = static_cast<std::size_t>(body.peer[index]);
    const std::int32_t partner = run.plan->operations->partner[index];

    const std::int32_t item = m_messages.take();
    Message& message = m_messages[item];
    message.bytes = bytes;
    message.run = number;
    message.source = static_cast<std::int32_t>(source);
    message.target = static_cast<std::int32_t>(target);
    message.chunk = std::max(body.chunk[index], 0);
    message.phase = 0;
    message.step = body.step[index];
    message.slot = body.slotOf(index);
    message.item = operation;
    message.stream = run.def->stream;
    message.sent = 0;
    message.reduceBuffers = partner >= 0 && body.kind[static_cast<std::size_t>(partner)] == OpKind::ReceiveReduce ? 1 : 0;
    message.tellLeft = true;
    if (run.plan->nodes[source] == run.plan->nodes[target]) { // A copy of its own: no network.
        message.ready = message.left = agenda.now();
        m_deliverNow.push_back(item);
        m_doneOperations.push_back({number, operation});
        return;
    }
    message.route = operationRoute(run, index);
    startMessage(item, agenda.now() + endpointDelay);
}

void Engine::operationDone(std::int32_t number, std::int32_t operation)
{
    Run& run = runs[static_cast<std::size_t>(number)];
    const auto index = static_cast<std::size_t>(operation);
    const ExplicitPlan& plan = *run.plan->operations;
    const std::int32_t position = plan.rank[index];
    OperationState& state = run.operations[index];
    state.end = agenda.now();
    for (std::int32_t blocked = state.blocked; blocked != kNone; blocked = run.operations[static_cast<std::size_t>(blocked)].nextBlocked)
        agenda.push(agenda.now() + slotReturn(run, blocked), EventKind::OperationReady, number, park(blocked));
    for (std::uint32_t i = plan.nextBegin[index]; i < plan.nextBegin[index + 1]; ++i) {
        const std::int32_t follower = static_cast<std::int32_t>(plan.next[i]);
        if (--run.operations[static_cast<std::size_t>(follower)].waitsFor == 0)
            startOperation(number, follower);
    }
    if (--run.members[static_cast<std::size_t>(position)].chunksLeft == 0)
        finishIfDone(number, position);
}

} // namespace fabricscope::events
