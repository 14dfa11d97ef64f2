#pragma once

#include <concepts>
#include <cstddef>
#include <type_traits>

namespace fabricscope {

/// A number that is never below 0, or an enumerator of a table with one entry for each, to index a container with.
template <typename Number>
    requires std::integral<Number> || std::is_enum_v<Number>
constexpr std::size_t at(Number number)
{
    return static_cast<std::size_t>(number);
}

} // namespace fabricscope
