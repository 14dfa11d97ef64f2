#include "core/base/index.h"
#include "core/sim/events/engine.h"

#include <algorithm>

namespace fabricscope::events {

std::int32_t Switches::addLine(const Plan& plan, std::vector<std::int32_t> positions)
{
    std::vector<NodeId> members;
    for (const std::int32_t position : positions)
        members.push_back(plan.nodes[at(position)]);
    const Platform& platform = m_given.structure.platform;
    const OffloadSwitch place = offloadSwitchOf(platform, members).value(); // Planning has checked that there is one.
    const auto [server, added] = m_serverOf.emplace(place, static_cast<std::int32_t>(m_servers.size()));
    if (added) {
        Server& fresh = m_servers.emplace_back();
        fresh.rates = m_given.params.offload->of(place);
        fresh.room = fresh.rates.buffer;
    }
    const auto number = static_cast<std::int32_t>(m_lines.size());
    Line& line = m_lines.emplace_back();
    line.server = server->second;
    for (std::size_t r = 0; r < members.size(); ++r) {
        const NodeId next = members[(r + 1) % members.size()];
        line.routes.push_back(m_routes.through(members[r], next, linkToSwitch(platform, place, members[r]), linkFromSwitch(platform, place, next)));
    }
    line.positions = std::move(positions);
    line.nodes = std::move(members);
    return number;
}

/// Messages an operation of so many bytes is cut into.
std::int64_t Switches::segmentsAt(const Server& server, std::int64_t bytes) const
{
    if (bytes == 0)
        return 0;
    if (m_given.ideal || server.rates.buffer == 0)
        return 1;
    const std::int64_t each = std::min(m_given.pieceBytes, server.rates.buffer);
    return (bytes - 1) / each + 1;
}

std::int64_t Switches::segments(std::int32_t number, std::int64_t bytes, bool both) const
{
    const Line& line = lineAt(number);
    const Server& server = serverAt(line.server);
    return segmentsAt(server, server.rates.onLinks(bytes, static_cast<std::int64_t>(line.routes.size()), both));
}

void Switches::start(const SwitchWork& work)
{
    constexpr std::int64_t kMostPieces = 1 << 24;
    if (work.bytes == 0)
        return;
    const Line& line = lineAt(work.line);
    Server& server = serverAt(line.server);
    const bool limited = !m_given.ideal && server.rates.buffer > 0;
    const auto members = static_cast<std::int32_t>(line.routes.size());
    const std::int64_t bytes = server.rates.onLinks(work.bytes, members, work.reduces && work.copies);
    const std::int64_t count = segmentsAt(server, bytes);
    const std::int64_t pieceCount = m_given.ideal ? 1 : limited ? count : (bytes - 1) / m_given.pieceBytes + 1;
    if (pieceCount > kMostPieces) {
        m_halt.fail(Error{ErrorCode::Unsupported, showBytes({bytes}) + " through a switch are more than " + std::to_string(kMostPieces) + " pieces", {},
                          limited ? "a larger buffer, or less data" : "less data"});
        return;
    }
    const std::int32_t item = m_operations.take();
    Operation& operation = m_operations[item];
    operation = {};
    static_cast<SwitchWork&>(operation) = work;
    operation.bytes = bytes;
    operation.segments = static_cast<std::int32_t>(count);
    operation.segmentBytes = limited ? std::min(m_given.pieceBytes, server.rates.buffer) : bytes;
    operation.deliveriesLeft = count * (work.receiver < 0 ? members : 1);
    operation.pieces.assign(static_cast<std::size_t>(pieceCount), {});
    if (work.operation >= 0)
        operation.undelivered.assign(line.routes.size(), operation.segments);
    for (std::int32_t r = 0; r < members; ++r) { // A rank is done only when all of them have left.
        if (work.sender < 0 || work.sender == r)
            m_engine.collectives.owe(work.run, line.positions[at(r)], operation.segments);
    }
    if (!limited) {
        sendSegment(item);
        return;
    }
    server.fresh.push_back(item);
    touch(line.server);
}

void Switches::touch(std::int32_t number)
{
    Server& server = serverAt(number);
    if (!server.dirty) {
        server.dirty = true;
        m_dirty.push_back(number);
    }
}

/// Buffer: operations that start join the round, then pieces get places as long as the first of the round fits.
void Switches::settlePlaces()
{
    std::vector<std::int32_t> dirty;
    dirty.swap(m_dirty);
    for (const std::int32_t number : dirty) {
        Server& server = serverAt(number);
        server.dirty = false;
        std::sort(server.fresh.begin(), server.fresh.end(), [this](std::int32_t a, std::int32_t b) { return compare(a, b) < 0; });
        server.round.insert(server.round.end(), server.fresh.begin(), server.fresh.end());
        server.fresh.clear();
        while (!server.round.empty()) {
            const std::int32_t item = server.round.front();
            const Operation& operation = m_operations[item];
            const std::int64_t bytes = std::min(operation.segmentBytes, operation.bytes - operation.granted * operation.segmentBytes);
            if (bytes > server.room || m_halt.look())
                break;
            server.room -= bytes;
            server.round.pop_front();
            if (operation.granted + 1 < operation.segments)
                server.round.push_back(item);
            sendSegment(item);
        }
    }
}

/// The next part of an operation from all its contributors.
void Switches::sendSegment(std::int32_t item)
{
    Operation& operation = m_operations[item];
    const std::int32_t segment = operation.granted++;
    const Line& line = lineAt(operation.line);
    const std::int32_t first = std::max(operation.sender, 0);
    const std::int32_t end = operation.sender < 0 ? static_cast<std::int32_t>(line.routes.size()) : first + 1;
    for (std::int32_t r = first; r < end; ++r) {
        Message message = messageOf(operation, item, segment);
        message.source = message.target = line.positions[at(r)];
        message.route = line.routes[at(r)];
        m_engine.network.send(message, m_agenda.now() + m_given.endpointDelay);
    }
}

/// What all messages of one part of an operation have in common.
Message Switches::messageOf(const Operation& operation, std::int32_t item, std::int32_t segment) const
{
    Message message;
    message.bytes = std::min(operation.segmentBytes, operation.bytes - segment * operation.segmentBytes);
    message.of = ToSwitch{operation.run, item};
    message.chunk = operation.chunk;
    message.phase = static_cast<std::uint32_t>(operation.phase);
    message.step = segment;
    message.slot = operation.slot;
    message.stream = operation.stream;
    message.pieces = operation.segments > 1 ? 1 : static_cast<std::int32_t>(operation.pieces.size());
    return message;
}

/// Tie rule for whole operations at a switch, then the port of the first contributor, then the stream.
int Switches::compare(std::int32_t a, std::int32_t b) const
{
    const auto first = [this](std::int32_t item) { return static_cast<std::size_t>(std::max(m_operations[item].sender, 0)); };
    const auto inFront = [&](std::int32_t item) {
        const Operation& operation = m_operations[item];
        Message message = messageOf(operation, item, 0);
        message.source = lineAt(operation.line).positions[first(item)];
        return message;
    };
    if (const int c = m_engine.network.compareMessages(inFront(a), inFront(b)))
        return c;
    const auto place = [&](std::int32_t item) {
        const Operation& operation = m_operations[item];
        return std::pair(lineAt(operation.line).nodes[first(item)], operation.stream);
    };
    return place(a) < place(b) ? -1 : (place(b) < place(a) ? 1 : 0);
}

void Switches::contribute(const Message& message, std::int32_t index, std::int64_t head, std::int64_t tail, std::int64_t order)
{
    const std::int32_t item = std::get<ToSwitch>(message.of).work;
    Operation& operation = m_operations[item];
    const std::int32_t place = operation.segments > 1 ? message.step : index;
    Part& piece = operation.pieces[at(place)];
    piece.head = std::max(piece.head, head);
    piece.tail = std::max(piece.tail, tail);
    const auto contributors = operation.sender < 0 ? static_cast<std::int32_t>(lineAt(operation.line).routes.size()) : 1;
    if (++piece.count < contributors)
        return;
    const std::int32_t arrival = m_heads.take();
    m_heads[arrival] = {order, item, place};
    m_agenda.push(piece.head, EventKind::HeadAtSwitch, arrival);
}

/// Pieces of which the last head is at the switch in this instant: reducer, copier, then down to the receivers.
void Switches::serveHeads()
{
    std::sort(m_arrived.begin(), m_arrived.end(), [this](std::int32_t a, std::int32_t b) {
        const Head& first = m_heads[a];
        const Head& second = m_heads[b];
        if (first.operation != second.operation) {
            if (const int c = compare(first.operation, second.operation))
                return c < 0;
        }
        return first.piece != second.piece ? first.piece < second.piece : first.order < second.order;
    });
    for (const std::int32_t arrival : m_arrived) {
        const Head head = m_heads[arrival];
        m_heads.give(arrival);
        leave(head.operation, head.piece);
    }
    m_arrived.clear();
}

void Switches::leave(std::int32_t item, std::int32_t place)
{
    Operation& operation = m_operations[item];
    const Line& line = lineAt(operation.line);
    Server& server = serverAt(line.server);
    const bool limited = operation.segments > 1;
    const std::int32_t index = limited ? 0 : place;
    if (index == 0)
        sendDowns(operation, item, limited ? place : 0, line);

    Part& piece = operation.pieces[at(place)];
    std::int64_t tail = piece.tail;
    const Message whole = messageOf(operation, item, limited ? place : 0);
    const auto serve = [&](std::int64_t& free, std::int64_t rate) {
        const std::int64_t work = shareOfPiece(whole, index, m_given.pieceBytes, [rate](std::int64_t bytes) { return mulDivCeil(bytes, kPsPerSecond, rate); });
        free = (m_given.ideal ? m_agenda.now() : std::max(free, m_agenda.now())) + work;
        tail = std::max(tail, free);
    };
    if (operation.reduces)
        serve(server.reducerFree, server.rates.reduction);
    if (operation.copies && server.rates.multicast > 0)
        serve(server.copierFree, server.rates.multicast);
    piece.count = static_cast<std::int32_t>(operation.downs.size());
    const std::int64_t head = m_agenda.now() + server.rates.latency;
    tail += server.rates.latency;
    for (const std::int32_t number : operation.downs)
        m_engine.network.passDown(number, index, head, tail);
}

/// The messages of a segment to its receivers begin.
void Switches::sendDowns(Operation& operation, std::int32_t item, std::int32_t segment, const Line& line)
{
    const auto members = static_cast<std::int32_t>(line.routes.size());
    const std::int32_t first = std::max(operation.receiver, 0);
    const std::int32_t end = operation.receiver < 0 ? members : first + 1;
    operation.downs.clear();
    for (std::int32_t r = first; r < end; ++r) {
        Message message = messageOf(operation, item, segment);
        message.source = line.positions[at(std::max(operation.sender, 0))];
        message.target = line.positions[at(r)];
        message.route = line.routes[at((r + members - 1) % members)];
        message.of = FromSwitch{operation.run, item};
        message.ready = m_agenda.now() + serverAt(line.server).rates.latency;
        operation.downs.push_back(m_engine.network.sendDown(message));
    }
}

Switches::Receipt Switches::received(const Message& message)
{
    const std::int32_t item = std::get<FromSwitch>(message.of).work;
    Operation& operation = m_operations[item];
    const Line& line = lineAt(operation.line);
    Server& server = serverAt(line.server);
    if (!m_given.ideal && server.rates.buffer > 0 && --operation.pieces[at(message.step)].count == 0) {
        server.room += message.bytes;
        touch(line.server);
    }
    Receipt receipt{operation.operation, operation.copies, false, false};
    if (operation.operation >= 0) {
        const auto coordinate = std::lower_bound(line.positions.begin(), line.positions.end(), message.target) - line.positions.begin();
        receipt.isWhole = --operation.undelivered[at(coordinate)] == 0;
        receipt.atOwner = coordinate == operation.owner;
    }
    if (--operation.deliveriesLeft == 0)
        m_operations.give(item);
    return receipt;
}

const SwitchWork& Switches::work(const Message& message) const
{
    const auto* const up = std::get_if<ToSwitch>(&message.of);
    return m_operations[up ? up->work : std::get<FromSwitch>(message.of).work];
}

void Switches::nameEnds(const Message& message, MessageRecord& record) const
{
    if (std::holds_alternative<ToSwitch>(message.of))
        record.target = -1;
    else if (work(message).sender < 0)
        record.source = -1;
}

} // namespace fabricscope::events
