#include "core/sim/events/flowstate.h"

#include "core/base/index.h"

#include <algorithm>
#include <bit>
#include <cassert>

namespace fabricscope::events {

void SpreadBusy::add(std::int64_t begin, std::int64_t end, std::int64_t amount)
{
    assert(begin >= 0 && begin < end);
    while (end > m_width * static_cast<std::int64_t>(BusyPyramid::kBuckets)) {
        // Twice the width: neighbours merge.
        const std::size_t used = m_busy.size();
        for (std::size_t i = 0; i < (used + 1) / 2; ++i)
            m_busy[i] = m_busy[2 * i] + (2 * i + 1 < used ? m_busy[2 * i + 1] : 0);
        m_busy.resize((used + 1) / 2);
        m_width *= 2;
    }
    const int shift = std::countr_zero(static_cast<std::uint64_t>(m_width));
    const auto first = static_cast<std::size_t>(begin >> shift);
    const auto last = static_cast<std::size_t>((end - 1) >> shift);
    if (m_busy.size() <= last)
        m_busy.resize(last + 1, 0);
    __extension__ using Wide = __int128;
    const auto share = [&](std::int64_t length) { return static_cast<std::int64_t>(Wide{amount} * length / (end - begin)); };
    std::int64_t rest = amount;
    if (first < last) {
        const std::int64_t before = share(static_cast<std::int64_t>(first + 1) * m_width - begin);
        m_busy[first] += before;
        rest -= before;
        const std::int64_t whole = share(m_width);
        for (std::size_t bucket = first + 1; bucket < last; ++bucket)
            m_busy[bucket] += whole;
        rest -= whole * static_cast<std::int64_t>(last - first - 1);
    }
    m_busy[last] += rest;
}

std::int32_t FlowState::connectionOf(std::int32_t route, std::int32_t stream)
{
    const auto index = static_cast<std::size_t>(route);
    if (m_firstOfRoute.size() <= index)
        m_firstOfRoute.resize(index + 1, -1);
    for (std::int32_t number = m_firstOfRoute[index]; number >= 0; number = connections[at(number)].next) {
        if (connections[at(number)].stream == stream)
            return number;
    }
    Connection fresh;
    fresh.stream = stream;
    fresh.next = m_firstOfRoute[index];
    m_firstOfRoute[index] = static_cast<std::int32_t>(connections.size());
    connections.push_back(fresh);
    return m_firstOfRoute[index];
}

void FlowState::touch(std::int32_t number)
{
    Connection& connection = connections[at(number)];
    if (!connection.dirty) {
        connection.dirty = true;
        dirty.push_back(number);
    }
}

/// Is the resource on the way whose resources begin there?
bool FlowState::isCrossed(std::int32_t resource, std::int32_t begin) const
{
    const std::size_t index = at(resource);
    if (index >= m_crossedAt.size() || m_crossedAt[index] < begin)
        return false;
    const std::size_t place = at(m_crossedAt[index]);
    return place < m_resources.size() && m_resources[place].resource == resource;
}

/// One more link of this resource: where a link stands for others, a way may cross several of them.
void FlowState::cross(std::int32_t resource, std::int32_t begin)
{
    if (isCrossed(resource, begin)) {
        ++m_resources[at(m_crossedAt[at(resource)])].times;
        return;
    }
    if (m_crossedAt.size() <= at(resource))
        m_crossedAt.resize(network.resourceCount(), -1);
    m_crossedAt[at(resource)] = static_cast<std::int32_t>(m_resources.size());
    m_resources.push_back({resource});
}

std::int32_t FlowState::shared(std::unordered_map<NodeId, std::int32_t>& places, NodeId node, std::int64_t rate)
{
    const auto [found, added] = places.emplace(node, static_cast<std::int32_t>(network.resourceCount()));
    if (added)
        network.addResource(rate);
    return found->second;
}

void FlowState::own(std::int32_t flow, Owner owner)
{
    if (owners.size() <= static_cast<std::size_t>(flow))
        owners.resize(static_cast<std::size_t>(flow) + 1);
    owners[at(flow)] = owner;
}

FlowState::Transfer& FlowState::transfer(std::int32_t message)
{
    if (m_transfers.size() <= static_cast<std::size_t>(message))
        m_transfers.resize(static_cast<std::size_t>(message) + 1);
    return m_transfers[at(message)];
}

std::int64_t FlowState::bytes() const
{
    return network.bytes()
           + static_cast<std::int64_t>(connections.capacity() * sizeof(Connection) + m_transfers.capacity() * sizeof(Transfer)
                                       + owners.capacity() * sizeof(Owner) + m_resources.capacity() * sizeof(FlowNetwork::Crossing));
}

} // namespace fabricscope::events
