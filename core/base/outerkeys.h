#pragma once

#include <initializer_list>
#include <string_view>
#include <vector>

namespace fabricscope {

/// A key at the outermost level of a JSON or YAML text, and the first character of its value ('\0': the text ends before it).
struct OuterKey {
    std::string_view key;
    char value = 0;
};

/// Keys of {"a": ..., b: ...} as far as the text goes; nested levels are skipped over by counting brackets. O(length).
std::vector<OuterKey> bracedKeys(std::string_view text);

/// Keys at the left edge of YAML lines. O(length).
std::vector<OuterKey> lineKeys(std::string_view text);

/// Those of a text that begins with '{', else those of its lines.
std::vector<OuterKey> outerKeys(std::string_view text);

bool hasAny(const std::vector<OuterKey>& keys, std::initializer_list<std::string_view> wanted);

} // namespace fabricscope
