#pragma once

#include "core/record/intervallane.h"

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace fabricscope {

/// Busy time of a resource in equal buckets over [beginPs, beginPs + widthPs * busyPs.size()); finer than the run's pyramid,
/// as a replay of a window gives it.
struct BusyWindow {
    std::int64_t beginPs = 0;
    std::int64_t widthPs = 1;
    std::vector<std::int64_t> busyPs; ///< Per bucket, over all links.
};

/// Busy share over time of a dimension or link, from the pyramid of the run and, where known, from a finer window.
/// Inside a bucket the busy time counts as evenly spread.
class BusyLane {
public:
    /// \pre links > 0
    BusyLane(const BusyPyramid& pyramid, std::int64_t links);
    /// The same with a finer window laid over it.
    BusyLane refined(BusyWindow window) const;

    std::int64_t resolutionPs() const { return m_coarse.widthPs; }
    /// busyPs of a bucket is the mean over the links: 0..width (more only under phantom bandwidth). O(pixels).
    void buckets(std::int64_t beginPs, std::int64_t endPs, std::span<TimelineBucket> pixels) const;
    /// Busy time of all links in [begin, end), O(1).
    std::int64_t busy(std::int64_t beginPs, std::int64_t endPs) const { return before(endPs) - before(beginPs); }

private:
    struct Steps {
        std::int64_t beginPs = 0;
        std::int64_t widthPs = 1;
        std::vector<std::int64_t> prefix{0}; ///< Busy time before each bucket; one entry more than buckets.

        static Steps of(std::int64_t beginPs, std::int64_t widthPs, const std::vector<std::int64_t>& busy);
        std::int64_t endPs() const { return beginPs + widthPs * static_cast<std::int64_t>(prefix.size() - 1); }
        std::int64_t before(std::int64_t timePs) const;
    };
    std::int64_t before(std::int64_t timePs) const; ///< Busy time of all links before an instant.

    Steps m_coarse;
    Steps m_fine;
    std::int64_t m_links = 1;
};

} // namespace fabricscope
