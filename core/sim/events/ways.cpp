// Ways that pieces choose by the queues of links (manual: models 3.8), and which ways messages took, for those who ask (RunOptions::ways): part of Transfers (transfers.h), the
// last step of Network.
//
// A piece that chooses has a whole way at all times: the links it has crossed, and from there on the straight one, which it takes no further than to the next node where it chooses.
//
// A message that is one piece of work has the way of its
// route when it is delivered; where a failure turned it away, that
// begins with the links it had crossed. One in parts has those of its parts, which were drawn, turned
// away or waited each for itself; they are kept until the last one is there.
#include "core/base/index.h"
#include "core/sim/events/engine.h"

namespace fabricscope::events {

NodeId Transfers::nodeOf(const Piece& piece) const
{
    return m_params.graph->from(m_routes.linkIds()[at(m_routes.link(m_routes[m_messages[piece.message].route], piece.hop))]);
}

void Transfers::leavesQueue(std::int32_t number)
{
    Choosing& choosing = m_choosing[at(number)];
    if (choosing.link == kNone)
        return;
    m_waiting[at(choosing.link)] -= choosing.time;
    choosing.link = kNone;
}

void Transfers::chooseOwnLinks()
{
    if (m_beginning.empty())
        return;
    std::vector<std::int32_t> beginning;
    beginning.swap(m_beginning);
    const auto source = [this](std::int32_t number) { return m_routes[m_messages[number].route].source; };
    std::sort(beginning.begin(), beginning.end(), [&](std::int32_t a, std::int32_t b) {
        return source(a) != source(b) ? source(a) < source(b) : m_engine.network.compareAtSource(m_messages[a], m_messages[b]) < 0;
    });
    for (const std::int32_t number : beginning) {
        if (m_engine.halt.look())
            return;
        if (!chooseWay(number, source(number), 0)) {
            m_stalled.push_back(number);
            continue;
        }
        const Message& message = m_messages[number];
        const std::int32_t own = m_routes.link(m_routes[message.route], 0);
        if (m_waiting.size() <= static_cast<std::size_t>(own))
            m_waiting.resize(static_cast<std::size_t>(own) + 1, 0);
        Choosing& choosing = m_choosing[at(number)];
        choosing.link = own;
        choosing.time = shareOfPiece(message, 0, m_given.pieceBytes, [&](std::int64_t bytes) { return m_given.costs.occupancy(m_engine.network.links()[at(own)].resource, bytes); });
        m_waiting[at(own)] += choosing.time;
        m_engine.network.depart(number);
    }
}

bool Transfers::chooseLink(std::int32_t item)
{
    const Piece& piece = m_pieces[item];
    if (!isOpen(piece.message))
        return true;
    const NodeId node = nodeOf(piece);
    if (chooseWay(piece.message, node, piece.hop))
        return true;
    m_held.push_back({item, node});
    return false;
}

/// Until when the link has work, from now on; where a message begins also what waits for it.
std::int64_t Transfers::queueOf(LinkId link, bool begins) const
{
    const std::vector<Link>& links = m_engine.network.links();
    const std::int32_t number = m_routes.numberOf(link);
    if (number == kNone || static_cast<std::size_t>(number) >= links.size())
        return 0;
    const auto place = static_cast<std::size_t>(number);
    return std::max<std::int64_t>(0, links[place].committed - m_agenda.now()) + (begins && place < m_waiting.size() ? m_waiting[place] : 0);
}

/// A message at a node, behind so many links: the way over the link with the shortest queue, or all of its way. False: there is none.
bool Transfers::chooseWay(std::int32_t number, NodeId node, std::int32_t hop)
{
    Message& message = m_messages[number];
    const Route& before = m_routes[message.route];
    m_closer.clear();
    m_router.closerLinks(node, before.target, hop > 0, m_closer);
    if (m_closer.empty())
        return false;
    LinkId best = m_closer.front();
    std::int64_t least = queueOf(best, hop == 0);
    for (const LinkId link : m_closer) {
        if (const std::int64_t queue = queueOf(link, hop == 0); queue < least) {
            best = link;
            least = queue;
        }
    }
    m_way.clear();
    m_router.straightOver(best, before.target, flowOf(message, number), m_way);
    if (m_router.settlesAt(node, m_way))
        settleWay(message, number, node, hop == 0);
    message.route = m_routes.goingOn(message.route, hop, m_way);
    m_engine.network.useNewLinks();
    return true;
}

/// UGAL: straight on over m_way, or by what Valiant draws.
void Transfers::settleWay(const Message& message, std::int32_t number, NodeId node, bool begins)
{
    m_choosing[at(number)].settled = true;
    // Queues reach 53 days of picoseconds, which products with links exceed.
    __extension__ using Product = __int128;
    const auto weighed = [&](const std::vector<LinkId>& way) { return Product{queueOf(way.front(), begins)} * m_router.switchLinks(way); };
    if (weighed(m_way) == 0)
        return;
    const Route& ends = m_routes[message.route];
    m_drawn.clear();
    if (m_router.drawnWay(node, ends.source, ends.target, flowOf(message, number), m_drawn) && weighed(m_drawn) < weighed(m_way))
        m_way.swap(m_drawn);
}

/// All heads of a node in tie order, whatever link they take: each chooses by the queues that the one before has left (manual: models 3.8).
bool Network::serveHeadsAtNodes()
{
    std::vector<std::int32_t> heads;
    heads.swap(m_nodeHeads);
    std::sort(heads.begin(), heads.end(), [this](std::int32_t a, std::int32_t b) {
        const NodeId first = m_transfers->nodeOf(m_pieces[a]);
        const NodeId second = m_transfers->nodeOf(m_pieces[b]);
        return first != second ? first < second : comparePieces(m_pieces[a], m_pieces[b], false) < 0;
    });
    for (const std::int32_t item : heads) {
        if (m_halt.look())
            return false;
        if (!m_transfers->chooseLink(item))
            continue;
        const std::int32_t link = m_routes.link(m_routes[m_messages[m_pieces[item].message].route], m_pieces[item].hop);
        passCrossbar(item, link);
        serveHead(item, link);
    }
    return true;
}

std::vector<LinkId> Transfers::linksTaken(const Message& message) const
{
    std::vector<LinkId> taken;
    m_routes.appendLinks(message.route, taken);
    return taken;
}

/// A part is there. Control messages and signals carry none of the bytes.
void Transfers::keepWayOfPart(const Message& part)
{
    std::vector<LinkId> taken = linksTaken(part);
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
        ways.push_back({message.bytes, m_transfers->linksTaken(message)});
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
