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

/// One for each limit of a graph, one for each line of a dimension whose switches have a limit.
void Network::makeCrossbars()
{
    m_crossbars.clear();
    const Platform& platform = m_given.structure.platform;
    const auto& limits = m_given.params.crossbars;
    for (std::size_t limit = 0; limit < limits.size(); ++limit) {
        const std::int32_t lines = platform.isExplicit() ? 1 : platform.npuCount() / platform.dimensions()[at(limits[limit].first)].size;
        m_crossbars.insert(m_crossbars.end(), at(lines), {static_cast<std::int32_t>(limit)});
    }
}

/// The crossbar of the switch that a link leaves; kNone: nothing limits what comes through there. O(log crossbars), and O(limited dimensions).
std::int32_t Network::crossbarBefore(LinkId link) const
{
    const auto& limits = m_given.params.crossbars;
    if (limits.empty())
        return kNone;
    const Platform& platform = m_given.structure.platform;
    const LinkInfo info = platform.linkInfo(link);
    if (platform.isExplicit()) {
        const auto found = std::lower_bound(limits.begin(), limits.end(), info.from, [](const auto& limit, NodeId number) { return limit.first < number; });
        return found != limits.end() && found->first == info.from ? static_cast<std::int32_t>(found - limits.begin()) : kNone;
    }
    std::int32_t base = 0;
    for (const auto& [dimension, rate] : limits) {
        const std::int64_t size = platform.dimensions()[at(dimension)].size;
        const std::int64_t stride = platform.stride(at(dimension));
        if (dimension == info.dimension) // The switch is nobody's number.
            return info.from < 0 ? base + static_cast<std::int32_t>(info.owner / (stride * size) * stride + info.owner % stride) : kNone;
        base += static_cast<std::int32_t>(platform.npuCount() / size);
    }
    return kNone;
}

/// The head of a piece is at the switch that the link leaves. What the switch sums or copies itself has rates of its own and does not count.
void Network::passCrossbar(std::int32_t item, std::int32_t link)
{
    const std::int32_t place = m_links[at(link)].crossbar;
    Piece& piece = m_pieces[item];
    const Message& message = m_messages[piece.message];
    if (place == kNone || message.meetsSwitch())
        return;
    Crossbar& crossbar = m_crossbars[at(place)];
    const std::size_t number = at(crossbar.limit);
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

/// Heads at crossbars, those of one switch in tie order. Ports of a dimension's switch are in the order of the NPUs below them, as those of a graph are in
/// the order of its links: what is left open there says nothing of ranks, only of where they are plugged in.
int Network::comparePassing(std::int32_t a, std::int32_t b) const
{
    const auto linkAt = [this](std::int32_t item, std::int32_t back) { return m_routes.link(m_routes[m_messages[m_pieces[item].message].route], m_pieces[item].hop - back); };
    const auto order = [](std::int64_t first, std::int64_t second) { return first < second ? -1 : first > second ? 1 : 0; };
    if (const int c = order(m_links[at(linkAt(a, 0))].crossbar, m_links[at(linkAt(b, 0))].crossbar))
        return c;
    if (m_given.structure.platform.isExplicit())
        return comparePieces(m_pieces[a], m_pieces[b], false);
    if (const int c = compareBeforePorts(m_pieces[a], m_pieces[b]))
        return c;
    return order(m_routes.linkIds()[at(linkAt(a, 1))], m_routes.linkIds()[at(linkAt(b, 1))]);
}

/// Whatever links heads of this instant take on from there. False: the run has to stop.
bool Network::passCrossbars()
{
    std::sort(m_crossbarHeads.begin(), m_crossbarHeads.end(), [this](std::int32_t a, std::int32_t b) { return comparePassing(a, b) < 0; });
    for (const std::int32_t item : m_crossbarHeads) {
        if (m_halt.look())
            return false;
        passCrossbar(item, m_routes.link(m_routes[m_messages[m_pieces[item].message].route], m_pieces[item].hop));
    }
    m_crossbarHeads.clear();
    return true;
}

} // namespace fabricscope::events
