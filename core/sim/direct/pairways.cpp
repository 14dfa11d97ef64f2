#include "core/sim/direct/pairways.h"

#include "core/base/index.h"
#include "core/base/quantity.h"
#include "core/sim/common/runpace.h"

#include <limits>

namespace fabricscope::events {

namespace {

constexpr std::size_t kLongestWay = std::numeric_limits<std::uint16_t>::max(); ///< Links; PhaseTraffic counts them in so many bits.

} // namespace

Error overMemory(std::int64_t limit)
{
    return {ErrorCode::MemoryLimit, "the simulation needs more memory than the limit of " + showBytes({limit}), {}, "a higher memory limit"};
}

Status PairWays::find(std::span<const std::int32_t> asks, std::int32_t stream, const std::stop_token& stop)
{
    m_asks.assign(asks.begin(), asks.end());
    const std::int64_t limit = m_state.options.memoryLimit;
    const std::size_t count = m_nodes.size() * (m_nodes.size() - 1);
    if (limit > 0 && static_cast<std::int64_t>(count * 2 * sizeof(std::uint32_t)) + m_state.memoryBytes() > limit)
        return overMemory(limit);
    m_begin.resize(count);
    m_end.resize(count);
    for (std::int32_t slot = 1; slot < positions(); ++slot) {
        if (stop.stop_requested())
            return stoppedRun();
        if (limit > 0 && bytes() + m_state.memoryBytes() > limit)
            return overMemory(limit);
        if (Status status = findOf(slot, stream); !status)
            return status;
        if (slot == positions() / 2) // About as many again.
            m_links.reserve(2 * m_links.size() + m_links.size() / 16);
    }
    m_state.network.useNewLinks();
    m_uses = {};
    return {};
}

Status PairWays::findOf(std::int32_t slot, std::int32_t stream)
{
    for (std::int32_t position = 0; position < positions(); ++position) {
        const NodeId source = m_nodes[at(position)];
        const NodeId node = m_nodes[at(target(position, slot))];
        m_way.clear();
        if (source == node || !m_state.routes.appendChosen(source, node, {static_cast<std::uint64_t>(stream), 0}, m_way) || m_way.empty())
            return onlyEvents("a message has no way");
        if (m_way.size() > kLongestWay || m_links.size() + m_way.size() > std::numeric_limits<std::uint32_t>::max())
            return onlyEvents("the ways have too many links");
        m_begin[number(position, slot)] = static_cast<std::uint32_t>(m_links.size());
        for (const LinkId link : m_way)
            m_links.push_back(m_state.routes.use(link));
        m_end[number(position, slot)] = static_cast<std::uint32_t>(m_links.size());
        if (mixes(m_begin[number(position, slot)]))
            return onlyEvents("messages begin on links that others pass");
    }
    return {};
}

/// Do messages begin on a link that another passes, as far as the way at a place and those before it tell? When they begin must be a matter of their sender alone.
bool PairWays::mixes(std::uint32_t from)
{
    enum : std::uint8_t { kBegins = 1, kPasses = 2 };
    m_uses.resize(m_state.routes.linkIds().size(), 0);
    bool mixed = false;
    for (std::size_t place = from; place < m_links.size(); ++place) {
        std::uint8_t& uses = m_uses[at(m_links[place])];
        uses |= place == from ? kBegins : kPasses;
        mixed |= uses == (kBegins | kPasses);
    }
    return mixed;
}

void PairWays::forEach(const std::function<bool(NodeId source, NodeId target, std::span<const std::int32_t> links)>& see) const
{
    for (const std::int32_t position : m_asks) {
        for (std::int32_t slot = 1; slot < positions(); ++slot) {
            const std::uint32_t first = begin(position, slot);
            const std::span<const std::int32_t> links(m_links.data() + first, end(position, slot) - first);
            if (!see(m_nodes[at(position)], m_nodes[at(target(position, slot))], links))
                return;
        }
    }
}

} // namespace fabricscope::events
