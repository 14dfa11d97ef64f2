#pragma once

#include "core/base/seededhash.h"
#include "core/scenario/networkparams.h"

#include <algorithm>
#include <cstdint>

namespace fabricscope {

/// Names a message among all of a run, whatever the order of events: what is drawn for it depends on nothing else. As Transfers::identity().
struct MessageName {
    std::int64_t instance = -1; ///< Of the collective; -1: between two ranks.
    std::int64_t source = 0;    ///< Positions in the group.
    std::int64_t target = 0;
    std::int64_t chunk = 0;
    std::int64_t phase = 0;
    std::int64_t step = 0;
    std::int64_t slot = 0;
    std::int64_t item = 0;      ///< Operation of a program.
    std::int64_t control = 0;   ///< Control messages are numbered from 1 on.

    std::uint64_t drawn(std::uint64_t seed) const { return seededHash(seed, {instance, source, target, chunk, phase, step, slot, item, control}); }
};

/// What jitter makes of the latency of a link and of the time that it takes for a piece.
class LinkDraws {
public:
    /// \param seed of the run, which may be another than that of the design. \pre `network` outlives it.
    LinkDraws(const NetworkParams& network, std::uint64_t seed) : m_seed(seed), m_latency(&network.latency), m_occupancy(&network.occupancy) {}

    bool any() const { return drawsLatency() || drawsOccupancy(); }
    bool drawsLatency() const { return !m_latency->empty(); }
    bool drawsOccupancy() const { return !m_occupancy->empty(); }
    std::uint64_t identity(const MessageName& message) const { return message.drawn(m_seed); }
    std::int64_t latency(std::int64_t ps, std::uint64_t identity, LinkId link) const { return drawn(*m_latency, ps, identity, link, 0); }
    std::int64_t occupancy(std::int64_t ps, std::uint64_t identity, LinkId link) const { return drawn(*m_occupancy, ps, identity, link, 1); }
    std::int64_t leastLatency(std::int64_t ps) const { return least(*m_latency, ps); }
    std::int64_t leastOccupancy(std::int64_t ps) const { return least(*m_occupancy, ps); }

private:
    /// Never nothing, so that no cycle of events takes no time.
    static std::int64_t drawn(const JitterTable& table, std::int64_t ps, std::uint64_t identity, LinkId link, std::int64_t kind)
    {
        return table.empty() ? ps : std::max<std::int64_t>(1, table.apply(ps, seededHash(identity, {link, kind})));
    }
    static std::int64_t least(const JitterTable& table, std::int64_t ps) { return table.empty() ? ps : std::max<std::int64_t>(1, table.apply(ps, 0)); }

    std::uint64_t m_seed;
    const JitterTable* m_latency;
    const JitterTable* m_occupancy;
};

} // namespace fabricscope
