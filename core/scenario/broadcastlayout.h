#pragma once

#include "core/scenario/scenario.h"

namespace fabricscope {

/// The same layout, turned along its axes so that `rank` has position 0: where a broadcast starts. \pre the rank is a member. O(size), O(1) where it has that already.
GroupLayout startingAt(GroupLayout layout, std::int32_t rank);

} // namespace fabricscope
