#include "core/sim/direct/phasetraffic.h"

#include "core/base/index.h"
#include "core/sim/common/runpace.h"

#include <algorithm>
#include <bit>
#include <limits>
#include <tuple>

namespace fabricscope::events {

namespace {

constexpr std::int64_t kMostWindows = std::int64_t{1} << 16;    ///< That a head may be ahead. More would mostly be empty, and looked through.
constexpr std::size_t kLeastWindows = 1024;                     ///< In the ring, for senders, whose pieces take longer than latencies.
constexpr std::int64_t kStepsBetweenPauses = std::int64_t{1} << 15;

} // namespace

PhaseTraffic::PhaseTraffic(EngineState& state, const PairWays& ways, const PhaseSizes& sizes, std::span<const std::int64_t> ready)
    : m_state(state)
    , m_ways(ways)
    , m_sizes(sizes)
    , m_ready(ready.begin(), ready.end())
    , m_pieceBytes(state.pieceBytes)
    , m_isGraph(state.structure.platform.isExplicit())
    , m_exits(ready.begin(), ready.end())
    , m_busy(state.network.busy().size())
{
    const std::vector<std::int64_t>& bytes = sizes.bytes;
    if (std::all_of(bytes.begin(), bytes.end(), [&](std::int64_t one) { return one == bytes.front(); }))
        m_allBytes = bytes.front();
    addServers();
    addSenders(ready);
}

void PhaseTraffic::addServers()
{
    m_known.resize(m_state.params.linkRate.size());
    const std::vector<Link>& links = m_state.network.links();
    m_servers.resize(links.size());
    for (std::size_t number = 0; number < links.size(); ++number) {
        Server& server = m_servers[number];
        server.latency = links[number].latency;
        server.resource = links[number].resource;
        server.dimension = links[number].dimension;
        if (m_isGraph)
            server.port = m_state.structure.platform.inputPort(m_state.routes.linkIds()[number], -1);
    }
}

void PhaseTraffic::addSenders(std::span<const std::int64_t> ready)
{
    std::vector<std::int32_t> senderOf(m_servers.size(), kNone); // By link.
    const auto ownLink = [this](std::int32_t position, std::int32_t slot) { return m_ways.link(m_ways.begin(position, slot)); };
    for (std::int32_t position = 0; position < m_ways.positions(); ++position) {
        const std::size_t first = m_senders.size();
        for (std::int32_t slot = 1; slot < m_ways.positions(); ++slot) {
            const std::int32_t link = ownLink(position, slot);
            std::int32_t& known = senderOf[at(link)];
            if (known == kNone) {
                known = static_cast<std::int32_t>(m_senders.size());
                m_senders.push_back({position, link, 0, 0, 0, 0, 0});
                Server& server = m_servers[at(link)];
                server.committed = server.busyFrom = ready[at(position)];
            }
            ++m_senders[at(known)].count;
        }
        if (m_senders.size() == first + 1)
            continue;
        for (std::size_t sender = first; sender < m_senders.size(); ++sender) {
            m_senders[sender].slots = m_slots.size();
            m_slots.resize(m_slots.size() + static_cast<std::size_t>(m_senders[sender].count));
        }
        for (std::int32_t slot = 1; slot < m_ways.positions(); ++slot) { // `next` counts until all are in.
            Sender& sender = m_senders[at(senderOf[at(ownLink(position, slot))])];
            m_slots[sender.slots + static_cast<std::size_t>(sender.next++)] = slot;
        }
        for (std::size_t sender = first; sender < m_senders.size(); ++sender)
            m_senders[sender].next = 0;
    }
}

/// Windows of a power of two of picoseconds, none longer than the least latency.
Status PhaseTraffic::setWindows()
{
    std::int64_t least = INT64_MAX;
    std::int64_t most = 0;
    for (const Server& server : m_servers) {
        least = std::min(least, server.latency);
        most = std::max(most, server.latency);
    }
    if (least < 1)
        return onlyEvents("a link has no latency");
    m_shift = static_cast<int>(std::bit_width(static_cast<std::uint64_t>(least))) - 1;
    const std::int64_t ahead = windowOf(most) + 2;
    if (ahead > kMostWindows)
        return onlyEvents("latencies of links differ by more than 65,000 times");
    const std::size_t ring = std::max(std::bit_ceil(static_cast<std::size_t>(ahead)), kLeastWindows);
    m_heads = TimeWindows<Head>(ring);
    m_picks = TimeWindows<std::int32_t>(ring);
    return {};
}

Status PhaseTraffic::run(const std::function<bool(std::int64_t nowPs)>& pause)
{
    if (Status status = setWindows(); !status)
        return status;
    for (std::size_t number = 0; number < m_senders.size(); ++number)
        m_picks.put(windowOf(m_ready[at(m_senders[number].position)]), static_cast<std::int32_t>(number));
    m_pause = pause;
    for (;;) {
        const std::int64_t picks = m_picks.next();
        const std::int64_t heads = m_heads.next();
        const std::int64_t window = std::min(picks, heads);
        if (window == INT64_MAX)
            break;
        m_now = window << m_shift;
        if (!goesOn())
            return stoppedRun();
        if (heads == window) {
            m_heads.take(window, m_items);
            serveHeads();
        } else {
            m_heads.skipTo(window);
        }
        if (picks > window) {
            m_picks.skipTo(window);
        } else {
            m_picks.take(window, m_due);
            sendDue(window);
        }
        if (m_takesNoTime)
            return onlyEvents("a piece takes no time on a link");
        if (m_isStopped)
            return stoppedRun();
    }
    for (const Server& server : m_servers)
        flush(server);
    return {};
}

bool PhaseTraffic::goesOn()
{
    if (m_steps >= m_nextPause && !m_isStopped) {
        m_nextPause = m_steps + kStepsBetweenPauses;
        m_isStopped = !m_pause(m_now);
    }
    return !m_isStopped;
}

void PhaseTraffic::sendDue(std::int64_t window)
{
    for (const std::int32_t sender : m_due) {
        if (!goesOn())
            return;
        sendFrom(sender, window);
    }
}

std::int64_t PhaseTraffic::bytes() const
{
    const std::size_t ofWindow = m_items.capacity() * sizeof(Head) + (m_nextItem.capacity() + m_touched.capacity() + m_sort.capacity() + m_due.capacity()) * sizeof(std::int32_t);
    const std::size_t ofLinks = m_servers.capacity() * sizeof(Server) + m_senders.capacity() * sizeof(Sender) + m_slots.capacity() * sizeof(std::int32_t);
    return m_heads.bytes() + m_picks.bytes() + static_cast<std::int64_t>(ofWindow + ofLinks);
}

/// Occupancy of a link by a piece: its share of that of the message.
inline std::int64_t PhaseTraffic::timeOf(ResourceClass resource, std::int64_t bytes, std::int32_t index)
{
    Known& known = m_known[at(resource)];
    if (bytes == known.bytes)
        return known.time;
    const CostTable& costs = m_state.costs;
    if (bytes <= m_pieceBytes) {
        known = {bytes, costs.occupancy(resource, bytes)};
        return known.time;
    }
    const std::int64_t begin = std::int64_t{index} * m_pieceBytes;
    return costs.occupancy(resource, std::min(begin + m_pieceBytes, bytes)) - costs.occupancy(resource, begin);
}

/// The link works on a piece of a message of so many bytes, not before `start`. Returns how long.
inline std::int64_t PhaseTraffic::serve(Server& server, std::int64_t start, std::int64_t bytes, std::int32_t index)
{
    const std::int64_t time = timeOf(server.resource, bytes, index);
    m_takesNoTime |= time < 1;
    if (start > server.committed) {
        flush(server);
        server.committed = server.busyFrom = start;
    }
    server.committed += time;
    server.busy += time;
    const std::int64_t left = bytes - std::int64_t{index} * m_pieceBytes;
    server.bytes += std::min(left, m_pieceBytes);
    server.messages += left <= m_pieceBytes ? 1 : 0;
    ++server.pieces;
    ++m_steps;
    return time;
}

inline void PhaseTraffic::flush(const Server& server)
{
    if (server.busyFrom < server.committed && m_state.options.busyOverTime)
        m_busy[at(server.dimension)].add(server.busyFrom, server.committed);
}

/// What the sender begins in this window.
void PhaseTraffic::sendFrom(std::int32_t number, std::int64_t window)
{
    Sender& sender = m_senders[at(number)];
    Server& server = m_servers[at(sender.link)];
    const auto chunks = static_cast<std::int32_t>(m_sizes.shapeOfChunk.size());
    while (sender.chunk < chunks && windowOf(server.committed) == window) {
        const std::int32_t slot = slotOf(sender);
        const std::int64_t bytes = bytesOf(sender.position, slot, sender.chunk);
        const std::int64_t start = server.committed;
        const std::int64_t time = serve(server, start, bytes, sender.index);
        Head head;
        head.time = start + server.latency;
        head.tail = head.time + time;
        head.order = server.pieces;
        head.port = server.port;
        head.position = sender.position;
        head.slot = slot;
        head.chunk = sender.chunk;
        head.index = sender.index;
        head.place = m_ways.begin(sender.position, slot);
        head.hop = 1;
        head.hops = static_cast<std::uint16_t>(m_ways.end(sender.position, slot) - head.place);
        ++head.place;
        ++m_pieces;
        if (head.hop < head.hops)
            m_heads.put(windowOf(head.time), head);
        else
            deliver(head, bytes);
        if (m_takesNoTime)
            return;
        if ((sender.index + 1) * m_pieceBytes < bytes) {
            ++sender.index;
            continue;
        }
        sender.index = 0;
        if (++sender.next == sender.count) {
            sender.next = 0;
            ++sender.chunk;
        }
    }
    std::int64_t& exit = m_exits[at(sender.position)];
    exit = std::max(exit, server.committed);
    if (sender.chunk < chunks)
        m_picks.put(windowOf(server.committed), number);
}

/// By which port it comes to the link before it; in dimensions ports of a switch count from the link that a piece wants to take.
inline std::int32_t PhaseTraffic::portOf(const Head& head) const
{
    if (m_isGraph)
        return head.port;
    const auto id = [&](std::uint32_t place) { return m_state.routes.linkIds()[at(m_ways.link(place))]; };
    return m_state.structure.platform.inputPort(id(head.place - 1), id(head.place));
}

/// The tie rule among pieces of one phase, whose senders are of one job (Network::comparePieces).
bool PhaseTraffic::before(const Head& a, const Head& b) const
{
    if (a.time != b.time)
        return a.time < b.time;
    if (std::tie(a.chunk, a.slot, a.index, b.hop) != std::tie(b.chunk, b.slot, b.index, a.hop))
        return std::tie(a.chunk, a.slot, a.index, b.hop) < std::tie(b.chunk, b.slot, b.index, a.hop);
    const std::int32_t first = portOf(a);
    const std::int32_t second = portOf(b);
    return first != second ? first < second : static_cast<std::int32_t>(a.order - b.order) < 0; // One port, one link.
}

/// All heads of the window, link by link.
void PhaseTraffic::serveHeads()
{
    m_nextItem.resize(m_items.size());
    m_touched.clear();
    for (std::size_t item = 0; item < m_items.size(); ++item) {
        const std::int32_t link = m_ways.link(m_items[item].place);
        Server& server = m_servers[at(link)];
        if (server.heads == kNone)
            m_touched.push_back(link);
        m_nextItem[item] = server.heads;
        server.heads = static_cast<std::int32_t>(item);
    }
    for (const std::int32_t link : m_touched) {
        if (!goesOn())
            return;
        Server& server = m_servers[at(link)];
        const std::int32_t first = server.heads;
        server.heads = kNone;
        if (m_nextItem[at(first)] == kNone) {
            serveHead(m_items[at(first)], server);
            continue;
        }
        m_sort.clear();
        for (std::int32_t item = first; item != kNone; item = m_nextItem[at(item)])
            m_sort.push_back(item);
        std::sort(m_sort.begin(), m_sort.end(), [this](std::int32_t a, std::int32_t b) { return before(m_items[at(a)], m_items[at(b)]); });
        for (const std::int32_t item : m_sort)
            serveHead(m_items[at(item)], server);
    }
}

inline void PhaseTraffic::serveHead(Head& head, Server& server)
{
    const std::int64_t bytes = bytesOf(head.position, head.slot, head.chunk);
    serve(server, head.time, bytes, head.index);
    head.time += server.latency;
    head.tail = std::max(server.committed, head.tail) + server.latency;
    head.order = server.pieces;
    head.port = server.port;
    ++head.place;
    if (++head.hop < head.hops)
        m_heads.put(windowOf(head.time), head);
    else
        deliver(head, bytes);
}

/// The piece is there, or will be: nothing changes its tail any more.
void PhaseTraffic::deliver(const Head& head, std::int64_t bytes)
{
    if ((head.index + 1) * m_pieceBytes < bytes)
        return;
    ++m_messages;
    ++m_steps;
    const std::int32_t target = m_ways.target(head.position, head.slot);
    std::int64_t& exit = m_exits[at(target)];
    exit = std::max(exit, head.tail);
    if (!m_tell)
        return;
    std::int64_t start = head.time;
    for (std::uint32_t place = head.place - head.hops; place < head.place; ++place)
        start -= m_servers[at(m_ways.link(place))].latency;
    const ResourceClass own = m_servers[at(m_ways.link(head.place - head.hops))].resource;
    m_tell({head.position, target, head.chunk, head.slot, bytes, m_ready[at(head.position)], start + timeOf(own, bytes, head.index), head.tail});
}

void PhaseTraffic::handOver() const
{
    for (std::size_t number = 0; number < m_servers.size(); ++number)
        m_state.network.addWork(static_cast<std::int32_t>(number), m_servers[number].messages, m_servers[number].bytes, m_servers[number].busy);
    m_state.network.addPieces(m_pieces);
    for (std::size_t dimension = 0; dimension < m_busy.size(); ++dimension)
        m_state.network.setBusy(dimension, m_busy[dimension]);
}

} // namespace fabricscope::events
