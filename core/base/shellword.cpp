#include "core/base/shellword.h"

#include <algorithm>
#include <string_view>

namespace fabricscope {

std::string shellWord(const std::string& text)
{
    constexpr std::string_view kSafe = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-+=:,@%/";
    const bool isSafe = std::all_of(text.begin(), text.end(), [&](char c) { return kSafe.find(c) != std::string_view::npos || (static_cast<unsigned char>(c) & 0x80U) != 0; });
    if (isSafe && !text.empty())
        return text;
    std::string word = "'";
    for (const char c : text)
        word += c == '\'' ? std::string("'\\''") : std::string(1, c);
    return word + '\'';
}

} // namespace fabricscope
