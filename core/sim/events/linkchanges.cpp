// Links that fail or change, as far as links and their queues have to do with it: part of Engine (engine.h). The rules are in faults.cpp.
#include "core/sim/events/engine.h"

namespace fabricscope::events {

void Engine::changeLink(LinkId id, const Transfers::LinkNow& now)
{
    const std::int32_t number = routes.numberOf(id);
    if (number != kNone && static_cast<std::size_t>(number) < links.size())
        change(links[static_cast<std::size_t>(number)], id, now);
}

bool Engine::isUp(const Route& route) const
{
    for (std::int32_t hop = 0; hop < route.hops; ++hop) {
        if (links[static_cast<std::size_t>(routes.link(route, hop))].down)
            return false;
    }
    return true;
}

std::vector<std::int32_t> Engine::takeBlocked()
{
    std::vector<std::int32_t> moved;
    // Leaves in the queue what can stay; true: something has.
    const auto sift = [&](StreamQueue& queue) {
        std::int32_t item = queue.head;
        queue.head = queue.tail = kNone;
        while (item != kNone) {
            const std::int32_t following = m_messages[item].next;
            m_messages[item].next = kNone;
            if (m_messages[item].way == SwitchWay::None && !isUp(routes[m_messages[item].route])) {
                moved.push_back(item);
            } else {
                if (queue.head == kNone)
                    queue.head = item;
                else
                    m_messages[queue.tail].next = item;
                queue.tail = item;
            }
            item = following;
        }
        return queue.head != kNone;
    };
    for (Link& link : links) {
        std::int32_t number = link.roundHead;
        link.roundHead = link.roundTail = kNone;
        while (number != kNone) {
            const std::int32_t following = m_queues[number].next;
            m_queues[number].next = kNone;
            if (!sift(m_queues[number])) {
                m_queues.give(number);
            } else {
                if (link.roundHead == kNone)
                    link.roundHead = number;
                else
                    m_queues[link.roundTail].next = number;
                link.roundTail = number;
            }
            number = following;
        }
        if (link.deferred != kNone && !sift(m_queues[link.deferred])) {
            m_queues.give(link.deferred);
            link.deferred = kNone;
        }
    }
    return moved;
}

} // namespace fabricscope::events
