#include "core/design/file/graphsection.h"

#include "core/base/index.h"
#include "core/base/showntext.h"
#include "core/base/stop.h"
#include "core/design/edits/partcopies.h"
#include "core/design/file/sectionfields.h"

#include <unordered_map>
#include <unordered_set>

namespace fabricscope {

namespace {

/// Both ends, in a list.
SectionField<ListedLink> betweenField()
{
    return {"between", "one link each way",
            [](const MapReader& map, ListedLink& link) {
                const YamlNode* between = map.node("between");
                if (!map.map().isMap())
                    return;
                if ((between != nullptr) == (map.has("from") || map.has("to")))
                    map.context().error(map.map(), map.path(), "the ends of the link are not clear", "between: [a, b] for one link each way, or from: a with to: b for one link");
                link.eachWay = between != nullptr;
                if (!between)
                    return;
                if (!between->isSequence() || between->items.size() != 2)
                    return map.error("between", "a link has two ends", "[a, b]");
                link.from = readText(map.context(), between->items[0], map.field("between") + "[0]");
                link.to = readText(map.context(), between->items[1], map.field("between") + "[1]");
            },
            [](MapBuilder& map, const ListedLink& link, const Writing&) {
                if (link.eachWay)
                    map.add("between", YamlNode::sequence({YamlNode::scalar(link.from.value_or("")), YamlNode::scalar(link.to.value_or(""))}));
            },
            [](const ListedLink&, const auto&) {}, {}};
}

/// One of the ends of a link one way.
SectionField<ListedLink> endField(const char* key, std::optional<std::string> ListedLink::* member, const char* text)
{
    return {key, text,
            [key, member](const MapReader& map, ListedLink& link) {
                if (!link.eachWay && map.required(key))
                    link.*member = map.text(key);
            },
            [key, member](MapBuilder& map, const ListedLink& link, const Writing&) {
                if (!link.eachWay)
                    map.add(key, (link.*member).value_or(""));
            },
            [](const ListedLink&, const auto&) {}, {}};
}

/// Tells once that links lie side by side.
class ParallelLinks {
public:
    ParallelLinks(FieldContext& context, const PlatformSpec& spec) : m_context(context), m_spec(spec) {}

    void look(const ExplicitLink& link, const YamlNode& node, const std::string& field)
    {
        if (m_told)
            return;
        const std::uint64_t ends = std::uint64_t{static_cast<std::uint32_t>(link.from)} << 32 | static_cast<std::uint32_t>(link.to);
        if (m_joined.insert(ends).second || link.from == link.to || m_context.hasErrors())
            return;
        m_told = true;
        m_context.diagnostics.push_back(warning("parallel-links",
                                                "a second link from " + quotedText(m_spec.nodes.name(at(link.from))) + " to " + quotedText(m_spec.nodes.name(at(link.to)))
                                                    + ": both are taken, side by side; the routing says which of them a message goes over",
                                                m_context.document.place(node, field)));
    }

private:
    FieldContext& m_context;
    const PlatformSpec& m_spec;
    std::unordered_set<std::uint64_t> m_joined; ///< By both ends.
    bool m_told = false;
};

using NodeNumbers = std::unordered_map<std::string, NodeId>;

NodeNumbers readNodes(DesignReading& reading, const MapReader& map, PlatformSpec& spec)
{
    NodeNumbers numbers;
    for (const auto& [node, field] : map.list("nodes")) {
        checkStop(reading.stop);
        const MapReader reader(reading.fields, *node, field, keysOf(nodeFields()));
        ExplicitNode added;
        readFields(reader, nodeFields(), added);
        if (!numbers.emplace(added.name, static_cast<NodeId>(spec.nodes.size())).second)
            reader.error("name", "a second node is called \"" + added.name + "\"");
        spec.nodes.push_back(std::move(added));
    }
    return numbers;
}

} // namespace

const SectionFields<ListedLink>& linkFields()
{
    using Config = ListedLink;
    static const SectionFields<Config> fields{
        betweenField(),
        endField("from", &Config::from, "one link one way"),
        endField("to", &Config::to, ""),
        required(quantityField("bandwidth", &Config::bandwidth, Measure::Bandwidth, "")),
        required(quantityField("latency", &Config::latency, Measure::Time, "")),
    };
    return fields;
}

void readGraph(DesignReading& reading, const MapReader& map, PlatformSpec& spec)
{
    FieldContext& context = reading.fields;
    const NodeNumbers numbers = readNodes(reading, map, spec);
    ParallelLinks parallel(context, spec);
    for (const auto& [node, field] : map.list("links")) {
        checkStop(reading.stop);
        const MapReader reader(context, *node, field, keysOf(linkFields()));
        if (!node->isMap())
            continue;
        ListedLink listed;
        readFields(reader, linkFields(), listed);
        const auto nodeCalled = [&](const std::optional<std::string>& name, const char* key, std::size_t index) {
            const auto found = numbers.find(name.value_or(""));
            if (found != numbers.end())
                return found->second;
            const YamlEntry* const entry = name ? reader.map().find(listed.eachWay ? "between" : key) : nullptr;
            if (entry)
                context.error(listed.eachWay ? entry->value.items[index] : entry->value, reader.field(entry->key) + (listed.eachWay ? '[' + std::to_string(index) + ']' : std::string()),
                              "there is no node \"" + *name + "\"", "the name of an entry of platform.nodes");
            return NodeId{0};
        };
        ExplicitLink link;
        link.from = nodeCalled(listed.from, "from", 0);
        link.to = nodeCalled(listed.to, "to", 1);
        link.bandwidth = std::move(listed.bandwidth);
        link.latency = std::move(listed.latency);
        parallel.look(link, *node, field);
        spec.links.push_back(link);
        if (listed.eachWay) {
            std::swap(link.from, link.to);
            parallel.look(link, *node, field);
            spec.links.push_back(link);
        }
    }
}

const SectionFields<CopiesEntry>& copiesFields()
{
    static const SectionFields<CopiesEntry> fields{
        required(saidText("of", &CopiesEntry::of, "")),
        required(wholeField("count", &CopiesEntry::count, 1, PartCopies::kMost, "")),
    };
    return fields;
}

void readCopies(DesignReading& reading, const MapReader& map, const PlatformSpec& spec)
{
    std::unordered_set<std::string> parts; // What stands before the first dot: "host0".
    for (std::size_t i = 0; i < spec.nodes.size(); ++i) {
        checkStop(reading.stop);
        parts.insert(spec.nodes.name(i).substr(0, spec.nodes.name(i).find('.')));
    }
    std::unordered_set<std::string> names;
    for (const auto& [item, field] : map.list("copies")) {
        checkStop(reading.stop);
        const MapReader reader(reading.fields, *item, field, keysOf(copiesFields()));
        CopiesEntry entry;
        readFields(reader, copiesFields(), entry);
        if (!reader.has("of") || !reader.has("count"))
            continue;
        const std::string& of = entry.of;
        if (std::string wrong = wrongBlueprintName(of); !wrong.empty())
            reader.error("of", std::move(wrong), "a name such as host");
        else if (!names.insert(of).second)
            reader.error("of", "a second blueprint is called " + quotedText(of), "another name");
        else if (entry.count > 0 && !parts.contains(of + '0'))
            reader.error("of", "no node is called " + quotedText(of + "0.NAME"), "nodes of the first copy, or no entry");
    }
}

void addGraph(const PlatformSpec& spec, MapBuilder& platform, const std::stop_token& stop)
{
    platform.addFilled("nodes", listTree(nodeFields(), std::vector<ExplicitNode>(spec.nodes.begin(), spec.nodes.end()), {DesignForm::File, stop}));

    const auto name = [&](NodeId node) { return node >= 0 && at(node) < spec.nodes.size() ? spec.nodes.name(at(node)) : std::to_string(node); };
    YamlNode links = YamlNode::sequence();
    for (std::size_t i = 0; i < spec.links.size(); ++i) {
        checkStop(stop);
        const ExplicitLink link = spec.links[i];
        ExplicitLink back = link;
        std::swap(back.from, back.to);
        ListedLink listed{i + 1 < spec.links.size() && spec.links[i + 1] == back, name(link.from), name(link.to), link.bandwidth, link.latency};
        i += listed.eachWay ? 1 : 0;
        links.items.push_back(fieldsTree(linkFields(), listed));
    }
    platform.addFilled("links", std::move(links));
}

} // namespace fabricscope
