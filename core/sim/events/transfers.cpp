// Transfer protocols, drawn delays and pieces that find their own way: part of Engine (engine.h). An addition to physical/1, for
// messages that a protocol of the design applies to (ProtocolParams):
//
// * Its latency is added to the endpoint overhead: paid by the sender per message, before it is ready.
// * Links and budgets carry ceil(x wire / payload) bytes; reducers work on the payload x. Sizes of rules are payloads.
// * Control messages, if any, travel before the data as messages of their own with the tie key of the message they are for, behind
//   data of equal key; the last one comes from the receiver (put: none; get: the request; handshake: the sender's call, then the answer or
//   request). The first is ready when the message is, each other when the one before is delivered, the data when the last one is.
// * A signal is a control message of the data's stream and way, queued behind the data. The message is delivered with it.
// * Slots: data are cut into slots of slot_size, the last one the rest; every slot travels as a message of its own (its cost is its share
//   of the whole). At most `slots` of one connection (stream, source, destination) are under way. A slot counts from its readiness
//   until the latency of the way back after it is delivered and reduced. Slots wait in order of readiness, then by the tie rule.
//   `ideal` has no slots: nothing is ever occupied there.
// * Jitter: latency and occupancy of a link are multiplied, per message, by factors drawn for (seed, message, link), the same for all its
//   pieces; computations by one drawn for (seed, rank, task). Nothing depends on the order of drawing.
#include "core/sim/events/engine.h"

#include "core/base/seededhash.h"

namespace fabricscope::events {

/// Names a message among all of the run, whatever the order of events.
std::uint64_t Engine::identity(const Message& message) const
{
    std::int64_t instance = -1;
    std::int64_t item = 0;
    if (message.run != kNone) {
        const Run& run = runs[static_cast<std::size_t>(message.run)];
        instance = run.instance;
        const bool ofSwitch = message.way != SwitchWay::None;
        item = !run.plan->operations ? 0 : ofSwitch ? m_switches.work(message).operation : message.item;
    }
    const std::int64_t control = message.kind == MessageKind::Control ? 1 + m_messages[message.parent].controls : 0;
    return seededHash(network->seed, {instance, message.source, message.target, message.chunk, message.phase, message.step, message.slot, item, control});
}

std::int64_t Engine::drawnLatency(const Link& link, const Message& message, std::int32_t number) const
{
    const JitterTable& table = network->params.latency;
    if (table.empty())
        return link.latency;
    const LinkId id = routes.linkIds()[static_cast<std::size_t>(number)];
    return std::max<std::int64_t>(1, table.apply(link.latency, seededHash(identity(message), {id, 0})));
}

std::int64_t Engine::drawnOccupancy(std::int64_t duration, const Message& message, std::int32_t number) const
{
    const JitterTable& table = network->params.occupancy;
    if (table.empty())
        return duration;
    const LinkId id = routes.linkIds()[static_cast<std::size_t>(number)];
    return std::max<std::int64_t>(1, table.apply(duration, seededHash(identity(message), {id, 1})));
}

/// What of `bytes` on the links is payload.
std::int64_t Engine::payloadBytes(const Message& message, std::int64_t bytes) const
{
    return message.protocol == 0 ? bytes : network->params.protocols[message.protocol - std::size_t{1}].payloadBytes(bytes);
}

/// Picks the protocol of a message that is about to get ready. Returns the latency it adds.
std::int64_t Engine::takeProtocol(Message& message)
{
    const std::vector<ProtocolParams>& protocols = network->params.protocols;
    std::int32_t dimension = -1;
    for (std::size_t i = 0; i < protocols.size(); ++i) {
        const ProtocolParams& protocol = protocols[i];
        if (message.bytes < protocol.minBytes || message.bytes > protocol.maxBytes)
            continue;
        if (protocol.dimension >= 0 && dimension < 0) {
            const Route& route = routes[message.route];
            for (std::int32_t hop = 0; hop < route.hops; ++hop)
                dimension = std::max(dimension, structure.platform.linkInfo(routes.linkIds()[static_cast<std::size_t>(routes.link(route, hop))]).dimension);
        }
        if (protocol.dimension >= 0 && dimension != protocol.dimension)
            continue;
        message.protocol = static_cast<std::uint8_t>(i + 1);
        message.bytes = protocol.wireBytes(message.bytes);
        return protocol.latency.ps;
    }
    return 0;
}

/// A message is ready: control messages first if its protocol has any, else its data.
void Engine::beginTransfer(std::int32_t number)
{
    Message& message = m_messages[number];
    message.controls = message.protocol == 0 ? 0 : static_cast<std::uint8_t>(network->params.protocols[message.protocol - std::size_t{1}].controls);
    if (message.controls > 0)
        sendControl(number);
    else
        sendData(number);
}

/// Sends the next control message of a transfer; the last one travels from the receiver to the sender.
void Engine::sendControl(std::int32_t number)
{
    const std::int32_t item = m_messages.take();
    Message control = m_messages[number];
    control.kind = MessageKind::Control;
    control.parent = number;
    control.bytes = network->params.protocols[control.protocol - std::size_t{1}].controlBytes;
    control.protocol = 0;
    control.reduceBuffers = 0;
    control.tellLeft = false;
    control.sent = 0;
    control.pieces = 1;
    if (control.controls % 2 == 1) {
        const Route ends = routes[control.route];
        std::swap(control.source, control.target);
        control.route = routes.find(ends.target, ends.source);
        if (links.size() < routes.linkIds().size())
            addLinks();
    }
    m_messages[item] = control;
    launch(item);
}

/// Cuts the data of a message into slots, and where links may fail into pieces, and adds the signal; a message that needs nothing of
/// this goes as it is.
void Engine::sendData(std::int32_t number)
{
    const Message whole = m_messages[number];
    const ProtocolParams* const protocol = whole.protocol == 0 ? nullptr : &network->params.protocols[whole.protocol - std::size_t{1}];
    const bool slotted = protocol && protocol->slotCount > 0 && !ideal;
    const bool signal = protocol && protocol->signal;
    const std::int64_t slot = slotted ? protocol->slotBytes : whole.bytes;
    const std::int64_t piece = network->params.failures && !ideal && !m_flow ? pieceBytes : whole.bytes;
    if (!slotted && !signal && piece >= whole.bytes) {
        launch(number);
        return;
    }
    std::vector<std::int32_t> parts;
    const auto add = [&](std::int64_t begin, std::int64_t end) {
        const std::int32_t item = m_messages.take();
        Message& part = m_messages[item];
        part = whole;
        part.kind = MessageKind::Part;
        part.parent = number;
        part.offset = begin;
        part.bytes = end - begin;
        part.tellLeft = false;
        part.sent = 0;
        part.pieces = piecesOf(part.bytes);
        parts.push_back(item);
        return item;
    };
    for (std::int64_t begin = 0; begin < whole.bytes;) {
        const std::int64_t end = std::min({whole.bytes, (begin / slot + 1) * slot, (begin / piece + 1) * piece});
        add(begin, end);
        begin = end;
    }
    if (signal) {
        Message& last = m_messages[add(whole.bytes, whole.bytes + protocol->controlBytes)];
        last.kind = MessageKind::Signal;
        last.reduceBuffers = 0;
    }
    Message& kept = m_messages[number];
    kept.sent = 0;
    kept.arrived = 0;
    kept.pieces = static_cast<std::int32_t>(parts.size());
    if (!slotted) {
        for (const std::int32_t part : parts)
            launch(part);
        return;
    }
    const std::int32_t connection = connectionOf(whole);
    NetworkState::Connection& state = network->connections[static_cast<std::size_t>(connection)];
    state.arrivals.insert(state.arrivals.end(), parts.begin(), parts.end());
    touchConnection(connection);
}

std::int32_t Engine::connectionOf(const Message& message)
{
    const Route& route = routes[message.route];
    const auto [entry, added] = network->connectionOf.emplace(std::tuple(std::int32_t{message.protocol}, message.stream, route.source, route.target),
                                                              static_cast<std::int32_t>(network->connections.size()));
    if (added) {
        network->connections.emplace_back();
        network->connections.back().free = network->params.protocols[message.protocol - std::size_t{1}].slotCount;
    }
    return entry->second;
}

void Engine::touchConnection(std::int32_t number)
{
    NetworkState::Connection& connection = network->connections[static_cast<std::size_t>(number)];
    if (connection.dirty)
        return;
    connection.dirty = true;
    network->dirtyConnections.push_back(number);
}

/// Slots go to what waits, in order; after everything that this instant makes ready.
void Engine::settleConnections()
{
    std::vector<std::int32_t> dirty;
    dirty.swap(network->dirtyConnections);
    for (const std::int32_t number : dirty) {
        NetworkState::Connection& connection = network->connections[static_cast<std::size_t>(number)];
        connection.dirty = false;
        std::sort(connection.arrivals.begin(), connection.arrivals.end(),
                  [this](std::int32_t a, std::int32_t b) { return compareAtSource(m_messages[a], m_messages[b]) < 0; });
        connection.waiting.insert(connection.waiting.end(), connection.arrivals.begin(), connection.arrivals.end());
        connection.arrivals.clear();
        for (; connection.first < connection.waiting.size(); ++connection.first) {
            const std::int32_t item = connection.waiting[connection.first];
            if (takesSlot(m_messages[item])) {
                if (connection.free <= 0)
                    break;
                --connection.free;
            }
            launch(item);
        }
        if (connection.first == connection.waiting.size()) {
            connection.waiting.clear();
            connection.first = 0;
        }
    }
}

/// Is this part the first of its slot?
bool Engine::takesSlot(const Message& part) const
{
    return part.kind == MessageKind::Part && part.offset % network->params.protocols[part.protocol - std::size_t{1}].slotBytes == 0;
}

/// A part of a transfer has left its own link; the transfer has when all have.
void Engine::partLeft(const Message& part)
{
    if (part.kind == MessageKind::Control)
        return;
    Message& whole = m_messages[part.parent];
    whole.left = std::max(whole.left, part.left);
    if (++whole.sent == whole.pieces)
        leftOwnLink(part.parent);
}

/// A control message, a signal or a part of the data is there.
void Engine::partDelivered(std::int32_t number)
{
    const Message part = m_messages[number];
    if (options.ways)
        keepWayOfPart(number, part);
    m_messages[number] = {};
    m_messages.give(number);
    Message& whole = m_messages[part.parent];
    if (part.kind == MessageKind::Control) {
        if (--whole.controls > 0)
            sendControl(part.parent);
        else
            sendData(part.parent);
        return;
    }
    if (part.kind == MessageKind::Part && part.protocol > 0) {
        const ProtocolParams& protocol = network->params.protocols[part.protocol - std::size_t{1}];
        const std::int64_t end = part.offset + part.bytes;
        if (protocol.slotCount > 0 && !ideal && (end == whole.bytes || end % protocol.slotBytes == 0)) {
            const Route ends = routes[whole.route];
            agenda.push(agenda.now() + routes[routes.find(ends.target, ends.source)].latency, EventKind::SlotFree, connectionOf(whole));
        }
    }
    if (++whole.arrived == whole.pieces)
        delivered(part.parent);
}

} // namespace fabricscope::events
