// Links as work servers: part of Network (network.h), manual: models 3.
#include "core/base/index.h"
#include "core/sim/events/engine.h"

namespace fabricscope::events {

void Network::build()
{
    if (m_endpoints.empty())
        makeEndpoints();
    m_busy.resize(m_given.structure.platform.isExplicit() ? 1 : m_given.structure.platform.dimensions().size());
}

void Network::start()
{
    m_pairQueue.assign(static_cast<std::size_t>(m_tasks.channelCount()), kNone);
    makeCrossbars();
    if (m_given.scenario.model == Model::Flow)
        makeFlow();
}

void Network::addLinks()
{
    const std::vector<LinkId>& ids = m_routes.linkIds();
    for (std::size_t number = m_links.size(); number < ids.size(); ++number) {
        Link link;
        link.resource = m_given.structure.classOf(ids[number]);
        link.latency = m_given.costs.latency(link.resource);
        link.crossbar = crossbarBefore(ids[number]);
        link.dimension = m_given.structure.platform.isExplicit() ? 0 : m_given.structure.platform.linkInfo(ids[number]).dimension;
        if (const Transfers::LinkNow* const now = m_transfers ? m_transfers->now(ids[number]) : nullptr)
            change(link, ids[number], *now);
        m_links.push_back(link);
    }
}

void Network::change(Link& link, LinkId id, const Transfers::LinkNow& now)
{
    link.resource = now.resource.value_or(m_given.structure.classOf(id));
    link.down = now.failures > 0;
}

/// Number of the way between two nodes. A way on a graph that was not known takes as long as thousands of steps, and one step of a rank may ask for
/// thousands: each of them looks at the stop token, and a run that has to stop sends no more, so that any way will do.
std::int32_t Network::wayBetween(NodeId source, NodeId target)
{
    const std::size_t known = m_routes.count();
    if (m_halt.isDue() && known > 0)
        return 0;
    const std::int32_t way = m_routes.find(source, target);
    if (m_routes.count() > known) {
        m_halt.lookNow();
    }
    return way;
}

std::int32_t Network::piecesOf(std::int64_t bytes) const
{
    return m_given.ideal || m_flow ? 1 : static_cast<std::int32_t>((bytes + m_given.pieceBytes - 1) / m_given.pieceBytes);
}

void Network::send(const Message& message, std::int64_t ready)
{
    const std::int32_t number = m_messages.take();
    m_messages[number] = message;
    start(number, ready);
}

void Network::deliverHere(const Message& message)
{
    const std::int32_t number = m_messages.take();
    m_messages[number] = message;
    m_messages[number].ready = m_messages[number].left = m_agenda.now();
    ++m_messageCount;
    m_deliverNow.push_back(number);
}

void Network::start(std::int32_t number, std::int64_t ready)
{
    m_halt.countStep(); // One step of a rank may start thousands.
    Message& message = m_messages[number];
    if (m_transfers && !message.meetsSwitch())
        ready += m_transfers->takeProtocol(message);
    message.pieces = piecesOf(message.bytes);
    useNewLinks();
    if (ready == m_agenda.now())
        messageReady(number);
    else
        m_agenda.push(ready, EventKind::Ready, number);
}

void Network::messageReady(std::int32_t number)
{
    Message& message = m_messages[number];
    message.ready = m_agenda.now();
    ++m_messageCount;
    if (m_transfers && !message.meetsSwitch())
        m_transfers->begin(number);
    else
        depart(number);
}

/// A message joins the queues, or whatever stands for them in the model.
void Network::depart(std::int32_t number)
{
    Message& message = m_messages[number];
    if (m_given.ideal) {
        sendWithoutSharing(number);
        return;
    }
    if (m_flow) {
        flowReady(number);
        return;
    }
    if (m_boxes) {
        if (Status status = m_boxes->begin(message); !status) {
            m_halt.fail(std::move(status).error());
            return;
        }
    }
    const std::int32_t own = m_routes.link(m_routes[message.route], 0);
    Link& link = m_links[at(own)];
    link.several = link.arrivals != kNone;
    message.next = link.arrivals;
    link.arrivals = number;
    touch(own);
}

/// `ideal`: no resource is ever busy, so the message travels as one piece.
void Network::sendWithoutSharing(std::int32_t number)
{
    Message& message = m_messages[number];
    ++m_pieceCount;
    const Route& route = m_routes[message.route];
    if (message.meetsSwitch()) {
        passLink(number, m_links[at(m_routes.link(route, 0))], m_agenda.now(), m_agenda.now());
        return;
    }
    std::int64_t head = m_agenda.now();
    std::int64_t tail = m_agenda.now();
    for (std::int32_t hop = 0; hop < route.hops; ++hop) {
        Link& link = m_links[at(m_routes.link(route, hop))];
        std::int64_t duration = pieceShare(message, 0, [&](std::int64_t bytes) { return m_given.costs.occupancy(link.resource, bytes); });
        std::int64_t latency = link.latency;
        if (m_transfers && m_transfers->drawsPerLink()) {
            duration = m_transfers->drawnOccupancy(duration, message, m_routes.link(route, hop));
            latency = m_transfers->drawnLatency(latency, message, m_routes.link(route, hop));
        }
        if (pastClock(link, message.bytes, head, duration))
            return;
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
void Network::enqueue(Link& link, std::int32_t number)
{
    const std::int32_t stream = m_messages[number].stream;
    const std::int32_t pairStream = stream - m_given.structure.streamCount;
    std::int32_t found = kNone;
    if (pairStream >= 0 && !m_transfers) { // With ways of their own, messages of one pair may meet on several links.
        found = m_pairQueue[at(pairStream)];
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
        if (m_given.scheduling && m_given.scheduling->inside == InsideScheduler::SmallestFirst)
            return insertBySize(queue, number);
        m_messages[queue.tail].next = number;
        queue.tail = number;
        return;
    }

    found = m_queues.take();
    StreamQueue& queue = m_queues[found];
    queue.served = m_agenda.now();
    queue.stream = stream;
    queue.head = number;
    queue.tail = number;
    queue.next = kNone;
    if (pairStream >= 0 && !m_transfers)
        m_pairQueue[at(pairStream)] = found;
    if (link.roundHead == kNone)
        link.roundHead = found;
    else
        m_queues[link.roundTail].next = found;
    link.roundTail = found;
}

/// Smallest first: behind the messages that are not larger, and behind one that is on its way.
void Network::insertBySize(StreamQueue& queue, std::int32_t number)
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
void Network::bringHighestToFront(Link& link)
{
    const auto key = [this](std::int32_t queue) { return m_engine.priorityOf(m_messages[m_queues[queue].head]); };
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

void Network::queueArrivals(Link& link)
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
inline void Network::returnDeferred(Link& link)
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
void Network::serve(std::int32_t number)
{
    Link& link = m_links[at(number)];
    link.dirty = false;
    if (link.arrivals != kNone)
        queueArrivals(link);
    if (link.committed > m_agenda.now()) {
        arm(number);
        return;
    }
    if (link.deferred != kNone)
        returnDeferred(link);
    if (m_given.byPriority)
        bringHighestToFront(link);
    const std::int32_t first = link.roundHead;
    if (first == kNone)
        return;
    StreamQueue& queue = m_queues[first];
    link.roundHead = queue.next;

    const std::int32_t item = queue.head;
    Message& message = m_messages[item];
    const std::int32_t index = message.sent++;
    ++m_pieceCount;
    const bool last = message.sent == message.pieces;
    if (m_transfers && m_transfers->looksAtQueues() && !message.meetsSwitch())
        m_transfers->leavesQueue(item);
    std::int64_t duration = pieceShare(message, index, [&](std::int64_t bytes) { return m_given.costs.occupancy(link.resource, bytes); });
    std::int64_t latency = link.latency;
    if (m_transfers && m_transfers->drawsPerLink()) {
        duration = m_transfers->drawnOccupancy(duration, message, number);
        latency = m_transfers->drawnLatency(latency, message, number);
    }
    if (pastClock(link, message.bytes, m_agenda.now(), duration))
        return;
    if (link.lastStream != queue.stream && link.lastStream != kNone)
        warnOfOrder(message, m_agenda.now() - std::max(message.ready, queue.served), duration);
    link.lastStream = queue.stream;
    commit(link, m_agenda.now(), duration, pieceSize(message, index), last);
    queue.served = link.committed;
    if (last)
        queue.head = message.next;
    if (queue.head != kNone) {
        link.deferred = first;
    } else {
        if (queue.stream >= m_given.structure.streamCount)
            m_pairQueue[at(queue.stream - m_given.structure.streamCount)] = kNone;
        m_queues.give(first);
    }
    if (link.roundHead != kNone || link.deferred != kNone)
        arm(number);

    const std::int64_t head = m_agenda.now() + latency;
    const std::int64_t tail = head + duration;
    if (last) {
        message.left = m_agenda.now() + duration;
        leftOwnLink(item);
    }
    if (m_given.costs.hasInjection())
        m_picked.push_back({item, index, head, tail, latency});
    else
        crossed(item, index, head, tail, 1, kNone);
}

/// A piece has been served by `hop` links; `piece` keeps it if it already has a place.
void Network::crossed(std::int32_t message, std::int32_t index, std::int64_t head, std::int64_t tail, std::int32_t hop, std::int32_t piece)
{
    ++m_order;
    if (m_messages[message].meetsSwitch() && crossedSwitch(message, index, head, tail, hop))
        return;
    if (hop < m_routes[m_messages[message].route].hops) {
        piece = keepPiece(piece, message, index, head, tail);
        m_pieces[piece].hop = hop;
        m_agenda.push(head, EventKind::HeadAtLink, piece);
    } else if (m_given.costs.hasEjection()) {
        piece = keepPiece(piece, message, index, head, tail);
        m_pieces[piece].hop = hop;
        m_agenda.push(head, EventKind::HeadAtEnd, piece);
    } else {
        land(message, index, head, tail, piece);
    }
}

std::int32_t Network::keepPiece(std::int32_t piece, std::int32_t message, std::int32_t index, std::int64_t head, std::int64_t tail)
{
    if (piece == kNone)
        piece = m_pieces.take();
    Piece& kept = m_pieces[piece];
    kept.head = head;
    kept.tail = tail;
    kept.order = m_order;
    kept.message = message;
    kept.index = index;
    kept.hop = m_routes[m_messages[message].route].hops;
    kept.next = kNone;
    kept.processed = false;
    return piece;
}

/// The head of a piece reaches the next link of its way; if that has failed, it looks for another way.
void Network::headAtNextLink(std::int32_t item)
{
    const Piece& piece = m_pieces[item];
    const std::int32_t number = m_routes.link(m_routes[m_messages[piece.message].route], piece.hop);
    if (m_links[at(number)].down && !m_messages[piece.message].meetsSwitch() && !m_transfers->isOpen(piece.message))
        m_transfers->divert(item, number);
    else
        headAtLink(item, number);
}

void Network::headAtLink(std::int32_t piece, std::int32_t number)
{
    if (m_transfers && m_transfers->looksAtQueues()) {
        m_nodeHeads.push_back(piece);
        return;
    }
    Link& link = m_links[at(number)];
    if (link.crossbar != kNone)
        m_crossbarHeads.push_back(piece);
    if (link.heads == kNone)
        m_headLinks.push_back(number);
    m_pieces[piece].next = link.heads;
    link.heads = piece;
}

void Network::endHere(std::int32_t item)
{
    const Piece piece = m_pieces[item];
    if (m_given.costs.hasEjection())
        m_agenda.push(m_agenda.now(), EventKind::HeadAtEnd, item);
    else
        land(piece.message, piece.index, piece.head, piece.tail, item);
}

void Network::wake(std::int32_t link)
{
    if (m_links[at(link)].wakeAt == m_agenda.now())
        m_links[at(link)].wakeAt = -1;
    touch(link);
}

bool Network::serveHeads()
{
    if (!m_crossbarHeads.empty() && !passCrossbars())
        return false;
    for (const std::int32_t link : m_headLinks) {
        if (m_halt.look())
            return false;
        serveHeadsAt(link);
    }
    m_headLinks.clear();
    return m_nodeHeads.empty() || serveHeadsAtNodes();
}

bool Network::servePicks()
{
    if (m_transfers && m_transfers->looksAtQueues())
        m_transfers->chooseOwnLinks();
    for (const std::int32_t link : m_dirtyLinks) {
        if (m_halt.look())
            return false;
        serve(link);
    }
    m_dirtyLinks.clear();
    if (!m_picked.empty())
        spendInjection();
    if (m_flow)
        serveFlows();
    return true;
}

void Network::settleDelivery()
{
    const std::int32_t message = m_deliverNow.back();
    m_deliverNow.pop_back();
    delivered(message);
}

/// Rule 2: heads that reach a link in this instant, in tie order.
void Network::serveHeadsAt(std::int32_t number)
{
    Link& link = m_links[at(number)];
    m_sort.clear();
    for (std::int32_t piece = link.heads; piece != kNone; piece = m_pieces[piece].next)
        m_sort.push_back(piece);
    link.heads = kNone;
    if (m_sort.size() > 1) {
        std::sort(m_sort.begin(), m_sort.end(),
                  [this](std::int32_t a, std::int32_t b) { return comparePieces(m_pieces[a], m_pieces[b], false) < 0; });
    }
    for (const std::int32_t item : m_sort)
        serveHead(item, number);
}

void Network::serveHead(std::int32_t item, std::int32_t number)
{
    Link& link = m_links[at(number)];
    const Piece piece = m_pieces[item];
    const Message& message = m_messages[piece.message];
    assert(piece.head == m_agenda.now());
    std::int64_t duration = pieceShare(message, piece.index, [&](std::int64_t bytes) { return m_given.costs.occupancy(link.resource, bytes); });
    std::int64_t latency = link.latency;
    if (m_transfers && m_transfers->drawsPerLink()) {
        duration = m_transfers->drawnOccupancy(duration, message, number);
        latency = m_transfers->drawnLatency(latency, message, number);
    }
    if (pastClock(link, message.bytes, std::max(m_agenda.now(), link.committed), duration))
        return;
    if (link.lastStream != message.stream && link.lastStream != kNone)
        warnOfOrder(message, link.committed - m_agenda.now(), duration);
    link.lastStream = message.stream;
    commit(link, m_agenda.now(), duration, pieceSize(message, piece.index), piece.index + 1 == message.pieces);
    crossed(piece.message, piece.index, m_agenda.now() + latency, std::max(link.committed, piece.tail) + latency, piece.hop + 1, item);
}

/// The last piece has been picked; it leaves the own link at Message::left.
void Network::leftOwnLink(std::int32_t number)
{
    const Message& message = m_messages[number];
    if (message.kind != MessageKind::Whole) {
        m_transfers->partLeft(message);
        return;
    }
    if (message.tellLeft)
        m_agenda.push(message.left, EventKind::Left, number);
    m_engine.sourceLeft(message);
}

void Network::delivered(std::int32_t number)
{
    if (m_messages[number].kind != MessageKind::Whole) {
        m_transfers->partDelivered(number);
        return;
    }
    Message& kept = m_messages[number];
    kept.bytes = payloadBytes(kept, kept.bytes);
    kept.protocol = 0;
    const Message message = kept;
    m_messages.give(number);
    if (m_boxes)
        m_boxes->end(message);
    if (m_given.options.messageDigest || m_given.options.message)
        tellOf(number, message);
    m_engine.arrived(message);
}

/// Tells those who ask for every message.
void Network::tellOf(std::int32_t number, const Message& message)
{
    MessageRecord record;
    record.source = message.source;
    record.target = message.target;
    if (!message.isOfPair()) {
        const Run& run = m_engine.collectives.runOf(message);
        record.instance = run.instance;
        record.source = run.plan->ranks[at(message.source)];
        record.target = run.plan->ranks[at(message.target)];
    }
    if (message.meetsSwitch())
        m_switches.nameEnds(message, record);
    record.chunk = message.chunk;
    record.phase = static_cast<std::int32_t>(message.phase);
    record.step = message.step;
    record.slot = message.slot;
    record.bytes = message.bytes;
    record.readyPs = message.ready;
    record.leftPs = message.left;
    record.donePs = m_agenda.now();
    if (m_given.options.messageDigest)
        m_digest.add(record.words());
    if (m_given.options.ways)
        tellWays(number, message, record);
    if (m_given.options.message)
        m_given.options.message(record);
}

/// Counts pieces that waited long behind another stream (manual: models 5).
void Network::warnOfOrder(const Message& message, std::int64_t waited, std::int64_t duration)
{
    if (waited > 10 * (duration + m_routes[message.route].latency))
        ++m_orderSensitive;
}

std::int64_t Network::bytes() const
{
    return static_cast<std::int64_t>(m_links.capacity() * sizeof(Link) + m_endpoints.size() * sizeof(Endpoint)) + m_messages.bytes() + m_pieces.bytes()
           + (m_flow ? m_flow->bytes() : 0);
}

void Network::addWork(std::int32_t number, std::int64_t messages, std::int64_t bytes, std::int64_t busy)
{
    Link& link = m_links[at(number)];
    link.messages += messages;
    link.bytes += bytes;
    link.busy += busy;
}

void Network::endIntervals()
{
    if (m_given.ideal)
        return;
    if (m_flow)
        return keepFlowIntervals();
    for (const Link& link : m_links)
        flushBusy(link);
}

} // namespace fabricscope::events
