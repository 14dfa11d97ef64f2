#pragma once

#include "core/base/rankset.h"
#include "core/record/timelinesource.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace fabricscope {

/// What a set of ranks holds, for a label: "0–7, 16" where that is at most `most` intervals; runs of equal length at equal distances as the first two and the last,
/// "5, 13, … 125"; most of all as what is missing, "all but 5, 37"; any other as its beginning and its size, "0–4, 6–10, … (112)". \pre not empty, all ranks are below `all`, most >= 2.
/// O(intervals).
std::string ranksText(const RankSet& ranks, std::int64_t all, std::size_t most);

/// One more than the highest rank of any class. O(classes).
std::int64_t rankBound(const std::vector<TimelineClass>& classes);

} // namespace fabricscope
