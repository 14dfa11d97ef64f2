#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace fabricscope {

/// A number that is never below 0, to index a container with.
constexpr std::size_t at(std::int64_t number)
{
    return static_cast<std::size_t>(number);
}

/// The place of an enumerator in a table with one entry for each.
template <typename Enum>
    requires std::is_enum_v<Enum>
constexpr std::size_t at(Enum enumerator)
{
    return static_cast<std::size_t>(enumerator);
}

} // namespace fabricscope
