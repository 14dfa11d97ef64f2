#pragma once

#include "core/record/runrecord.h"

#include <cstdint>
#include <span>
#include <vector>

namespace fabricscope::events {

/// How many links of a dimension are busy, as steps over time; ps from the first entry of a collective.
struct BusySteps {
    struct Step {
        std::int64_t begin = 0;
        std::int64_t end = 0;
        std::int64_t links = 0;
    };
    std::vector<Step> steps; ///< In order of time, none with 0 links.

    /// From single intervals (begin, end), which are used up. O(n log n).
    static BusySteps of(std::vector<std::pair<std::int64_t, std::int64_t>>& intervals);
};

/// Busy time of many links over time, kept as BusyPyramid keeps it, with intervals that count several times.
/// The order of what is added does not matter.
class BusySum {
public:
    /// The steps, begun at `start`, `times` times. \pre start >= 0, times > 0. O(steps + buckets covered).
    void add(const BusySteps& steps, std::int64_t start, std::int64_t times);
    /// The pyramid that has what both have.
    BusyPyramid with(const BusyPyramid& other) const;

private:
    static void widen(std::vector<std::int64_t>& busy, std::int64_t& width);
    void add(std::int64_t begin, std::int64_t end, std::int64_t times);

    std::int64_t m_width = BusyPyramid().bucketPs();
    std::vector<std::int64_t> m_busy;
};

} // namespace fabricscope::events
