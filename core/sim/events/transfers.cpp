// Transfer protocols, drawn delays and pieces that find their own way. An addition to physical/1, for
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
#include "core/base/index.h"
#include "core/sim/events/engine.h"

#include "core/base/seededhash.h"

namespace fabricscope::events {

Transfers::Transfers(const Setting& given, Agenda& agenda, Routes& routes, const Switches& switches, const UnderWay& underWay, Engine& engine)
    : m_given(given)
    , m_params(*given.params.network)
    , m_agenda(agenda)
    , m_routes(routes)
    , m_switches(switches)
    , m_messages(underWay.messages)
    , m_pieces(underWay.pieces)
    , m_engine(engine)
    , m_rules(m_params.routing.value_or(RoutingRules{}))
    , m_router(given.structure.platform, m_rules, m_params.graph, given.seed)
    , m_drawsPerLink(!m_params.latency.empty() || !m_params.occupancy.empty())
    , m_looks(m_router.looksAtQueues() && !given.ideal)
{
    if (m_params.routing || m_params.failures)
        m_routes.setRouter(&m_router);
}

/// Names a message among all of the run, whatever the order of events.
std::uint64_t Transfers::identity(const Message& message) const
{
    std::int64_t instance = -1;
    std::int64_t item = 0;
    if (!message.isOfPair())
        instance = m_engine.collectives.runOf(message).instance;
    if (const auto* const send = std::get_if<OfOperation>(&message.of))
        item = send->operation;
    else if (message.meetsSwitch() && m_switches.work(message).operation != kNone)
        item = m_switches.work(message).operation;
    const std::int64_t control = message.kind == MessageKind::Control ? 1 + m_messages[message.parent].controls : 0;
    return seededHash(m_given.seed, {instance, message.source, message.target, message.chunk, message.phase, message.step, message.slot, item, control});
}

std::int64_t Transfers::drawnLatency(std::int64_t latency, const Message& message, std::int32_t number) const
{
    const JitterTable& table = m_params.latency;
    if (table.empty())
        return latency;
    const LinkId id = m_routes.linkIds()[at(number)];
    return std::max<std::int64_t>(1, table.apply(latency, seededHash(identity(message), {id, 0})));
}

std::int64_t Transfers::drawnOccupancy(std::int64_t duration, const Message& message, std::int32_t number) const
{
    const JitterTable& table = m_params.occupancy;
    if (table.empty())
        return duration;
    const LinkId id = m_routes.linkIds()[at(number)];
    return std::max<std::int64_t>(1, table.apply(duration, seededHash(identity(message), {id, 1})));
}

/// Picks the protocol of a message that is about to get ready. Returns the latency it adds.
std::int64_t Transfers::takeProtocol(Message& message) const
{
    const std::vector<ProtocolParams>& protocols = m_params.protocols;
    const auto take = [&](std::size_t i) {
        message.protocol = static_cast<std::uint8_t>(i + 1);
        message.bytes = protocols[i].wireBytes(message.bytes);
        return protocols[i].latency.ps;
    };
    const RuleParams* const rule = message.isOfPair() ? nullptr : m_params.ruleOf(*m_engine.collectives.runOf(message).def);
    if (rule && rule->protocol >= 0)
        return take(static_cast<std::size_t>(rule->protocol));
    std::int32_t dimension = -1;
    for (std::size_t i = 0; i < protocols.size() - m_params.ruleProtocols; ++i) {
        const ProtocolParams& protocol = protocols[i];
        if (message.bytes < protocol.minBytes || message.bytes > protocol.maxBytes)
            continue;
        if (protocol.dimension >= 0 && dimension < 0) {
            const Route& route = m_routes[message.route];
            for (std::int32_t hop = 0; hop < route.hops; ++hop)
                dimension = std::max(dimension, m_given.structure.platform.linkInfo(m_routes.linkIds()[at(m_routes.link(route, hop))]).dimension);
        }
        if (protocol.dimension >= 0 && dimension != protocol.dimension)
            continue;
        return take(i);
    }
    return 0;
}

/// A message is ready: control messages first if its protocol has any, else its data.
void Transfers::begin(std::int32_t number)
{
    countFlow(number);
    Message& message = m_messages[number];
    message.controls = message.protocol == 0 ? 0 : static_cast<std::uint8_t>(protocolOf(message).controls);
    if (message.controls > 0)
        sendControl(number);
    else
        sendData(number);
}

/// Sends the next control message of a transfer; the last one travels from the receiver to the sender.
void Transfers::sendControl(std::int32_t number)
{
    const std::int32_t item = m_messages.take();
    Message control = m_messages[number];
    control.kind = MessageKind::Control;
    control.parent = number;
    control.bytes = protocolOf(control).controlBytes;
    control.protocol = 0;
    control.reduceBuffers = 0;
    control.tellLeft = false;
    control.sent = 0;
    control.pieces = 1;
    if (control.controls % 2 == 1) {
        const Route ends = m_routes[control.route];
        std::swap(control.source, control.target);
        control.route = m_routes.find(ends.target, ends.source);
        m_engine.network.useNewLinks();
    }
    m_messages[item] = control;
    launch(item);
}

/// Cuts the data of a message into slots, and where links may fail or pieces choose for themselves into pieces, and adds the signal; a message that needs nothing of
/// this goes as it is.
void Transfers::sendData(std::int32_t number)
{
    const Message whole = m_messages[number];
    const ProtocolParams* const protocol = whole.protocol == 0 ? nullptr : &protocolOf(whole);
    const bool slotted = protocol && protocol->slotCount > 0 && !m_given.ideal;
    const bool signal = protocol && protocol->signal;
    const std::int64_t slot = slotted ? protocol->slotBytes : whole.bytes;
    const std::int64_t piece = (m_params.failures || m_looks) && !m_given.ideal && m_given.scenario.model != Model::Flow ? m_given.pieceBytes : whole.bytes;
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
        part.pieces = m_engine.network.piecesOf(part.bytes);
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
    Connection& state = connectionAt(connection);
    state.arrivals.insert(state.arrivals.end(), parts.begin(), parts.end());
    touch(connection);
}

std::int32_t Transfers::connectionOf(const Message& message)
{
    const Route& route = m_routes[message.route];
    const auto [entry, added] = m_connectionOf.emplace(std::tuple(std::int32_t{message.protocol}, message.stream, route.source, route.target),
                                                              static_cast<std::int32_t>(m_connections.size()));
    if (added) {
        m_connections.emplace_back();
        m_connections.back().free = protocolOf(message).slotCount;
    }
    return entry->second;
}

void Transfers::touch(std::int32_t number)
{
    Connection& connection = connectionAt(number);
    if (connection.dirty)
        return;
    connection.dirty = true;
    m_dirtyConnections.push_back(number);
}

/// Slots go to what waits, in order; after everything that this instant makes ready.
void Transfers::settleSlots()
{
    std::vector<std::int32_t> dirty;
    dirty.swap(m_dirtyConnections);
    for (const std::int32_t number : dirty) {
        Connection& connection = connectionAt(number);
        connection.dirty = false;
        std::sort(connection.arrivals.begin(), connection.arrivals.end(),
                  [this](std::int32_t a, std::int32_t b) { return m_engine.network.compareAtSource(m_messages[a], m_messages[b]) < 0; });
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
bool Transfers::takesSlot(const Message& part) const
{
    return part.kind == MessageKind::Part && part.offset % protocolOf(part).slotBytes == 0;
}

/// A part of a transfer has left its own link; the transfer has when all have.
void Transfers::partLeft(const Message& part)
{
    if (part.kind == MessageKind::Control)
        return;
    Message& whole = m_messages[part.parent];
    whole.left = std::max(whole.left, part.left);
    if (++whole.sent == whole.pieces)
        m_engine.network.leftOwnLink(part.parent);
}

/// Sends a message, or a part of one, if there is a way; else it waits for one.
void Transfers::launch(std::int32_t number)
{
    Message& message = m_messages[number];
    if (message.kind != MessageKind::Whole)
        message.ready = m_agenda.now();
    if (m_looks) {
        if (m_choosing.size() <= static_cast<std::size_t>(number))
            m_choosing.resize(static_cast<std::size_t>(number) + 1);
        leavesQueue(number);
        m_choosing[at(number)] = {hasOwnRoute(message), kNone, 0};
        if (isOpen(number)) {
            m_beginning.push_back(number);
            return;
        }
    }
    if (findWay(number))
        m_engine.network.depart(number);
    else
        m_stalled.push_back(number);
}

void Transfers::slotFree(std::int32_t connection)
{
    ++connectionAt(connection).free;
    touch(connection);
}

/// A control message, a signal or a part of the data is there.
void Transfers::partDelivered(std::int32_t number)
{
    const Message part = m_messages[number];
    if (m_given.options.ways)
        keepWayOfPart(part);
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
        const ProtocolParams& protocol = protocolOf(part);
        const std::int64_t end = part.offset + part.bytes;
        if (protocol.slotCount > 0 && !m_given.ideal && (end == whole.bytes || end % protocol.slotBytes == 0)) {
            const Route ends = m_routes[whole.route];
            m_agenda.push(m_agenda.now() + m_routes[m_routes.find(ends.target, ends.source)].latency, EventKind::SlotFree, connectionOf(whole));
        }
    }
    if (++whole.arrived == whole.pieces)
        m_engine.network.delivered(part.parent);
}

} // namespace fabricscope::events
