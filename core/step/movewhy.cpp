#include "core/step/collectivereplay.h"
#include "core/program/nativerule.h"
#include "core/step/idlepath.h"

#include <algorithm>

namespace fabricscope {

namespace {

/// Buffers that are reduced into one by the receiver of a move: k (manual: models 2); 0: none.
std::int32_t reduceBuffers(const Program& program, const ReplayMove& move)
{
    if (!move.reduces)
        return 0;
    if (!program.isTemplate())
        return 1;
    const TemplateBody& body = program.asTemplate();
    const PhaseTemplate& phase = body.phasesOf(move.chunk)[static_cast<std::size_t>(move.phase)];
    return reduceBuffers(phase, body.axes[static_cast<std::size_t>(phase.axis)]);
}

} // namespace

MoveWhy CollectiveReplay::why(std::uint32_t number) const
{
    const ReplayMove& move = m_moves[number];
    IdlePath idle = idlePath(*m_scenario, nodeAt(move.source), nodeAt(move.target), move.bytes, reduceBuffers(*definition().program, move),
                             waysOf(move));
    MoveWhy why;
    why.latency = idle.latency;
    why.serialisation = idle.arrival - idle.latency;
    why.reduction = idle.done - idle.arrival;
    why.waiting = move.donePs - move.readyPs - idle.done;
    // The idle path is at the rates and latencies of the platform. Where links were faster (jitter, whose factors have mean 1; a fault that raises a
    // rate) that can make up for more than all waiting: it is taken from the other parts in turn, which still add up.
    for (std::int64_t* const part : {&why.serialisation, &why.reduction, &why.latency}) {
        const std::int64_t less = std::min(*part, std::max<std::int64_t>(-why.waiting, 0));
        *part -= less;
        why.waiting += less;
    }
    why.hops = static_cast<std::int32_t>(idle.route.size());
    why.slowestRate = idle.slowestRate;
    why.route = std::move(idle.route);
    if (!why.route.empty())
        why.waitedFor = heldByOthers(move, why.route.front(), move.leftPs - idle.ownLink);
    return why;
}

std::span<const TakenWay> CollectiveReplay::waysOf(const ReplayMove& move) const
{
    return move.ways < 0 ? std::span<const TakenWay>() : std::span<const TakenWay>(m_ways[static_cast<std::size_t>(move.ways)]);
}

/// What of a move left its source over the link.
std::int64_t CollectiveReplay::bytesOver(const ReplayMove& move, LinkId link) const
{
    if (move.ways < 0) {
        std::vector<LinkId> route;
        m_scenario->structure->platform.route(nodeAt(move.source), nodeAt(move.target), route);
        return !route.empty() && route.front() == link ? move.bytes : 0;
    }
    std::int64_t bytes = 0;
    std::int64_t begin = 0;
    for (const TakenWay& way : waysOf(move)) {
        bytes += way.links.front() == link ? way.end - begin : 0;
        begin = way.end;
    }
    return bytes;
}

/// Of the moves of the source over `link` the one that held it longest between the readiness of `move` and `until`.
/// Messages of one collective leave a link one after the other, so sorted by when they left they are sorted by when they began.
std::int64_t CollectiveReplay::heldByOthers(const ReplayMove& move, LinkId link, std::int64_t until) const
{
    if (until <= move.readyPs)
        return -1;
    const ResourceClass resource = m_scenario->structure->classOf(link);
    const auto begin = m_bySource.begin() + static_cast<std::ptrdiff_t>(m_sourceBegin[static_cast<std::size_t>(move.source)]);
    const auto end = m_bySource.begin() + static_cast<std::ptrdiff_t>(m_sourceBegin[static_cast<std::size_t>(move.source) + 1]);
    auto at = std::upper_bound(begin, end, move.readyPs, [this](std::int64_t time, std::uint32_t other) { return time < m_moves[other].leftPs; });
    std::int64_t longest = 0;
    std::int64_t found = -1;
    for (; at != end && m_moves[*at].leftPs <= move.leftPs; ++at) {
        const ReplayMove& other = m_moves[*at];
        if (&other == &move)
            continue;
        const std::int64_t bytes = bytesOver(other, link);
        if (bytes == 0)
            continue;
        const std::int64_t began = other.leftPs - m_scenario->costs->occupancy(resource, bytes);
        const std::int64_t held = std::min(other.leftPs, until) - std::max(began, move.readyPs);
        if (held > longest) {
            longest = held;
            found = *at;
        }
    }
    return found;
}

} // namespace fabricscope
