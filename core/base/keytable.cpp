#include "core/base/keytable.h"

namespace fabricscope {

std::string plainWord(std::string_view word)
{
    std::string out;
    for (const char c : word) {
        if (c != '-' && c != '_' && c != ' ')
            out += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    }
    return out;
}

std::string listedWords(std::span<const std::string_view> words, std::string_view conjunction)
{
    std::string text;
    for (std::size_t i = 0; i < words.size(); ++i) {
        const bool last = i + 1 == words.size() && !conjunction.empty();
        if (i > 0)
            text += last ? ' ' + std::string(conjunction) + ' ' : std::string(", ");
        text += words[i];
    }
    return text;
}

} // namespace fabricscope
