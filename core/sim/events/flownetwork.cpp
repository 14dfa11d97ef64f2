#include "core/sim/events/flownetwork.h"

#include "core/base/index.h"
#include "core/base/units.h"

#include <algorithm>
#include <cassert>
#include <utility>

namespace fabricscope {

namespace {

constexpr std::int64_t kMaxCapacity = std::int64_t{1} << 62;

constexpr std::size_t kArity = 4;

} // namespace

FlowNetwork::FlowNetwork(std::int64_t fastest)
{
    for (const std::int64_t units : {720720, 5040, 60}) {
        if (fastest <= kMaxCapacity / units) {
            m_units = units;
            break;
        }
    }
}

std::int32_t FlowNetwork::addResource(std::int64_t bytesPerSecond)
{
    assert(bytesPerSecond > 0);
    Resource resource;
    resource.room = std::min(bytesPerSecond, kMaxCapacity / m_units) * m_units;
    m_resources.push_back(resource);
    m_capacities.push_back(static_cast<std::int64_t>(resource.room));
    m_lists.emplace_back();
    return static_cast<std::int32_t>(m_resources.size() - 1);
}

std::int32_t FlowNetwork::start(std::span<const Crossing> crossings, std::int64_t bytes, std::int64_t times, std::int64_t parts)
{
    assert(bytes > 0 && times > 0 && parts > 0 && !crossings.empty());
    std::int32_t number = 0;
    if (m_free.empty()) {
        number = static_cast<std::int32_t>(m_flows.size());
        m_flows.emplace_back();
        m_paths.emplace_back();
    } else {
        number = m_free.back();
        m_free.pop_back();
    }
    if (m_freeHops.size() <= crossings.size())
        m_freeHops.resize(crossings.size() + 1);
    std::vector<std::int32_t>& places = m_freeHops[crossings.size()];
    Path path;
    path.hops = static_cast<std::int32_t>(crossings.size());
    if (places.empty()) {
        path.first = static_cast<std::int32_t>(m_indices.size());
        m_indices.resize(m_indices.size() + crossings.size());
    } else {
        path.first = places.back();
        places.pop_back();
    }
    keepHops(path, crossings);
    // Bytes * times / parts in whole bytes and the rest, so that nothing leaves 128 bits.
    const Wide scaled = Wide{bytes} * times;
    const Wide unit = Wide{m_units} * kPsPerSecond;
    Flow flow;
    flow.left = scaled / parts * unit + (scaled % parts * unit + parts - 1) / parts;
    std::int32_t hop = path.first;
    for (const Crossing& crossing : crossings) {
        std::vector<Entry>& list = m_lists[at(crossing.resource)].flows;
        m_indices[at(hop)] = static_cast<std::int32_t>(list.size());
        list.push_back({number, hop++});
        resourceAt(crossing.resource).total += crossing.times;
    }
    flowAt(number) = flow;
    m_paths[at(number)] = path;
    m_started.push_back(number);
    return number;
}

void FlowNetwork::keepHops(Path& path, std::span<const Crossing> crossings)
{
    const auto first = static_cast<std::size_t>(path.first);
    if (!path.isNear() && m_hops.size() < m_indices.size())
        m_hops.resize(m_indices.size());
    if (!m_times.empty() || std::any_of(crossings.begin(), crossings.end(), [](const Crossing& each) { return each.times != 1; }))
        m_times.resize(m_indices.size(), 1);
    for (std::size_t hop = 0; hop < crossings.size(); ++hop) {
        (path.isNear() ? path.near[hop] : m_hops[first + hop]) = crossings[hop].resource;
        if (!m_times.empty())
            m_times[first + hop] = crossings[hop].times;
    }
}

void FlowNetwork::finish(std::int32_t number)
{
    const Path path = m_paths[at(number)];
    forEachHop(path, [&](std::int32_t crossed, std::int32_t times, std::int32_t hop) {
        leave(crossed, hop);
        Resource& resource = resourceAt(crossed);
        resource.total -= times;
        resource.room += Wide{path.rate} * times;
        if (path.rate == resource.level)
            resource.held -= times;
        touch(crossed);
    });
    removeEnd(flowAt(number));
    m_freeHops[at(path.hops)].push_back(path.first);
    if (path.rate == 0)
        m_started.erase(std::find(m_started.begin(), m_started.end(), number));
    m_free.push_back(number);
}

void FlowNetwork::swapEntries(std::int32_t resource, std::size_t a, std::size_t b)
{
    if (a == b)
        return;
    std::vector<Entry>& list = m_lists[at(resource)].flows;
    std::swap(list[a], list[b]);
    m_indices[at(list[a].hop)] = static_cast<std::int32_t>(a);
    m_indices[at(list[b].hop)] = static_cast<std::int32_t>(b);
}

/// The resource holds the flow of this hop from now on.
void FlowNetwork::hold(std::int32_t resource, std::int32_t hop)
{
    swapEntries(resource, at(m_indices[at(hop)]), m_lists[at(resource)].held++);
}

void FlowNetwork::letGo(std::int32_t resource, std::int32_t hop)
{
    swapEntries(resource, at(m_indices[at(hop)]), --m_lists[at(resource)].held);
}

/// Takes the flow of a hop off the list of its resource.
void FlowNetwork::leave(std::int32_t resource, std::int32_t hop)
{
    List& list = m_lists[at(resource)];
    if (at(m_indices[at(hop)]) < list.held)
        letGo(resource, hop);
    swapEntries(resource, at(m_indices[at(hop)]), list.flows.size() - 1);
    list.flows.pop_back();
}

void FlowNetwork::solve(std::int64_t now)
{
    if (isDirty()) {
        for (const std::int32_t number : m_started) {
            flowAt(number).since = now;
            join(number);
        }
        m_started.clear();
        sweep();
        adopt(now);
    }
    tellChanged(now);
}

void FlowNetwork::tellChanged(std::int64_t now)
{
    for (const std::int32_t number : m_changed) {
        if (m_told.size() <= at(number))
            m_told.resize(m_resources.size());
        Told& told = m_told[at(number)];
        const std::int64_t used = this->used(number);
        if (told.used == used)
            continue;
        if (told.used > 0 && told.since < now)
            m_uses->push_back({number, told.since, now, told.used});
        told = {now, used};
    }
    m_changed.clear();
}

void FlowNetwork::adopt(std::int64_t now)
{
    m_solvedFlows += static_cast<std::int64_t>(m_set.size());
    const std::size_t known = m_heap.size();
    std::size_t changed = 0;
    for (const std::int32_t number : m_set) {
        Flow& flow = flowAt(number);
        const std::int64_t rate = m_paths[at(number)].rate;
        const std::int64_t before = std::exchange(m_paths[at(number)].before, kUnset);
        if (rate == before)
            continue;
        flow.left -= Wide{before} * (now - flow.since);
        assert(flow.left > 0);
        flow.since = now;
        const Wide duration = (flow.left + rate - 1) / rate;
        flow.end = duration < kLastEnd - now ? now + static_cast<std::int64_t>(duration) : kLastEnd;
        m_set[changed++] = number;
    }
    m_set.resize(changed);
    if (changed * 8 < known) {
        for (const std::int32_t number : m_set)
            reorder(number);
    } else {
        for (const std::int32_t number : m_set) {
            Flow& flow = flowAt(number);
            if (flow.place < 0) {
                flow.place = static_cast<std::int32_t>(m_heap.size());
                m_heap.push_back({flow.end, number});
            } else {
                m_heap[at(flow.place)].end = flow.end;
            }
        }
        if (m_heap.size() > 1) {
            for (std::size_t index = (m_heap.size() - 2) / kArity + 1; index-- > 0;)
                siftDown(index, m_heap[index]);
        }
    }
    m_set.clear();
}

void FlowNetwork::firstToEnd(std::vector<std::int32_t>& flows) const
{
    if (m_heap.empty())
        return;
    const std::int64_t end = m_heap.front().end;
    const std::size_t begin = flows.size();
    flows.push_back(0); // Places in the heap, breadth first, then the flows there.
    for (std::size_t i = begin; i < flows.size(); ++i) {
        const auto index = static_cast<std::size_t>(flows[i]);
        for (std::size_t child = kArity * index + 1; child <= kArity * index + kArity && child < m_heap.size(); ++child) {
            if (m_heap[child].end == end)
                flows.push_back(static_cast<std::int32_t>(child));
        }
        flows[i] = m_heap[index].flow;
    }
}

void FlowNetwork::place(std::size_t index, Ending ending)
{
    m_heap[index] = ending;
    flowAt(ending.flow).place = static_cast<std::int32_t>(index);
}

void FlowNetwork::siftUp(std::size_t index, Ending ending)
{
    while (index > 0) {
        const std::size_t parent = (index - 1) / kArity;
        if (m_heap[parent].end <= ending.end)
            break;
        place(index, m_heap[parent]);
        index = parent;
    }
    place(index, ending);
}

void FlowNetwork::siftDown(std::size_t index, Ending ending)
{
    for (;;) {
        const std::size_t first = kArity * index + 1;
        if (first >= m_heap.size())
            break;
        const std::size_t last = std::min(first + kArity, m_heap.size());
        std::size_t best = first;
        for (std::size_t child = first + 1; child < last; ++child) {
            if (m_heap[child].end < m_heap[best].end)
                best = child;
        }
        if (m_heap[best].end >= ending.end)
            break;
        place(index, m_heap[best]);
        index = best;
    }
    place(index, ending);
}

/// The end of a flow is new, or has moved.
void FlowNetwork::reorder(std::int32_t number)
{
    Flow& flow = flowAt(number);
    const Ending ending{flow.end, number};
    if (flow.place < 0) {
        m_heap.push_back(ending);
        siftUp(m_heap.size() - 1, ending);
        return;
    }
    const auto index = static_cast<std::size_t>(flow.place);
    if (index > 0 && m_heap[(index - 1) / kArity].end > ending.end)
        siftUp(index, ending);
    else
        siftDown(index, ending);
}

void FlowNetwork::removeEnd(Flow& flow)
{
    if (flow.place < 0)
        return;
    const auto index = static_cast<std::size_t>(flow.place);
    flow.place = -1;
    const Ending last = m_heap.back();
    m_heap.pop_back();
    if (index == m_heap.size())
        return;
    if (index > 0 && m_heap[(index - 1) / kArity].end > last.end)
        siftUp(index, last);
    else
        siftDown(index, last);
}

std::int64_t FlowNetwork::bytes() const
{
    std::size_t lists = 0;
    for (const List& list : m_lists)
        lists += list.flows.capacity() * sizeof(Entry);
    return static_cast<std::int64_t>(lists + m_resources.capacity() * (sizeof(Resource) + sizeof(std::int64_t) + sizeof(List)) + m_flows.capacity() * sizeof(Flow)
                                     + m_paths.capacity() * sizeof(Path) + (m_hops.capacity() + m_times.capacity() + m_indices.capacity()) * sizeof(std::int32_t) + m_heap.capacity() * sizeof(Ending));
}

} // namespace fabricscope
