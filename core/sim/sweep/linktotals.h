#pragma once

#include "core/sim/sweep/sweep.h"

#include <cstdint>
#include <vector>

namespace fabricscope::sweep {

/// What the links of one collective did, link by link, summed up by dimension.
class LinkTotals {
public:
    /// \pre both outlive it
    LinkTotals(const Platform& platform, const SweepOptions& options);

    void add(LinkId link, std::int64_t messages, std::int64_t bytes, std::int64_t busy);
    /// Fills in links, usedLinks and dimensions but for DimensionUse::busy.
    void moveTo(CollectiveOutcome& outcome);

private:
    const Platform& m_platform;
    const SweepOptions& m_options;
    bool m_keepsAll;
    std::vector<LinkUse> m_links;
    std::int64_t m_used = 0;
    std::vector<DimensionUse> m_dimensions;
};

} // namespace fabricscope::sweep
