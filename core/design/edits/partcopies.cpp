#include "core/design/edits/partcopies.h"

#include "core/base/index.h"
#include "core/design/edits/textsplices.h"

#include <algorithm>
#include <charconv>
#include <string_view>

namespace fabricscope {

namespace {

const YamlPath kCopyList{"platform", "copies"};

bool isDigit(char letter) { return letter >= '0' && letter <= '9'; }
bool isLetter(char letter) { return (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') || letter == '_'; }

/// A whole number as names have it: without zeros in front.
std::optional<std::int32_t> copyNumber(std::string_view text)
{
    std::int32_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    const bool whole = error == std::errc() && end == text.data() + text.size() && isDigit(text.front()) && (text.size() == 1 || text.front() != '0');
    return whole ? std::optional(value) : std::nullopt;
}

} // namespace

std::string wrongBlueprintName(const std::string& name)
{
    if (name.empty() || !isLetter(name.front()))
        return "a blueprint has a name that begins with a letter";
    if (isDigit(name.back()))
        return "the name of a blueprint ends with no digit, as the number of a copy stands behind it";
    if (name.find_first_of(".><#* \t\n") != std::string::npos)
        return "the name of a blueprint has no . > < # * or blank in it";
    return {};
}

std::vector<PartCopies> partCopies(const YamlDocument& yaml)
{
    std::vector<PartCopies> out;
    for (const YamlNode& item : itemsAt(yaml, kCopyList)) {
        const std::string of = textOf(item, "of");
        const std::string count = textOf(item, "count");
        const auto number = count.empty() ? std::nullopt : copyNumber(count);
        const bool taken = std::ranges::any_of(out, [&](const PartCopies& one) { return one.of == of; });
        if (!wrongBlueprintName(of).empty() || !number || *number < 1 || *number > PartCopies::kMost || taken)
            return {}; // Numbers are those of the items: an error of the text leaves none.
        out.push_back({of, *number});
    }
    return out;
}

std::vector<PartCopies> copiesByName(const GraphText& graph)
{
    struct Copy {
        std::set<std::pair<std::string, NodeKind>> parts;
        std::size_t links = 0;
    };
    /// Of "unit2.host7.gpu3": "unit", 2 and "host7.gpu3".
    const auto split = [](const std::string& name) -> std::optional<std::tuple<std::string, std::int32_t, std::string>> {
        const std::size_t dot = name.find('.');
        const std::size_t last = dot == std::string::npos || dot == 0 ? std::string::npos : name.find_last_not_of("0123456789", dot - 1);
        const auto number = last == std::string::npos || last + 1 == dot ? std::nullopt : copyNumber(std::string_view(name).substr(last + 1, dot - last - 1));
        if (!number || dot + 1 == name.size())
            return std::nullopt;
        return std::tuple(name.substr(0, last + 1), *number, name.substr(dot + 1));
    };
    std::map<std::string, std::map<std::int32_t, Copy>> all;
    for (const GraphText::Node& node : graph.nodes) {
        if (const auto part = split(node.name))
            all[std::get<0>(*part)][std::get<1>(*part)].parts.emplace(std::get<2>(*part), node.kind);
    }
    for (const GraphText::Link& link : graph.links) {
        for (const std::string& end : {link.from, link.to}) {
            if (const auto part = split(end))
                ++all[std::get<0>(*part)][std::get<1>(*part)].links;
        }
    }
    std::vector<PartCopies> out;
    for (const auto& [of, copies] : all) {
        const auto count = static_cast<std::int32_t>(std::min<std::size_t>(copies.size(), PartCopies::kMost + 1));
        const Copy& first = copies.begin()->second;
        const bool alike = std::ranges::all_of(copies, [&](const auto& copy) { return copy.second.parts == first.parts && copy.second.links == first.links; });
        if (count >= 2 && count <= PartCopies::kMost && copies.begin()->first == 0 && copies.rbegin()->first == count - 1 && alike && wrongBlueprintName(of).empty())
            out.push_back({of, count});
    }
    return out;
}

CopiedParts::CopiedParts(const GraphText& graph, std::vector<PartCopies> blueprints) : m_blueprints(std::move(blueprints)), m_parts(m_blueprints.size())
{
    m_places.resize(graph.nodes.size());
    m_links.resize(graph.links.size());
    if (isEmpty())
        return;
    for (std::size_t node = 0; node < graph.nodes.size(); ++node) {
        m_places[node] = placeOfName(graph.nodes[node].name);
        if (const auto& place = m_places[node])
            m_parts[place->blueprint][place->part].emplace(place->copy, node); // Of two with one name the first has the links.
    }
    std::map<std::pair<std::string, std::string>, std::int32_t> parallel;
    for (std::size_t link = 0; link < graph.links.size(); ++link) {
        const auto ends = endsOf(graph.links[link]);
        if (!ends)
            continue;
        const std::int32_t number = ++parallel[{graph.links[link].from, graph.links[link].to}];
        m_links[link] = {LinkKey{ends->blueprint, ends->from, ends->to, number}, ends->copy};
        m_alike[m_links[link]->first].emplace(ends->copy, link);
    }
}

std::optional<CopiedParts::Place> CopiedParts::placeOfName(const std::string& name) const
{
    const std::size_t dot = name.find('.');
    if (dot == std::string::npos || dot + 1 == name.size())
        return std::nullopt;
    for (std::size_t i = 0; i < m_blueprints.size(); ++i) {
        const std::string& of = m_blueprints[i].of;
        if (dot <= of.size() || !name.starts_with(of))
            continue;
        const auto copy = copyNumber(std::string_view(name).substr(of.size(), dot - of.size()));
        if (copy && *copy < m_blueprints[i].count)
            return Place{i, *copy, name.substr(dot + 1)};
    }
    return std::nullopt;
}

std::string CopiedParts::nameOf(std::size_t blueprint, std::int32_t copy, const std::string& part) const
{
    return m_blueprints[blueprint].of + std::to_string(copy) + '.' + part;
}

/// Ends in a copy by their part with a dot in front, others by their name; absent: the link joins two copies, or none.
std::optional<CopiedParts::Ends> CopiedParts::endsOf(const GraphText::Link& link) const
{
    const auto from = placeOfName(link.from);
    const auto to = placeOfName(link.to);
    if ((!from && !to) || (from && to && (from->blueprint != to->blueprint || from->copy != to->copy)))
        return std::nullopt;
    const Place& place = from ? *from : *to;
    return Ends{place.blueprint, place.copy, from ? '.' + from->part : link.from, to ? '.' + to->part : link.to};
}

std::optional<CopiedParts::Place> CopiedParts::placeOfLink(std::size_t link) const
{
    if (!m_links[link])
        return std::nullopt;
    return Place{std::get<0>(m_links[link]->first), m_links[link]->second, {}};
}

std::optional<std::size_t> CopiedParts::node(std::size_t blueprint, std::int32_t copy, const std::string& part) const
{
    const auto found = m_parts[blueprint].find(part);
    if (found == m_parts[blueprint].end() || !found->second.contains(copy))
        return std::nullopt;
    return found->second.at(copy);
}

std::vector<std::size_t> CopiedParts::nodesOf(std::size_t blueprint, std::int32_t copy) const
{
    std::vector<std::size_t> out;
    for (const auto& [part, nodes] : m_parts[blueprint]) {
        if (const auto found = nodes.find(copy); found != nodes.end())
            out.push_back(found->second);
    }
    std::ranges::sort(out);
    return out;
}

std::vector<std::size_t> CopiedParts::alike(std::size_t node) const
{
    const auto& place = m_places[node];
    if (!place)
        return {node};
    std::vector<std::size_t> out;
    for (const auto& [copy, other] : m_parts[place->blueprint].at(place->part))
        out.push_back(other);
    return out;
}

std::vector<std::size_t> CopiedParts::alikeLinks(std::size_t link) const
{
    if (!m_links[link])
        return {link};
    std::vector<std::size_t> out;
    for (const auto& [copy, other] : m_alike.at(m_links[link]->first))
        out.push_back(other);
    return out;
}

std::set<std::pair<std::size_t, std::int32_t>> CopiedParts::wholeCopies(const std::set<std::size_t>& nodes) const
{
    std::map<std::pair<std::size_t, std::int32_t>, std::size_t> met;
    for (const std::size_t node : nodes) {
        if (const auto& place = m_places[node])
            ++met[{place->blueprint, place->copy}];
    }
    std::set<std::pair<std::size_t, std::int32_t>> out;
    for (const auto& [copy, count] : met) {
        if (count == nodesOf(copy.first, copy.second).size())
            out.insert(copy);
    }
    return out;
}

std::set<std::size_t> CopiedParts::alikeAll(const std::set<std::size_t>& nodes) const
{
    if (isEmpty())
        return nodes;
    const auto whole = wholeCopies(nodes);
    std::set<std::size_t> out = nodes;
    std::set<std::pair<std::size_t, std::string_view>> done; // Parts all of whose copies are in `out`.
    for (const std::size_t node : nodes) {
        const auto& place = m_places[node];
        if (!place || whole.contains({place->blueprint, place->copy}) || !done.emplace(place->blueprint, place->part).second)
            continue;
        const std::vector<std::size_t> others = alike(node);
        out.insert(others.begin(), others.end());
    }
    return out;
}

std::vector<GraphText::Link> CopiedParts::inEveryCopy(const GraphText& graph, const std::vector<GraphText::Link>& links) const
{
    std::vector<GraphText::Link> out;
    std::set<std::string> names;
    for (const GraphText::Node& node : graph.nodes)
        names.insert(node.name);
    for (const GraphText::Link& link : links) {
        const auto ends = endsOf(link);
        if (!ends) {
            out.push_back(link);
            continue;
        }
        for (std::int32_t copy = 0; copy < m_blueprints[ends->blueprint].count; ++copy) {
            const auto end = [&](const std::string& said) { return said.starts_with('.') ? nameOf(ends->blueprint, copy, said.substr(1)) : said; };
            GraphText::Link there = link;
            there.from = end(ends->from);
            there.to = end(ends->to);
            if (names.contains(there.from) && names.contains(there.to))
                out.push_back(std::move(there));
        }
    }
    return out;
}

} // namespace fabricscope
