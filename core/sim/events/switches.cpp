// Collectives done by switches: part of Engine (engine.h). The rules are innetwork.h.
#include "core/sim/events/engine.h"

namespace fabricscope::events {

/// The line of an in-network phase that a position is in.
std::int32_t Engine::switchLine(Plan& plan, PhasePlan& phase, std::int32_t position)
{
    if (phase.lines.empty())
        phase.lines.assign(plan.nodes.size(), kNone);
    const std::int32_t lead = phase.at(position, 0);
    std::int32_t& known = phase.lines[static_cast<std::size_t>(lead)];
    if (known != kNone)
        return known;

    std::vector<std::int32_t> positions;
    for (std::int32_t r = 0; r < phase.extent; ++r)
        positions.push_back(phase.at(lead, r));
    known = makeSwitchLine(plan, std::move(positions));
    return known;
}

std::int32_t Engine::makeSwitchLine(const Plan& plan, std::vector<std::int32_t> positions)
{
    std::vector<NodeId> members;
    for (const std::int32_t position : positions)
        members.push_back(plan.nodes[static_cast<std::size_t>(position)]);
    const Platform& platform = structure.platform;
    const OffloadSwitch place = offloadSwitchOf(platform, members).value(); // Planning has checked that there is one.
    const auto [server, added] = m_switches.serverOf.emplace(place, static_cast<std::int32_t>(m_switches.servers.size()));
    if (added) {
        SwitchServer& fresh = m_switches.servers.emplace_back();
        fresh.rates = params.offload->of(place);
        fresh.room = fresh.rates.buffer;
    }
    const auto number = static_cast<std::int32_t>(m_switches.lines.size());
    SwitchLine& line = m_switches.lines.emplace_back();
    line.server = server->second;
    for (std::size_t r = 0; r < members.size(); ++r) {
        const NodeId next = members[(r + 1) % members.size()];
        line.routes.push_back(routes.through(members[r], next, linkToSwitch(platform, place, members[r]), linkFromSwitch(platform, place, next)));
    }
    line.positions = std::move(positions);
    return number;
}

/// Messages an operation of so many bytes is cut into.
std::int64_t Engine::switchSegments(const SwitchServer& server, std::int64_t bytes) const
{
    if (bytes == 0)
        return 0;
    if (ideal || server.rates.buffer == 0)
        return 1;
    const std::int64_t each = std::min(pieceBytes, server.rates.buffer);
    return (bytes - 1) / each + 1;
}

/// The rank's own part of an in-network phase is there: copies of it start, sums when it was the last.
void Engine::ownInNetwork(std::int32_t number, std::int32_t position, std::int32_t chunk, std::int32_t phase)
{
    Run& run = runs[static_cast<std::size_t>(number)];
    PhasePlan& plan = run.plan->at(chunk, phase);
    if (plan.kind == PhaseKind::Broadcast && !plan.takesPart(position))
        return;
    SwitchOperation operation;
    operation.run = number;
    operation.chunk = chunk;
    operation.phase = phase;
    operation.line = switchLine(*run.plan, plan, position);
    const std::int32_t coordinate = plan.coordinate(position);
    const std::int64_t bytes = held(run, position, chunk, phase);
    if (plan.kind == PhaseKind::AllGather || plan.kind == PhaseKind::Broadcast) {
        if (plan.kind == PhaseKind::Broadcast && coordinate != 0)
            return;
        operation.sender = coordinate;
        operation.copies = true;
        operation.slot = plan.kind == PhaseKind::AllGather ? coordinate : 0;
        operation.bytes = plan.kind == PhaseKind::AllGather ? blockBytes(bytes, plan.extent, coordinate) : bytes;
        startSwitchOperation(std::move(operation));
        return;
    }

    if (bytes == 0)
        return;
    ++run.members[static_cast<std::size_t>(position)].outstanding; // Until the sum starts: who receives nothing is not done before.
    PhaseState& counter = phaseState(run, plan.at(position, 0), chunk, phase); // `sent` of the first member counts those that are ready.
    if (++counter.sent < static_cast<std::uint32_t>(plan.extent))
        return;
    const auto started = [&] {
        for (std::int32_t r = 0; r < plan.extent; ++r) {
            const std::int32_t member = plan.at(position, r);
            if (--run.members[static_cast<std::size_t>(member)].outstanding == 0)
                finishIfDone(number, member);
        }
    };
    operation.reduces = true;
    if (plan.kind == PhaseKind::AllReduce) {
        operation.copies = true;
        operation.bytes = bytes;
        startSwitchOperation(SwitchOperation(operation));
        started();
        return;
    }
    for (std::int32_t block = 0; block < plan.extent; ++block) {
        SwitchOperation part = operation;
        part.slot = block;
        part.receiver = block;
        part.bytes = blockBytes(bytes, plan.extent, block);
        startSwitchOperation(std::move(part));
    }
    started();
}

void Engine::startSwitchOperation(SwitchOperation&& operation)
{
    constexpr std::int64_t kMostPieces = 1 << 24;
    if (operation.bytes == 0)
        return;
    const SwitchLine& line = m_switches.lines[static_cast<std::size_t>(operation.line)];
    SwitchServer& server = m_switches.servers[static_cast<std::size_t>(line.server)];
    const bool limited = !ideal && server.rates.buffer > 0;
    const std::int64_t segments = switchSegments(server, operation.bytes);
    const std::int64_t pieceCount = ideal ? 1 : limited ? segments : (operation.bytes - 1) / pieceBytes + 1;
    if (pieceCount > kMostPieces) {
        halt.fail(Error{ErrorCode::Unsupported, showBytes({operation.bytes}) + " through a switch are more than " + std::to_string(kMostPieces) + " pieces", {},
                        limited ? "a larger buffer, or less data" : "less data"});
        return;
    }
    Run& run = runs[static_cast<std::size_t>(operation.run)];
    const auto members = static_cast<std::int32_t>(line.routes.size());
    operation.segments = static_cast<std::int32_t>(segments);
    operation.segmentBytes = limited ? std::min(pieceBytes, server.rates.buffer) : operation.bytes;
    operation.deliveriesLeft = segments * (operation.receiver < 0 ? members : 1);
    operation.pieces.assign(static_cast<std::size_t>(pieceCount), {});
    for (std::int32_t r = 0; r < members; ++r) { // A rank is done only when all of them have left.
        if (operation.sender < 0 || operation.sender == r)
            run.members[static_cast<std::size_t>(line.positions[static_cast<std::size_t>(r)])].outstanding += operation.segments;
    }
    const std::int32_t number = line.server;
    const std::int32_t item = m_switches.operations.take();
    m_switches.operations[item] = std::move(operation);
    if (!limited) {
        sendSegment(item);
        return;
    }
    server.fresh.push_back(item);
    touchServer(number);
}

void Engine::touchServer(std::int32_t number)
{
    SwitchServer& server = m_switches.servers[static_cast<std::size_t>(number)];
    if (!server.dirty) {
        server.dirty = true;
        m_switches.dirty.push_back(number);
    }
}

/// Buffer: operations that start join the round, then pieces get places as long as the first of the round fits.
void Engine::settleSwitches()
{
    std::vector<std::int32_t> dirty;
    dirty.swap(m_switches.dirty);
    for (const std::int32_t number : dirty) {
        SwitchServer& server = m_switches.servers[static_cast<std::size_t>(number)];
        server.dirty = false;
        std::sort(server.fresh.begin(), server.fresh.end(), [this](std::int32_t a, std::int32_t b) { return compareOperations(a, b) < 0; });
        server.round.insert(server.round.end(), server.fresh.begin(), server.fresh.end());
        server.fresh.clear();
        while (!server.round.empty()) {
            const std::int32_t item = server.round.front();
            const SwitchOperation& operation = m_switches.operations[item];
            const std::int64_t bytes = std::min(operation.segmentBytes, operation.bytes - operation.granted * operation.segmentBytes);
            if (bytes > server.room || halt.look())
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
void Engine::sendSegment(std::int32_t item)
{
    SwitchOperation& operation = m_switches.operations[item];
    const std::int32_t segment = operation.granted++;
    const SwitchLine& line = m_switches.lines[static_cast<std::size_t>(operation.line)];
    const std::int32_t first = std::max(operation.sender, 0);
    const std::int32_t end = operation.sender < 0 ? static_cast<std::int32_t>(line.routes.size()) : first + 1;
    for (std::int32_t r = first; r < end; ++r) {
        const std::int32_t number = m_messages.take();
        Message& message = m_messages[number];
        message = switchMessage(operation, item, segment);
        message.source = message.target = line.positions[static_cast<std::size_t>(r)];
        message.route = line.routes[static_cast<std::size_t>(r)];
        startMessage(number, agenda.now() + endpointDelay);
    }
}

/// What all messages of one part of an operation have in common.
Message Engine::switchMessage(const SwitchOperation& operation, std::int32_t item, std::int32_t segment) const
{
    Message message;
    message.bytes = std::min(operation.segmentBytes, operation.bytes - segment * operation.segmentBytes);
    message.run = operation.run;
    message.chunk = operation.chunk;
    message.phase = static_cast<std::uint32_t>(operation.phase);
    message.step = segment;
    message.slot = operation.slot;
    message.item = item;
    message.stream = runs[static_cast<std::size_t>(operation.run)].def->stream;
    message.way = SwitchWay::Up;
    return message;
}

/// Tie rule for whole operations at a switch, then the port of the first contributor, then the stream.
int Engine::compareOperations(std::int32_t a, std::int32_t b) const
{
    const auto inFront = [this](std::int32_t item) {
        const SwitchOperation& operation = m_switches.operations[item];
        Message message = switchMessage(operation, item, 0);
        message.source = m_switches.lines[static_cast<std::size_t>(operation.line)].positions[static_cast<std::size_t>(std::max(operation.sender, 0))];
        return message;
    };
    const Message first = inFront(a);
    const Message second = inFront(b);
    if (const int c = compareMessages(first, second))
        return c;
    const auto place = [this](const Message& message) {
        return std::pair(runs[static_cast<std::size_t>(message.run)].plan->nodes[static_cast<std::size_t>(message.source)], message.stream);
    };
    return place(first) < place(second) ? -1 : (place(second) < place(first) ? 1 : 0);
}

/// A piece on its way up or down: true when it is at the switch, and is handled there.
bool Engine::crossedSwitch(std::int32_t number, std::int32_t index, std::int64_t head, std::int64_t tail, std::int32_t hop)
{
    Message& message = m_messages[number];
    if (hop > 1) {
        message.left = tail - links[static_cast<std::size_t>(routes.link(routes[message.route], 1))].latency;
        return false;
    }
    SwitchOperation& operation = m_switches.operations[message.item];
    const std::int32_t place = operation.segments > 1 ? message.step : index;
    SwitchOperation::Piece& piece = operation.pieces[static_cast<std::size_t>(place)];
    piece.head = std::max(piece.head, head);
    piece.tail = std::max(piece.tail, tail);
    const auto contributors = operation.sender < 0 ? static_cast<std::int32_t>(m_switches.lines[static_cast<std::size_t>(operation.line)].routes.size()) : 1;
    if (++piece.count == contributors) {
        const std::int32_t arrival = m_switches.heads.take();
        m_switches.heads[arrival] = {m_order, message.item, place};
        agenda.push(piece.head, EventKind::HeadAtSwitch, arrival);
    }
    if (index + 1 == message.pieces)
        agenda.push(tail, EventKind::Delivered, number);
    return true;
}

/// Pieces of which the last head is at the switch in this instant: reducer, copier, then down to the receivers.
void Engine::serveSwitches()
{
    std::sort(m_switches.arrived.begin(), m_switches.arrived.end(), [this](std::int32_t a, std::int32_t b) {
        const SwitchHead& first = m_switches.heads[a];
        const SwitchHead& second = m_switches.heads[b];
        if (first.operation != second.operation) {
            if (const int c = compareOperations(first.operation, second.operation))
                return c < 0;
        }
        return first.piece != second.piece ? first.piece < second.piece : first.order < second.order;
    });
    for (const std::int32_t arrival : m_switches.arrived) {
        const SwitchHead head = m_switches.heads[arrival];
        m_switches.heads.give(arrival);
        leaveSwitch(head.operation, head.piece);
    }
    m_switches.arrived.clear();
}

void Engine::leaveSwitch(std::int32_t item, std::int32_t place)
{
    SwitchOperation& operation = m_switches.operations[item];
    const SwitchLine& line = m_switches.lines[static_cast<std::size_t>(operation.line)];
    SwitchServer& server = m_switches.servers[static_cast<std::size_t>(line.server)];
    const bool limited = operation.segments > 1;
    const std::int32_t segment = limited ? place : 0;
    const std::int32_t index = limited ? 0 : place;
    const auto members = static_cast<std::int32_t>(line.routes.size());
    const std::int32_t first = std::max(operation.receiver, 0);
    const std::int32_t end = operation.receiver < 0 ? members : first + 1;
    if (index == 0) {
        operation.downs.clear();
        for (std::int32_t r = first; r < end; ++r) {
            const std::int32_t number = m_messages.take();
            Message& message = m_messages[number];
            message = switchMessage(operation, item, segment);
            message.source = line.positions[static_cast<std::size_t>(std::max(operation.sender, 0))];
            message.target = line.positions[static_cast<std::size_t>(r)];
            message.route = line.routes[static_cast<std::size_t>((r + members - 1) % members)];
            message.way = SwitchWay::Down;
            message.pieces = limited ? 1 : static_cast<std::int32_t>(operation.pieces.size());
            message.ready = agenda.now() + server.rates.latency;
            operation.downs.push_back(number);
            ++messages;
        }
    }

    SwitchOperation::Piece& piece = operation.pieces[static_cast<std::size_t>(place)];
    std::int64_t tail = piece.tail;
    const auto serve = [&](std::int64_t& free, std::int64_t rate) {
        const std::int64_t work = pieceShare(m_messages[operation.downs.front()], index, [rate](std::int64_t bytes) { return mulDivCeil(bytes, kPsPerSecond, rate); });
        free = (ideal ? agenda.now() : std::max(free, agenda.now())) + work;
        tail = std::max(tail, free);
    };
    if (operation.reduces)
        serve(server.reducerFree, server.rates.reduction);
    if (operation.copies && server.rates.multicast > 0)
        serve(server.copierFree, server.rates.multicast);
    piece.count = end - first;
    const std::int64_t head = agenda.now() + server.rates.latency;
    tail += server.rates.latency;
    for (const std::int32_t number : operation.downs) {
        if (ideal) {
            passLink(number, links[static_cast<std::size_t>(routes.link(routes[m_messages[number].route], 1))], head, tail);
            continue;
        }
        ++m_order;
        const std::int32_t down = keepPiece(kNone, number, index, head, tail);
        m_pieces[down].hop = 1;
        agenda.push(head, EventKind::HeadAtLink, down);
    }
}

/// `ideal`: the message as one piece over one link that is never busy; the down-link is the last.
void Engine::passLink(std::int32_t number, Link& link, std::int64_t head, std::int64_t tail)
{
    Message& message = m_messages[number];
    const std::int64_t duration = costs.occupancy(link.resource, message.bytes);
    addBusy(link, head, head + duration);
    ++link.messages;
    link.bytes += message.bytes;
    link.busy += duration;
    message.left = std::max(head + duration, tail);
    tail = message.left + link.latency;
    head += link.latency;
    if (message.way == SwitchWay::Up) {
        ++m_order;
        leftOwnLink(number);
        crossedSwitch(number, 0, head, tail, 1);
    } else {
        land(number, 0, head, tail, kNone);
    }
}

/// A message of an in-network collective has been delivered, at the switch or at a receiver.
void Engine::switchDelivered(const Message& message)
{
    if (message.way == SwitchWay::Up)
        return;
    SwitchOperation& operation = m_switches.operations[message.item];
    const std::int32_t number = m_switches.lines[static_cast<std::size_t>(operation.line)].server;
    SwitchServer& server = m_switches.servers[static_cast<std::size_t>(number)];
    if (!ideal && server.rates.buffer > 0 && --operation.pieces[static_cast<std::size_t>(message.step)].count == 0) {
        server.room += message.bytes;
        touchServer(number);
    }
    if (operation.operation != kNone) {
        teamDelivered(message);
        return;
    }
    if (--operation.deliveriesLeft == 0)
        m_switches.operations.give(message.item);
    phaseMessageArrived(message);
}

/// What the record of a message says of its ends: -1 is the switch.
void Engine::nameSwitchEnds(const Message& message, MessageRecord& record) const
{
    if (message.way == SwitchWay::Up)
        record.target = -1;
    else if (m_switches.operations[message.item].sender < 0)
        record.source = -1;
}

/// Messages a position receives in a phase of a broadcast, or in a phase done by switches.
std::int64_t Engine::expectedReceives(Run& run, std::int32_t position, std::int32_t chunk, std::int32_t phase)
{
    PhasePlan& plan = run.plan->at(chunk, phase);
    const std::int64_t bytes = held(run, position, chunk, phase);
    const std::int32_t coordinate = plan.coordinate(position);
    if (plan.kind == PhaseKind::Broadcast && (!plan.takesPart(position) || bytes == 0))
        return 0;
    if (plan.algorithm != Algorithm::InNetwork)
        return coordinate == 0 ? 0 : 1;
    const SwitchServer& server = m_switches.servers[static_cast<std::size_t>(m_switches.lines[static_cast<std::size_t>(switchLine(*run.plan, plan, position))].server)];
    const std::int64_t each = bytes / plan.extent;
    const std::int64_t larger = bytes % plan.extent; // So many blocks have one byte more.
    switch (plan.kind) {
    case PhaseKind::ReduceScatter:
        return switchSegments(server, blockBytes(bytes, plan.extent, coordinate));
    case PhaseKind::AllGather:
        return switchSegments(server, each) * (plan.extent - larger) + switchSegments(server, each + 1) * larger;
    case PhaseKind::AllReduce:
    case PhaseKind::Broadcast:
    case PhaseKind::AllToAll:
        break;
    }
    return switchSegments(server, bytes);
}

} // namespace fabricscope::events
