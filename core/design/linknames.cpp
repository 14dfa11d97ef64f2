#include "core/design/linknames.h"

#include "core/base/index.h"
#include "core/base/nearestword.h"

#include <algorithm>
#include <charconv>
#include <map>

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
        first += LinkId{linksOwned(platform.dimensions()[at(d)])} * platform.npuCount();
    const std::int32_t owned = linksOwned(platform.dimensions()[at(*number)]);
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

/// "*" stands for any letters. In O(pattern * text).
bool matches(std::string_view pattern, std::string_view text)
{
    std::size_t p = 0;
    std::size_t star = std::string_view::npos;
    std::size_t resume = 0;
    for (std::size_t t = 0; t < text.size();) {
        if (p < pattern.size() && pattern[p] == '*') {
            star = p++;
            resume = t;
        } else if (p < pattern.size() && pattern[p] == text[t]) {
            ++p;
            ++t;
        } else if (star != std::string_view::npos) {
            p = star + 1;
            t = ++resume;
        } else {
            return false;
        }
    }
    while (p < pattern.size() && pattern[p] == '*')
        ++p;
    return p == pattern.size();
}

std::vector<bool> matchingNodes(const Platform& platform, std::string_view pattern)
{
    std::vector<bool> out;
    const NodeList& nodes = platform.spec().nodes;
    for (std::size_t node = 0; node < nodes.size(); ++node)
        out.push_back(matches(pattern, nodes.name(node)));
    return out;
}

/// Which of the links from `a` to `b`; 0: all.
void addLinks(const Platform& platform, std::string_view a, std::string_view b, std::int32_t number, std::vector<LinkId>& out)
{
    const std::vector<bool> from = matchingNodes(platform, a);
    const std::vector<bool> to = matchingNodes(platform, b);
    std::map<std::pair<NodeId, NodeId>, std::int32_t> seen;
    const LinkList& links = platform.spec().links;
    for (std::size_t link = 0; link < links.size(); ++link) {
        if (!from[at(links.from(link))] || !to[at(links.to(link))])
            continue;
        if (const std::int32_t parallel = ++seen[{links.from(link), links.to(link)}]; number == 0 || parallel == number)
            out.push_back(static_cast<LinkId>(link));
    }
}

} // namespace

std::vector<LinkId> findLinks(const Platform& platform, std::string_view name)
{
    std::vector<LinkId> out;
    const bool generated = platform.isExplicit() && platform.spec().generated.form;
    const bool both = name.find("<>") != std::string_view::npos;
    const bool several = both || name.find('*') != std::string_view::npos;
    if (!platform.isExplicit() || (!generated && !several)) {
        if (const auto link = findLink(platform, name))
            out.push_back(*link);
        return out;
    }
    std::int32_t number = 0;
    if (const std::size_t hash = name.rfind('#'); hash != std::string_view::npos) {
        const auto given = wholeNumber(name.substr(hash + 1));
        if (!given || *given < 1)
            return out;
        number = *given;
        name = name.substr(0, hash);
    }
    const std::size_t arrow = name.find(both ? "<>" : ">");
    if (arrow == std::string_view::npos)
        return out;
    const std::string_view a = name.substr(0, arrow);
    const std::string_view b = name.substr(arrow + (both ? 2 : 1));
    addLinks(platform, a, b, number, out);
    if (both)
        addLinks(platform, b, a, number, out);
    std::sort(out.begin(), out.end());
    out.erase(std::unique(out.begin(), out.end()), out.end());
    return out;
}

std::vector<NodeId> findNpus(const Platform& platform, std::string_view name)
{
    std::vector<NodeId> out;
    const std::vector<bool> found = matchingNodes(platform, name);
    for (NodeId node = 0; node < platform.npuCount() && static_cast<std::size_t>(node) < found.size(); ++node) {
        if (found[at(node)])
            out.push_back(node);
    }
    return out;
}

std::string overrideName(const Platform& platform, LinkId link)
{
    std::string name = platform.linkName(link);
    if (platform.isExplicit() && platform.spec().generated.form && name.find('#') == std::string::npos && findLinks(platform, name).size() > 1)
        name += "#1";
    return name;
}

std::string nearestNode(const Platform& platform, std::string_view name)
{
    constexpr std::size_t kMostNodes = 65536;
    const NodeList& nodes = platform.spec().nodes;
    std::vector<std::string> names;
    for (std::size_t node = 0; node < nodes.size(); ++node) {
        names.push_back(nodes.name(node));
        if (names.back() == name)
            return {};
    }
    return nodes.size() > kMostNodes ? std::string() : didYouMean(name, std::vector<std::string_view>(names.begin(), names.end()));
}

std::optional<LinkId> findLink(const Platform& platform, std::string_view name)
{
    if (!platform.isExplicit())
        return findByDimension(platform, name);
    const auto find = [&](std::string_view wanted) -> std::optional<LinkId> {
        for (LinkId link = 0; link < platform.linkCount(); ++link) {
            if (platform.linkName(link) == wanted)
                return link;
        }
        return std::nullopt;
    };
    const std::optional<LinkId> found = find(name);
    // The first of several has no number where they are named.
    return found || !name.ends_with("#1") ? found : find(name.substr(0, name.size() - 2));
}

} // namespace fabricscope
