// What happens at the destination: ejection budgets and reducers: part of Network (network.h), manual: models 3.
#include "core/base/index.h"
#include "core/sim/events/engine.h"

namespace fabricscope::events {

namespace {

/// Folded, NPU 0 stands for all.
std::size_t endpointsOf(const Setting& given, const Routes& routes)
{
    return routes.isFolded() ? 1 : static_cast<std::size_t>(given.structure.platform.npuCount());
}

} // namespace

std::int64_t Network::bytesOfEndpoints(const Setting& given, const Routes& routes)
{
    return static_cast<std::int64_t>(endpointsOf(given, routes) * sizeof(Endpoint));
}

void Network::makeEndpoints()
{
    m_endpoints.resize(endpointsOf(m_given, m_routes));
    const std::int64_t rate = m_given.params.reducerRate ? m_given.params.reducerRate->bytesPerSecond : 0;
    for (Endpoint& endpoint : m_endpoints)
        endpoint.reducerRate = rate;
    for (const NpuOverride& entry : m_given.structure.platform.spec().npuOverrides) {
        if (entry.memoryBandwidth)
            m_endpoints[at(entry.node)].reducerRate = toBandwidth(*entry.memoryBandwidth).bytesPerSecond;
    }
}

std::vector<Endpoint> Network::giveEndpoints(std::span<const NodeId> used)
{
    for (const NodeId node : used) {
        Endpoint& endpoint = m_endpoints[at(node)];
        const std::int64_t rate = endpoint.reducerRate;
        endpoint = {};
        endpoint.reducerRate = rate;
    }
    return std::move(m_endpoints);
}

/// Rule 4, ejection: heads that reach their destinations in this instant.
void Network::serveEnds()
{
    const auto node = [this](std::int32_t piece) { return m_routes[m_messages[m_pieces[piece].message].route].target; };
    std::sort(m_ends.begin(), m_ends.end(), [&](std::int32_t a, std::int32_t b) {
        return node(a) != node(b) ? node(a) < node(b) : comparePieces(m_pieces[a], m_pieces[b], true) < 0;
    });
    for (const std::int32_t item : m_ends) {
        const Piece piece = m_pieces[item];
        Endpoint& endpoint = m_endpoints[at(node(item))];
        const std::int64_t work = pieceShare(m_messages[piece.message], piece.index, [&](std::int64_t bytes) { return m_given.costs.ejection(bytes); });
        endpoint.firstArrival = std::min(endpoint.firstArrival, m_agenda.now());
        endpoint.ejection = std::max(endpoint.ejection, m_agenda.now()) + work;
        ++m_order;
        land(piece.message, piece.index, m_agenda.now(), std::max(piece.tail, endpoint.ejection), item);
    }
    m_ends.clear();
}

/// The piece has its final head and tail at the destination; only a reduction may be left.
void Network::land(std::int32_t number, std::int32_t index, std::int64_t head, std::int64_t tail, std::int32_t piece)
{
    const Message& message = m_messages[number];
    const bool last = index + 1 == message.pieces;
    if (message.reduceBuffers > 0) {
        const Endpoint& endpoint = m_endpoints[at(m_routes[message.route].target)];
        std::int32_t* const waiting = m_engine.collectives.waitingPlace(message);
        if (endpoint.reducerRate > 0 || (waiting && last)) {
            piece = keepPiece(piece, number, index, head, tail);
            if (waiting) {
                m_pieces[piece].next = *waiting;
                *waiting = piece;
            } else {
                intoReducer(piece, head);
            }
            return;
        }
    }
    if (piece != kNone)
        m_pieces.give(piece);
    if (last)
        m_agenda.push(tail, EventKind::Delivered, number);
}

std::int64_t Network::reduction(const Endpoint& endpoint, std::int64_t bytes, std::int32_t k) const
{
    if (endpoint.reducerRate <= 0)
        return 0;
    constexpr std::int64_t kNarrow = INT64_MAX / kPsPerSecond; // Below this the product fits in 63 bits.
    if (k == 1 && bytes < kNarrow / 3)
        return (bytes * 3 * kPsPerSecond + endpoint.reducerRate - 1) / endpoint.reducerRate;
    __extension__ using Wide = __int128;
    const Wide rate = Wide{k} * endpoint.reducerRate;
    return static_cast<std::int64_t>((Wide{bytes} * (k + 2) * kPsPerSecond + rate - 1) / rate);
}

/// Rule 3. The reducer serves arrivals in order of time and tie key, but does so only when somebody asks for a result:
/// all that arrive before an instant are known by then, because every link takes time. One event per message, at the earliest end.
void Network::intoReducer(std::int32_t number, std::int64_t arrival)
{
    if (m_flow) {
        const std::int32_t message = m_pieces[number].message;
        m_pieces.give(number);
        startReduction(message);
        return;
    }
    Piece& piece = m_pieces[number];
    const Message& message = m_messages[piece.message];
    Endpoint& endpoint = m_endpoints[at(m_routes[message.route].target)];
    piece.work = pieceShare(message, piece.index, [&](std::int64_t bytes) { return reduction(endpoint, payloadBytes(message, bytes), message.reduceBuffers); });
    if (m_given.ideal) {
        piece.tail = std::max(piece.tail, arrival + piece.work);
        piece.processed = true;
        m_agenda.push(piece.tail, EventKind::Reduced, number);
        return;
    }

    endpoint.firstArrival = std::min(endpoint.firstArrival, arrival);
    drainReducer(endpoint, m_agenda.now() - 1); // Keeps the list as short as what is on its way.
    piece.head = arrival;
    const auto before = [&](const Piece& other) { // Does the new piece go before `other`?
        return arrival != other.head ? arrival < other.head : comparePieces(piece, other, true) < 0;
    };
    if (endpoint.pendingTail == kNone || !before(m_pieces[endpoint.pendingTail])) {
        piece.next = kNone;
        if (endpoint.pendingTail == kNone)
            endpoint.pendingHead = number;
        else
            m_pieces[endpoint.pendingTail].next = number;
        endpoint.pendingTail = number;
    } else if (before(m_pieces[endpoint.pendingHead])) {
        piece.next = endpoint.pendingHead;
        endpoint.pendingHead = number;
    } else {
        std::int32_t previous = endpoint.pendingHead;
        while (!before(m_pieces[m_pieces[previous].next]))
            previous = m_pieces[previous].next;
        piece.next = m_pieces[previous].next;
        m_pieces[previous].next = number;
    }
    if (piece.index + 1 == message.pieces)
        m_agenda.push(std::max(piece.tail, arrival + piece.work), EventKind::Reduced, number);
}

void Network::drainReducer(Endpoint& endpoint, std::int64_t limit)
{
    while (endpoint.pendingHead != kNone && m_pieces[endpoint.pendingHead].head <= limit) {
        const std::int32_t number = endpoint.pendingHead;
        Piece& piece = m_pieces[number];
        endpoint.reducerFree = std::max(endpoint.reducerFree, piece.head) + piece.work;
        piece.tail = std::max(piece.tail, endpoint.reducerFree);
        piece.processed = true;
        endpoint.pendingHead = piece.next;
        if (endpoint.pendingHead == kNone)
            endpoint.pendingTail = kNone;
        if (piece.index + 1 < m_messages[piece.message].pieces)
            m_pieces.give(number); // Its message ends no earlier than its last piece.
    }
}

void Network::reduced(std::int32_t number)
{
    const std::int32_t message = m_pieces[number].message;
    if (!m_pieces[number].processed) {
        Endpoint& endpoint = m_endpoints[at(m_routes[m_messages[message].route].target)];
        drainReducer(endpoint, m_agenda.isRepeated() ? m_agenda.now() : m_agenda.now() - 1);
    }
    const Piece piece = m_pieces[number];
    if (!piece.processed || piece.tail > m_agenda.now()) {
        m_agenda.push(piece.processed ? piece.tail : m_agenda.now(), EventKind::Reduced, number);
        return;
    }
    m_pieces.give(number);
    delivered(message);
}

/// The rank's own part is there: what waited for it arrives at the reducer now.
void Network::releaseWaiting(std::int32_t& waiting)
{
    std::int32_t number = waiting;
    waiting = kNone;
    while (number != kNone) {
        const Piece piece = m_pieces[number];
        const std::int32_t item = piece.message;
        if (m_endpoints[at(m_routes[m_messages[item].route].target)].reducerRate > 0) {
            intoReducer(number, std::max(piece.head, m_agenda.now()));
        } else {
            m_pieces.give(number);
            if (piece.tail <= m_agenda.now())
                m_deliverNow.push_back(item);
            else
                m_agenda.push(piece.tail, EventKind::Delivered, item);
        }
        number = piece.next;
    }
}
} // namespace fabricscope::events
