#include "core/programio/cinteger.h"

#include <charconv>

namespace fabricscope {

std::optional<std::int64_t> cInteger(std::string_view text)
{
    while (!text.empty() && (text.front() == ' ' || (text.front() >= '\t' && text.front() <= '\r')))
        text.remove_prefix(1);
    const bool minus = text.starts_with('-');
    if (minus || text.starts_with('+'))
        text.remove_prefix(1);
    int base = 10;
    if (text.starts_with("0x") || text.starts_with("0X")) {
        base = 16;
        text.remove_prefix(2);
    } else if (text.size() > 1 && text.front() == '0') {
        base = 8;
    }
    std::uint64_t value = 0;
    const auto read = std::from_chars(text.data(), text.data() + text.size(), value, base);
    if (read.ec != std::errc{} || read.ptr != text.data() + text.size())
        return {};
    constexpr std::uint64_t kLargest = INT64_MAX;
    if (value > kLargest + (minus ? 1 : 0))
        return {};
    return static_cast<std::int64_t>(minus ? 0 - value : value);
}

} // namespace fabricscope
