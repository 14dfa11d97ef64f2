#pragma once

#include "core/platform/explicitgraph.h"
#include "core/platform/platform.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace fabricscope {

/// What an NPU on nodes and links sends by, of links that lead equally close (manual: models 3.7). Belongs to one router; not for several threads.
class FastestLinks {
public:
    /// The platform must outlive it.
    explicit FastestLinks(const Platform& platform) : m_platform(platform) {}

    /// Leaves of links, those of one NPU from `begin` on, as many of the fastest as carry most when all of them carry the same, at rates as listed: their
    /// number times the slowest rate is greatest; of two as great the more. On dimensions all. O(links log links), and O(links of the platform) once.
    void keep(std::vector<LinkId>& links, std::size_t begin = 0);

private:
    std::int64_t listedRate(LinkId link);

    const Platform& m_platform;
    std::vector<std::int64_t> m_rates; ///< By LinkList::figuresOf(), once a link has been asked for; bytes/s.
    std::vector<std::int64_t> m_best;  ///< What keep() chooses among, falling.
};

} // namespace fabricscope
