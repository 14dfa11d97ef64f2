#include "core/design/file/sectionfields.h"

#include "core/design/networkconfig.h"

namespace fabricscope {

std::optional<double> readShare(const MapReader& map, std::string_view key)
{
    const auto text = map.text(key);
    if (!text)
        return std::nullopt;
    const auto share = parseQuantity(*text, Measure::Count);
    if (share)
        return share.value().value;
    map.error(key, "\"" + *text + "\" is no share", "a number such as 0.25");
    return std::nullopt;
}

std::optional<std::pair<std::int64_t, std::int64_t>> readFraction(const MapReader& map, std::string_view key)
{
    const auto text = map.text(key);
    if (!text)
        return std::nullopt;
    const auto fraction = parseFraction(*text);
    if (!fraction || fraction->first > fraction->second)
        map.error(key, "\"" + *text + "\" is no share", "a fraction from 1/1000000 to 1, like 120/128");
    return fraction;
}

} // namespace fabricscope
