#pragma once

#include <cstddef>
#include <cstdint>

namespace fabricscope::sweep {

/// A FIFO link that spends `cost` on every message: end[k] = max(times[k], end[k-1]) + cost with end[-1] = free.
/// Writes end[k] + offset for all k and returns the last end (free when count is 0). `falls` is set when times do not ascend.
///
/// end[k] - (k+1) cost is the running maximum of free and times[k] - k cost, so no addition is in the chain from message to message, and
/// 4 or 8 messages go at once where the processor has the instructions.
std::int64_t serveFifo(const std::int64_t* times, std::size_t count, std::int64_t free, std::int64_t cost, std::int64_t offset, std::int64_t* out, bool& falls);

} // namespace fabricscope::sweep
