// What limits all links of an NPU or of a switch together, injection budgets and crossbars: part of Network (network.h), manual: models 3.4.
#include "core/base/index.h"
#include "core/sim/events/engine.h"

#include <algorithm>

namespace fabricscope::events {

/// Rule 4, injection: the picks of one NPU and instant in tie order.
void Network::spendInjection()
{
    const auto node = [this](const Picked& picked) { return m_routes[m_messages[picked.message].route].source; };
    std::sort(m_picked.begin(), m_picked.end(), [&](const Picked& a, const Picked& b) {
        if (node(a) != node(b))
            return node(a) < node(b);
        if (const int c = compareMessages(m_messages[a.message], m_messages[b.message]))
            return c < 0;
        const auto begin = [this](const Picked& picked) { return m_messages[picked.message].offset + picked.index * m_given.pieceBytes; };
        if (begin(a) != begin(b))
            return begin(a) < begin(b);
        return compareAtSource(m_messages[a.message], m_messages[b.message]) < 0;
    });
    for (const Picked& picked : m_picked) {
        Endpoint& endpoint = m_endpoints[at(node(picked))];
        const std::int64_t work = pieceShare(m_messages[picked.message], picked.index, [&](std::int64_t bytes) { return m_given.costs.injection(bytes); });
        endpoint.injection = std::max(endpoint.injection, m_agenda.now()) + work;
        crossed(picked.message, picked.index, picked.head, std::max(picked.tail, endpoint.injection + picked.latency), 1, kNone);
    }
    m_picked.clear();
}

/// Entry of Params::crossbars of the switch that a link leaves; kNone: nothing limits what comes through there. O(log crossbars).
std::int32_t Network::crossbarBefore(LinkId link) const
{
    const auto& limits = m_given.params.crossbars;
    if (limits.empty())
        return kNone;
    const NodeId node = m_given.structure.platform.linkInfo(link).from;
    const auto found = std::lower_bound(limits.begin(), limits.end(), node, [](const auto& limit, NodeId number) { return limit.first < number; });
    return found != limits.end() && found->first == node ? static_cast<std::int32_t>(found - limits.begin()) : kNone;
}

/// The head of a piece is at the switch that the link leaves. What the switch sums or copies itself has rates of its own and does not count.
void Network::passCrossbar(std::int32_t item, std::int32_t link)
{
    const std::int32_t place = m_links[at(link)].crossbar;
    Piece& piece = m_pieces[item];
    const Message& message = m_messages[piece.message];
    if (place == kNone || message.meetsSwitch())
        return;
    const auto number = static_cast<std::size_t>(place);
    Crossbar& crossbar = m_crossbars[number];
    const std::int64_t work = pieceShare(message, piece.index, [&](std::int64_t bytes) { return m_given.costs.crossbar(number, bytes); });
    const std::int64_t begin = std::max(crossbar.committed, m_agenda.now());
    if (work > Agenda::kClockEnd - begin) {
        m_halt.fail(invalidInput(showBytes({message.bytes}) + " through a crossbar of " + showBandwidth(m_given.params.crossbars[number].second)
                                     + (begin > 0 ? " from " + showTime(SimTime{begin}) + " on" : std::string()) + " take longer than the clock reaches (106 days)", {}, "fewer bytes, or a faster crossbar"));
        return;
    }
    crossbar.committed = begin + work;
    crossbar.busy += work;
    crossbar.delayed += crossbar.committed > piece.tail ? 1 : 0;
    piece.tail = std::max(piece.tail, crossbar.committed);
}

/// Heads of this instant, those of one switch in tie order, whatever links they take on from there. False: the run has to stop.
bool Network::passCrossbars()
{
    const auto linkOf = [this](std::int32_t item) { return m_routes.link(m_routes[m_messages[m_pieces[item].message].route], m_pieces[item].hop); };
    const auto crossbarOf = [&](std::int32_t item) { return m_links[at(linkOf(item))].crossbar; };
    std::sort(m_crossbarHeads.begin(), m_crossbarHeads.end(), [&](std::int32_t a, std::int32_t b) {
        return crossbarOf(a) != crossbarOf(b) ? crossbarOf(a) < crossbarOf(b) : comparePieces(m_pieces[a], m_pieces[b], false) < 0;
    });
    for (const std::int32_t item : m_crossbarHeads) {
        if (m_halt.look())
            return false;
        passCrossbar(item, linkOf(item));
    }
    m_crossbarHeads.clear();
    return true;
}

} // namespace fabricscope::events
