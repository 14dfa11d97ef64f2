#pragma once

#include <cstddef>
#include <cstdint>

namespace fabricscope {

/// A number that is never below 0, to index a container with.
constexpr std::size_t at(std::int64_t number)
{
    return static_cast<std::size_t>(number);
}

} // namespace fabricscope
