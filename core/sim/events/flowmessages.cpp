// Model `flow`: messages as flows at max-min fair rates: part of Engine (engine.h). The rules are in flowmodel.h.
#include "core/sim/events/engine.h"

#include "core/sim/events/runresult.h"

namespace fabricscope::events {

void Engine::makeFlow()
{
    std::int64_t fastest = 1;
    for (const Bandwidth rate : params.linkRate)
        fastest = std::max(fastest, rate.bytesPerSecond);
    for (const Endpoint& endpoint : endpoints)
        fastest = std::max(fastest, endpoint.reducerRate);
    for (const std::optional<Bandwidth>& budget : {params.injection, params.ejection})
        fastest = std::max(fastest, budget ? budget->bytesPerSecond : 0);
    m_flow = std::make_unique<FlowState>(routes, fastest, busy.size());
}

Result<RunRecord> Engine::record(bool cut, const std::stop_token& stop)
{
    for (std::size_t dimension = 0; m_flow && options.busyOverTime && dimension < busy.size(); ++dimension)
        busy[dimension] = m_flow->busy[dimension].pyramid();
    return recordOf(*this, cut, stop);
}

void Engine::flowReady(std::int32_t number)
{
    Message& message = m_messages[number];
    const std::int32_t place = m_flow->connectionOf(message.route, message.stream);
    FlowState::Connection& connection = m_flow->connections[static_cast<std::size_t>(place)];
    m_flow->transfer(number) = {0, place, false, false};
    connection.several = connection.arrivals != kNone;
    message.next = connection.arrivals;
    connection.arrivals = number;
    m_flow->touch(place);
}

/// The end of an instant: connections take up what has become ready, then rates and the next end are brought up to date.
void Engine::serveFlows()
{
    for (const std::int32_t number : m_flow->dirty) {
        FlowState::Connection& connection = m_flow->connections[static_cast<std::size_t>(number)];
        connection.dirty = false;
        queueFlows(connection);
        if (!connection.carries && connection.head != kNone) {
            const std::int32_t message = connection.head;
            connection.head = m_messages[message].next;
            connection.carries = true;
            startFlow(message);
        }
    }
    m_flow->dirty.clear();
    m_flow->network.solve(agenda.now());
    const std::int64_t next = m_flow->network.nextEnd();
    if (next == FlowNetwork::kNever || (next >= m_flow->scheduled && m_flow->scheduled > agenda.now()))
        return;
    if (next >= FlowNetwork::kLastEnd) {
        halt.fail(invalidInput("a message takes longer than the clock reaches (53 days)", {}, "fewer bytes or faster links"));
        return;
    }
    m_flow->scheduled = next;
    agenda.push(next, EventKind::FlowsEnd, 0);
}

/// Arrivals of this instant go behind what waits, in tie order.
void Engine::queueFlows(FlowState::Connection& connection)
{
    if (connection.arrivals == kNone)
        return;
    m_sort.clear();
    for (std::int32_t message = connection.arrivals; message != kNone; message = m_messages[message].next)
        m_sort.push_back(message);
    if (connection.several) {
        std::sort(m_sort.begin(), m_sort.end(),
                  [this](std::int32_t a, std::int32_t b) { return compareAtSource(m_messages[a], m_messages[b]) < 0; });
    }
    connection.arrivals = kNone;
    connection.several = false;
    for (const std::int32_t message : m_sort) {
        m_messages[message].next = kNone;
        if (connection.head == kNone)
            connection.head = message;
        else
            m_messages[connection.tail].next = message;
        connection.tail = message;
    }
}

void Engine::startFlow(std::int32_t number)
{
    const Message& message = m_messages[number];
    const Route& route = routes[message.route];
    const auto rateOf = [this](std::int32_t link) {
        return params.linkRate[static_cast<std::size_t>(links[static_cast<std::size_t>(link)].resource)].bytesPerSecond;
    };
    const auto resources = m_flow->resourcesOf(message.route, rateOf, params.injection ? params.injection->bytesPerSecond : 0,
                                               params.ejection ? params.ejection->bytesPerSecond : 0);
    ++pieces;
    m_flow->transfer(number).start = agenda.now();
    m_flow->own(m_flow->network.start(resources, message.bytes), {number, false});
    if (message.reduceBuffers > 0 && endpoints[static_cast<std::size_t>(route.target)].reducerRate > 0)
        agenda.push(agenda.now() + route.latency, EventKind::FlowHead, number);
}

/// Flows that end in this instant, if any: ends move, and the events that look at them stay.
void Engine::endFlows()
{
    if (m_flow->scheduled == agenda.now())
        m_flow->scheduled = FlowNetwork::kNever;
    if (m_flow->network.nextEnd() != agenda.now())
        return;
    m_flow->ended.clear();
    m_flow->network.firstToEnd(m_flow->ended);
    for (const std::int32_t ended : m_flow->ended) {
        const FlowState::Owner owner = m_flow->owners[static_cast<std::size_t>(ended)];
        m_flow->network.finish(ended);
        if (!owner.reduction) {
            flowLeft(owner.message);
        } else if (FlowState::Transfer& transfer = m_flow->transfer(owner.message); transfer.arrived) {
            delivered(owner.message);
        } else {
            transfer.reduced = true;
        }
    }
}

/// The last byte has left the sender.
void Engine::flowLeft(std::int32_t number)
{
    const FlowState::Transfer transfer = m_flow->transfer(number);
    m_flow->connections[static_cast<std::size_t>(transfer.connection)].carries = false;
    m_flow->touch(transfer.connection);
    Message& message = m_messages[number];
    message.left = agenda.now();
    const Route& route = routes[message.route];
    for (std::int32_t hop = 0; hop < route.hops; ++hop) {
        Link& link = links[static_cast<std::size_t>(routes.link(route, hop))];
        const std::int64_t duration = costs.occupancy(link.resource, message.bytes);
        ++link.messages;
        link.bytes += message.bytes;
        link.busy += duration;
        if (options.busyOverTime)
            m_flow->busy[static_cast<std::size_t>(link.dimension)].add(transfer.start, agenda.now(), duration);
    }
    agenda.push(agenda.now() + route.latency, EventKind::FlowArrived, number);
    leftOwnLink(number);
}

/// The first byte of a message that is to be reduced is there.
void Engine::flowHead(std::int32_t number)
{
    if (std::int32_t* const waiting = waitingPlace(m_messages[number]))
        waitForOwnPart(number, *waiting);
    else
        startReduction(number);
}

void Engine::flowArrived(std::int32_t number)
{
    const Message& message = m_messages[number];
    FlowState::Transfer& transfer = m_flow->transfer(number);
    transfer.arrived = true;
    if (message.reduceBuffers == 0) {
        delivered(number);
    } else if (endpoints[static_cast<std::size_t>(routes[message.route].target)].reducerRate > 0) {
        if (transfer.reduced)
            delivered(number);
    } else if (std::int32_t* const waiting = waitingPlace(message)) {
        waitForOwnPart(number, *waiting);
    } else {
        delivered(number);
    }
}

void Engine::waitForOwnPart(std::int32_t number, std::int32_t& waiting)
{
    const std::int32_t piece = keepPiece(kNone, number, 0, agenda.now(), agenda.now());
    m_pieces[piece].next = waiting;
    waiting = piece;
}

void Engine::startReduction(std::int32_t number)
{
    const Message& message = m_messages[number];
    const NodeId node = routes[message.route].target;
    const std::int32_t reducer = m_flow->reducerOf(node, endpoints[static_cast<std::size_t>(node)].reducerRate);
    const std::int32_t buffers = message.reduceBuffers;
    m_flow->own(m_flow->network.start({&reducer, 1}, message.bytes, std::int64_t{buffers} + 2, buffers), {number, true});
}

} // namespace fabricscope::events
