// Levels of resources: part of FlowNetwork (flownetwork.h).
#include "core/base/index.h"
#include "core/sim/events/flownetwork.h"

#include <algorithm>
#include <cassert>
#include <utility>

namespace fabricscope {

namespace {

constexpr auto kLater = [](const auto& a, const auto& b) { return a.level > b.level; };

} // namespace

std::int64_t FlowNetwork::share(Wide room, std::int64_t flows)
{
    // Room is at most a capacity.
    return room < flows ? 1 : static_cast<std::int64_t>(room) / flows;
}

/// Gives a flow that has started the least level of its resources.
void FlowNetwork::join(std::int32_t number)
{
    Path& path = m_paths[at(number)];
    std::int64_t rate = kOpen;
    forEachHop(path, [&](std::int32_t crossed, std::int32_t, std::int32_t) { rate = std::min(rate, resourceAt(crossed).level); });
    path.rate = rate;
    path.before = 0;
    m_set.push_back(number);
    forEachHop(path, [&](std::int32_t crossed, std::int32_t times, std::int32_t hop) {
        Resource& resource = resourceAt(crossed);
        if (rate == kOpen) {
            resource.open += times;
        } else {
            resource.room -= Wide{rate} * times;
            meet(crossed, times, hop, rate);
        }
        touch(crossed);
    });
}

/// The flow of a hop has this rate now: the level of the resource, or less.
void FlowNetwork::meet(std::int32_t crossed, std::int32_t times, std::int32_t hop, std::int64_t rate)
{
    Resource& resource = resourceAt(crossed);
    assert(rate <= resource.level);
    if (rate == resource.level) {
        resource.held += times;
        hold(crossed, hop);
    } else {
        resource.fastestSlow = std::max(resource.fastestSlow, rate);
    }
}

void FlowNetwork::touch(std::int32_t number)
{
    if (!std::exchange(m_lists[at(number)].isTouched, true))
        m_touched.push_back(number);
}

void FlowNetwork::sweep()
{
    m_level = 0;
    queueTouched();
    while (!m_queue.empty()) {
        std::pop_heap(m_queue.begin(), m_queue.end(), kLater);
        const Queued next = m_queue.back();
        m_queue.pop_back();
        Resource& resource = resourceAt(next.resource);
        if (resource.queued != next.level)
            continue;
        resource.queued = kNever;
        m_level = std::max(m_level, next.level);
        settle(next.resource);
        queueTouched();
    }
}

void FlowNetwork::queueTouched()
{
    for (const std::int32_t number : m_touched) {
        Resource& resource = resourceAt(number);
        m_lists[at(number)].isTouched = false;
        const std::int64_t level = lowestLevel(resource);
        if (level < resource.queued)
            queue(number, level);
    }
    if (m_uses)
        m_changed.insert(m_changed.end(), m_touched.begin(), m_touched.end());
    m_touched.clear();
}

void FlowNetwork::queue(std::int32_t number, std::int64_t level)
{
    resourceAt(number).queued = level;
    m_queue.push_back({level, number});
    std::push_heap(m_queue.begin(), m_queue.end(), kLater);
}

/// What slower flows leave.
FlowNetwork::Wide FlowNetwork::roomOf(const Resource& resource)
{
    return resource.room + (resource.held > 0 ? Wide{resource.level} * resource.held : 0);
}

/// No change of this resource concerns rates below that; kNever: its level is right. Where a flow is slower by less than the flows are many, rounding may
/// put it at the level: so much lower it begins. O(1).
std::int64_t FlowNetwork::lowestLevel(const Resource& resource) const
{
    const std::int64_t flows = resource.held + resource.open;
    if (flows == 0)
        return resource.room >= resource.total ? resource.level : m_level;
    const std::int64_t level = share(roomOf(resource), flows);
    const bool clear = resource.fastestSlow < level - resource.total;
    if (clear && level == resource.level)
        return kNever;
    return std::max(m_level, std::min(level, resource.level) - (clear ? 0 : resource.total));
}

/// The level that the rates of slower flows leave those at its level or open, whatever holds these elsewhere.
std::int64_t FlowNetwork::levelOf(std::int32_t number)
{
    const Resource& resource = resourceAt(number);
    const std::int64_t flows = resource.held + resource.open;
    if (flows == 0) {
        if (resource.room >= resource.total)
            return kOpen;
    } else if (const std::int64_t level = share(roomOf(resource), flows); resource.fastestSlow < level - resource.total) {
        return level;
    }
    // Progressive filling of this one.
    m_demands.clear();
    for (const Entry& entry : m_lists[at(number)].flows) {
        const std::int64_t rate = m_paths[at(entry.flow)].rate;
        m_demands.push_back({rate < resource.level ? rate : kOpen, entry});
    }
    return filled(m_capacities[at(number)], m_level);
}

/// The least level at which the demands fill the room, that is not below this one.
std::int64_t FlowNetwork::filled(Wide room, std::int64_t level) const
{
    for (;;) {
        Wide slow = 0;
        std::int64_t flows = 0;
        for (const Demand& demand : m_demands) {
            if (demand.rate < level)
                slow += Wide{demand.rate} * timesOf(demand.of.hop);
            else
                flows += timesOf(demand.of.hop);
        }
        if (flows == 0)
            return kOpen;
        const std::int64_t next = share(room - slow, flows);
        if (next <= level)
            return level;
        level = next;
    }
}

/// Gives a resource the level that it has now, or puts it off until others are done that come before.
void FlowNetwork::settle(std::int32_t number)
{
    Resource& resource = resourceAt(number);
    std::int64_t level = lowestLevel(resource);
    if (level == kNever)
        return;
    const std::int64_t others = m_queue.empty() ? kNever : m_queue.front().level;
    if (level > others)
        return queue(number, level);
    level = levelOf(number);
    const std::int64_t first = std::min(level, resource.level);
    if (level != resource.level && first > others)
        return queue(number, first);
    if (level != resource.level)
        m_level = std::max(m_level, first);
    if (level > resource.level)
        raise(number, level);
    else
        lower(number, level);
}

/// The flows it holds, and those that are faster elsewhere, get this level.
void FlowNetwork::lower(std::int32_t number, std::int64_t level)
{
    Resource& resource = resourceAt(number);
    List& list = m_lists[at(number)];
    if (level != resource.level) {
        resource.level = level;
        for (std::size_t i = 0; i < list.held; ++i)
            setRate(list.flows[i].flow, level, number);
    }
    if (resource.fastestSlow < level - resource.total && resource.open == 0)
        return;
    resource.fastestSlow = 0;
    for (std::size_t i = list.held; i < list.flows.size(); ++i) {
        const Entry entry = list.flows[i];
        const std::int64_t rate = m_paths[at(entry.flow)].rate;
        if (rate > level)
            setRate(entry.flow, level, number);
        if (rate < level) {
            resource.fastestSlow = std::max(resource.fastestSlow, rate);
        } else {
            resource.held += timesOf(entry.hop);
            swapEntries(number, i, list.held++);
        }
    }
}

/// The flows it holds get what it has for them, or what holds them elsewhere. `least`: no level is lower.
void FlowNetwork::raise(std::int32_t number, std::int64_t least)
{
    Resource& resource = resourceAt(number);
    const List& list = m_lists[at(number)];
    const std::int64_t before = resource.level;
    m_demands.clear();
    for (std::size_t i = 0; i < list.held; ++i) {
        std::int64_t elsewhere = kOpen;
        forEachHop(m_paths[at(list.flows[i].flow)], [&](std::int32_t crossed, std::int32_t, std::int32_t) {
            if (crossed != number)
                elsewhere = std::min(elsewhere, resourceAt(crossed).level);
        });
        m_demands.push_back({elsewhere, list.flows[i]});
    }
    resource.level = filled(roomOf(resource), least);
    for (const Demand& demand : m_demands) {
        const std::int64_t rate = std::min(demand.rate, resource.level);
        if (rate != before)
            setRate(demand.of.flow, rate, number);
        if (rate == resource.level)
            continue;
        resource.fastestSlow = std::max(resource.fastestSlow, rate);
        resource.held -= timesOf(demand.of.hop);
        letGo(number, demand.of.hop);
    }
}

/// `except`: the resource that gives it the rate and knows whether it holds the flow.
void FlowNetwork::setRate(std::int32_t number, std::int64_t rate, std::int32_t except)
{
    Path& path = m_paths[at(number)];
    const std::int64_t before = std::exchange(path.rate, rate);
    if (path.before == kUnset) {
        path.before = before;
        m_set.push_back(number);
    }
    forEachHop(path, [&](std::int32_t crossed, std::int32_t times, std::int32_t hop) {
        Resource& resource = resourceAt(crossed);
        if (before == kOpen) {
            resource.open -= times;
            resource.room -= Wide{rate} * times;
        } else {
            resource.room -= Wide{rate - before} * times;
        }
        if (crossed == except)
            return;
        if (before == resource.level && before != kOpen) {
            resource.held -= times;
            letGo(crossed, hop);
        }
        meet(crossed, times, hop, rate);
        touch(crossed);
    });
}

} // namespace fabricscope
