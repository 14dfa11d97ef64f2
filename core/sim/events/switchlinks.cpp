// Messages to and from switches: part of Network (network.h). What switches do with them is switches.h.
#include "core/base/index.h"
#include "core/sim/events/engine.h"

namespace fabricscope::events {

/// A piece on its way up or down: true when it is at the switch, and is handled there.
bool Network::crossedSwitch(std::int32_t number, std::int32_t index, std::int64_t head, std::int64_t tail, std::int32_t hop)
{
    Message& message = m_messages[number];
    if (hop > 1) {
        message.left = tail - m_links[at(m_routes.link(m_routes[message.route], 1))].latency;
        return false;
    }
    m_switches.contribute(message, index, head, tail, m_order);
    if (index + 1 == message.pieces)
        m_agenda.push(tail, EventKind::Delivered, number);
    return true;
}

/// `ideal`: the message as one piece over one link that is never busy; the down-link is the last.
void Network::passLink(std::int32_t number, Link& link, std::int64_t head, std::int64_t tail)
{
    Message& message = m_messages[number];
    const std::int64_t duration = m_given.costs.occupancy(link.resource, message.bytes);
    addBusy(link, head, head + duration);
    ++link.messages;
    link.bytes += message.bytes;
    link.busy += duration;
    message.left = std::max(head + duration, tail);
    tail = message.left + link.latency;
    head += link.latency;
    if (std::holds_alternative<ToSwitch>(message.of)) {
        ++m_order;
        leftOwnLink(number);
        crossedSwitch(number, 0, head, tail, 1);
    } else {
        land(number, 0, head, tail, kNone);
    }
}

std::int32_t Network::sendDown(const Message& message)
{
    const std::int32_t number = m_messages.take();
    m_messages[number] = message;
    ++m_messageCount;
    return number;
}

void Network::passDown(std::int32_t number, std::int32_t index, std::int64_t head, std::int64_t tail)
{
    if (m_given.ideal) {
        passLink(number, m_links[at(m_routes.link(m_routes[m_messages[number].route], 1))], head, tail);
        return;
    }
    ++m_order;
    const std::int32_t piece = keepPiece(kNone, number, index, head, tail);
    m_pieces[piece].hop = 1;
    m_agenda.push(head, EventKind::HeadAtLink, piece);
}

} // namespace fabricscope::events
