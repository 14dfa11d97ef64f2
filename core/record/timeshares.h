#pragma once

#include "core/record/timelinesource.h"

#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace fabricscope {

/// A whole over time, cut into parts that add up to at most 1 in every column. Columns are equal stretches of the run, from 0 to its end; the edge
/// between columns i - 1 and i of n is at endPs * i / n, rounded down.
struct TimeShares {
    struct Part {
        std::string name;                 ///< Of the dimension use, or of the activity.
        std::int32_t dimension = -1;      ///< Links: for the colour; -1: none of its own.
        std::optional<Activity> activity; ///< Ranks.
        std::vector<double> shares;       ///< One per column, 0..1.
    };
    std::int64_t endPs = 0;
    std::size_t columns = 0;
    std::vector<Part> parts; ///< From the ground up.

    /// Middle of a column. \pre column < columns
    std::int64_t timeOf(std::size_t column) const;
};

/// Which share of all links is busy, by dimension use of the record; also those that never are. A link that a model lets carry more than it can is busy,
/// no more. Nothing where the engine did not follow links over time. O(dimensions * columns). \pre columns > 0
TimeShares linkShares(const TimelineSource& source, std::size_t columns);

/// What the ranks do: compute, work of the host, memory, and communication with neither compute nor memory beside it. Where work overlaps all of it counts
/// until the column is full: compute before memory before the host. What is missing to 1 is waiting or idle. `rankClass`: number of a class of the source;
/// nothing: all ranks, each counting alike. Parts that never happen are left out. Told to stop: throws StopRequested (stop.h).
/// O(tracks * columns * log intervals). \pre columns > 0
TimeShares rankShares(const TimelineSource& source, std::optional<std::int32_t> rankClass, std::size_t columns, const std::stop_token& stop = {});

} // namespace fabricscope
