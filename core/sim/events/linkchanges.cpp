// Links that fail or change, as far as links and their queues have to do with it: part of Network (network.h). The rules are in faults.cpp.
#include "core/sim/events/engine.h"

namespace fabricscope::events {

void Network::changeLink(LinkId id, const Transfers::LinkNow& now)
{
    const std::int32_t number = m_routes.numberOf(id);
    if (number != kNone && static_cast<std::size_t>(number) < m_links.size())
        change(m_links[static_cast<std::size_t>(number)], id, now);
}

bool Network::isUp(const Route& route) const
{
    for (std::int32_t hop = 0; hop < route.hops; ++hop) {
        if (m_links[static_cast<std::size_t>(m_routes.link(route, hop))].down)
            return false;
    }
    return true;
}

std::vector<std::int32_t> Network::takeBlocked()
{
    std::vector<std::int32_t> moved;
    // Leaves in the queue what can stay; true: something has.
    const auto sift = [&](StreamQueue& queue) {
        std::int32_t item = queue.head;
        queue.head = queue.tail = kNone;
        while (item != kNone) {
            const std::int32_t following = m_messages[item].next;
            m_messages[item].next = kNone;
            if (!m_messages[item].meetsSwitch() && !isUp(m_routes[m_messages[item].route])) {
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
    for (Link& link : m_links) {
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
