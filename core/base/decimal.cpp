#include "core/base/decimal.h"

#include <array>
#include <charconv>

namespace fabricscope {

std::string decimal(double value)
{
    std::array<char, 32> buffer{}; // The longest has 24 characters.
    return {buffer.data(), std::to_chars(buffer.data(), buffer.data() + buffer.size(), value).ptr};
}

std::string fixedDecimal(std::int64_t units, int decimals)
{
    std::string text = std::to_string(units);
    const std::size_t sign = units < 0 ? 1 : 0;
    const auto behind = static_cast<std::size_t>(decimals);
    if (text.size() - sign <= behind)
        text.insert(sign, behind + 1 - (text.size() - sign), '0');
    if (decimals > 0)
        text.insert(text.size() - behind, 1, '.');
    return text;
}

std::string shortDecimal(std::int64_t units, int decimals)
{
    std::string text = fixedDecimal(units, decimals);
    if (decimals == 0)
        return text;
    text.erase(text.find_last_not_of('0') + 1);
    if (text.back() == '.')
        text.pop_back();
    return text;
}

} // namespace fabricscope
