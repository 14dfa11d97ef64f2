#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace fabricscope {

/// A `{` or `[` of a YAML text, 1-based, in bytes.
struct OpenBracket {
    char bracket = '{';
    int line = 1;
    int column = 1;
};

/// The innermost bracket that is open at an offset, for messages about texts that are no YAML: where quotes, remarks and plain values begin is told as in
/// texts that people write. Nothing: none is open. O(offset).
std::optional<OpenBracket> innermostBracket(std::string_view text, std::size_t offset);

/// Offset of a 0-based line and column; behind the text: its length. O(offset).
std::size_t offsetOfMark(std::string_view text, int line, int column);

} // namespace fabricscope
