#include "tests/unit/support/oracles/oraclenetwork.h"

#include "core/scenario/taskscheduling.h"

#include <algorithm>
#include <tuple>

namespace fabricscope::test {

std::int64_t occupancyPs(std::int64_t bytes, std::int64_t rate, std::int64_t factor, std::int64_t divisor)
{
    __extension__ using Wide = __int128;
    const Wide below = Wide{rate} * divisor;
    return static_cast<std::int64_t>((Wide{bytes} * factor * 1'000'000'000'000 + below - 1) / below);
}

namespace {

/// What bytes [from, to) of a message occupy a resource for: as much as they add to the bytes before.
std::int64_t share(std::int64_t from, std::int64_t to, std::int64_t rate, std::int64_t factor = 1, std::int64_t divisor = 1)
{
    return occupancyPs(to, rate, factor, divisor) - occupancyPs(from, rate, factor, divisor);
}

} // namespace

OracleNetwork::OracleNetwork(const Scenario& scenario)
    : m_structure(*scenario.structure)
    , m_params(*scenario.params)
    , m_platform(m_structure.platform)
    , m_ideal(scenario.model == Model::Ideal)
    , m_linkBusy(static_cast<std::size_t>(m_platform.linkCount()))
{
}

std::size_t OracleNetwork::sourceNode(const OracleMessage& message) const
{
    return static_cast<std::size_t>(m_structure.placement.nodeOf(message.record.source));
}

std::size_t OracleNetwork::targetNode(const OracleMessage& message) const
{
    return static_cast<std::size_t>(m_structure.placement.nodeOf(message.record.target));
}

std::size_t OracleNetwork::classOf(LinkId link) const
{
    const auto& listed = m_structure.classedLinks;
    const auto at = std::find(listed.begin(), listed.end(), link);
    const auto shared = static_cast<std::size_t>(m_structure.figureClasses);
    if (at != listed.end())
        return m_platform.dimensions().size() + shared + static_cast<std::size_t>(at - listed.begin());
    if (m_platform.isExplicit())
        return m_platform.dimensions().size() + m_platform.spec().links.figuresOf(static_cast<std::size_t>(link));
    return static_cast<std::size_t>(m_platform.linkInfo(link).dimension);
}

std::int64_t OracleNetwork::reducerRateAt(std::size_t node) const
{
    for (const NpuOverride& change : m_platform.spec().npuOverrides)
        if (static_cast<std::size_t>(change.node) == node && change.memoryBandwidth)
            return toBandwidth(*change.memoryBandwidth).bytesPerSecond;
    return m_params.reducerRate->bytesPerSecond;
}

void OracleNetwork::join(int id)
{
    OracleMessage& message = messages[static_cast<std::size_t>(id)];
    if (message.route.empty()) // Not given by the program.
        m_platform.route(static_cast<NodeId>(sourceNode(message)), static_cast<NodeId>(targetNode(message)), message.route);
    const std::int64_t size = m_ideal ? message.record.bytes : m_params.pieceBytes;
    message.piecesLeft = (message.record.bytes + size - 1) / size;
    m_joining.push_back(id);
}

std::int64_t OracleNetwork::emptyLatency(std::int32_t fromRank, std::int32_t toRank) const
{
    std::vector<LinkId> way;
    m_platform.route(m_structure.placement.nodeOf(fromRank), m_structure.placement.nodeOf(toRank), way);
    std::int64_t sum = 0;
    for (const LinkId link : way)
        sum += latencyOf(link);
    return sum;
}

void OracleNetwork::allowReduction(int id)
{
    OracleMessage& message = messages[static_cast<std::size_t>(id)];
    message.mayReduce = true;
    for (const int piece : std::exchange(message.waitingPieces, {}))
        m_reducing.push_back(piece);
}

std::optional<std::int64_t> OracleNetwork::nextTime(std::int64_t now) const
{
    std::optional<Time> next;
    const auto consider = [&](Time time) { next = next ? std::min(*next, time) : time; };
    if (!m_notices.empty())
        consider(m_notices.begin()->first);
    if (!m_heads.empty())
        consider(m_heads.begin()->first);
    for (const auto& [link, own] : m_own)
        if (!own.round.empty() || own.rejoins)
            consider(std::max(now, busyOf(link)));
    return next;
}

std::vector<OracleNetwork::Notice> OracleNetwork::begin(std::int64_t now)
{
    m_now = now;
    std::vector<Notice> due;
    for (; !m_notices.empty() && m_notices.begin()->first == now; m_notices.erase(m_notices.begin()))
        due.push_back(m_notices.begin()->second);
    for (; !m_heads.empty() && m_heads.begin()->first == now; m_heads.erase(m_heads.begin()))
        m_arriving.push_back(m_heads.begin()->second);
    return due;
}

void OracleNetwork::finish()
{
    if (m_ideal)
        startIdeal();
    else
        joinQueues();
    serveHeads();
    serveReducers();
    if (!m_ideal)
        pickAll();
    m_joining.clear();
    m_arriving.clear();
    m_reducing.clear();
}

/// Work of `duration` offered at `head` to a resource; its end.
OracleNetwork::Time OracleNetwork::commit(Time& busy, Time head, Time duration) const
{
    if (m_ideal)
        return head + duration;
    busy = std::max(busy, head) + duration;
    return busy;
}

OracleNetwork::Key OracleNetwork::keyOf(const Piece& piece, std::int64_t port) const
{
    const OracleMessage& message = of(piece);
    Key key{};
    std::copy(message.key.begin(), message.key.end(), key.begin());
    key[7] = piece.index;
    key[8] = -static_cast<std::int64_t>(piece.hops);
    key[9] = port;
    key[10] = piece.served;
    key[11] = message.issuer;
    return key;
}

std::int32_t OracleNetwork::portOf(const Piece& piece) const
{
    const auto& route = of(piece).route;
    return m_platform.inputPort(route[piece.hops - 1], piece.hops < route.size() ? route[piece.hops] : -1);
}

std::vector<int> OracleNetwork::inTieOrder(const std::vector<int>& pieces) const
{
    std::vector<std::pair<Key, int>> keyed;
    for (const int id : pieces)
        keyed.push_back({keyOf(m_pieces[static_cast<std::size_t>(id)], portOf(m_pieces[static_cast<std::size_t>(id)])), id});
    std::sort(keyed.begin(), keyed.end());
    std::vector<int> ordered;
    for (const auto& [key, id] : keyed)
        ordered.push_back(id);
    return ordered;
}

void OracleNetwork::startIdeal()
{
    for (const int id : m_joining) {
        Piece piece;
        piece.message = id;
        piece.to = messages[static_cast<std::size_t>(id)].record.bytes;
        start(piece);
    }
}

/// Messages that became ready now join the queue of their stream, in tie order; streams that had nothing to send join the round.
void OracleNetwork::joinQueues()
{
    std::sort(m_joining.begin(), m_joining.end(), [&](int a, int b) {
        const OracleMessage& left = messages[static_cast<std::size_t>(a)];
        const OracleMessage& right = messages[static_cast<std::size_t>(b)];
        return std::tie(left.key, left.issuer) < std::tie(right.key, right.issuer);
    });
    for (const int id : m_joining) {
        const OracleMessage& message = messages[static_cast<std::size_t>(id)];
        OwnLink& own = m_own[message.route.front()];
        auto& queue = own.queues[message.stream];
        if (queue.empty())
            own.round.push_back(message.stream);
        auto place = queue.end();
        if (m_params.scheduling && m_params.scheduling->inside == InsideScheduler::SmallestFirst) {
            place = std::find_if(queue.begin(), queue.end(), [&](int other) {
                const OracleMessage& waiting = messages[static_cast<std::size_t>(other)];
                return waiting.nextPiece == 0 && waiting.record.bytes > message.record.bytes;
            });
        }
        queue.insert(place, id);
    }
}

/// The head is at a node; if that is a switch with a limit, the tail is no earlier than the end of the work for what came before and for this.
void OracleNetwork::throughCrossbar(Piece& piece, NodeId node)
{
    for (const auto& [limited, rate] : m_params.crossbars) {
        if (limited == node && !m_ideal)
            piece.tail = std::max(piece.tail, commit(m_crossbarBusy[node], piece.head, share(piece.from, piece.to, rate.bytesPerSecond)));
    }
}

/// Transit links and ejection budgets. The keys of pieces at different resources are never compared with effect.
void OracleNetwork::serveHeads()
{
    for (const int id : inTieOrder(m_arriving)) {
        Piece& piece = m_pieces[static_cast<std::size_t>(id)];
        OracleMessage& message = of(piece);
        if (piece.hops < message.route.size()) {
            const LinkId link = message.route[piece.hops];
            throughCrossbar(piece, m_platform.linkInfo(link).from);
            const Time end = commit(busyOf(link), piece.head, share(piece.from, piece.to, rateOf(link)));
            cross(id, link, std::max(end, piece.tail));
            continue;
        }
        if (m_params.ejection && !m_ideal)
            piece.tail = std::max(piece.tail, commit(m_ejectionBusy[targetNode(message)], piece.head, share(piece.from, piece.to, m_params.ejection->bytesPerSecond)));
        if (!message.reduces || !m_params.reducerRate)
            land(piece);
        else if (message.mayReduce)
            m_reducing.push_back(id);
        else
            message.waitingPieces.push_back(id);
    }
}

/// Pieces that reach their reducer now, among them those whose wait for the own part ended.
void OracleNetwork::serveReducers()
{
    for (const int id : inTieOrder(m_reducing)) {
        Piece& piece = m_pieces[static_cast<std::size_t>(id)];
        const OracleMessage& message = of(piece);
        const Time work = share(piece.from, piece.to, reducerRateAt(targetNode(message)), message.k + 2, message.k);
        piece.tail = std::max(piece.tail, commit(m_reducerBusy[targetNode(message)], m_now, work));
        land(piece);
    }
}

/// The piece goes over a link; its last byte is through the port at `end`.
void OracleNetwork::cross(int id, LinkId link, Time end)
{
    Piece& piece = m_pieces[static_cast<std::size_t>(id)];
    piece.tail = end + latencyOf(link);
    piece.head += latencyOf(link);
    piece.served = m_served++;
    ++piece.hops;
    m_heads.insert({piece.head, id});
}

/// The tail of the piece is final.
void OracleNetwork::land(const Piece& piece)
{
    OracleMessage& message = of(piece);
    message.arriveAt = std::max(message.arriveAt, piece.tail);
    if (--message.piecesLeft == 0)
        m_notices.insert({message.arriveAt, {Notice::Kind::Arrived, piece.message}});
}

/// A piece starts on its own link now. Returns its number.
int OracleNetwork::start(Piece piece)
{
    const LinkId link = of(piece).route.front();
    const Time end = commit(busyOf(link), m_now, share(piece.from, piece.to, rateOf(link)));
    piece.head = m_now;
    const int id = static_cast<int>(m_pieces.size());
    m_pieces.push_back(piece);
    cross(id, link, end);
    if (piece.to == of(piece).record.bytes)
        m_notices.insert({end, {Notice::Kind::Left, piece.message}});
    return id;
}

/// Every own link that is free takes one piece.
void OracleNetwork::pickAll()
{
    std::vector<std::pair<Key, int>> picked;
    for (auto& [link, own] : m_own) {
        if ((own.round.empty() && !own.rejoins) || busyOf(link) > m_now)
            continue;
        if (own.rejoins)
            own.round.push_back(*std::exchange(own.rejoins, std::nullopt));
        auto next = own.round.begin();
        if (m_params.scheduling && m_params.scheduling->order == TaskOrder::Explicit) {
            next = std::min_element(own.round.begin(), own.round.end(), [&, &queues = own.queues](std::int64_t a, std::int64_t b) {
                return messages[static_cast<std::size_t>(queues[a].front())].key[0] < messages[static_cast<std::size_t>(queues[b].front())].key[0];
            });
        }
        const std::int64_t stream = *next;
        own.round.erase(next);
        auto& queue = own.queues[stream];
        OracleMessage& message = messages[static_cast<std::size_t>(queue.front())];
        Piece piece;
        piece.message = queue.front();
        piece.index = message.nextPiece++;
        piece.from = piece.index * m_params.pieceBytes;
        piece.to = std::min(piece.from + m_params.pieceBytes, message.record.bytes);
        if (piece.to == message.record.bytes)
            queue.pop_front();
        if (!queue.empty())
            own.rejoins = stream;
        const Key key = keyOf(piece, Platform::kOwnInjection);
        picked.push_back({key, start(piece)});
    }
    if (m_params.injection)
        chargeInjection(std::move(picked));
}

/// Picks of one NPU in tie order; sorting all picks together leaves those of each NPU in that order.
void OracleNetwork::chargeInjection(std::vector<std::pair<Key, int>> picked)
{
    std::sort(picked.begin(), picked.end());
    for (const auto& [key, id] : picked) {
        Piece& piece = m_pieces[static_cast<std::size_t>(id)];
        const Time end = commit(m_injectionBusy[sourceNode(of(piece))], m_now, share(piece.from, piece.to, m_params.injection->bytesPerSecond));
        piece.tail = std::max(piece.tail, end + latencyOf(of(piece).route.front()));
    }
}

} // namespace fabricscope::test
