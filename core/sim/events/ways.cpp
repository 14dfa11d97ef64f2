// Which ways messages took, for those who ask (RunOptions::ways): part of Transfers (transfers.h), the last step of Network. A message that is one piece of work has the way of its
// route when it is delivered, behind the links it crossed before a failure turned it away. One in parts has those of its parts, which were drawn, turned
// away or waited each for itself; they are kept until the last one is there.
#include "core/sim/events/engine.h"

namespace fabricscope::events {

/// A piece is about to go another way: keeps the links it has crossed.
void Transfers::keepCrossed(const Piece& piece)
{
    const Route& route = m_routes[m_messages[piece.message].route];
    std::vector<LinkId>& crossed = m_crossed[piece.message];
    for (std::int32_t hop = 0; hop < piece.hop; ++hop)
        crossed.push_back(m_routes.linkIds()[static_cast<std::size_t>(m_routes.link(route, hop))]);
}

std::vector<LinkId> Transfers::linksTaken(std::int32_t number, const Message& message)
{
    std::vector<LinkId> taken;
    if (auto crossed = m_crossed.extract(number))
        taken = std::move(crossed.mapped());
    m_routes.appendLinks(message.route, taken);
    return taken;
}

/// A part is there. Control messages and signals carry none of the bytes.
void Transfers::keepWayOfPart(std::int32_t number, const Message& part)
{
    std::vector<LinkId> taken = linksTaken(number, part);
    const std::int64_t begin = payloadBytes(part, part.offset);
    const std::int64_t end = payloadBytes(part, part.offset + part.bytes);
    if (part.kind != MessageKind::Part || begin == end)
        return;
    std::vector<TakenWay>& ways = m_ofParts[part.parent];
    if (!ways.empty() && ways.back().end == begin && ways.back().links == taken)
        ways.back().end = end;
    else
        ways.push_back({end, std::move(taken)});
}

std::vector<TakenWay> Transfers::waysOfParts(std::int32_t message)
{
    auto ofParts = m_ofParts.extract(message);
    return ofParts ? std::move(ofParts.mapped()) : std::vector<TakenWay>();
}

/// Tells of the ways of a message that is about to be told of.
void Network::tellWays(std::int32_t number, const Message& message, const MessageRecord& record)
{
    if (message.meetsSwitch() || m_given.structure.placement.nodeOf(record.source) == m_given.structure.placement.nodeOf(record.target))
        return;
    std::vector<TakenWay> ways;
    if (m_transfers)
        ways = m_transfers->waysOfParts(number);
    if (ways.empty() && m_transfers)
        ways.push_back({message.bytes, m_transfers->linksTaken(number, message)});
    else if (ways.empty())
        m_routes.appendLinks(message.route, ways.emplace_back(TakenWay{message.bytes, {}}).links);
    // Parts arrive in any order, and those that began next to each other may have gone one way.
    std::sort(ways.begin(), ways.end(), [](const TakenWay& a, const TakenWay& b) { return a.end < b.end; });
    std::size_t kept = 0;
    for (std::size_t next = 1; next < ways.size(); ++next) {
        if (ways[kept].links == ways[next].links)
            ways[kept].end = ways[next].end;
        else if (++kept != next)
            ways[kept] = std::move(ways[next]);
    }
    ways.resize(kept + 1);
    assert(ways.back().end == message.bytes);
    m_given.options.ways(ways);
}

} // namespace fabricscope::events
