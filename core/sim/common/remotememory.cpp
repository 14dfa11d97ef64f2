#include "core/sim/common/remotememory.h"

#include <algorithm>
#include <cassert>

namespace fabricscope {

namespace {

std::int64_t occupancy(std::int64_t bytes, std::int64_t rate)
{
    return mulDivCeil(bytes, kPsPerSecond, rate);
}

/// A place in a list for `value`: one that is free, else a new one.
template <typename T>
std::int32_t placed(std::vector<T>& list, std::vector<std::int32_t>& free, T value)
{
    if (free.empty()) {
        list.push_back(std::move(value));
        return static_cast<std::int32_t>(list.size() - 1);
    }
    const std::int32_t number = free.back();
    free.pop_back();
    list[static_cast<std::size_t>(number)] = std::move(value);
    return number;
}

} // namespace

RemotePool::RemotePool(const RemoteMemory& memory, std::int64_t pieceBytes, bool ideal)
    : m_pool(*memory.pool)
    , m_npusPerNode(memory.npusPerNode)
    , m_pieceBytes(memory.pool->piece ? std::max<std::int64_t>(toBytes(*memory.pool->piece).value, 1) : pieceBytes)
    , m_ideal(ideal)
    , m_home(memory.pool->spread == MemoryPool::Spread::Home)
{
}

/// `place`: node or NPU; of groups 0.
std::int32_t RemotePool::server(Kind kind, std::int32_t group, std::int32_t place)
{
    const bool out = kind == NodeDown || kind == NodeUp;
    const MemoryPool::Stage& stage = kind == Groups ? m_pool.groups : out ? m_pool.outNode : m_pool.inNode;
    std::int64_t device = 0;
    if (m_home) {
        const std::int64_t outSwitch = group % m_pool.outNode.count;
        device = kind == Groups ? group : out ? outSwitch : outSwitch % m_pool.inNode.count;
    }
    const std::int64_t key = (std::int64_t{kind} << 56) | (device << 28) | place;
    const auto [entry, added] = m_serverOf.emplace(key, static_cast<std::int32_t>(m_servers.size()));
    if (added) {
        Server fresh;
        fresh.rate = toBandwidth(stage.bandwidth).bytesPerSecond * (m_home ? 1 : std::int64_t{stage.count});
        fresh.latency = std::max<std::int64_t>(toSimTime(stage.latency).ps, 1);
        m_servers.push_back(std::move(fresh));
    }
    return entry->second;
}

std::int64_t RemotePool::durationAt(const Server& at, const Access& access, std::int64_t piece) const
{
    return occupancy(bytesUpTo(access, piece + 1), at.rate) - occupancy(bytesUpTo(access, piece), at.rate);
}

void RemotePool::touch(std::int32_t number)
{
    Server& at = m_servers[static_cast<std::size_t>(number)];
    if (at.dirty)
        return;
    at.dirty = true;
    m_dirty.push_back(number);
}

void RemotePool::fly(const Flight& flight, std::int64_t head)
{
    m_later.push_back({head, placed(m_flights, m_freeFlights, flight), Head});
}

void RemotePool::end(Ending ending, std::int64_t time)
{
    m_later.push_back({time, placed(m_ends, m_freeEnds, ending), End});
}

void RemotePool::begin(std::int64_t now, bool store, NodeId npu, std::int64_t bytes, std::vector<NodeId> targets, std::int64_t tag)
{
    assert(bytes > 0 && !targets.empty());
    Access access;
    access.bytes = bytes;
    access.tag = tag;
    access.sequence = m_sequence++;
    access.pieces = (bytes - 1) / m_pieceBytes + 1;
    access.store = store;
    access.npu = npu;
    access.group = npu % m_pool.groups.count;
    access.targets = std::move(targets);
    access.left = static_cast<std::int64_t>(access.targets.size());
    for (const NodeId target : access.targets)
        access.nodes.push_back(nodeOf(target));
    std::sort(access.nodes.begin(), access.nodes.end());
    access.nodes.erase(std::unique(access.nodes.begin(), access.nodes.end()), access.nodes.end());
    for (std::size_t i = 0; i < access.targets.size(); ++i) {
        const auto node = std::lower_bound(access.nodes.begin(), access.nodes.end(), nodeOf(access.targets[i]));
        access.targetsOfNode.emplace_back(static_cast<std::int32_t>(node - access.nodes.begin()), static_cast<std::int32_t>(i));
    }
    std::sort(access.targetsOfNode.begin(), access.targetsOfNode.end());
    const std::int32_t group = access.group;
    const auto count = static_cast<std::int32_t>(access.targets.size());
    const std::int32_t number = placed(m_accesses, m_freeAccesses, std::move(access));
    if (!m_ideal) {
        const std::int32_t first = store ? server(NpuUp, group, npu) : server(Groups, group, 0);
        m_servers[static_cast<std::size_t>(first)].turn.push_back(number);
        touch(first);
        return;
    }
    std::int64_t latency = 0;
    std::int64_t longest = 0;
    for (const Kind kind : {Groups, NodeDown, NpuDown}) {
        const Server& at = m_servers[static_cast<std::size_t>(server(kind, group, 0))];
        latency += at.latency;
        longest = std::max(longest, occupancy(bytes, at.rate));
    }
    for (std::int32_t target = 0; target < count; ++target)
        end({number, target}, now + latency + longest);
}

bool RemotePool::take(std::int32_t object, std::uint32_t detail, Done& done)
{
    if (detail == Wake) {
        touch(object);
        return false;
    }
    if (detail == Head) {
        const std::int32_t at = m_flights[static_cast<std::size_t>(object)].server;
        m_servers[static_cast<std::size_t>(at)].heads.push_back(object);
        touch(at);
        return false;
    }
    const Ending ending = m_ends[static_cast<std::size_t>(object)];
    m_freeEnds.push_back(object);
    Access& access = m_accesses[static_cast<std::size_t>(ending.access)];
    done = {access.tag, ending.target};
    if (--access.left == 0) {
        access = {};
        m_freeAccesses.push_back(ending.access);
    }
    return true;
}

void RemotePool::serve(std::int64_t now)
{
    // Servers do not meddle with each other inside an instant: what one passes on arrives later elsewhere.
    std::vector<std::int32_t> dirty;
    dirty.swap(m_dirty);
    for (const std::int32_t number : dirty) {
        m_servers[static_cast<std::size_t>(number)].dirty = false;
        serveHeads(number, now);
        pick(number, now);
    }
}

void RemotePool::serveHeads(std::int32_t number, std::int64_t now)
{
    std::vector<std::int32_t> heads;
    heads.swap(m_servers[static_cast<std::size_t>(number)].heads);
    std::sort(heads.begin(), heads.end(), [this](std::int32_t a, std::int32_t b) {
        const Flight& x = m_flights[static_cast<std::size_t>(a)];
        const Flight& y = m_flights[static_cast<std::size_t>(b)];
        const std::int64_t first = m_accesses[static_cast<std::size_t>(x.access)].sequence;
        const std::int64_t second = m_accesses[static_cast<std::size_t>(y.access)].sequence;
        return first != second ? first < second : x.piece < y.piece;
    });
    for (const std::int32_t head : heads) {
        const Flight flight = m_flights[static_cast<std::size_t>(head)];
        m_freeFlights.push_back(head);
        Server& at = m_servers[static_cast<std::size_t>(number)];
        at.committed = std::max(at.committed, now) + durationAt(at, m_accesses[static_cast<std::size_t>(flight.access)], flight.piece);
        const std::int64_t latency = at.latency; // cross() may add servers
        cross(flight, std::max(at.committed, flight.tail) + latency, now + latency);
    }
}

/// The piece has passed its transit resource: on to the next one, or to its end.
void RemotePool::cross(const Flight& flight, std::int64_t tail, std::int64_t head)
{
    const Access& access = m_accesses[static_cast<std::size_t>(flight.access)];
    if (flight.stage == 2) {
        if (flight.piece + 1 == access.pieces) // Pieces of an access stay in order: the last one is the end.
            end({flight.access, flight.place}, tail);
        return;
    }
    Flight next = flight;
    next.tail = tail;
    next.stage = 2;
    if (access.store) {
        next.server = server(Groups, access.group, 0);
        fly(next, head);
        return;
    }
    const auto& list = access.targetsOfNode;
    for (auto entry = std::lower_bound(list.begin(), list.end(), std::pair(flight.place, std::int32_t{0})); entry != list.end() && entry->first == flight.place; ++entry) {
        next.place = entry->second;
        next.server = server(NpuDown, access.group, access.targets[static_cast<std::size_t>(entry->second)]);
        fly(next, head);
    }
}

/// Lets the first resource of accesses serve the next piece when it is idle.
void RemotePool::pick(std::int32_t number, std::int64_t now)
{
    Server* at = &m_servers[static_cast<std::size_t>(number)];
    if (at->turn.empty())
        return;
    if (at->committed <= now) {
        const std::int32_t which = at->turn.front();
        at->turn.pop_front();
        Access& access = m_accesses[static_cast<std::size_t>(which)];
        Flight flight;
        flight.piece = access.next++;
        flight.access = which;
        flight.stage = 1;
        if (access.next < access.pieces)
            at->turn.push_back(which);
        at->committed = now + durationAt(*at, access, flight.piece);
        flight.tail = at->committed + at->latency;
        const std::int64_t head = now + at->latency;
        if (access.store) {
            flight.server = server(NodeUp, access.group, nodeOf(access.npu));
            fly(flight, head);
        } else {
            for (std::size_t i = 0; i < access.nodes.size(); ++i) {
                flight.place = static_cast<std::int32_t>(i);
                flight.server = server(NodeDown, access.group, access.nodes[i]);
                fly(flight, head);
            }
        }
        at = &m_servers[static_cast<std::size_t>(number)];
    }
    // A piece can take less than a ps, and then ends in the instant in which it began: the turn goes on in the next one.
    const std::int64_t wake = std::max(at->committed, now + 1);
    if (!at->turn.empty() && at->wakeAt != wake) {
        at->wakeAt = wake;
        m_later.push_back({wake, number, Wake});
    }
}

} // namespace fabricscope
