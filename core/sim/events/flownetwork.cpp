#include "core/sim/events/flownetwork.h"

#include "core/base/index.h"
#include "core/base/units.h"

#include <algorithm>
#include <cassert>

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
    resource.capacity = std::min(bytesPerSecond, kMaxCapacity / m_units) * m_units;
    m_resources.push_back(std::move(resource));
    return static_cast<std::int32_t>(m_resources.size() - 1);
}

std::int32_t FlowNetwork::start(std::span<const std::int32_t> resources, std::int64_t bytes, std::int64_t times, std::int64_t parts)
{
    assert(bytes > 0 && times > 0 && parts > 0 && !resources.empty());
    std::int32_t number = 0;
    if (m_free.empty()) {
        number = static_cast<std::int32_t>(m_flows.size());
        m_flows.emplace_back();
    } else {
        number = m_free.back();
        m_free.pop_back();
    }
    if (m_freeHops.size() <= resources.size())
        m_freeHops.resize(resources.size() + 1);
    std::vector<std::int32_t>& places = m_freeHops[resources.size()];
    Flow flow;
    flow.hops = static_cast<std::int32_t>(resources.size());
    if (places.empty()) {
        flow.first = static_cast<std::int32_t>(m_hops.size());
        m_hops.resize(m_hops.size() + resources.size());
    } else {
        flow.first = places.back();
        places.pop_back();
    }
    // Bytes * times / parts in whole bytes and the rest, so that nothing leaves 128 bits.
    const Wide scaled = Wide{bytes} * times;
    const Wide unit = Wide{m_units} * kPsPerSecond;
    flow.left = scaled / parts * unit + (scaled % parts * unit + parts - 1) / parts;
    for (std::int32_t hop = 0; hop < flow.hops; ++hop) {
        const std::int32_t resource = resources[at(hop)];
        std::vector<Entry>& list = resourceAt(resource).flows;
        m_hops[at(flow.first + hop)] = {resource, static_cast<std::int32_t>(list.size())};
        list.push_back({number, hop});
    }
    flowAt(number) = flow;
    m_started.push_back(number);
    return number;
}

void FlowNetwork::finish(std::int32_t number)
{
    Flow& flow = flowAt(number);
    for (const Hop& hop : hopsOf(flow)) {
        Resource& resource = resourceAt(hop.resource);
        const auto index = static_cast<std::size_t>(hop.index);
        const Entry last = resource.flows.back();
        resource.flows[index] = last;
        m_hops[at(flowAt(last.flow).first + last.hop)].index = hop.index;
        resource.flows.pop_back();
        resource.used -= flow.rate;
        if (m_uses)
            m_changed.push_back(hop.resource);
        if (resource.level != kOpen) {
            m_loosened.push_back(hop.resource);
            m_lostLevels.push_back(resource.level);
            resource.level = kOpen;
        }
    }
    removeEnd(flow);
    m_freeHops[at(flow.hops)].push_back(flow.first);
    const auto fresh = std::find(m_started.begin(), m_started.end(), number);
    if (fresh != m_started.end())
        m_started.erase(fresh);
    m_free.push_back(number);
}

void FlowNetwork::take(std::int32_t number)
{
    Flow& flow = flowAt(number);
    if (flow.inSet)
        return;
    flow.inSet = true;
    m_set.push_back(number);
    for (const Hop& hop : hopsOf(flow)) {
        Resource& resource = resourceAt(hop.resource);
        if (!resource.inSet) {
            resource.inSet = true;
            resource.base = resource.capacity - resource.used;
            resource.members = 0;
            resource.onlyMember = 0;
            m_touched.push_back(hop.resource);
        }
        resource.base += flow.rate;
        ++resource.members;
        resource.onlyMember ^= number;
    }
}

/// Takes in the flows that a resource held at this level and that nothing else holds.
void FlowNetwork::takeLevel(Resource& resource, std::int64_t level)
{
    for (const Entry& entry : resource.flows) {
        const Flow& flow = flowAt(entry.flow);
        if (!flow.inSet && flow.rate == level && !isHeld(flow))
            m_more.push_back(entry.flow);
    }
}

/// Is a resource of this flow tight at its rate, as levels stand in this pass?
bool FlowNetwork::isHeld(const Flow& flow)
{
    for (const Hop& hop : hopsOf(flow)) {
        const Resource& resource = resourceAt(hop.resource);
        if ((resource.inSet ? resource.newLevel : resource.level) == flow.rate)
            return true;
    }
    return false;
}

void FlowNetwork::solve(std::int64_t now)
{
    if (!isDirty())
        return tellChanged(now);
    m_more.clear();
    for (std::size_t i = 0; i < m_loosened.size(); ++i)
        takeLevel(resourceAt(m_loosened[i]), m_lostLevels[i]);
    m_loosened.clear();
    m_lostLevels.clear();
    for (const std::int32_t number : m_started) {
        flowAt(number).since = now;
        // A tight resource has nothing left for a newcomer: those it holds give way.
        for (const Hop& hop : hopsOf(flowAt(number))) {
            const Resource& resource = resourceAt(hop.resource);
            if (resource.level == kOpen)
                continue;
            for (const Entry& entry : resource.flows) {
                if (flowAt(entry.flow).rate == resource.level)
                    m_more.push_back(entry.flow);
            }
        }
    }
    for (const std::int32_t number : m_started)
        take(number);
    m_started.clear();
    do {
        for (const std::int32_t number : m_more)
            take(number);
        m_more.clear();
        fill();
    } while (!verify());
    adopt(now);
    tellChanged(now);
}

void FlowNetwork::tellChanged(std::int64_t now)
{
    for (const std::int32_t number : m_changed) {
        if (m_told.size() <= at(number))
            m_told.resize(m_resources.size());
        Told& told = m_told[at(number)];
        const std::int64_t used = resourceAt(number).used;
        if (told.used == used)
            continue;
        if (told.used > 0 && told.since < now)
            m_uses->push_back({number, told.since, now, told.used});
        told = {now, used};
    }
    m_changed.clear();
}

/// Progressive filling of the set over what the others leave: all resources that are full first, at the same level, fix their flows at once.
void FlowNetwork::fill()
{
    ++m_pass;
    m_solvedFlows += static_cast<std::int64_t>(m_set.size());
    m_fixed = 0;
    m_filling.clear();
    for (const std::int32_t number : m_touched) {
        Resource& resource = resourceAt(number);
        resource.room = resource.base;
        resource.unfixed = resource.members;
        resource.newLevel = kOpen;
        if (resource.members > 1) {
            m_filling.push_back({resource.room / resource.members, number});
        } else {
            Flow& flow = flowAt(resource.onlyMember);
            flow.bound = std::min(flow.bound, resource.room);
        }
    }
    for (const std::int32_t number : m_set) {
        if (flowAt(number).bound != kNever)
            m_filling.push_back({flowAt(number).bound, ~number});
    }
    const auto later = [](const Filling& a, const Filling& b) { return a.level > b.level; };
    std::make_heap(m_filling.begin(), m_filling.end(), later);
    while (m_fixed < m_set.size()) {
        // Levels only rise while others are fixed, so an outdated one is put back.
        std::int64_t level = kNever;
        m_ties.clear();
        while (!m_filling.empty() && m_filling.front().level <= level) {
            std::pop_heap(m_filling.begin(), m_filling.end(), later);
            const std::int32_t number = m_filling.back().resource;
            if (number >= 0) {
                const Resource& resource = resourceAt(number);
                if (resource.unfixed == 0) {
                    m_filling.pop_back();
                    continue;
                }
                const std::int64_t present = resource.room / resource.unfixed;
                if (present > m_filling.back().level) {
                    m_filling.back().level = present;
                    std::push_heap(m_filling.begin(), m_filling.end(), later);
                    continue;
                }
            } else if (flowAt(~number).fixedIn == m_pass) {
                m_filling.pop_back();
                continue;
            }
            level = m_filling.back().level;
            m_filling.pop_back();
            m_ties.push_back(number);
        }
        level = std::max<std::int64_t>(level, 1);
        for (const std::int32_t number : m_ties) {
            if (number >= 0)
                fix(resourceAt(number), level);
            else if (flowAt(~number).fixedIn != m_pass)
                fixFlow(flowAt(~number), level);
        }
    }
}

void FlowNetwork::fix(Resource& resource, std::int64_t level)
{
    resource.newLevel = level;
    if (resource.unfixed == 0)
        return;
    for (const Entry& entry : resource.flows) {
        Flow& flow = flowAt(entry.flow);
        if (!flow.inSet || flow.fixedIn == m_pass)
            continue;
        fixFlow(flow, level);
        if (resource.unfixed == 0)
            break;
    }
}

void FlowNetwork::fixFlow(Flow& flow, std::int64_t level)
{
    flow.fixedIn = m_pass;
    flow.newRate = level;
    flow.bound = kNever;
    ++m_fixed;
    for (const Hop& hop : hopsOf(flow)) {
        Resource& resource = resourceAt(hop.resource);
        if (resource.members == 1 && resource.room <= level)
            resource.newLevel = level;
        resource.room -= level;
        --resource.unfixed;
    }
}

/// Collects the flows outside the set that the filling has left without a tight resource, or too fast for one. True: there are none.
bool FlowNetwork::verify()
{
    for (const std::int32_t number : m_touched)
        settleLevel(resourceAt(number));
    for (const std::int32_t number : m_touched) {
        Resource& resource = resourceAt(number);
        if (resource.flows.size() == static_cast<std::size_t>(resource.members))
            continue;
        const bool lost = resource.level != kOpen && resource.newLevel != resource.level;
        if (resource.newLevel == kOpen && !lost)
            continue;
        for (const Entry& entry : resource.flows) {
            const Flow& flow = flowAt(entry.flow);
            if (flow.inSet)
                continue;
            if ((resource.newLevel != kOpen && flow.rate > resource.newLevel) || (lost && flow.rate == resource.level && !isHeld(flow)))
                m_more.push_back(entry.flow);
        }
    }
    return m_more.empty();
}

/// A resource that fixed nobody may still be tight for flows outside the set, at its old level.
void FlowNetwork::settleLevel(Resource& resource)
{
    if (resource.newLevel != kOpen || resource.level == kOpen || resource.flows.size() == static_cast<std::size_t>(resource.members))
        return;
    if (resource.room >= static_cast<std::int64_t>(resource.flows.size()))
        return;
    std::int64_t fastest = 0;
    for (const Entry& entry : resource.flows) {
        const Flow& flow = flowAt(entry.flow);
        const std::int64_t rate = flow.inSet ? flow.newRate : flow.rate;
        if (rate > resource.level)
            return;
        fastest += rate == resource.level ? 1 : 0;
    }
    if (resource.room < fastest)
        resource.newLevel = resource.level;
}

void FlowNetwork::adopt(std::int64_t now)
{
    for (const std::int32_t number : m_touched) {
        Resource& resource = resourceAt(number);
        resource.level = resource.newLevel;
        resource.used = resource.capacity - resource.room;
        resource.inSet = false;
    }
    if (m_uses)
        m_changed.insert(m_changed.end(), m_touched.begin(), m_touched.end());
    m_touched.clear();
    const std::size_t known = m_heap.size();
    std::size_t changed = 0;
    for (const std::int32_t number : m_set) {
        Flow& flow = flowAt(number);
        flow.inSet = false;
        if (flow.newRate == flow.rate)
            continue;
        flow.left -= Wide{flow.rate} * (now - flow.since);
        assert(flow.left > 0);
        flow.since = now;
        flow.rate = flow.newRate;
        const Wide duration = (flow.left + flow.rate - 1) / flow.rate;
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
    for (const Resource& resource : m_resources)
        lists += resource.flows.capacity() * sizeof(Entry);
    return static_cast<std::int64_t>(lists + m_resources.capacity() * sizeof(Resource) + m_flows.capacity() * sizeof(Flow)
                                     + m_hops.capacity() * sizeof(Hop) + m_heap.capacity() * sizeof(Ending));
}

} // namespace fabricscope
