#pragma once

#include <bit>
#include <concepts>
#include <cstdint>
#include <type_traits>

namespace fabricscope {

/// The remainder of `value` that is not negative. \pre n > 0
template <std::signed_integral T>
constexpr T modulo(T value, std::type_identity_t<T> n)
{
    value %= n;
    return value < 0 ? value + n : value;
}

/// The highest b with 2^b <= value. \pre value > 0
constexpr std::int32_t floorLog(std::int32_t value)
{
    return static_cast<std::int32_t>(std::bit_width(static_cast<std::uint32_t>(value))) - 1;
}

/// The smallest e with 2^e >= value. \pre value > 0
constexpr std::int32_t ceilLog(std::int32_t value)
{
    return static_cast<std::int32_t>(std::bit_width(static_cast<std::uint32_t>(value - 1)));
}

/// The smallest e with base^e >= value. \pre base >= 2
constexpr std::int32_t ceilLog(std::int32_t value, std::int32_t base)
{
    std::int32_t log = 0;
    for (std::int64_t power = 1; power < value; power *= base)
        ++log;
    return log;
}

constexpr bool isPowerOfTwo(std::int32_t value)
{
    return value > 0 && (value & (value - 1)) == 0;
}

} // namespace fabricscope
