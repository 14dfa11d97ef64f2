#include "widgets/draw/graphchanges.h"

#include "core/design/edits/edits.h"
#include "core/design/edits/dimensionedits.h"
#include "core/design/edits/textsplices.h"
#include "core/design/linknames.h"
#include "widgets/base/showntexts.h"
#include "widgets/design/quantityinput.h"

#include <QCoreApplication>

#include <algorithm>
#include <span>
#include <unordered_map>
#include <utility>

namespace fabricscope {

namespace {

QString changesTr(const char* text)
{
    return QCoreApplication::translate("GraphChanges", text);
}

/// What an entry of overrides names, or nothing.
std::string namedBy(const YamlNode& item, const char* key)
{
    const YamlEntry* const entry = item.isMap() ? item.find(key) : nullptr;
    return entry && entry->value.isScalar() ? entry->value.text : std::string();
}

/// Finds what overrides name as findLinks() and findNpus() do, without a pass over the graph for each but those with "*".
class NamedParts {
public:
    explicit NamedParts(const Platform& platform) : m_platform(platform)
    {
        const PlatformSpec& spec = platform.spec();
        for (std::size_t node = 0; node < spec.nodes.size(); ++node)
            m_nodes.emplace(spec.nodes.name(node), static_cast<NodeId>(node));
        for (std::size_t link = 0; link < spec.links.size(); ++link)
            m_links[{spec.links.from(link), spec.links.to(link)}].push_back(static_cast<LinkId>(link));
    }

    std::vector<LinkId> links(const std::string& name) const
    {
        const bool both = name.find("<>") != std::string::npos;
        const std::size_t arrow = name.find('>');
        const std::size_t hash = std::min(name.rfind('#'), name.size());
        const std::string digits = name.substr(std::min(hash + 1, name.size()));
        const bool counted = hash < name.size();
        const bool plain = arrow < hash && name.find('>', arrow + 1) == std::string::npos && name.find('*') == std::string::npos
            && (!counted || (!digits.empty() && digits.size() < 10 && digits.front() != '0' && digits.find_first_not_of("0123456789") == std::string::npos));
        if (!plain || m_platform.spec().generated.form || m_nodes.contains(name.substr(arrow + 1)) == counted)
            return findLinks(m_platform, name);
        const auto a = m_nodes.find(name.substr(0, both ? arrow - 1 : arrow));
        const auto b = m_nodes.find(name.substr(arrow + 1, hash - arrow - 1));
        if (a == m_nodes.end() || b == m_nodes.end())
            return findLinks(m_platform, name);
        const std::size_t number = counted ? static_cast<std::size_t>(std::stol(digits)) : both ? 0 : 1; // Of several, the first.
        std::vector<LinkId> ids;
        add(a->second, b->second, number, ids);
        if (both && a != b)
            add(b->second, a->second, number, ids);
        return ids;
    }

    std::vector<NodeId> npus(const std::string& name) const
    {
        if (!name.empty() && name.find_first_not_of("0123456789") == std::string::npos)
            return name.size() < 10 ? std::vector<NodeId>{static_cast<NodeId>(std::stol(name))} : std::vector<NodeId>{};
        const auto found = name.find('*') == std::string::npos ? m_nodes.find(name) : m_nodes.end();
        return found != m_nodes.end() && found->second < m_platform.npuCount() ? std::vector<NodeId>{found->second} : findNpus(m_platform, name);
    }

private:
    /// `number`: which of those side by side; 0: all.
    void add(NodeId from, NodeId to, std::size_t number, std::vector<LinkId>& ids) const
    {
        const auto found = m_links.find({from, to});
        const std::size_t count = found == m_links.end() ? 0 : found->second.size();
        for (std::size_t i = number == 0 ? 0 : number - 1; i < (number == 0 ? count : std::min(count, number)); ++i)
            ids.push_back(found->second[i]);
    }

    const Platform& m_platform;
    std::unordered_map<std::string, NodeId> m_nodes;
    std::map<std::pair<NodeId, NodeId>, std::vector<LinkId>> m_links;
};

/// Numbers of the entries of one list that `find` says are of `wanted`. Error: one is of others too (Unsupported).
template <typename Id, typename Find>
Result<std::vector<std::size_t>> entriesOf(const YamlDocument& yaml, const YamlPath& path, const char* key, const std::set<Id>& wanted, const Find& find)
{
    std::vector<std::size_t> entries;
    const std::span<const YamlNode> items = itemsAt(yaml, path);
    for (std::size_t i = 0; i < items.size() && !wanted.empty(); ++i) {
        const std::string name = namedBy(items[i], key);
        const std::vector<Id> ids = find(name);
        const auto hits = std::ranges::count_if(ids, [&](Id id) { return wanted.contains(id); });
        if (hits == 0)
            continue;
        if (static_cast<std::size_t>(hits) < ids.size())
            return Error{ErrorCode::Unsupported, "the override of \"" + name + "\" is of other parts too", yaml.place(items[i], yamlPathText(path)), "all of them selected, or a change of the text"};
        entries.push_back(i);
    }
    return entries;
}

/// Are the nodes and links of the platform those of the text? It may be of an earlier one. `first`: ids of links by number in the text, and of all.
bool isOf(const GraphText& graph, const std::vector<LinkId>& first, const PlatformSpec& spec)
{
    if (spec.nodes.size() != graph.nodes.size() || spec.links.size() != static_cast<std::size_t>(first.back()))
        return false;
    for (std::size_t node = 0; node < graph.nodes.size(); ++node) {
        if (spec.nodes.kind(node) != graph.nodes[node].kind || spec.nodes.name(node) != graph.nodes[node].name)
            return false;
    }
    const auto called = [&](NodeId node, const std::string& name) { return graph.nodes[static_cast<std::size_t>(node)].name == name; };
    for (std::size_t link = 0; link < graph.links.size(); ++link) {
        const GraphText::Link& item = graph.links[link];
        const auto there = static_cast<std::size_t>(first[link]);
        if (!called(spec.links.from(there), item.from) || !called(spec.links.to(there), item.to))
            return false;
        if (item.eachWay && (!called(spec.links.from(there + 1), item.to) || !called(spec.links.to(there + 1), item.from)))
            return false;
    }
    return true;
}

} // namespace

Status edits::resetParts(YamlDocument& yaml, const Platform& platform, const std::set<LinkId>& links, const std::set<NodeId>& npus)
{
    const NamedParts parts(platform);
    const YamlPath linkList = parseYamlPath("platform.overrides.links").value();
    const YamlPath npuList = parseYamlPath("platform.overrides.npus").value();
    auto ofLinks = entriesOf(yaml, linkList, "link", links, [&](const std::string& name) { return parts.links(name); });
    if (!ofLinks)
        return std::move(ofLinks).error();
    auto ofNpus = entriesOf(yaml, npuList, "npu", npus, [&](const std::string& name) { return parts.npus(name); });
    if (!ofNpus)
        return std::move(ofNpus).error();
    // In one go, but for the last entry of a list: with it goes all that would hold nothing then.
    TextSplices splices(yaml);
    std::vector<YamlPath> emptied;
    for (const auto& [list, entries] : {std::pair{linkList, ofLinks.value()}, std::pair{npuList, ofNpus.value()}}) {
        const bool all = !entries.empty() && entries.size() == itemsAt(yaml, list).size();
        if (all)
            emptied.push_back(list);
        splices.removeItems(list, std::span(entries).subspan(all ? 1 : 0));
    }
    YamlDocument edited = yaml;
    if (Status status = splices.commit(edited); !status)
        return status;
    for (const YamlPath& list : emptied) {
        if (Status status = removeListItem(edited, yamlPathText(list), 0); !status)
            return status;
    }
    yaml = std::move(edited);
    return {};
}

QString writtenFigure(const std::string& written, Measure measure)
{
    const Result<Quantity> quantity = parseQuantity(written, measure);
    return quantity ? quantitytext::text(quantity.value()) : texts::shown(written);
}

GraphChanges::GraphChanges(const GraphText& graph, const Platform& platform)
{
    const PlatformSpec& spec = platform.spec();
    std::vector<LinkId> first{0};
    for (const GraphText::Link& link : graph.links)
        first.push_back(first.back() + (link.eachWay ? 2 : 1));
    if (!isOf(graph, first, spec))
        return; // Of an earlier text.
    m_first = std::move(first);
    for (const LinkOverride& change : spec.linkOverrides) {
        const auto above = std::ranges::upper_bound(m_first, change.link);
        if (change.link >= 0 && above != m_first.end())
            m_links[static_cast<std::size_t>(above - m_first.begin()) - 1].push_back(change);
    }
    for (const NpuOverride& change : spec.npuOverrides)
        m_npus.emplace(static_cast<std::size_t>(change.node), change);
}

bool GraphChanges::hasBundle(const DrawnBundle& bundle) const
{
    return !m_links.empty() && std::ranges::any_of(bundle.links, [this](std::size_t link) { return hasLink(link); });
}

std::vector<LinkId> GraphChanges::idsOf(std::size_t link) const
{
    std::vector<LinkId> ids;
    for (LinkId id = link + 1 < m_first.size() ? m_first[link] : 0; link + 1 < m_first.size() && id < m_first[link + 1]; ++id)
        ids.push_back(id);
    return ids;
}

const LinkOverride* GraphChanges::changeOf(std::size_t link, bool back) const
{
    const auto changes = m_links.find(link);
    if (changes == m_links.end())
        return nullptr;
    const LinkId wanted = m_first[link] + (back ? 1 : 0);
    const auto found = std::ranges::find(changes->second, wanted, &LinkOverride::link);
    return found == changes->second.end() ? nullptr : &*found;
}

QString GraphChanges::figure(const GraphText& graph, std::size_t link, Measure measure) const
{
    const GraphText::Link& item = graph.links[link];
    const QString usual = writtenFigure(measure == Measure::Bandwidth ? item.bandwidth : item.latency, measure);
    const auto changed = [&](bool back) {
        const LinkOverride* const change = back && !item.eachWay ? nullptr : changeOf(link, back);
        if (!change)
            return QString();
        const std::optional<Quantity>& value = measure == Measure::Bandwidth ? change->bandwidth : change->latency;
        return value ? quantitytext::text(*value) : QString();
    };
    const QString there = changed(false);
    const QString back = changed(true);
    if (there.isEmpty() && back.isEmpty())
        return usual;
    if (!item.eachWay || there == back)
        return changesTr("%1, overridden to %2").arg(usual, there);
    QStringList ways;
    if (!there.isEmpty())
        ways.append(changesTr("%1 from %2 to %3").arg(there, texts::shown(item.from), texts::shown(item.to)));
    if (!back.isEmpty())
        ways.append(changesTr("%1 from %2 to %3").arg(back, texts::shown(item.to), texts::shown(item.from)));
    return changesTr("%1, overridden to %2").arg(usual, ways.join(QStringLiteral(", ")));
}

QString GraphChanges::removal(const GraphText& graph, std::size_t link) const
{
    const GraphText::Link& item = graph.links[link];
    const auto gone = [&](bool back) {
        const LinkOverride* const change = back && !item.eachWay ? nullptr : changeOf(link, back);
        return change && change->removed;
    };
    if (!gone(false) && !gone(true))
        return {};
    if (!item.eachWay || (gone(false) && gone(true)))
        return changesTr("Removed by an override");
    return changesTr("Removed from %1 to %2 by an override").arg(texts::shown(gone(true) ? item.to : item.from), texts::shown(gone(true) ? item.from : item.to));
}

QStringList GraphChanges::npuTexts(std::size_t node) const
{
    const auto found = m_npus.find(node);
    if (found == m_npus.end())
        return {};
    const NpuOverride& change = found->second;
    QStringList lines;
    if (change.speed)
        lines.append(changesTr("Speed overridden to %1").arg(quantitytext::number(*change.speed)));
    if (change.peak)
        lines.append(changesTr("Peak overridden to %1").arg(quantitytext::text(*change.peak)));
    if (change.memoryBandwidth)
        lines.append(changesTr("Memory bandwidth overridden to %1").arg(quantitytext::text(*change.memoryBandwidth)));
    if (change.memory)
        lines.append(changesTr("Memory overridden to %1").arg(quantitytext::text(*change.memory)));
    if (change.removed)
        lines.append(changesTr("Removed by an override"));
    return lines;
}

} // namespace fabricscope
