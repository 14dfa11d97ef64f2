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

} // namespace fabricscope
