#include "core/design/file/sectionfields.h"

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

} // namespace fabricscope
