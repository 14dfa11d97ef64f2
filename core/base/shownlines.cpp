#include "core/base/shownlines.h"

#include "core/base/showntext.h"

#include <algorithm>

namespace fabricscope {

std::string shownLines(std::string_view text)
{
    const auto plain = [](char c) { return (c >= 0x20 && c < 0x7f) || c == '\n' || c == '\t'; };
    std::string out;
    out.reserve(text.size());
    while (!text.empty()) {
        const auto odd = std::find_if_not(text.begin(), text.end(), plain);
        out.append(text.begin(), odd);
        text.remove_prefix(static_cast<std::size_t>(odd - text.begin()));
        // Up to the next character that surely is itself: a sequence is not cut.
        const auto end = std::find_if(text.begin(), text.end(), plain);
        out += shownText(text.substr(0, static_cast<std::size_t>(end - text.begin())));
        text.remove_prefix(static_cast<std::size_t>(end - text.begin()));
    }
    return out;
}

} // namespace fabricscope
