#pragma once

#include <cstdint>
#include <string>

namespace fabricscope {

/// 60 % of the RAM, or of what the control group of this process may use if that is less; 0 when neither is known.
std::int64_t defaultMemoryLimit();

/// Makes allocations beyond `bytes` of private memory fail (std::bad_alloc) instead of swapping the machine to death. 0: no limit.
void enforceMemoryLimit(std::int64_t bytes);

/// Largest resident memory of this process so far.
std::int64_t peakRssBytes();

std::string hostName();

} // namespace fabricscope
