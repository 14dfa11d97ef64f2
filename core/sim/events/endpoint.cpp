// What happens at the destination: ejection budgets and reducers: part of Engine (engine.h), manual: models 3.
#include "core/sim/events/engine.h"

namespace fabricscope::events {

/// Rule 4, ejection: heads that reach their destinations in this instant.
void Engine::serveEnds()
{
    const auto node = [this](std::int32_t piece) { return routes[m_messages[m_pieces[piece].message].route].target; };
    std::sort(m_ends.begin(), m_ends.end(), [&](std::int32_t a, std::int32_t b) {
        return node(a) != node(b) ? node(a) < node(b) : comparePieces(m_pieces[a], m_pieces[b], true) < 0;
    });
    for (const std::int32_t item : m_ends) {
        const Piece piece = m_pieces[item];
        Endpoint& endpoint = endpoints[static_cast<std::size_t>(node(item))];
        const std::int64_t work = pieceShare(m_messages[piece.message], piece.index, [&](std::int64_t bytes) { return costs.ejection(bytes); });
        endpoint.firstArrival = std::min(endpoint.firstArrival, agenda.now());
        endpoint.ejection = std::max(endpoint.ejection, agenda.now()) + work;
        ++m_order;
        land(piece.message, piece.index, agenda.now(), std::max(piece.tail, endpoint.ejection), item);
    }
    m_ends.clear();
}

/// The piece has its final head and tail at the destination; only a reduction may be left.
void Engine::land(std::int32_t number, std::int32_t index, std::int64_t head, std::int64_t tail, std::int32_t piece)
{
    const Message& message = m_messages[number];
    const bool last = index + 1 == message.pieces;
    if (message.reduceBuffers > 0) {
        const Endpoint& endpoint = endpoints[static_cast<std::size_t>(routes[message.route].target)];
        std::int32_t* const waiting = waitingPlace(message);
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
        agenda.push(tail, EventKind::Delivered, number);
}

/// Rule 3. The reducer serves arrivals in order of time and tie key, but does so only when somebody asks for a result:
/// all that arrive before an instant are known by then, because every link takes time. One event per message, at the earliest end.
void Engine::intoReducer(std::int32_t number, std::int64_t arrival)
{
    if (m_flow) {
        const std::int32_t message = m_pieces[number].message;
        m_pieces.give(number);
        startReduction(message);
        return;
    }
    Piece& piece = m_pieces[number];
    const Message& message = m_messages[piece.message];
    Endpoint& endpoint = endpoints[static_cast<std::size_t>(routes[message.route].target)];
    piece.work = pieceShare(message, piece.index, [&](std::int64_t bytes) { return reduction(endpoint, payloadBytes(message, bytes), message.reduceBuffers); });
    if (ideal) {
        piece.tail = std::max(piece.tail, arrival + piece.work);
        piece.processed = true;
        agenda.push(piece.tail, EventKind::Reduced, number);
        return;
    }

    endpoint.firstArrival = std::min(endpoint.firstArrival, arrival);
    drainReducer(endpoint, agenda.now() - 1); // Keeps the list as short as what is on its way.
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
        agenda.push(std::max(piece.tail, arrival + piece.work), EventKind::Reduced, number);
}

void Engine::drainReducer(Endpoint& endpoint, std::int64_t limit)
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

void Engine::reduced(std::int32_t number)
{
    const std::int32_t message = m_pieces[number].message;
    if (!m_pieces[number].processed) {
        Endpoint& endpoint = endpoints[static_cast<std::size_t>(routes[m_messages[message].route].target)];
        drainReducer(endpoint, agenda.isRepeated() ? agenda.now() : agenda.now() - 1);
    }
    const Piece piece = m_pieces[number];
    if (!piece.processed || piece.tail > agenda.now()) {
        agenda.push(piece.processed ? piece.tail : agenda.now(), EventKind::Reduced, number);
        return;
    }
    m_pieces.give(number);
    delivered(message);
}

/// The rank's own part is there: what waited for it arrives at the reducer now.
void Engine::releaseWaiting(std::int32_t& waiting)
{
    std::int32_t number = waiting;
    waiting = kNone;
    while (number != kNone) {
        const Piece piece = m_pieces[number];
        const std::int32_t item = piece.message;
        if (endpoints[static_cast<std::size_t>(routes[m_messages[item].route].target)].reducerRate > 0) {
            intoReducer(number, std::max(piece.head, agenda.now()));
        } else {
            m_pieces.give(number);
            if (piece.tail <= agenda.now())
                m_deliverNow.push_back(item);
            else
                agenda.push(piece.tail, EventKind::Delivered, item);
        }
        number = piece.next;
    }
}

/// Where pieces of a reduced message wait for the own part of the receiver; null: it is there.
std::int32_t* Engine::waitingPlace(const Message& message)
{
    Run& run = runs[static_cast<std::size_t>(message.run)];
    if (run.plan->operations) {
        OperationState& receive = run.operations[static_cast<std::size_t>(run.plan->operations->partner[static_cast<std::size_t>(message.item)])];
        return receive.started ? nullptr : &receive.waiting;
    }
    PhaseState& state = phaseState(run, message.target, message.chunk, static_cast<std::int32_t>(message.phase));
    return state.own ? nullptr : &state.waiting;
}

} // namespace fabricscope::events
