#pragma once

#include <cstdint>
#include <string>

namespace fabricscope {

/// 60 % of the RAM, or of what the control group of this process may use if that is less; 0 when neither is known.
std::int64_t defaultMemoryLimit();

/// Applies the rule above to this process and returns the limit, 0: none. A lower limit that was set from outside stays. For a program that
/// takes no limit from its user: call it first thing in main(); children inherit it.
std::int64_t enforceDefaultMemoryLimit();

/// Makes allocations beyond `bytes` of private memory fail (std::bad_alloc) instead of swapping the machine to death. 0: no limit.
void enforceMemoryLimit(std::int64_t bytes);

/// What bounds the memory of this process now, the narrower one where two do.
struct MemoryBound {
    enum class Kind : std::uint8_t { None, Data, AddressSpace }; ///< Data: set above; AddressSpace: set from outside (`ulimit -v`).
    Kind kind = Kind::None;
    std::int64_t bytes = 0;
};
MemoryBound memoryBound() noexcept;

/// Largest resident memory of this process so far.
std::int64_t peakRssBytes();

std::string hostName();

} // namespace fabricscope
