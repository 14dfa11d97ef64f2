// Which ways messages took, for those who ask (RunOptions::ways): part of Engine (engine.h). A message that is one piece of work has the way of its
// route when it is delivered, behind the links it crossed before a failure turned it away. One in parts has those of its parts, which were drawn, turned
// away or waited each for itself; they are kept until the last one is there.
#include "core/sim/events/engine.h"

namespace fabricscope::events {

/// A piece is about to go another way: keeps the links it has crossed.
void Engine::keepCrossed(const Piece& piece)
{
    const Route& route = routes[m_messages[piece.message].route];
    std::vector<LinkId>& crossed = network->crossed[piece.message];
    for (std::int32_t hop = 0; hop < piece.hop; ++hop)
        crossed.push_back(routes.linkIds()[static_cast<std::size_t>(routes.link(route, hop))]);
}

/// All links a delivered message, or part of one, has crossed; its number may be used again after that.
std::vector<LinkId> Engine::linksTaken(std::int32_t number, const Message& message)
{
    std::vector<LinkId> taken;
    if (network) {
        if (auto crossed = network->crossed.extract(number))
            taken = std::move(crossed.mapped());
    }
    const Route& route = routes[message.route];
    for (std::int32_t hop = 0; hop < route.hops; ++hop)
        taken.push_back(routes.linkIds()[static_cast<std::size_t>(routes.link(route, hop))]);
    return taken;
}

/// A part is there. Control messages and signals carry none of the bytes.
void Engine::keepWayOfPart(std::int32_t number, const Message& part)
{
    std::vector<LinkId> taken = linksTaken(number, part);
    const std::int64_t begin = payloadBytes(part, part.offset);
    const std::int64_t end = payloadBytes(part, part.offset + part.bytes);
    if (part.kind != MessageKind::Part || begin == end)
        return;
    std::vector<TakenWay>& ways = network->ofParts[part.parent];
    if (!ways.empty() && ways.back().end == begin && ways.back().links == taken)
        ways.back().end = end;
    else
        ways.push_back({end, std::move(taken)});
}

/// Tells of the ways of a message that is about to be told of.
void Engine::tellWays(std::int32_t number, const Message& message, const MessageRecord& record)
{
    if (message.way != SwitchWay::None || structure.placement.nodeOf(record.source) == structure.placement.nodeOf(record.target))
        return;
    std::vector<TakenWay> ways;
    if (network) {
        if (auto ofParts = network->ofParts.extract(number))
            ways = std::move(ofParts.mapped());
    }
    if (ways.empty())
        ways.push_back({message.bytes, linksTaken(number, message)});
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
    options.ways(ways);
}

} // namespace fabricscope::events
