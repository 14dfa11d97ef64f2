#pragma once

#include "core/record/runrecord.h"

#include <cstdint>

namespace fabricscope::events {

/// Adds the busy intervals [begin + i * period, begin + i * period + length), i = 0..count-1, in ps, as BusyPyramid::add() one by one would.
/// \pre count > 0, 0 <= begin, 0 < length <= period. O(buckets).
void addRepeated(BusyPyramid& busy, std::int64_t begin, std::int64_t length, std::int64_t period, std::int64_t count);

} // namespace fabricscope::events
