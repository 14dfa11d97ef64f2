#include "core/design/linknames.h"

#include <charconv>

namespace fabricscope {

namespace {

std::optional<std::int32_t> wholeNumber(std::string_view text)
{
    std::int32_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (text.empty() || error != std::errc{} || end != text.data() + text.size() || value < 0)
        return std::nullopt;
    return value;
}

std::int32_t linksOwned(const Dimension& dimension)
{
    return dimension.size < 2 ? 0 : dimension.shape == Shape::Switch ? 2 : dimension.linksPerNpu();
}

std::optional<LinkId> findByDimension(const Platform& platform, std::string_view name)
{
    const std::size_t space = name.find(' ');
    const std::size_t arrow = name.find('>');
    if (name.empty() || name[0] != 'd' || space == std::string_view::npos || arrow == std::string_view::npos || arrow < space)
        return std::nullopt;
    const auto number = wholeNumber(name.substr(1, space - 1));
    const std::string_view fromText = name.substr(space + 1, arrow - space - 1);
    const std::string_view toText = name.substr(arrow + 1);
    const auto from = wholeNumber(fromText);
    const auto to = wholeNumber(toText);
    if (!number || static_cast<std::size_t>(*number) >= platform.dimensions().size())
        return std::nullopt;
    LinkId first = 0;
    for (std::int32_t d = 0; d < *number; ++d)
        first += LinkId{linksOwned(platform.dimensions()[static_cast<std::size_t>(d)])} * platform.npuCount();
    const std::int32_t owned = linksOwned(platform.dimensions()[static_cast<std::size_t>(*number)]);
    const auto owner = from ? from : to;
    if (!owner || *owner >= platform.npuCount())
        return std::nullopt;
    for (LinkId link = first + LinkId{*owner} * owned; link < first + LinkId{*owner + 1} * owned; ++link) {
        const LinkInfo info = platform.linkInfo(link);
        const bool fits = (info.from < 0 ? fromText == "switch" : from == info.from) && (info.to < 0 ? toText == "switch" : to == info.to);
        if (fits)
            return link;
    }
    return std::nullopt;
}

} // namespace

std::optional<LinkId> findLink(const Platform& platform, std::string_view name)
{
    if (!platform.isExplicit())
        return findByDimension(platform, name);
    for (LinkId link = 0; link < platform.linkCount(); ++link) {
        if (platform.linkName(link) == name)
            return link;
    }
    return std::nullopt;
}

} // namespace fabricscope
