#include "core/base/showntext.h"

#include <algorithm>
#include <cstdint>
#include <iterator>

namespace fabricscope {

namespace {

struct Range {
    char32_t first;
    char32_t last;
};

/// Characters that are not seen, or change how others are seen. The joiners U+200C and U+200D stay: scripts and emoji need them.
constexpr Range kHidden[] = {
    {0x0000, 0x001f},   // C0
    {0x007f, 0x009f},   // DEL, C1
    {0x00ad, 0x00ad},   // soft hyphen
    {0x061c, 0x061c},   // Arabic letter mark
    {0x180e, 0x180e},   // Mongolian vowel separator
    {0x200b, 0x200b},   // zero-width space
    {0x200e, 0x200f},   // left-to-right and right-to-left mark
    {0x2028, 0x202e},   // line and paragraph separator, bidirectional embeddings and overrides
    {0x2060, 0x206f},   // word joiner, invisible operators, bidirectional isolates
    {0xfeff, 0xfeff},   // byte-order mark
    {0xfff9, 0xfffb},   // interlinear annotation
    {0xe0000, 0xe007f}, // tags
};

bool isHidden(char32_t c)
{
    const auto* const at = std::lower_bound(std::begin(kHidden), std::end(kHidden), c, [](const Range& range, char32_t value) { return range.last < value; });
    return at != std::end(kHidden) && c >= at->first;
}

std::string hexadecimal(std::uint32_t value, int digits)
{
    std::string out(static_cast<std::size_t>(digits), '0');
    for (auto at = out.rbegin(); at != out.rend(); ++at, value >>= 4)
        *at = "0123456789abcdef"[value & 15];
    return out;
}

std::string escape(char32_t c)
{
    switch (c) {
    case '\n': return "\\n";
    case '\r': return "\\r";
    case '\t': return "\\t";
    default: break;
    }
    if (c < 0x80)
        return "\\x" + hexadecimal(c, 2);
    return c < 0x10000 ? "\\u" + hexadecimal(c, 4) : "\\U" + hexadecimal(c, 8);
}

char32_t decode(std::string_view sequence)
{
    if (sequence.size() == 1)
        return static_cast<unsigned char>(sequence[0]);
    char32_t c = static_cast<unsigned char>(sequence[0]) & (0x7fU >> sequence.size());
    for (const char byte : sequence.substr(1))
        c = (c << 6) | (static_cast<unsigned char>(byte) & 0x3fU);
    return c;
}

} // namespace

std::size_t utf8Length(std::string_view text)
{
    if (text.empty())
        return 0;
    const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
    const unsigned char first = byte(0);
    const std::size_t length = first < 0x80 ? 1 : first >= 0xc2 && first <= 0xdf ? 2 : first >= 0xe0 && first <= 0xef ? 3 : first >= 0xf0 && first <= 0xf4 ? 4 : 0;
    if (length == 0 || length > text.size())
        return 0;
    for (std::size_t i = 1; i < length; ++i) {
        if ((byte(i) & 0xc0) != 0x80)
            return 0;
    }
    // The second byte decides about overlong forms, surrogates and the end of Unicode.
    if ((first == 0xe0 && byte(1) < 0xa0) || (first == 0xed && byte(1) > 0x9f) || (first == 0xf0 && byte(1) < 0x90) || (first == 0xf4 && byte(1) > 0x8f))
        return 0;
    return length;
}

std::string shownText(std::string_view text, std::size_t maxLength)
{
    std::string out;
    std::size_t shown = 0;   // characters in `out`
    std::size_t lastFit = 0; // bytes of `out` that leave room for the ellipsis
    while (!text.empty()) {
        const std::size_t length = utf8Length(text);
        std::string escaped;
        if (length == 0) {
            escaped = "\\x" + hexadecimal(static_cast<unsigned char>(text[0]), 2);
        } else if (const char32_t c = decode(text.substr(0, length)); isHidden(c)) {
            escaped = escape(c);
        }
        const std::size_t characters = escaped.empty() ? 1 : escaped.size();
        if (characters > maxLength - shown) {
            out.resize(lastFit);
            return maxLength == 0 ? out : out + "…";
        }
        const std::size_t taken = std::max<std::size_t>(length, 1);
        if (escaped.empty())
            out += text.substr(0, taken);
        else
            out += escaped;
        text.remove_prefix(taken);
        shown += characters;
        if (shown < maxLength)
            lastFit = out.size();
    }
    return out;
}

std::string shownMessage(std::string message)
{
    constexpr std::size_t kMostQuoted = 200;
    constexpr std::size_t kMost = 1'000;
    const auto plain = [](char c) { return c >= ' ' && c <= '~'; };
    if (message.size() <= kMostQuoted && std::all_of(message.begin(), message.end(), plain))
        return message;
    std::string out;
    std::string_view rest = message;
    // What follows a quotation that was cut is worth more than its end.
    for (bool quoted = false; !rest.empty() && out.size() <= 4 * kMost; quoted = !quoted) {
        const std::size_t quote = std::min(rest.find('"'), rest.size());
        out += shownText(rest.substr(0, quote), quoted ? kMostQuoted : kMost);
        out += rest.substr(quote, 1);
        rest.remove_prefix(std::min(quote + 1, rest.size()));
    }
    return shownText(out, kMost);
}

std::string quotedText(std::string_view text, std::size_t maxLength)
{
    return '"' + shownText(text, maxLength) + '"';
}

} // namespace fabricscope
