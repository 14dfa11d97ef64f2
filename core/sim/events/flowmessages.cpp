// Model `flow`: messages as flows at max-min fair rates: part of Network (network.h). The rules are in flowmodel.h.
#include "core/base/index.h"
#include "core/sim/events/engine.h"

namespace fabricscope::events {

void Network::makeFlow()
{
    std::int64_t fastest = 1;
    for (const Bandwidth rate : m_given.params.linkRate)
        fastest = std::max(fastest, rate.bytesPerSecond);
    for (const Endpoint& endpoint : m_endpoints)
        fastest = std::max(fastest, endpoint.reducerRate);
    for (const std::optional<Bandwidth>& budget : {m_given.params.injection, m_given.params.ejection})
        fastest = std::max(fastest, budget ? budget->bytesPerSecond : 0);
    for (const auto& [node, rate] : m_given.params.crossbars)
        fastest = std::max(fastest, rate.bytesPerSecond);
    m_flow = std::make_unique<FlowState>(m_routes, fastest, m_busy.size());
    if (m_intervals)
        m_flow->network.tellUses(m_flow->uses);
}

/// Rates that links have had until now become intervals.
void Network::keepFlowIntervals()
{
    __extension__ using Wide = __int128;
    m_flow->network.solve(m_agenda.now());
    for (const FlowNetwork::Use& use : m_flow->uses) {
        const std::int32_t link = m_flow->linkOf(use.resource);
        if (link != kNone)
            m_intervals->push_back({link, use.begin, use.end, static_cast<std::int64_t>(Wide{use.end - use.begin} * use.used / m_flow->network.capacity(use.resource))});
    }
    m_flow->uses.clear();
}

void Network::showFlowBusy()
{
    for (std::size_t dimension = 0; m_flow && m_given.options.busyOverTime && dimension < m_busy.size(); ++dimension)
        m_busy[dimension] = m_flow->busy[dimension].pyramid();
}

void Network::flowReady(std::int32_t number)
{
    Message& message = m_messages[number];
    const std::int32_t place = m_flow->connectionOf(message.route, message.stream);
    FlowState::Connection& connection = m_flow->connections[at(place)];
    m_flow->transfer(number) = {0, place, false, false};
    connection.several = connection.arrivals != kNone;
    message.next = connection.arrivals;
    connection.arrivals = number;
    m_flow->touch(place);
}

/// The end of an instant: connections take up what has become ready, then rates and the next end are brought up to date.
void Network::serveFlows()
{
    for (const std::int32_t number : m_flow->dirty) {
        FlowState::Connection& connection = m_flow->connections[at(number)];
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
    m_flow->network.solve(m_agenda.now());
    if (m_intervals)
        keepFlowIntervals();
    const std::int64_t next = m_flow->network.nextEnd();
    if (next == FlowNetwork::kNever || (next >= m_flow->scheduled && m_flow->scheduled > m_agenda.now()))
        return;
    if (next >= FlowNetwork::kLastEnd) {
        m_halt.fail(invalidInput("a message takes longer than the clock reaches (53 days)", {}, "fewer bytes or faster links"));
        return;
    }
    m_flow->scheduled = next;
    m_agenda.push(next, EventKind::FlowsEnd, 0);
}

/// Arrivals of this instant go behind what waits, in tie order.
void Network::queueFlows(FlowState::Connection& connection)
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

void Network::startFlow(std::int32_t number)
{
    const Message& message = m_messages[number];
    const Route& route = m_routes[message.route];
    const auto rateOf = [this](std::int32_t link) {
        return m_given.params.linkRate[at(m_links[at(link)].resource)].bytesPerSecond;
    };
    const auto crossbarOf = [this](std::int32_t link) {
        const std::int32_t place = m_links[at(link)].crossbar;
        return std::pair(place, place == kNone ? 0 : m_given.params.crossbars[at(m_crossbars[at(place)].limit)].second.bytesPerSecond);
    };
    const auto resources = m_flow->resourcesOf(message.route, rateOf, crossbarOf, m_given.params.injection ? m_given.params.injection->bytesPerSecond : 0,
                                               m_given.params.ejection ? m_given.params.ejection->bytesPerSecond : 0);
    ++m_pieceCount;
    m_flow->transfer(number).start = m_agenda.now();
    m_flow->own(m_flow->network.start(resources, message.bytes), {number, false});
    if (message.reduceBuffers > 0 && m_endpoints[at(route.target)].reducerRate > 0)
        m_agenda.push(m_agenda.now() + route.latency, EventKind::FlowHead, number);
}

/// Flows that end in this instant, if any: ends move, and the events that look at them stay.
void Network::endFlows()
{
    if (m_flow->scheduled == m_agenda.now())
        m_flow->scheduled = FlowNetwork::kNever;
    if (m_flow->network.nextEnd() != m_agenda.now())
        return;
    m_flow->ended.clear();
    m_flow->network.firstToEnd(m_flow->ended);
    for (const std::int32_t ended : m_flow->ended) {
        const FlowState::Owner owner = m_flow->owners[at(ended)];
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
void Network::flowLeft(std::int32_t number)
{
    const FlowState::Transfer transfer = m_flow->transfer(number);
    m_flow->connections[at(transfer.connection)].carries = false;
    m_flow->touch(transfer.connection);
    Message& message = m_messages[number];
    message.left = m_agenda.now();
    const Route& route = m_routes[message.route];
    for (std::int32_t hop = 0; hop < route.hops; ++hop) {
        Link& link = m_links[at(m_routes.link(route, hop))];
        const std::int64_t duration = m_given.costs.occupancy(link.resource, message.bytes);
        ++link.messages;
        link.bytes += message.bytes;
        link.busy += duration;
        if (m_given.options.busyOverTime)
            m_flow->busy[at(link.dimension)].add(transfer.start, m_agenda.now(), duration);
    }
    m_agenda.push(m_agenda.now() + route.latency, EventKind::FlowArrived, number);
    leftOwnLink(number);
}

/// The first byte of a message that is to be reduced is there.
void Network::flowHead(std::int32_t number)
{
    if (std::int32_t* const waiting = m_engine.collectives.waitingPlace(m_messages[number]))
        waitForOwnPart(number, *waiting);
    else
        startReduction(number);
}

void Network::flowArrived(std::int32_t number)
{
    const Message& message = m_messages[number];
    FlowState::Transfer& transfer = m_flow->transfer(number);
    transfer.arrived = true;
    if (message.reduceBuffers == 0) {
        delivered(number);
    } else if (m_endpoints[at(m_routes[message.route].target)].reducerRate > 0) {
        if (transfer.reduced)
            delivered(number);
    } else if (std::int32_t* const waiting = m_engine.collectives.waitingPlace(message)) {
        waitForOwnPart(number, *waiting);
    } else {
        delivered(number);
    }
}

void Network::waitForOwnPart(std::int32_t number, std::int32_t& waiting)
{
    const std::int32_t piece = keepPiece(kNone, number, 0, m_agenda.now(), m_agenda.now());
    m_pieces[piece].next = waiting;
    waiting = piece;
}

void Network::startReduction(std::int32_t number)
{
    const Message& message = m_messages[number];
    const NodeId node = m_routes[message.route].target;
    const std::int32_t reducer = m_flow->reducerOf(node, m_endpoints[at(node)].reducerRate);
    const std::int32_t buffers = message.reduceBuffers;
    const FlowNetwork::Crossing once{reducer};
    m_flow->own(m_flow->network.start({&once, 1}, message.bytes, std::int64_t{buffers} + 2, buffers), {number, true});
}

} // namespace fabricscope::events
