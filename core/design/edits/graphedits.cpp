#include "core/design/edits/graphedits.h"

#include "core/design/edits/partnames.h"
#include "core/design/edits/textsplices.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <set>
#include <unordered_map>
#include <unordered_set>

namespace fabricscope {

namespace {

const YamlPath kNodeList{"platform", "nodes"};
const YamlPath kLinkList{"platform", "links"};

NodeKind kindOf(const YamlNode& item)
{
    const std::string kind = textOf(item, "kind");
    return kind == "switch" ? NodeKind::Switch : kind == "memory" ? NodeKind::Memory : NodeKind::Npu;
}

std::optional<std::int32_t> pixels(const YamlNode& node)
{
    std::int32_t value = 0;
    const char* const last = node.text.data() + node.text.size();
    const auto [end, problem] = std::from_chars(node.text.data(), last, value);
    const bool fits = node.isScalar() && problem == std::errc{} && end == last && value >= -DrawnAt::kFarthest && value <= DrawnAt::kFarthest;
    return fits ? std::optional(value) : std::nullopt;
}

YamlNode placeNode(const DrawnAt& at)
{
    YamlNode list = YamlNode::sequence({YamlNode::scalar(std::to_string(at.x)), YamlNode::scalar(std::to_string(at.y))});
    list.flow = true;
    return list;
}

DrawnAt moved(const DrawnAt& at, const DrawnAt& by)
{
    const auto within = [](std::int64_t value) { return static_cast<std::int32_t>(std::clamp<std::int64_t>(value, -DrawnAt::kFarthest, DrawnAt::kFarthest)); };
    return {within(std::int64_t{at.x} + by.x), within(std::int64_t{at.y} + by.y)};
}

/// The link with its ends called otherwise.
YamlNode withEnds(YamlNode link, const std::string& from, const std::string& to)
{
    if (YamlEntry* between = link.find("between"); between && between->value.isSequence() && between->value.items.size() == 2) {
        between->value.items[0] = YamlNode::scalar(from);
        between->value.items[1] = YamlNode::scalar(to);
        return link;
    }
    link.set("from", YamlNode::scalar(from));
    link.set("to", YamlNode::scalar(to));
    return link;
}

std::vector<std::string> namesOf(const YamlDocument& yaml)
{
    std::vector<std::string> names;
    for (const YamlNode& item : itemsAt(yaml, kNodeList))
        names.push_back(textOf(item, "name"));
    return names;
}

std::string withoutNumber(const std::string& name)
{
    const std::size_t last = name.find_last_not_of("0123456789");
    return last == std::string::npos ? "n" : name.substr(0, last + 1);
}

/// Gives names that are free, one after the other, however many: each base goes on where it was.
class FreeNames {
public:
    explicit FreeNames(std::span<const std::string> taken) : m_taken(taken.begin(), taken.end()) {}
    std::string next(const std::string& name)
    {
        const std::string base = withoutNumber(name);
        for (std::int64_t& number = m_next[base];; ++number) {
            std::string tried = base + std::to_string(number);
            if (m_taken.insert(tried).second)
                return tried;
        }
    }

private:
    std::unordered_set<std::string> m_taken;
    std::unordered_map<std::string, std::int64_t> m_next;
};

/// What items stand for when they are no part of a document any more.
YamlNode bare(const YamlNode& node)
{
    YamlNode copy = node;
    copy.shared = false;
    copy.anchor = 0;
    for (YamlNode& item : copy.items)
        item = bare(item);
    for (YamlEntry& entry : copy.entries)
        entry.value = bare(entry.value);
    copy.flow = true;
    return copy;
}

/// Items with names that are free here. `places`: of those without one; by number.
GraphItems renamed(const YamlDocument& yaml, std::span<const YamlNode> nodes, std::span<const YamlNode> links, DrawnAt shift, const std::vector<std::optional<DrawnAt>>& places, bool outside)
{
    const std::vector<std::string> taken = namesOf(yaml);
    FreeNames names(taken);
    std::map<std::string, std::string> called;
    GraphItems out;
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        YamlNode copy = bare(nodes[i]);
        const std::string name = textOf(copy, "name");
        const std::string now = names.next(name.empty() ? "node" : name);
        called[name] = now;
        copy.set("name", YamlNode::scalar(now));
        const std::optional<DrawnAt> at = drawnPlace(copy) ? drawnPlace(copy) : i < places.size() ? places[i] : std::nullopt;
        if (at)
            copy.set("at", placeNode(moved(*at, shift)));
        out.nodes.push_back(std::move(copy));
    }
    for (const YamlNode& link : links) {
        const auto [from, to] = linkEnds(link);
        const auto a = called.find(from);
        const auto b = called.find(to);
        const int copied = (a != called.end() ? 1 : 0) + (b != called.end() ? 1 : 0);
        if (link.isMap() && (copied == 2 || (copied == 1 && outside)))
            out.links.push_back(withEnds(bare(link), a != called.end() ? a->second : from, b != called.end() ? b->second : to));
    }
    return out;
}

std::vector<YamlNode> pick(std::span<const YamlNode> items, std::span<const std::size_t> numbers)
{
    std::vector<YamlNode> picked;
    for (const std::size_t number : numbers) {
        if (number < items.size() && items[number].isMap())
            picked.push_back(items[number]);
    }
    return picked;
}

std::vector<std::optional<DrawnAt>> placesOf(std::span<const YamlNode> items, std::span<const std::size_t> numbers, const std::vector<DrawnAt>& drawn)
{
    std::vector<std::optional<DrawnAt>> places;
    for (const std::size_t number : numbers) {
        if (number < items.size() && items[number].isMap())
            places.push_back(number < drawn.size() ? std::optional(drawn[number]) : std::nullopt);
    }
    return places;
}

/// What is written in a way that cannot be spliced stays without a place.
void placeWherePossible(TextSplices& splices, const NodePlaces& places)
{
    for (const auto& [node, at] : places) {
        if (splices.canSetKey(itemOf(kNodeList, node), "at"))
            splices.setKey(itemOf(kNodeList, node), "at", placeNode(at));
    }
}

} // namespace

FabricText fabricText(const YamlDocument& yaml)
{
    const YamlNode* platform = yaml.find("platform");
    if (!platform || !platform->isMap())
        return FabricText::None;
    for (const char* key : {"dimensions", "topology", "preset", "file", "fabric"}) {
        if (platform->find(key))
            return FabricText::Other;
    }
    return itemsAt(yaml, kNodeList).empty() ? FabricText::None : FabricText::Graph;
}

std::optional<DrawnAt> drawnPlace(const YamlNode& item)
{
    const YamlEntry* entry = item.isMap() ? item.find("at") : nullptr;
    if (!entry || !entry->value.isSequence() || entry->value.items.size() != 2)
        return std::nullopt;
    const auto x = pixels(entry->value.items[0]);
    const auto y = pixels(entry->value.items[1]);
    return x && y ? std::optional(DrawnAt{*x, *y}) : std::nullopt;
}

GraphText graphText(const YamlDocument& yaml)
{
    GraphText graph;
    for (const YamlNode& item : itemsAt(yaml, kNodeList))
        graph.nodes.push_back({textOf(item, "name"), kindOf(item), drawnPlace(item), textOf(item, "crossbar")});
    for (const YamlNode& item : itemsAt(yaml, kLinkList)) {
        auto [from, to] = linkEnds(item);
        graph.links.push_back({std::move(from), std::move(to), item.isMap() && item.find("between"), textOf(item, "bandwidth"), textOf(item, "latency")});
    }
    return graph;
}

YamlNode nodeItem(const GraphText::Node& node)
{
    YamlNode item = YamlNode::map();
    item.flow = true;
    item.set("name", YamlNode::scalar(node.name));
    if (node.kind != NodeKind::Npu)
        item.set("kind", YamlNode::scalar(node.kind == NodeKind::Switch ? "switch" : "memory"));
    if (!node.crossbar.empty())
        item.set("crossbar", YamlNode::scalar(node.crossbar));
    if (node.at)
        item.set("at", placeNode(*node.at));
    return item;
}

YamlNode linkItem(const GraphText::Link& link)
{
    YamlNode item = YamlNode::map();
    item.flow = true;
    if (link.eachWay) {
        YamlNode ends = YamlNode::sequence({YamlNode::scalar(link.from), YamlNode::scalar(link.to)});
        ends.flow = true;
        item.set("between", std::move(ends));
    } else {
        item.set("from", YamlNode::scalar(link.from));
        item.set("to", YamlNode::scalar(link.to));
    }
    item.set("bandwidth", YamlNode::scalar(link.bandwidth));
    item.set("latency", YamlNode::scalar(link.latency));
    return item;
}

std::string freeNodeName(const std::string& base, std::span<const std::string> taken)
{
    return FreeNames(taken).next(base);
}

GraphItems copiesOf(const YamlDocument& yaml, std::span<const std::size_t> nodes, bool outside, DrawnAt shift, const std::vector<DrawnAt>& drawn)
{
    const auto items = itemsAt(yaml, kNodeList);
    return renamed(yaml, pick(items, nodes), itemsAt(yaml, kLinkList), shift, placesOf(items, nodes, drawn), outside);
}

std::string graphFragment(const YamlDocument& yaml, std::span<const std::size_t> nodes, const std::vector<DrawnAt>& drawn)
{
    const auto items = itemsAt(yaml, kNodeList);
    const std::vector<YamlNode> picked = pick(items, nodes);
    const std::vector<std::optional<DrawnAt>> places = placesOf(items, nodes, drawn);
    std::set<std::string> names;
    std::string text = "nodes:\n";
    for (std::size_t i = 0; i < picked.size(); ++i) {
        YamlNode item = bare(picked[i]);
        names.insert(textOf(item, "name"));
        if (!drawnPlace(item) && places[i])
            item.set("at", placeNode(*places[i]));
        text += "  - " + renderYaml(item, false) + '\n';
    }
    std::string links;
    for (const YamlNode& link : itemsAt(yaml, kLinkList)) {
        const auto [from, to] = linkEnds(link);
        if (link.isMap() && names.contains(from) && names.contains(to))
            links += "  - " + renderYaml(bare(link), false) + '\n';
    }
    return text + (links.empty() ? std::string() : "links:\n" + links);
}

Result<GraphItems> readFragment(const YamlDocument& yaml, const std::string& text, DrawnAt shift)
{
    const Result<YamlDocument> fragment = YamlDocument::parse(text);
    if (!fragment)
        return fragment.error();
    const auto list = [&](std::string_view key) {
        const YamlNode* node = fragment.value().find(key);
        return node && node->isSequence() ? std::span<const YamlNode>(node->items) : std::span<const YamlNode>();
    };
    const auto isMap = [](const YamlNode& item) { return item.isMap(); };
    if (list("nodes").empty() || !std::ranges::all_of(list("nodes"), isMap))
        return invalidInput("these are no nodes", {}, "nodes: [{name: npu0}, ...], with links: [...] between them");
    return renamed(yaml, list("nodes"), list("links"), shift, {}, false);
}

namespace edits {

Status addToGraph(YamlDocument& yaml, const GraphItems& items, const NodePlaces& places)
{
    YamlDocument start = yaml;
    const YamlNode* platform = start.find("platform");
    const auto isBare = [](const YamlEntry& entry) { return (entry.key == "nodes" || entry.key == "links") && (entry.value.isNull() || entry.value.isSequence()) && entry.value.items.empty(); };
    if (!platform || !platform->isMap() || (platform->flow && !start.root().flow && std::ranges::all_of(platform->entries, isBare))) {
        // A list in [] becomes one with lines below.
        YamlNode none = YamlNode::map();
        none.set("nodes", YamlNode::sequence());
        if (Status status = platform ? start.set("platform", none) : start.set("platform.nodes", YamlNode::sequence()); !status)
            return status;
        std::string text = start.text();
        const YamlEntry* entry = start.root().find("platform");
        if (entry && entry->value.flow) {
            text.replace(entry->colon + 1, entry->value.end - entry->colon - 1, "\n  nodes: []");
            auto lines = YamlDocument::parse(text, start.file());
            if (lines)
                start = std::move(lines).value();
        }
    }
    std::vector<YamlNode> npus;
    std::vector<YamlNode> others;
    for (const YamlNode& node : items.nodes)
        (kindOf(node) == NodeKind::Npu ? npus : others).push_back(node);
    const auto present = itemsAt(start, kNodeList);
    const auto firstOther = std::ranges::find_if(present, [](const YamlNode& item) { return kindOf(item) != NodeKind::Npu; });
    const auto before = static_cast<std::size_t>(firstOther - present.begin());
    TextSplices splices(start);
    placeWherePossible(splices, places);
    if (before == present.size() || npus.empty() || others.empty()) {
        npus.insert(npus.end(), others.begin(), others.end());
        splices.addItems(kNodeList, others.size() == npus.size() ? present.size() : before, npus);
    } else {
        splices.addItems(kNodeList, before, npus);
        if (Status status = splices.commit(start); !status)
            return status;
        TextSplices second(start);
        second.addItems(kNodeList, itemsAt(start, kNodeList).size(), others);
        second.addItems(kLinkList, itemsAt(start, kLinkList).size(), items.links);
        if (Status status = second.commit(start); !status)
            return status;
        yaml = std::move(start);
        return {};
    }
    splices.addItems(kLinkList, itemsAt(start, kLinkList).size(), items.links);
    if (Status status = splices.commit(start); !status)
        return status;
    yaml = std::move(start);
    return {};
}

Status removeFromGraph(YamlDocument& yaml, std::span<const std::size_t> nodes, std::span<const std::size_t> links, const NodePlaces& places)
{
    const GraphText graph = graphText(yaml);
    GraphText after;
    PartsChange change{graph, after, {}, {}};
    const std::set<std::size_t> gone(nodes.begin(), nodes.end());
    std::set<std::size_t> goneLinks(links.begin(), links.end());
    std::unordered_map<std::string, bool> isGone; // By name: of two nodes with one name the first has the links.
    for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
        const bool stays = !gone.contains(i);
        if (!graph.nodes[i].name.empty())
            isGone.emplace(graph.nodes[i].name, !stays);
        change.nodes.push_back(stays ? static_cast<std::int64_t>(after.nodes.size()) : -1);
        if (stays)
            after.nodes.push_back(graph.nodes[i]);
    }
    for (std::size_t i = 0; i < graph.links.size(); ++i) {
        for (const std::string& end : {graph.links[i].from, graph.links[i].to}) {
            if (const auto found = isGone.find(end); found != isGone.end() && found->second)
                goneLinks.insert(i);
        }
        const bool stays = !goneLinks.contains(i);
        change.links.push_back(stays ? static_cast<std::int64_t>(after.links.size()) : -1);
        if (stays)
            after.links.push_back(graph.links[i]);
    }
    TextSplices splices(yaml);
    NodePlaces kept;
    std::ranges::copy_if(places, std::back_inserter(kept), [&](const auto& entry) { return !gone.contains(entry.first); });
    placeWherePossible(splices, kept);
    splices.removeItems(kNodeList, std::vector<std::size_t>(gone.begin(), gone.end()));
    splices.removeItems(kLinkList, std::vector<std::size_t>(goneLinks.begin(), goneLinks.end()));
    if (Status status = followParts(yaml, splices, change); !status)
        return status;
    return splices.commit(yaml);
}

Status placeNodes(YamlDocument& yaml, const NodePlaces& places, const NodePlaces& others)
{
    TextSplices splices(yaml);
    for (const auto& [node, at] : places)
        splices.setKey(itemOf(kNodeList, node), "at", placeNode(at));
    placeWherePossible(splices, others);
    return splices.commit(yaml);
}

Status setLinkFigures(YamlDocument& yaml, std::span<const std::size_t> links, const std::optional<Quantity>& bandwidth, const std::optional<Quantity>& latency)
{
    std::vector<LinkFigures> figures;
    for (const std::size_t link : links)
        figures.push_back({link, bandwidth, latency});
    return setLinkFigures(yaml, figures);
}

Status setLinkFigures(YamlDocument& yaml, std::span<const LinkFigures> figures)
{
    TextSplices splices(yaml);
    for (const LinkFigures& item : figures) {
        if (item.bandwidth)
            splices.setKey(itemOf(kLinkList, item.link), "bandwidth", YamlNode::scalar(item.bandwidth->text()));
        if (item.latency)
            splices.setKey(itemOf(kLinkList, item.link), "latency", YamlNode::scalar(item.latency->text()));
    }
    return splices.commit(yaml);
}

Status setCrossbars(YamlDocument& yaml, std::span<const std::size_t> nodes, const std::optional<Quantity>& crossbar)
{
    if (crossbar) {
        TextSplices splices(yaml);
        for (const std::size_t node : nodes)
            splices.setKey(itemOf(kNodeList, node), "crossbar", YamlNode::scalar(crossbar->text()));
        return splices.commit(yaml);
    }
    YamlDocument changed = yaml;
    for (const std::size_t node : nodes) {
        if (textOf(itemsAt(changed, kNodeList)[node], "crossbar").empty())
            continue;
        if (Status status = changed.remove("platform.nodes[" + std::to_string(node) + "].crossbar"); !status)
            return status;
    }
    yaml = std::move(changed);
    return {};
}

Status renameNode(YamlDocument& yaml, std::size_t node, const std::string& name)
{
    const std::vector<std::pair<std::size_t, std::string>> one{{node, name}};
    return renameNodes(yaml, one);
}

namespace {

/// Names that nodes are to have, each by itself and all together.
Status checkNames(const std::vector<std::string>& before, const std::vector<std::string>& after)
{
    std::unordered_map<std::string, int> count;
    for (const std::string& name : after)
        ++count[name];
    for (std::size_t node = 0; node < after.size(); ++node) {
        const std::string& name = after[node];
        if (before[node] == name)
            continue;
        if (name.empty() || count[name] > 1)
            return invalidInput(name.empty() ? "a node has a name" : "\"" + name + "\" is the name of another node", {}, "a name that no other node has");
        if (name.find_first_of("><#*") != std::string::npos)
            return invalidInput("\"" + name + "\" cannot be told from a name of links", {}, "a name without > < # *");
    }
    return {};
}

} // namespace

Status renameNodes(YamlDocument& yaml, std::span<const std::pair<std::size_t, std::string>> names)
{
    const std::vector<std::string> before = namesOf(yaml);
    std::vector<std::string> wanted = before;
    for (const auto& [node, name] : names) {
        if (node < wanted.size())
            wanted[node] = name;
    }
    if (wanted == before)
        return {};
    if (Status status = checkNames(before, wanted); !status)
        return status;
    const GraphText graph = graphText(yaml);
    GraphText after = graph;
    TextSplices splices(yaml);
    std::unordered_map<std::string, std::string> called; // Of two with one name the first has the links.
    PartsChange change{graph, after, {}, {}};
    for (std::size_t node = 0; node < before.size(); ++node) {
        if (!before[node].empty())
            called.emplace(before[node], wanted[node]);
        after.nodes[node].name = wanted[node];
        if (wanted[node] != before[node])
            splices.setKey(itemOf(kNodeList, node), "name", YamlNode::scalar(wanted[node]));
        change.nodes.push_back(static_cast<std::int64_t>(node));
    }
    for (std::size_t i = 0; i < graph.links.size(); ++i) {
        GraphText::Link& link = after.links[i];
        change.links.push_back(static_cast<std::int64_t>(i));
        for (std::string* end : {&link.from, &link.to}) {
            const auto found = called.find(*end);
            if (found == called.end() || found->second == *end)
                continue;
            *end = found->second;
            YamlPath path = itemOf(kLinkList, i);
            path.push_back(link.eachWay ? "between" : end == &link.from ? "from" : "to");
            splices.setScalar(link.eachWay ? itemOf(path, end == &link.from ? 0 : 1) : path, *end);
        }
    }
    if (Status status = followParts(yaml, splices, change); !status)
        return status;
    return splices.commit(yaml);
}

} // namespace edits

} // namespace fabricscope
