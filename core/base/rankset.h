#pragma once

#include "core/base/result.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace fabricscope {

/// A set of rank numbers as sorted, disjoint, non-adjacent closed intervals. "0-7,16".
class RankSet {
public:
    struct Interval {
        std::int64_t first = 0;
        std::int64_t last = 0; ///< Inclusive.
        friend bool operator==(const Interval&, const Interval&) = default;
    };

    RankSet() = default;
    static RankSet range(std::int64_t first, std::int64_t count);
    static RankSet single(std::int64_t rank) { return range(rank, 1); }
    /// Reads "0-7,16". Refuses overlaps, negative numbers and reversed intervals.
    static Result<RankSet> parse(std::string_view text);

    /// Adds a rank; amortised O(1) when ranks come in ascending order, else O(intervals).
    void add(std::int64_t rank);
    bool contains(std::int64_t rank) const; ///< O(log intervals).
    std::int64_t count() const;
    bool empty() const { return m_intervals.empty(); }
    const std::vector<Interval>& intervals() const { return m_intervals; }
    std::string text() const;

    friend bool operator==(const RankSet&, const RankSet&) = default;

private:
    std::vector<Interval> m_intervals;
};

} // namespace fabricscope
