// Links and injection budgets as work servers: part of Engine (engine.h), manual: models 3.
#include "core/sim/events/engine.h"

namespace fabricscope::events {

std::int32_t Engine::piecesOf(std::int64_t bytes) const
{
    return ideal || m_flow ? 1 : static_cast<std::int32_t>((bytes + pieceBytes - 1) / pieceBytes);
}

void Engine::send(const Message& message, std::int64_t ready)
{
    const std::int32_t number = m_messages.take();
    m_messages[number] = message;
    startMessage(number, ready);
}

void Engine::deliverHere(const Message& message)
{
    const std::int32_t number = m_messages.take();
    m_messages[number] = message;
    m_messages[number].ready = m_messages[number].left = agenda.now();
    ++messages;
    m_deliverNow.push_back(number);
}

/// Sends a message that becomes ready at `ready`.
void Engine::startMessage(std::int32_t number, std::int64_t ready)
{
    halt.countStep(); // One step of a rank may start thousands.
    Message& message = m_messages[number];
    if (transfers && message.way == SwitchWay::None)
        ready += transfers->takeProtocol(message);
    message.pieces = piecesOf(message.bytes);
    useNewLinks();
    if (ready == agenda.now())
        messageReady(number);
    else
        agenda.push(ready, EventKind::Ready, number);
}

void Engine::messageReady(std::int32_t number)
{
    Message& message = m_messages[number];
    message.ready = agenda.now();
    ++messages;
    if (transfers && message.way == SwitchWay::None)
        transfers->begin(number);
    else
        depart(number);
}

/// A message joins the queues, or whatever stands for them in the model.
void Engine::depart(std::int32_t number)
{
    Message& message = m_messages[number];
    if (ideal) {
        sendWithoutSharing(number);
        return;
    }
    if (m_flow) {
        flowReady(number);
        return;
    }
    if (boxes) {
        if (Status status = boxes->begin(message); !status) {
            halt.fail(std::move(status).error());
            return;
        }
    }
    const std::int32_t own = routes.link(routes[message.route], 0);
    Link& link = links[static_cast<std::size_t>(own)];
    link.several = link.arrivals != kNone;
    message.next = link.arrivals;
    link.arrivals = number;
    touch(own);
}

/// `ideal`: no resource is ever busy, so the message travels as one piece.
void Engine::sendWithoutSharing(std::int32_t number)
{
    Message& message = m_messages[number];
    ++pieces;
    const Route& route = routes[message.route];
    if (message.way != SwitchWay::None) {
        passLink(number, links[static_cast<std::size_t>(routes.link(route, 0))], agenda.now(), agenda.now());
        return;
    }
    std::int64_t head = agenda.now();
    std::int64_t tail = agenda.now();
    for (std::int32_t hop = 0; hop < route.hops; ++hop) {
        Link& link = links[static_cast<std::size_t>(routes.link(route, hop))];
        std::int64_t duration = pieceShare(message, 0, [&](std::int64_t bytes) { return costs.occupancy(link.resource, bytes); });
        std::int64_t latency = link.latency;
        if (transfers && transfers->drawsPerLink()) {
            duration = transfers->drawnOccupancy(duration, message, routes.link(route, hop));
            latency = transfers->drawnLatency(latency, message, routes.link(route, hop));
        }
        if (hop == 0)
            message.left = head + duration;
        addBusy(link, head, head + duration);
        ++link.messages;
        link.bytes += message.bytes;
        link.busy += duration;
        tail = std::max(head + duration, tail) + latency;
        head += latency;
    }
    leftOwnLink(number);
    land(number, 0, head, tail, kNone);
}

/// Appends a message to the FIFO of its stream; the stream joins the round if it had nothing to send.
void Engine::enqueue(Link& link, std::int32_t number)
{
    const std::int32_t stream = m_messages[number].stream;
    const std::int32_t pairStream = stream - structure.streamCount;
    std::int32_t found = kNone;
    if (pairStream >= 0 && !transfers) { // With ways of their own, messages of one pair may meet on several links.
        found = m_pairQueue[static_cast<std::size_t>(pairStream)];
    } else if (link.deferred != kNone && m_queues[link.deferred].stream == stream) {
        found = link.deferred;
    } else {
        for (std::int32_t queue = link.roundHead; queue != kNone; queue = m_queues[queue].next) {
            if (m_queues[queue].stream == stream) {
                found = queue;
                break;
            }
        }
    }
    m_messages[number].next = kNone;
    if (found != kNone) {
        StreamQueue& queue = m_queues[found];
        if (scheduling && scheduling->inside == InsideScheduler::SmallestFirst)
            return insertBySize(queue, number);
        m_messages[queue.tail].next = number;
        queue.tail = number;
        return;
    }

    found = m_queues.take();
    StreamQueue& queue = m_queues[found];
    queue.served = agenda.now();
    queue.stream = stream;
    queue.head = number;
    queue.tail = number;
    queue.next = kNone;
    if (pairStream >= 0 && !transfers)
        m_pairQueue[static_cast<std::size_t>(pairStream)] = found;
    if (link.roundHead == kNone)
        link.roundHead = found;
    else
        m_queues[link.roundTail].next = found;
    link.roundTail = found;
}

/// Smallest first: behind the messages that are not larger, and behind one that is on its way.
void Engine::insertBySize(StreamQueue& queue, std::int32_t number)
{
    const std::int64_t bytes = m_messages[number].bytes;
    std::int32_t before = kNone;
    std::int32_t after = queue.head;
    while (after != kNone && (m_messages[after].bytes <= bytes || m_messages[after].sent > 0)) {
        before = after;
        after = m_messages[after].next;
    }
    m_messages[number].next = after;
    (before == kNone ? queue.head : m_messages[before].next) = number;
    if (after == kNone)
        queue.tail = number;
}

/// By priority: the first stream of the round whose next message has the highest one comes to its front.
void Engine::bringHighestToFront(Link& link)
{
    const auto key = [this](std::int32_t queue) { return priorityOf(m_messages[m_queues[queue].head]); };
    std::int32_t best = link.roundHead;
    std::int32_t beforeBest = kNone;
    std::int32_t previous = link.roundHead;
    for (std::int32_t queue = best == kNone ? kNone : m_queues[best].next; queue != kNone; queue = m_queues[queue].next) {
        if (key(queue) < key(best)) {
            best = queue;
            beforeBest = previous;
        }
        previous = queue;
    }
    if (beforeBest == kNone)
        return;
    m_queues[beforeBest].next = m_queues[best].next;
    if (link.roundTail == best)
        link.roundTail = beforeBest;
    m_queues[best].next = link.roundHead;
    link.roundHead = best;
}

void Engine::queueArrivals(Link& link)
{
    if (!link.several) {
        const std::int32_t message = link.arrivals;
        link.arrivals = kNone;
        enqueue(link, message);
        return;
    }
    m_sort.clear();
    for (std::int32_t message = link.arrivals; message != kNone; message = m_messages[message].next)
        m_sort.push_back(message);
    link.arrivals = kNone;
    link.several = false;
    std::sort(m_sort.begin(), m_sort.end(),
              [this](std::int32_t a, std::int32_t b) { return compareAtSource(m_messages[a], m_messages[b]) < 0; });
    for (const std::int32_t message : m_sort)
        enqueue(link, message);
}

/// The stream that was served last and has more comes behind all that wait.
inline void Engine::returnDeferred(Link& link)
{
    m_queues[link.deferred].next = kNone;
    if (link.roundHead == kNone)
        link.roundHead = link.deferred;
    else
        m_queues[link.roundTail].next = link.deferred;
    link.roundTail = link.deferred;
    link.deferred = kNone;
}

/// Rule 1: queues the arrivals of this instant, then starts the first piece of the round if the link is idle.
void Engine::serve(std::int32_t number)
{
    Link& link = links[static_cast<std::size_t>(number)];
    link.dirty = false;
    if (link.arrivals != kNone)
        queueArrivals(link);
    if (link.committed > agenda.now()) {
        arm(number);
        return;
    }
    if (link.deferred != kNone)
        returnDeferred(link);
    if (byPriority)
        bringHighestToFront(link);
    const std::int32_t first = link.roundHead;
    if (first == kNone)
        return;
    StreamQueue& queue = m_queues[first];
    link.roundHead = queue.next;

    const std::int32_t item = queue.head;
    Message& message = m_messages[item];
    const std::int32_t index = message.sent++;
    ++pieces;
    const bool last = message.sent == message.pieces;
    std::int64_t duration = pieceShare(message, index, [&](std::int64_t bytes) { return costs.occupancy(link.resource, bytes); });
    std::int64_t latency = link.latency;
    if (transfers && transfers->drawsPerLink()) {
        duration = transfers->drawnOccupancy(duration, message, number);
        latency = transfers->drawnLatency(latency, message, number);
    }
    if (link.lastStream != queue.stream && link.lastStream != kNone)
        warnOfOrder(message, agenda.now() - std::max(message.ready, queue.served), duration);
    link.lastStream = queue.stream;
    commit(link, agenda.now(), duration, pieceSize(message, index), last);
    queue.served = link.committed;
    if (last)
        queue.head = message.next;
    if (queue.head != kNone) {
        link.deferred = first;
    } else {
        if (queue.stream >= structure.streamCount)
            m_pairQueue[static_cast<std::size_t>(queue.stream - structure.streamCount)] = kNone;
        m_queues.give(first);
    }
    if (link.roundHead != kNone || link.deferred != kNone)
        arm(number);

    const std::int64_t head = agenda.now() + latency;
    const std::int64_t tail = head + duration;
    if (last) {
        message.left = agenda.now() + duration;
        leftOwnLink(item);
    }
    if (costs.hasInjection())
        m_picked.push_back({item, index, head, tail, latency});
    else
        crossed(item, index, head, tail, 1, kNone);
}

/// Rule 4, injection: the picks of one NPU and instant in tie order.
void Engine::spendInjection()
{
    const auto node = [this](const Picked& picked) { return routes[m_messages[picked.message].route].source; };
    std::sort(m_picked.begin(), m_picked.end(), [&](const Picked& a, const Picked& b) {
        if (node(a) != node(b))
            return node(a) < node(b);
        if (const int c = compareMessages(m_messages[a.message], m_messages[b.message]))
            return c < 0;
        const auto begin = [this](const Picked& picked) { return m_messages[picked.message].offset + picked.index * pieceBytes; };
        if (begin(a) != begin(b))
            return begin(a) < begin(b);
        return compareAtSource(m_messages[a.message], m_messages[b.message]) < 0;
    });
    for (const Picked& picked : m_picked) {
        Endpoint& endpoint = endpoints[static_cast<std::size_t>(node(picked))];
        const std::int64_t work = pieceShare(m_messages[picked.message], picked.index, [&](std::int64_t bytes) { return costs.injection(bytes); });
        endpoint.injection = std::max(endpoint.injection, agenda.now()) + work;
        crossed(picked.message, picked.index, picked.head, std::max(picked.tail, endpoint.injection + picked.latency), 1, kNone);
    }
    m_picked.clear();
}

/// A piece has been served by `hop` links; `piece` keeps it if it already has a place.
void Engine::crossed(std::int32_t message, std::int32_t index, std::int64_t head, std::int64_t tail, std::int32_t hop, std::int32_t piece)
{
    ++m_order;
    if (m_messages[message].way != SwitchWay::None && crossedSwitch(message, index, head, tail, hop))
        return;
    if (hop < routes[m_messages[message].route].hops) {
        piece = keepPiece(piece, message, index, head, tail);
        m_pieces[piece].hop = hop;
        agenda.push(head, EventKind::HeadAtLink, piece);
    } else if (costs.hasEjection()) {
        piece = keepPiece(piece, message, index, head, tail);
        m_pieces[piece].hop = hop;
        agenda.push(head, EventKind::HeadAtEnd, piece);
    } else {
        land(message, index, head, tail, piece);
    }
}

std::int32_t Engine::keepPiece(std::int32_t piece, std::int32_t message, std::int32_t index, std::int64_t head, std::int64_t tail)
{
    if (piece == kNone)
        piece = m_pieces.take();
    Piece& kept = m_pieces[piece];
    kept.head = head;
    kept.tail = tail;
    kept.order = m_order;
    kept.message = message;
    kept.index = index;
    kept.hop = routes[m_messages[message].route].hops;
    kept.next = kNone;
    kept.processed = false;
    return piece;
}

/// The head of a piece reaches the next link of its way; if that has failed, it looks for another way.
void Engine::headAtNextLink(std::int32_t item)
{
    const Piece& piece = m_pieces[item];
    const std::int32_t number = routes.link(routes[m_messages[piece.message].route], piece.hop);
    if (links[static_cast<std::size_t>(number)].down && m_messages[piece.message].way == SwitchWay::None)
        transfers->divert(item, number);
    else
        headAtLink(item, number);
}

void Engine::headAtLink(std::int32_t piece, std::int32_t number)
{
    Link& link = links[static_cast<std::size_t>(number)];
    if (link.heads == kNone)
        m_headLinks.push_back(number);
    m_pieces[piece].next = link.heads;
    link.heads = piece;
}

/// Rule 2: heads that reach a link in this instant, in tie order.
void Engine::serveHeads(std::int32_t number)
{
    Link& link = links[static_cast<std::size_t>(number)];
    m_sort.clear();
    for (std::int32_t piece = link.heads; piece != kNone; piece = m_pieces[piece].next)
        m_sort.push_back(piece);
    link.heads = kNone;
    if (m_sort.size() > 1) {
        std::sort(m_sort.begin(), m_sort.end(),
                  [this](std::int32_t a, std::int32_t b) { return comparePieces(m_pieces[a], m_pieces[b], false) < 0; });
    }
    for (const std::int32_t item : m_sort) {
        const Piece piece = m_pieces[item];
        const Message& message = m_messages[piece.message];
        assert(piece.head == agenda.now());
        std::int64_t duration = pieceShare(message, piece.index, [&](std::int64_t bytes) { return costs.occupancy(link.resource, bytes); });
        std::int64_t latency = link.latency;
        if (transfers && transfers->drawsPerLink()) {
            duration = transfers->drawnOccupancy(duration, message, number);
            latency = transfers->drawnLatency(latency, message, number);
        }
        if (link.lastStream != message.stream && link.lastStream != kNone)
            warnOfOrder(message, link.committed - agenda.now(), duration);
        link.lastStream = message.stream;
        commit(link, agenda.now(), duration, pieceSize(message, piece.index), piece.index + 1 == message.pieces);
        crossed(piece.message, piece.index, agenda.now() + latency, std::max(link.committed, piece.tail) + latency, piece.hop + 1, item);
    }
}

/// The last piece has been picked; it leaves the own link at Message::left.
void Engine::leftOwnLink(std::int32_t number)
{
    const Message& message = m_messages[number];
    if (message.kind != MessageKind::Whole) {
        transfers->partLeft(message);
        return;
    }
    if (message.tellLeft)
        agenda.push(message.left, EventKind::Left, number);
    if (message.run == kNone || (message.way == SwitchWay::None && runs[static_cast<std::size_t>(message.run)].plan->operations))
        return;
    Member& member = runs[static_cast<std::size_t>(message.run)].members[static_cast<std::size_t>(message.source)];
    member.lastLeft = std::max(member.lastLeft, message.left);
    if (--member.outstanding == 0 && member.chunksLeft == 0)
        agenda.push(member.lastLeft, EventKind::MemberDone, message.run, static_cast<std::uint32_t>(message.source));
}

/// The last piece of a message that somebody waits for has left its own link.
void Engine::tellLeft(const Message message)
{
    if (message.run == kNone)
        tasks.leftSource(message.item, message.chunk);
    else if (runs[static_cast<std::size_t>(message.run)].plan->operations)
        operationDone(message.run, message.item);
    else
        phaseMessageLeft(message);
}

void Engine::delivered(std::int32_t number)
{
    if (m_messages[number].kind != MessageKind::Whole) {
        transfers->partDelivered(number);
        return;
    }
    Message& kept = m_messages[number];
    kept.bytes = payloadBytes(kept, kept.bytes);
    kept.protocol = 0;
    const Message message = kept;
    m_messages[number].way = SwitchWay::None; // Places are used again, and only messages through switches set it.
    m_messages.give(number);
    if (boxes)
        boxes->end(message);
    if (options.messageDigest || options.message) {
        MessageRecord record;
        record.source = message.source;
        record.target = message.target;
        if (message.run != kNone) {
            const Run& run = runs[static_cast<std::size_t>(message.run)];
            record.instance = run.instance;
            record.source = run.plan->ranks[static_cast<std::size_t>(message.source)];
            record.target = run.plan->ranks[static_cast<std::size_t>(message.target)];
        }
        if (message.way != SwitchWay::None)
            m_switches.nameEnds(message, record);
        record.chunk = message.chunk;
        record.phase = static_cast<std::int32_t>(message.phase);
        record.step = message.step;
        record.slot = message.slot;
        record.bytes = message.bytes;
        record.readyPs = message.ready;
        record.leftPs = message.left;
        record.donePs = agenda.now();
        if (options.messageDigest)
            digest.add(record.words());
        if (options.ways)
            tellWays(number, message, record);
        if (options.message)
            options.message(record);
    }
    if (message.run == kNone) {
        tasks.delivered(message.item, message.chunk);
    } else if (message.way != SwitchWay::None) {
        switchDelivered(message);
    } else if (Run& run = runs[static_cast<std::size_t>(message.run)]; run.plan->operations) {
        const std::int32_t receive = run.plan->operations->partner[static_cast<std::size_t>(message.item)];
        if (receive < 0)
            return;
        OperationState& state = run.operations[static_cast<std::size_t>(receive)];
        state.arrived = true;
        if (state.started)
            operationDone(message.run, receive);
    } else {
        phaseMessageArrived(message);
    }
}

/// Counts pieces that waited long behind another stream (manual: models 5).
void Engine::warnOfOrder(const Message& message, std::int64_t waited, std::int64_t duration)
{
    if (waited > 10 * (duration + routes[message.route].latency))
        ++orderSensitive;
}

} // namespace fabricscope::events
