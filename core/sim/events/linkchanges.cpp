// Links that fail or change, as far as links and their queues have to do with it: part of Network (network.h). The rules are in faults.cpp. And how long links work: times beyond 63 bits of
// picoseconds end a run with an error, instead of beginning anew at negative ones.
#include "core/base/index.h"
#include "core/sim/events/engine.h"

#include <algorithm>

namespace fabricscope::events {

void Network::changeLink(LinkId id, const Transfers::LinkNow& now)
{
    const std::int32_t number = m_routes.numberOf(id);
    if (number != kNone && static_cast<std::size_t>(number) < m_links.size())
        change(m_links[at(number)], id, now);
}

bool Network::isUp(const Route& route) const
{
    for (std::int32_t hop = 0; hop < route.hops; ++hop) {
        if (m_links[at(m_routes.link(route, hop))].down)
            return false;
    }
    return true;
}

std::vector<std::int32_t> Network::takeBlocked()
{
    std::vector<std::int32_t> moved;
    // Where the way on is open, only the first link counts.
    const auto stays = [this](std::int32_t item) {
        const Route& route = m_routes[m_messages[item].route];
        return m_messages[item].meetsSwitch() || (m_transfers->isOpen(item) ? !m_links[at(m_routes.link(route, 0))].down : isUp(route));
    };
    // Leaves in the queue what can stay; true: something has.
    const auto sift = [&](StreamQueue& queue) {
        std::int32_t item = queue.head;
        queue.head = queue.tail = kNone;
        while (item != kNone) {
            const std::int32_t following = m_messages[item].next;
            m_messages[item].next = kNone;
            if (!stays(item)) {
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

bool Network::pastClock(const Link& link, std::int64_t bytes, std::int64_t begin, std::int64_t duration)
{
    constexpr std::int64_t kAlwaysFits = Agenda::kClockEnd / kPsPerSecond; // At 1 B/s.
    __extension__ using Wide = __int128;
    const std::int64_t rate = m_given.params.linkRate[at(link.resource)].bytesPerSecond;
    const bool fits = bytes < kAlwaysFits || Wide{bytes} * kPsPerSecond < Wide{rate} * Agenda::kClockEnd;
    if (fits && duration <= Agenda::kClockEnd - begin)
        return false;
    const auto possible = static_cast<std::int64_t>(std::min<Wide>(Wide{rate} * Agenda::kClockEnd / kPsPerSecond, INT64_MAX));
    m_halt.fail(invalidInput(showBytes({bytes}) + " over a link of " + showBandwidth({rate}) + " " + (begin > 0 ? "from " + showTime(SimTime{begin}) + " on " : std::string())
                                 + "take longer than the clock reaches (106 days)",
                             {}, "less than " + showBytes({possible}) + " over such a link in all, or faster links"));
    return true;
}

} // namespace fabricscope::events
