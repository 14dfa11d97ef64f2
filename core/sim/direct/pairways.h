#pragma once

#include "core/sim/events/enginestate.h"

#include <span>
#include <vector>

namespace fabricscope::events {

/// What refuses a run that only the event engine follows.
inline Error onlyEvents(const char* why)
{
    return {ErrorCode::Unsupported, why, {}, "the engine auto or events"};
}

/// What ends a run whose memory grows beyond its limit.
Error overMemory(std::int64_t limit);

/// The ways of all messages of a direct phase: from every position to every other. Memory: 4 bytes a link of a way, 8 a way.
class PairWays final : public OtherWays {
public:
    /// \param nodes by position; they must outlive this.
    PairWays(EngineState& state, std::span<const NodeId> nodes) : m_state(state), m_nodes(nodes) {}

    /// Finds them all, for messages of that stream, and numbers their links in Routes. `asks`: positions in the order in which their messages ask for ways.
    /// Errors: Cancelled, MemoryLimit; Unsupported where there is none, or a message begins on a link that another one passes.
    Status find(std::span<const std::int32_t> asks, std::int32_t stream, const std::stop_token& stop);

    /// Place of the first link of the way from a position to the one `slot` on, 1 .. positions - 1; and behind the last.
    std::uint32_t begin(std::int32_t position, std::int32_t slot) const { return m_begin[number(position, slot)]; }
    std::uint32_t end(std::int32_t position, std::int32_t slot) const { return m_end[number(position, slot)]; }
    /// Link at a place, as Routes numbers them.
    std::int32_t link(std::uint32_t place) const { return m_links[place]; }
    std::int32_t positions() const { return static_cast<std::int32_t>(m_nodes.size()); }
    std::int32_t target(std::int32_t position, std::int32_t slot) const
    {
        const std::int32_t other = position + slot;
        return other < positions() ? other : other - positions();
    }

    void forEach(const std::function<bool(NodeId source, NodeId target, std::span<const std::int32_t> links)>& see) const override;
    std::int64_t bytes() const { return static_cast<std::int64_t>((m_begin.capacity() + m_end.capacity() + m_links.capacity()) * sizeof(std::uint32_t)); }

private:
    /// Ranks send to slots at about the same time, so that what is asked for together is kept together.
    std::size_t number(std::int32_t position, std::int32_t slot) const { return static_cast<std::size_t>(slot - 1) * m_nodes.size() + static_cast<std::size_t>(position); }
    Status findOf(std::int32_t slot, std::int32_t stream);
    bool mixes(std::uint32_t from);

    EngineState& m_state;
    std::span<const NodeId> m_nodes;
    std::vector<std::int32_t> m_asks;
    std::vector<std::uint32_t> m_begin;   ///< By way: places in m_links.
    std::vector<std::uint32_t> m_end;
    std::vector<std::int32_t> m_links;
    std::vector<LinkId> m_way;            ///< The one being found.
    std::vector<std::uint8_t> m_uses;     ///< By link: messages begin there, or pass.
};

} // namespace fabricscope::events
