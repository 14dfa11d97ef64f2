#include "widgets/draw/graphchanges.h"

#include "core/design/edits/edits.h"
#include "core/design/edits/dimensionedits.h"
#include "core/design/edits/textsplices.h"
#include "core/design/linknames.h"
#include "widgets/base/showntexts.h"
#include "widgets/design/quantityinput.h"

#include <QCoreApplication>

#include <algorithm>
#include <charconv>
#include <span>
#include <utility>

namespace fabricscope {

namespace {

struct GraphChangeTexts {
    Q_DECLARE_TR_FUNCTIONS(GraphChangeTexts)
};

/// What an entry of overrides names, or nothing.
std::string namedBy(const YamlNode& item, const char* key)
{
    const YamlEntry* const entry = item.isMap() ? item.find(key) : nullptr;
    return entry && entry->value.isScalar() ? entry->value.text : std::string();
}

/// As a design is read: an NPU is named by its number, or as a node.
std::vector<NodeId> npusNamed(const Platform& platform, const std::string& name)
{
    NodeId number = 0;
    const char* const last = name.data() + name.size();
    const auto [end, problem] = std::from_chars(name.data(), last, number);
    return problem == std::errc{} && end == last ? std::vector<NodeId>{number} : findNpus(platform, name);
}

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
    const YamlPath linkList = parseYamlPath("platform.overrides.links").value();
    const YamlPath npuList = parseYamlPath("platform.overrides.npus").value();
    auto ofLinks = entriesOf(yaml, linkList, "link", links, [&](const std::string& name) { return findLinks(platform, name); });
    if (!ofLinks)
        return std::move(ofLinks).error();
    auto ofNpus = entriesOf(yaml, npuList, "npu", npus, [&](const std::string& name) { return npusNamed(platform, name); });
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
        return GraphChangeTexts::tr("%1, overridden to %2").arg(usual, there);
    QStringList ways;
    if (!there.isEmpty())
        ways.append(GraphChangeTexts::tr("%1 from %2 to %3").arg(there, texts::shown(item.from), texts::shown(item.to)));
    if (!back.isEmpty())
        ways.append(GraphChangeTexts::tr("%1 from %2 to %3").arg(back, texts::shown(item.to), texts::shown(item.from)));
    return GraphChangeTexts::tr("%1, overridden to %2").arg(usual, ways.join(QStringLiteral(", ")));
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
        return GraphChangeTexts::tr("Removed by an override");
    return GraphChangeTexts::tr("Removed from %1 to %2 by an override").arg(texts::shown(gone(true) ? item.to : item.from), texts::shown(gone(true) ? item.from : item.to));
}

QStringList GraphChanges::npuTexts(std::size_t node) const
{
    const auto found = m_npus.find(node);
    if (found == m_npus.end())
        return {};
    const NpuOverride& change = found->second;
    QStringList lines;
    if (change.speed)
        lines.append(GraphChangeTexts::tr("Speed overridden to %1").arg(quantitytext::number(*change.speed)));
    if (change.peak)
        lines.append(GraphChangeTexts::tr("Peak overridden to %1").arg(quantitytext::text(*change.peak)));
    if (change.memoryBandwidth)
        lines.append(GraphChangeTexts::tr("Memory bandwidth overridden to %1").arg(quantitytext::text(*change.memoryBandwidth)));
    if (change.memory)
        lines.append(GraphChangeTexts::tr("Memory overridden to %1").arg(quantitytext::text(*change.memory)));
    if (change.removed)
        lines.append(GraphChangeTexts::tr("Removed by an override"));
    return lines;
}

} // namespace fabricscope
