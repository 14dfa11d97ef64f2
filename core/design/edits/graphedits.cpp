#include "core/design/edits/graphedits.h"

#include "core/base/index.h"
#include "core/design/edits/textsplices.h"
#include "core/platform/fabric/parseline.h"

#include <algorithm>
#include <map>
#include <set>
#include <unordered_map>
#include <unordered_set>

namespace fabricscope {

namespace {

const YamlPath kNodeList{"platform", "nodes"};
const YamlPath kLinkList{"platform", "links"};

YamlPath itemOf(const YamlPath& list, std::size_t number)
{
    YamlPath path = list;
    path.push_back(std::to_string(number));
    return path;
}

std::string textOf(const YamlNode& map, std::string_view key)
{
    const YamlEntry* entry = map.isMap() ? map.find(key) : nullptr;
    return entry && entry->value.isScalar() ? entry->value.text : std::string();
}

void setText(YamlNode& map, const std::string& key, YamlNode value)
{
    if (YamlEntry* entry = map.find(key)) {
        entry->value = std::move(value);
        return;
    }
    YamlEntry entry;
    entry.key = key;
    entry.value = std::move(value);
    map.entries.push_back(std::move(entry));
}

NodeKind kindOf(const YamlNode& item)
{
    const std::string kind = textOf(item, "kind");
    return kind == "switch" ? NodeKind::Switch : kind == "memory" ? NodeKind::Memory : NodeKind::Npu;
}

std::optional<std::int32_t> pixels(const YamlNode& node)
{
    const auto quantity = node.isScalar() ? parseQuantity(node.text.starts_with('-') ? std::string_view(node.text).substr(1) : std::string_view(node.text), Measure::Count)
                                          : Result<Quantity>(Error{ErrorCode::InvalidInput, {}, {}, {}});
    if (!quantity || quantity.value().value > DrawnAt::kFarthest)
        return std::nullopt;
    const auto size = static_cast<std::int32_t>(quantity.value().value);
    return node.text.starts_with('-') ? -size : size;
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

std::pair<std::string, std::string> endsOf(const YamlNode& link)
{
    const YamlEntry* between = link.isMap() ? link.find("between") : nullptr;
    if (between && between->value.isSequence() && between->value.items.size() == 2)
        return {between->value.items[0].text, between->value.items[1].text};
    return {textOf(link, "from"), textOf(link, "to")};
}

/// The link with its ends called otherwise.
YamlNode withEnds(YamlNode link, const std::string& from, const std::string& to)
{
    if (YamlEntry* between = link.find("between"); between && between->value.isSequence() && between->value.items.size() == 2) {
        between->value.items[0] = YamlNode::scalar(from);
        between->value.items[1] = YamlNode::scalar(to);
        return link;
    }
    setText(link, "from", YamlNode::scalar(from));
    setText(link, "to", YamlNode::scalar(to));
    return link;
}

std::span<const YamlNode> itemsAt(const YamlDocument& yaml, const YamlPath& path)
{
    const YamlNode* list = yaml.find(path);
    return list && list->isSequence() ? std::span<const YamlNode>(list->items) : std::span<const YamlNode>();
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
        setText(copy, "name", YamlNode::scalar(now));
        const std::optional<DrawnAt> at = drawnPlace(copy) ? drawnPlace(copy) : i < places.size() ? places[i] : std::nullopt;
        if (at)
            setText(copy, "at", placeNode(moved(*at, shift)));
        out.nodes.push_back(std::move(copy));
    }
    for (const YamlNode& link : links) {
        const auto [from, to] = endsOf(link);
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

void place(TextSplices& splices, const NodePlaces& places)
{
    for (const auto& [node, at] : places)
        splices.setKey(itemOf(kNodeList, node), "at", placeNode(at));
}

/// Names of the nodes a link's name is about; a place "a>b", "a<>b", "a>b#2".
std::vector<std::string> partsOfName(std::string name)
{
    name = name.substr(0, name.find('#'));
    const std::size_t arrow = name.find('>');
    if (arrow == std::string::npos)
        return {};
    const std::size_t end = arrow > 0 && name[arrow - 1] == '<' ? arrow - 1 : arrow;
    return {name.substr(0, end), name.substr(arrow + 1)};
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

GraphText graphText(const YamlDocument& yaml)
{
    GraphText graph;
    for (const YamlNode& item : itemsAt(yaml, kNodeList))
        graph.nodes.push_back({textOf(item, "name"), kindOf(item), drawnPlace(item)});
    for (const YamlNode& item : itemsAt(yaml, kLinkList)) {
        auto [from, to] = endsOf(item);
        graph.links.push_back({std::move(from), std::move(to), item.isMap() && item.find("between"), textOf(item, "bandwidth"), textOf(item, "latency")});
    }
    return graph;
}

YamlNode nodeItem(const GraphText::Node& node)
{
    YamlNode item = YamlNode::map();
    item.flow = true;
    setText(item, "name", YamlNode::scalar(node.name));
    if (node.kind != NodeKind::Npu)
        setText(item, "kind", YamlNode::scalar(node.kind == NodeKind::Switch ? "switch" : "memory"));
    if (node.at)
        setText(item, "at", placeNode(*node.at));
    return item;
}

YamlNode linkItem(const GraphText::Link& link)
{
    YamlNode item = YamlNode::map();
    item.flow = true;
    if (link.eachWay) {
        YamlNode ends = YamlNode::sequence({YamlNode::scalar(link.from), YamlNode::scalar(link.to)});
        ends.flow = true;
        setText(item, "between", std::move(ends));
    } else {
        setText(item, "from", YamlNode::scalar(link.from));
        setText(item, "to", YamlNode::scalar(link.to));
    }
    setText(item, "bandwidth", YamlNode::scalar(link.bandwidth));
    setText(item, "latency", YamlNode::scalar(link.latency));
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
            setText(item, "at", placeNode(*places[i]));
        text += "  - " + renderYaml(item, false) + '\n';
    }
    std::string links;
    for (const YamlNode& link : itemsAt(yaml, kLinkList)) {
        const auto [from, to] = endsOf(link);
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
    if (!platform || !platform->isMap() || platform->entries.empty()) {
        // A list in [] becomes one with lines below.
        YamlNode none = YamlNode::map();
        setText(none, "nodes", YamlNode::sequence());
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
    place(splices, places);
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
    const auto items = itemsAt(yaml, kNodeList);
    const std::set<std::size_t> gone(nodes.begin(), nodes.end());
    std::set<std::size_t> goneLinks(links.begin(), links.end());
    std::unordered_set<std::string> names;
    std::vector<std::int64_t> number(items.size(), -1); // New number of each NPU.
    std::int64_t npus = 0;
    for (std::size_t i = 0; i < items.size(); ++i) {
        if (gone.contains(i))
            names.insert(textOf(items[i], "name"));
        else
            number[i] = npus++;
    }
    const auto listed = itemsAt(yaml, kLinkList);
    for (std::size_t i = 0; i < listed.size(); ++i) {
        const auto [from, to] = endsOf(listed[i]);
        if (names.contains(from) || names.contains(to))
            goneLinks.insert(i);
    }
    TextSplices splices(yaml);
    NodePlaces kept;
    std::ranges::copy_if(places, std::back_inserter(kept), [&](const auto& entry) { return !gone.contains(entry.first); });
    place(splices, kept);
    splices.removeItems(kNodeList, std::vector<std::size_t>(gone.begin(), gone.end()));
    splices.removeItems(kLinkList, std::vector<std::size_t>(goneLinks.begin(), goneLinks.end()));

    const YamlPath npuList{"platform", "overrides", "npus"};
    const YamlPath linkList{"platform", "overrides", "links"};
    std::vector<std::size_t> lost;
    const auto npuItems = itemsAt(yaml, npuList);
    for (std::size_t i = 0; i < npuItems.size(); ++i) {
        const std::string text = textOf(npuItems[i], "npu");
        if (text.empty() || text.size() > 7 || text.find_first_not_of("0123456789") != std::string::npos) {
            if (names.contains(text))
                lost.push_back(i);
            continue;
        }
        const std::size_t of = std::stoul(text);
        if (of >= number.size())
            continue;
        if (number[of] < 0)
            lost.push_back(i);
        else if (number[of] != static_cast<std::int64_t>(of))
            splices.setKey(itemOf(npuList, i), "npu", YamlNode::scalar(std::to_string(number[of])));
    }
    splices.removeItems(npuList, lost);
    lost.clear();
    const auto linkItems = itemsAt(yaml, linkList);
    for (std::size_t i = 0; i < linkItems.size(); ++i) {
        const std::vector<std::string> parts = partsOfName(textOf(linkItems[i], "link"));
        if (std::ranges::any_of(parts, [&](const std::string& part) { return names.contains(part); }))
            lost.push_back(i);
    }
    splices.removeItems(linkList, lost);
    return splices.commit(yaml);
}

Status placeNodes(YamlDocument& yaml, const NodePlaces& places)
{
    TextSplices splices(yaml);
    place(splices, places);
    return splices.commit(yaml);
}

Status setLinkFigures(YamlDocument& yaml, std::span<const std::size_t> links, const std::optional<Quantity>& bandwidth, const std::optional<Quantity>& latency)
{
    TextSplices splices(yaml);
    for (const std::size_t link : links) {
        if (bandwidth)
            splices.setKey(itemOf(kLinkList, link), "bandwidth", YamlNode::scalar(bandwidth->text()));
        if (latency)
            splices.setKey(itemOf(kLinkList, link), "latency", YamlNode::scalar(latency->text()));
    }
    return splices.commit(yaml);
}

Status renameNode(YamlDocument& yaml, std::size_t node, const std::string& name)
{
    const std::vector<std::string> names = namesOf(yaml);
    if (node >= names.size() || names[node] == name)
        return {};
    if (name.empty() || std::ranges::find(names, name) != names.end())
        return invalidInput(name.empty() ? "a node has a name" : "\"" + name + "\" is the name of another node", {}, "a name that no other node has");
    const std::string& old = names[node];
    TextSplices splices(yaml);
    splices.setKey(itemOf(kNodeList, node), "name", YamlNode::scalar(name));
    const auto links = itemsAt(yaml, kLinkList);
    for (std::size_t i = 0; i < links.size(); ++i) {
        const auto [from, to] = endsOf(links[i]);
        if (old.empty() || (from != old && to != old))
            continue;
        const std::string first = from == old ? name : from;
        const std::string second = to == old ? name : to;
        if (links[i].isMap() && links[i].find("between")) {
            YamlNode ends = YamlNode::sequence({YamlNode::scalar(first), YamlNode::scalar(second)});
            ends.flow = true;
            splices.setKey(itemOf(kLinkList, i), "between", ends);
        } else {
            splices.setKey(itemOf(kLinkList, i), from == old ? "from" : "to", YamlNode::scalar(name));
        }
    }
    const YamlPath overrides{"platform", "overrides", "links"};
    const auto items = itemsAt(yaml, overrides);
    for (std::size_t i = 0; i < items.size(); ++i) {
        const std::string text = textOf(items[i], "link");
        const std::vector<std::string> parts = partsOfName(text);
        if (old.empty() || parts.size() != 2 || (parts[0] != old && parts[1] != old))
            continue;
        const std::string arrow = text.find("<>") == std::string::npos ? ">" : "<>";
        const std::size_t hash = text.find('#');
        splices.setKey(itemOf(overrides, i), "link",
                       YamlNode::scalar((parts[0] == old ? name : parts[0]) + arrow + (parts[1] == old ? name : parts[1]) + (hash == std::string::npos ? std::string() : text.substr(hash))));
    }
    return splices.commit(yaml);
}

namespace {

/// Takes out what says what the fabric is, and what names parts of it.
Status removeFabric(YamlDocument& yaml, std::string_view kept)
{
    for (const char* key : {"dimensions", "topology", "bandwidth", "npu_bandwidth", "latency", "preset", "file", "kind", "link_figures", "nodes", "links", "fabric", "blueprints", "overrides", "name", "source"}) {
        const std::string path = std::string("platform.") + key;
        if (key == kept || !yaml.find(path))
            continue;
        if (Status status = yaml.remove(path); !status)
            return status;
    }
    return {};
}

/// Has a platform of which nothing but this key says what it is. \pre the document is a copy
Status replaceFabric(YamlDocument& yaml, const std::string& key, const YamlNode& value)
{
    const YamlNode* platform = yaml.find("platform");
    if (platform && (!platform->isMap() || platform->entries.empty())) {
        if (Status status = yaml.remove("platform"); !status)
            return status;
    }
    if (Status status = yaml.set("platform." + key, value); !status)
        return status;
    return removeFabric(yaml, key);
}

} // namespace

Status writeOutGraph(YamlDocument& yaml, const PlatformSpec& spec)
{
    GraphItems items;
    for (const ExplicitNode& node : spec.nodes) {
        YamlNode item = nodeItem({node.name, node.kind, std::nullopt});
        if (!node.forwards)
            setText(item, "forwards", YamlNode::scalar("false"));
        items.nodes.push_back(std::move(item));
    }
    for (std::size_t i = 0; i < spec.links.size(); ++i) {
        const ExplicitLink& link = spec.links[i];
        ExplicitLink back = link;
        std::swap(back.from, back.to);
        const bool eachWay = i + 1 < spec.links.size() && spec.links[i + 1] == back;
        items.links.push_back(linkItem({spec.nodes[at(link.from)].name, spec.nodes[at(link.to)].name, eachWay, link.bandwidth.text(), link.latency.text()}));
        i += eachWay ? 1 : 0;
    }
    YamlDocument edited = yaml;
    YamlNode none = YamlNode::sequence();
    none.flow = true;
    if (Status status = replaceFabric(edited, "nodes", none); !status)
        return status;
    if (Status status = addToGraph(edited, items); !status)
        return status;
    yaml = std::move(edited);
    return {};
}

Status setFabricLine(YamlDocument& yaml, const std::string& line)
{
    if (const Result<Fabric> fabric = fabricOfLine(line); !fabric)
        return fabric.error();
    if (const YamlNode* now = yaml.find("platform.topology"); now && now->isScalar())
        return yaml.set("platform.topology", line);
    YamlDocument edited = yaml;
    if (Status status = replaceFabric(edited, "topology", YamlNode::scalar(line)); !status)
        return status;
    yaml = std::move(edited);
    return {};
}

} // namespace edits

} // namespace fabricscope
