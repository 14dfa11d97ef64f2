#pragma once

#include "core/record/memoryuse.h"

#include <cstdint>

namespace fabricscope {

/// The most that is live at once from `fromPs` on, up to `toPs`; 0 where the run has not begun or nothing is known. \pre fromPs < toPs. O(log points + points in between).
std::int64_t mostLiveBytes(const MemoryUse::Class& use, std::int64_t fromPs, std::int64_t toPs);
/// What the whole height of a track of this class stands for: its capacity, or its peak where that is more or nothing is known of a capacity; at least 1.
std::int64_t memoryScale(const MemoryUse::Class& use);

} // namespace fabricscope
