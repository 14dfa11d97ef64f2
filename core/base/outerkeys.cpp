#include "core/base/outerkeys.h"

#include <algorithm>

namespace fabricscope {

namespace {

constexpr std::string_view kBlank = " \t\r\n";

bool isWordLetter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
}

} // namespace

std::vector<OuterKey> bracedKeys(std::string_view text)
{
    std::vector<OuterKey> keys;
    int depth = 0;
    std::string_view word;
    for (std::size_t at = 0; at < text.size(); ++at) {
        const char c = text[at];
        if (c == '"') {
            std::size_t end = at + 1;
            while (end < text.size() && text[end] != '"')
                end += text[end] == '\\' ? 2 : 1;
            word = text.substr(at + 1, std::min(end, text.size()) - at - 1);
            at = end;
        } else if (c == '{' || c == '[') {
            ++depth;
        } else if (c == '}' || c == ']') {
            --depth;
        } else if (c == ':' && depth == 1 && !word.empty()) {
            const auto value = text.find_first_not_of(kBlank, at + 1);
            keys.push_back({word, value == std::string_view::npos ? '\0' : text[value]});
            word = {};
        } else if (c == ',') {
            word = {};
        } else if (isWordLetter(c)) {
            std::size_t end = at;
            while (end < text.size() && isWordLetter(text[end]))
                ++end;
            word = text.substr(at, end - at);
            at = end - 1;
        }
    }
    return keys;
}

std::vector<OuterKey> lineKeys(std::string_view text)
{
    std::vector<OuterKey> keys;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        std::string_view line = text.substr(0, end);
        text.remove_prefix(std::min(end + 1, text.size()));
        const std::size_t colon = line.find(':');
        if (colon == std::string_view::npos || colon == 0)
            continue;
        std::string_view key = line.substr(0, colon);
        if (key.size() > 2 && key.front() == '"' && key.back() == '"')
            key = key.substr(1, key.size() - 2);
        if (std::all_of(key.begin(), key.end(), isWordLetter)) {
            const auto value = line.find_first_not_of(kBlank, colon + 1);
            keys.push_back({key, value == std::string_view::npos ? '\0' : line[value]});
        }
    }
    return keys;
}

bool hasAny(const std::vector<OuterKey>& keys, std::initializer_list<std::string_view> wanted)
{
    return std::any_of(keys.begin(), keys.end(), [&](const OuterKey& key) { return std::find(wanted.begin(), wanted.end(), key.key) != wanted.end(); });
}

std::vector<OuterKey> outerKeys(std::string_view text)
{
    const auto first = text.find_first_not_of(kBlank);
    return first != std::string_view::npos && text[first] == '{' ? bracedKeys(text.substr(first)) : lineKeys(text);
}

} // namespace fabricscope
