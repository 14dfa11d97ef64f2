#pragma once

#include <cstddef>
#include <limits>
#include <string>
#include <string_view>

namespace fabricscope {

/// Length of the UTF-8 sequence at the start of `text` (1 to 4 bytes); 0 when there is none: empty, cut, overlong, a surrogate or
/// above U+10FFFF.
std::size_t utf8Length(std::string_view text);

/// How much of a value from an input is repeated in a message, in characters.
constexpr std::size_t kQuotedCharacters = 60;

/// Text from an input so that it can be printed or drawn anywhere without doing anything: control characters, bytes that are not UTF-8,
/// and characters that hide or reorder their neighbours (bidirectional controls, zero-width marks, line separators) become visible
/// escapes such as \n, \x1b, \u202e. At most `maxLength` characters, the last of them "…" when the text is cut (an escape is never
/// split). O(bytes shown), however long the text is.
std::string shownText(std::string_view text, std::size_t maxLength = std::numeric_limits<std::size_t>::max());

/// A whole message with text from inputs in it, as shownText; what stands between double quotes is cut to 200 characters, the rest to
/// 1,000. A message without control characters that is short enough comes back as it is. O(bytes).
std::string shownMessage(std::string message);

/// shownText between double quotes, for messages.
std::string quotedText(std::string_view text, std::size_t maxLength = kQuotedCharacters);

} // namespace fabricscope
