// Edits of parts that stand in several copies; what copies are: partcopies.cpp.
#include "core/design/edits/partcopies.h"

#include "core/base/index.h"
#include "core/design/edits/textsplices.h"

#include <algorithm>

namespace fabricscope::edits {

namespace {

const YamlPath kCopiesText{"platform", "copies"};

CopiedParts copiedPartsOf(const YamlDocument& yaml) { return {graphText(yaml), partCopies(yaml)}; }

YamlNode copiesItem(const PartCopies& copies)
{
    YamlNode item = YamlNode::map();
    item.flow = true;
    item.set("of", YamlNode::scalar(copies.of));
    item.set("count", YamlNode::scalar(std::to_string(copies.count)));
    return item;
}

Status changeCopiesKey(YamlDocument& yaml, std::size_t blueprint, const std::string& key, const std::string& value)
{
    TextSplices splices(yaml);
    splices.setKey(itemOf(kCopiesText, blueprint), key, YamlNode::scalar(value));
    return splices.commit(yaml);
}

/// A name for a new blueprint, or for `old`; empty: it will do.
std::string refusedName(const YamlDocument& yaml, const std::string& of)
{
    if (std::string wrong = wrongBlueprintName(of); !wrong.empty())
        return wrong;
    const std::vector<PartCopies> all = partCopies(yaml);
    if (std::ranges::any_of(all, [&](const PartCopies& one) { return one.of == of; }))
        return "another blueprint is called \"" + of + "\"";
    const std::vector<PartCopies> alone{{of, PartCopies::kMost}};
    const GraphText graph = graphText(yaml);
    const CopiedParts would(graph, alone);
    for (std::size_t node = 0; node < graph.nodes.size(); ++node) {
        if (would.placeOf(node))
            return "the node \"" + graph.nodes[node].name + "\" would be a part of it by its name";
    }
    return {};
}

Error badName(const std::string& why) { return invalidInput(why, {}, "a name of its own, such as host"); }

/// The shift of a place, from one copy to another; by the first node that both have. Absent: they have none with a place.
std::optional<DrawnAt> shiftBetween(const GraphText& graph, const CopiedParts& copies, std::size_t blueprint, std::int32_t from, std::int32_t to, const std::vector<DrawnAt>& drawn)
{
    const auto placeOf = [&](std::size_t node) { return graph.nodes[node].at ? graph.nodes[node].at : node < drawn.size() ? std::optional(drawn[node]) : std::nullopt; };
    for (const std::size_t node : copies.nodesOf(blueprint, from)) {
        const auto other = copies.node(blueprint, to, copies.placeOf(node)->part);
        if (!other)
            continue;
        const auto a = placeOf(node);
        const auto b = placeOf(*other);
        if (a && b)
            return DrawnAt{b->x - a->x, b->y - a->y};
    }
    return std::nullopt;
}

YamlNode placeList(std::int64_t x, std::int64_t y)
{
    const auto within = [](std::int64_t value) { return YamlNode::scalar(std::to_string(std::clamp<std::int64_t>(value, -DrawnAt::kFarthest, DrawnAt::kFarthest))); };
    YamlNode list = YamlNode::sequence({within(x), within(y)});
    list.flow = true;
    return list;
}

/// The item under another name, elsewhere.
YamlNode itemCalled(YamlNode item, const std::string& name, DrawnAt shift, const std::optional<DrawnAt>& drawn)
{
    item.set("name", YamlNode::scalar(name));
    if (const std::optional<DrawnAt> at = drawnPlace(item) ? drawnPlace(item) : drawn)
        item.set("at", placeList(std::int64_t{at->x} + shift.x, std::int64_t{at->y} + shift.y));
    return item;
}

/// Makes items of new copies. `graph` and `copies` are those of `yaml`.
struct CopyMaker {
    const YamlDocument& yaml;
    const GraphText graph;
    const CopiedParts copies;

    /// Everything of copy `model` of a blueprint once more, as copy `copy`.
    void add(GraphItems& items, std::size_t blueprint, std::int32_t model, std::int32_t copy, DrawnAt shift, const std::vector<DrawnAt>& drawn) const
    {
        const std::vector<std::size_t> nodes = copies.nodesOf(blueprint, model);
        const GraphItems made = copiesOf(yaml, nodes, true, {0, 0}, drawn); // Bare items, in the order of the text.
        for (std::size_t i = 0; i < nodes.size() && i < made.nodes.size(); ++i)
            items.nodes.push_back(itemCalled(made.nodes[i], copies.nameOf(blueprint, copy, copies.placeOf(nodes[i])->part), shift, std::nullopt));
        for (std::size_t link = 0; link < graph.links.size(); ++link) {
            const auto place = copies.placeOfLink(link);
            if (!place || place->blueprint != blueprint || place->copy != model)
                continue;
            GraphText::Link there = graph.links[link];
            for (std::string* end : {&there.from, &there.to}) {
                if (const auto part = copies.placeOfName(*end))
                    *end = copies.nameOf(blueprint, copy, part->part);
            }
            items.links.push_back(linkItem(there));
        }
    }
};

/// Copy numbers as they are once these copies are gone, as new names of nodes.
std::vector<std::pair<std::size_t, std::string>> closedRanks(const CopiedParts& copies, const GraphText& graph, const std::set<std::pair<std::size_t, std::int32_t>>& gone)
{
    std::vector<std::pair<std::size_t, std::string>> names;
    for (std::size_t node = 0; node < graph.nodes.size(); ++node) {
        const auto& place = copies.placeOf(node);
        if (!place || gone.contains({place->blueprint, place->copy}))
            continue;
        const auto before = std::ranges::count_if(gone, [&](const auto& one) { return one.first == place->blueprint && one.second < place->copy; });
        if (before > 0)
            names.emplace_back(node, copies.nameOf(place->blueprint, place->copy - static_cast<std::int32_t>(before), place->part));
    }
    return names;
}

} // namespace

Status groupParts(YamlDocument& yaml, std::span<const std::size_t> nodes, const std::string& of, const NodePlaces& places)
{
    YamlDocument changed = yaml;
    const GraphText graph = graphText(changed);
    const CopiedParts copies = copiedPartsOf(changed);
    if (!itemsAt(changed, kCopiesText).empty() && copies.isEmpty())
        return Error{ErrorCode::InvalidInput, "the copies of the design have errors", changed.place(*changed.find(kCopiesText), "platform.copies"), "to correct them first"};
    if (const std::string why = refusedName(changed, of); !why.empty())
        return badName(why);
    std::vector<std::pair<std::size_t, std::string>> names;
    for (const std::size_t node : nodes) {
        if (copies.placeOf(node))
            return invalidInput("\"" + graph.nodes[node].name + "\" is part of a copy already", {}, "to ungroup that first, or to select what is in none");
        names.emplace_back(node, of + "0." + graph.nodes[node].name);
    }
    if (names.empty())
        return invalidInput("a blueprint has parts", {}, "at least one node");
    if (Status status = placeNodes(changed, {}, places); !status)
        return status;
    if (Status status = renameNodes(changed, names); !status)
        return status;
    TextSplices splices(changed);
    const std::vector<YamlNode> item{copiesItem({of, 1})};
    splices.addItems(kCopiesText, itemsAt(changed, kCopiesText).size(), item);
    if (Status status = splices.commit(changed); !status)
        return status;
    yaml = std::move(changed);
    return {};
}

Status noteCopies(YamlDocument& yaml)
{
    std::vector<YamlNode> items;
    for (const PartCopies& copies : copiesByName(graphText(yaml)))
        items.push_back(copiesItem(copies));
    if (items.empty())
        return {};
    TextSplices splices(yaml);
    splices.addItems(kCopiesText, 0, items);
    return splices.commit(yaml);
}

Status ungroupParts(YamlDocument& yaml, std::size_t blueprint)
{
    if (itemsAt(yaml, kCopiesText).size() == 1)
        return yaml.remove("platform.copies");
    return yaml.remove("platform.copies[" + std::to_string(blueprint) + "]");
}

Status setCopies(YamlDocument& yaml, std::size_t blueprint, std::int32_t count, std::span<const DrawnAt> shifts, const std::vector<DrawnAt>& drawn)
{
    const CopyMaker maker{yaml, graphText(yaml), copiedPartsOf(yaml)};
    const std::int32_t now = maker.copies.blueprints()[blueprint].count;
    if (count < 1 || count > PartCopies::kMost)
        return invalidInput(std::to_string(count) + " copies", {}, "1 to " + std::to_string(PartCopies::kMost));
    YamlDocument changed = yaml;
    if (count < now) {
        std::vector<std::size_t> gone;
        for (std::int32_t copy = count; copy < now; ++copy)
            std::ranges::copy(maker.copies.nodesOf(blueprint, copy), std::back_inserter(gone));
        if (Status status = removeFromGraph(changed, gone, {}); !status)
            return status;
    } else {
        GraphItems items;
        for (std::int32_t copy = now; copy < count; ++copy)
            maker.add(items, blueprint, 0, copy, at(copy - now) < shifts.size() ? shifts[at(copy - now)] : DrawnAt{}, drawn);
        if (Status status = addToGraph(changed, items); !status)
            return status;
    }
    if (Status status = changeCopiesKey(changed, blueprint, "count", std::to_string(count)); !status)
        return status;
    yaml = std::move(changed);
    return {};
}

Status renameBlueprint(YamlDocument& yaml, std::size_t blueprint, const std::string& of)
{
    YamlDocument changed = yaml;
    const GraphText graph = graphText(changed);
    const CopiedParts copies = copiedPartsOf(changed);
    if (copies.blueprints()[blueprint].of == of)
        return {};
    if (const std::string why = refusedName(changed, of); !why.empty())
        return badName(why);
    std::vector<std::pair<std::size_t, std::string>> names;
    for (std::size_t node = 0; node < graph.nodes.size(); ++node) {
        if (const auto& place = copies.placeOf(node); place && place->blueprint == blueprint)
            names.emplace_back(node, of + std::to_string(place->copy) + '.' + place->part);
    }
    if (Status status = renameNodes(changed, names); !status)
        return status;
    if (Status status = changeCopiesKey(changed, blueprint, "of", of); !status)
        return status;
    yaml = std::move(changed);
    return {};
}

Status removeParts(YamlDocument& yaml, std::span<const std::size_t> nodes, std::span<const std::size_t> links, const NodePlaces& places)
{
    YamlDocument changed = yaml;
    const GraphText graph = graphText(changed);
    const CopiedParts copies = copiedPartsOf(changed);
    const std::set<std::size_t> chosen(nodes.begin(), nodes.end());
    const auto whole = copies.wholeCopies(chosen);
    const std::set<std::size_t> all = copies.alikeAll(chosen);
    std::set<std::size_t> goneLinks;
    for (const std::size_t link : links) {
        const std::vector<std::size_t> alike = copies.alikeLinks(link);
        goneLinks.insert(alike.begin(), alike.end());
    }
    // Before they go: numbers of nodes are those of this text. Names of copies that go are free then.
    const auto names = closedRanks(copies, graph, whole);
    const std::vector<std::size_t> goneNodes(all.begin(), all.end());
    const std::vector<std::size_t> goneLinkList(goneLinks.begin(), goneLinks.end());
    if (Status status = removeFromGraph(changed, goneNodes, goneLinkList, places); !status)
        return status;
    std::vector<std::pair<std::size_t, std::string>> after;
    for (const auto& [node, name] : names) {
        if (!all.contains(node))
            after.emplace_back(node - static_cast<std::size_t>(std::distance(all.begin(), all.lower_bound(node))), name);
    }
    if (Status status = renameNodes(changed, after); !status)
        return status;
    for (std::size_t blueprint = copies.blueprints().size(); blueprint-- > 0;) {
        const auto gone = static_cast<std::int32_t>(std::ranges::count_if(whole, [&](const auto& one) { return one.first == blueprint; }));
        const std::int32_t left = copies.blueprints()[blueprint].count - gone;
        const CopiedParts now(graphText(changed), copies.blueprints());
        const bool empty = now.nodesOf(blueprint, 0).empty();
        Status status = left < 1 || empty ? ungroupParts(changed, blueprint) : gone > 0 ? changeCopiesKey(changed, blueprint, "count", std::to_string(left)) : Status();
        if (!status)
            return status;
    }
    yaml = std::move(changed);
    return {};
}

Status renameParts(YamlDocument& yaml, std::span<const std::pair<std::size_t, std::string>> names)
{
    const CopiedParts copies = copiedPartsOf(yaml);
    std::map<std::size_t, std::string> wanted;
    for (const auto& [node, name] : names) {
        const auto& place = copies.isEmpty() ? std::nullopt : copies.placeOf(node);
        if (!place) {
            wanted.emplace(node, name);
            continue;
        }
        const std::string own = copies.nameOf(place->blueprint, place->copy, {});
        const std::string part = name.starts_with(own) ? name.substr(own.size()) : name;
        for (const std::size_t other : copies.alike(node))
            wanted.emplace(other, part.empty() ? part : copies.nameOf(place->blueprint, copies.placeOf(other)->copy, part));
    }
    const std::vector<std::pair<std::size_t, std::string>> all(wanted.begin(), wanted.end());
    return renameNodes(yaml, all);
}

namespace {

/// Names that are new, as parts of a blueprint: by the names of the items.
std::map<std::string, std::string> partNames(const CopiedParts& copies, std::size_t blueprint, const GraphText& graph, const GraphItems& items)
{
    std::vector<std::string> taken;
    for (std::size_t node = 0; node < graph.nodes.size(); ++node) {
        if (const auto& place = copies.placeOf(node); place && place->blueprint == blueprint)
            taken.push_back(place->part);
    }
    std::map<std::string, std::string> parts;
    for (const YamlNode& item : items.nodes) {
        const std::string name = textOf(item, "name");
        const auto place = copies.placeOfName(name);
        parts[name] = freeNodeName(place ? place->part : name, taken);
        taken.push_back(parts[name]);
    }
    return parts;
}

} // namespace

Status addToCopies(YamlDocument& yaml, std::size_t blueprint, std::int32_t copy, const GraphItems& items, const NodePlaces& places, const std::vector<DrawnAt>& drawn)
{
    const GraphText graph = graphText(yaml);
    const CopiedParts copies = copiedPartsOf(yaml);
    const std::map<std::string, std::string> parts = partNames(copies, blueprint, graph, items);
    std::set<std::string> names;
    for (const GraphText::Node& node : graph.nodes)
        names.insert(node.name);
    GraphItems all;
    for (std::int32_t to = 0; to < copies.blueprints()[blueprint].count; ++to) {
        const auto shift = to == copy ? std::optional(DrawnAt{}) : shiftBetween(graph, copies, blueprint, copy, to, drawn);
        for (const YamlNode& item : items.nodes) {
            const std::string name = copies.nameOf(blueprint, to, parts.at(textOf(item, "name")));
            names.insert(name);
            all.nodes.push_back(itemCalled(item, name, shift.value_or(DrawnAt{}), std::nullopt));
        }
        for (const YamlNode& link : items.links) {
            const auto end = [&](const std::string& said) {
                const auto made = parts.find(said);
                const auto place = made == parts.end() ? copies.placeOfName(said) : std::nullopt;
                const bool here = place && place->blueprint == blueprint && place->copy == copy;
                return made != parts.end() ? copies.nameOf(blueprint, to, made->second) : here ? copies.nameOf(blueprint, to, place->part) : said;
            };
            GraphText::Link there{{}, {}, link.find("between") != nullptr, textOf(link, "bandwidth"), textOf(link, "latency")};
            const std::pair<std::string, std::string> said = linkEnds(link);
            const auto isElsewhere = [&](const std::string& name) {
                const auto place = parts.contains(name) ? std::nullopt : copies.placeOfName(name);
                return place && (place->blueprint != blueprint || place->copy != copy);
            };
            if (to != copy && (isElsewhere(said.first) || isElsewhere(said.second)))
                continue; // What joins two copies is of one alone.
            there.from = end(said.first);
            there.to = end(said.second);
            if (names.contains(there.from) && names.contains(there.to))
                all.links.push_back(linkItem(there));
        }
    }
    return addToGraph(yaml, all, places);
}

} // namespace fabricscope::edits
