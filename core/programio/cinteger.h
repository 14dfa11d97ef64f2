#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace fabricscope {

/// A whole number by the rules of C (strtol with base 0): blanks before it, a sign, then 0x hexadecimal, 0 octal or decimal. Unlike there,
/// anything behind it, no digit at all, and what does not fit into 64 bits is nothing.
std::optional<std::int64_t> cInteger(std::string_view text);

} // namespace fabricscope
