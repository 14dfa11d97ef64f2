#include "core/base/showntext.h"
#include "core/base/stop.h"
#include "core/design/file/fabricfiles.h"
#include "core/design/file/fabricsection.h"
#include "core/design/file/poolsection.h"
#include "core/design/file/reader.h"
#include "core/design/file/sectionfields.h"
#include "core/design/linknames.h"
#include "core/formats/astra/memoryfile.h"
#include "core/platform/presets.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <unordered_map>
#include <unordered_set>

namespace fabricscope {

namespace {

constexpr std::int32_t kMaxInt = INT32_MAX;
/// Links that names with "*" may mean in all.
constexpr std::size_t kMostOverrides = std::size_t{1} << 20;

/// Throws StopRequested.
void readNodesAndLinks(DesignReading& reading, const MapReader& map, PlatformSpec& spec)
{
    FieldContext& context = reading.fields;
    std::unordered_map<std::string, NodeId> numbers;
    for (const auto& [node, field] : map.list("nodes")) {
        checkStop(reading.stop);
        const MapReader reader(context, *node, field, keysOf(nodeFields()));
        ExplicitNode added;
        readFields(reader, nodeFields(), added);
        if (!numbers.emplace(added.name, static_cast<NodeId>(spec.nodes.size())).second)
            reader.error("name", "a second node is called \"" + added.name + "\"");
        spec.nodes.push_back(std::move(added));
    }
    const auto nodeCalled = [&](const YamlNode& node, const std::string& field) {
        const auto name = readText(context, node, field);
        const auto found = numbers.find(name.value_or(""));
        if (name && found == numbers.end())
            context.error(node, field, "there is no node \"" + *name + "\"", "the name of an entry of platform.nodes");
        return found == numbers.end() ? 0 : found->second;
    };
    std::unordered_set<std::uint64_t> joined; // by both ends
    std::int64_t parallel = 0;
    const auto join = [&](const ExplicitLink& link, const YamlNode& node, const std::string& field) {
        const std::uint64_t ends = std::uint64_t{static_cast<std::uint32_t>(link.from)} << 32 | static_cast<std::uint32_t>(link.to);
        if (joined.insert(ends).second || link.from == link.to || context.hasErrors() || ++parallel > 1)
            return;
        context.diagnostics.push_back(warning("parallel-links",
                                              "a second link from " + quotedText(spec.nodes[static_cast<std::size_t>(link.from)].name) + " to " + quotedText(spec.nodes[static_cast<std::size_t>(link.to)].name)
                                                  + ": both are taken, side by side; the routing says which of them a message goes over",
                                              context.document.place(node, field)));
    };
    for (const auto& [node, field] : map.list("links")) {
        checkStop(reading.stop);
        MapReader reader(context, *node, field, {"between", "from", "to", "bandwidth", "latency"});
        if (!node->isMap())
            continue;
        ExplicitLink link;
        const YamlNode* between = reader.node("between");
        if ((between != nullptr) == (reader.has("from") || reader.has("to")))
            context.error(*node, field, "the ends of the link are not clear", "between: [a, b] for one link each way, or from: a with to: b for one link");
        if (between) {
            if (between->isSequence() && between->items.size() == 2) {
                link.from = nodeCalled(between->items[0], reader.field("between") + "[0]");
                link.to = nodeCalled(between->items[1], reader.field("between") + "[1]");
            } else {
                reader.error("between", "a link has two ends", "[a, b]");
            }
        } else {
            if (const YamlNode* from = reader.required("from"))
                link.from = nodeCalled(*from, reader.field("from"));
            if (const YamlNode* to = reader.required("to"))
                link.to = nodeCalled(*to, reader.field("to"));
        }
        reader.required("bandwidth");
        reader.required("latency");
        link.bandwidth = reader.quantity("bandwidth", Measure::Bandwidth).value_or(link.bandwidth);
        link.latency = reader.quantity("latency", Measure::Time).value_or(link.latency);
        join(link, *node, field);
        spec.links.push_back(link);
        if (between) {
            std::swap(link.from, link.to);
            join(link, *node, field);
            spec.links.push_back(std::move(link));
        }
    }
}

/// Which end of a link of a graph is no node.
std::string unknownEnd(const Platform& platform, std::string_view name)
{
    const std::size_t arrow = name.find('>');
    if (!platform.isExplicit() || arrow == std::string_view::npos)
        return {};
    const std::string first = nearestNode(platform, name.substr(0, arrow - (arrow > 0 && name[arrow - 1] == '<' ? 1 : 0)));
    return first.empty() ? nearestNode(platform, name.substr(arrow + 1, name.find('#', arrow) - arrow - 1)) : first;
}

void readOverrides(DesignReading& reading, const YamlNode& node, PlatformSpec& spec)
{
    FieldContext& context = reading.fields;
    MapReader map(context, node, "platform.overrides", {"links", "npus"});
    std::optional<Platform> platform; // names of links and nodes need the fabric
    const auto named = [](const std::pair<const YamlNode*, std::string>& item) {
        const YamlEntry* const npu = item.first->isMap() ? item.first->find("npu") : nullptr;
        return npu && npu->value.isScalar() && npu->value.text.find_first_not_of("-0123456789") != std::string::npos;
    };
    const auto npus = map.list("npus");
    if ((map.has("links") || (!spec.nodes.empty() && std::any_of(npus.begin(), npus.end(), named))) && !context.hasErrors()) {
        auto created = Platform::create(spec, reading.stop);
        if (created)
            platform = std::move(created).value();
        else
            reading.report(node, "platform", created.error());
    }
    for (const auto& [item, field] : map.list("links")) {
        MapReader reader(context, *item, field, {"link", "bandwidth", "latency", "removed"});
        LinkOverride change;
        reader.required("link");
        const auto name = reader.text("link");
        std::vector<LinkId> links{0};
        if (name && platform) {
            links = findLinks(*platform, *name);
            if (links.empty())
                reader.error("link", "there is no link \"" + *name + "\"" + unknownEnd(*platform, *name),
                             platform->isExplicit() ? "the names of two nodes, like gpu0>nvswitch" : "a dimension and its two ends, like \"d0 3>4\" or \"d1 5>switch\"");
        }
        change.bandwidth = reader.quantity("bandwidth", Measure::Bandwidth);
        change.latency = reader.quantity("latency", Measure::Time);
        change.removed = reader.boolean("removed").value_or(false);
        for (const LinkId link : links) {
            checkStop(reading.stop);
            if (spec.linkOverrides.size() > kMostOverrides)
                return reader.error("link", "more than " + std::to_string(kMostOverrides) + " links are changed", "fewer");
            spec.linkOverrides.push_back(change);
            spec.linkOverrides.back().link = link;
        }
    }
    for (const auto& [item, field] : npus) {
        if (!platform || !platform->isExplicit() || !named({item, field})) {
            readFields(context, *item, field, npuOverrideFields(), spec.npuOverrides.emplace_back());
            continue;
        }
        // By numbers, as all else reads them.
        YamlNode numbered = *item;
        const auto key = std::find_if(numbered.entries.begin(), numbered.entries.end(), [](const YamlEntry& entry) { return entry.key == "npu"; });
        const std::string name = key->value.text;
        const std::vector<NodeId> found = findNpus(*platform, name);
        if (found.empty())
            context.error(key->value, field + ".npu", "there is no NPU " + quotedText(name) + nearestNode(*platform, name), "the name of an NPU, or its number");
        key->value.text = std::to_string(found.empty() ? 0 : found.front());
        NpuOverride change;
        readFields(context, numbered, field, npuOverrideFields(), change);
        for (const NodeId npu : found) {
            spec.npuOverrides.push_back(change);
            spec.npuOverrides.back().node = npu;
        }
    }
}

void readRemoteMemory(DesignReading& reading, const YamlNode& node)
{
    const YamlEntry* kind = node.isMap() ? node.find("kind") : nullptr;
    const bool hierarchical = kind && kind->value.isScalar() && kind->value.text == "hierarchical";
    using Keys = std::vector<std::string_view>;
    MapReader map(reading.fields, node, "platform.remote_memory",
                  hierarchical ? Keys{"kind", "npus_per_node", "in_node", "out_node", "groups", "spread", "piece"}
                               : Keys{"file", "kind", "latency", "bandwidth", "nodes", "npus_per_node"});
    RemoteMemory& memory = reading.design.remoteMemory;
    if (map.has("file")) {
        if (map.map().entries.size() > 1)
            reading.fields.error(node, "platform.remote_memory", "a file and own figures are given", "only one of them");
        if (const auto path = reading.openable(map, "file")) {
            auto read = loadAstraMemory(*path, reading.fields.diagnostics);
            if (!read)
                return reading.report(*map.node("file"), map.field("file"), read.error());
            memory = read.value();
        }
        return;
    }
    using Kind = RemoteMemory::Kind;
    map.required("kind");
    memory.kind = map.choice<Kind>("kind", {{"none", Kind::None}, {"per_npu", Kind::PerNpu}, {"per_node", Kind::PerNode}, {"pool", Kind::Pool},
                                            {"hierarchical", Kind::Hierarchical}}).value_or(Kind::None);
    memory.npusPerNode = map.integer32("npus_per_node", 1, kMaxInt).value_or(0);
    if (hierarchical) {
        memory.pool = readMemoryPool(map);
        return;
    }
    const auto whole = [&](std::string_view key, Measure measure, double unit, const char* expected) -> std::int64_t {
        const auto given = map.quantity(key, measure);
        if (!given)
            return 0;
        const double scaled = measure == Measure::Time ? static_cast<double>(toSimTime(*given).ps) / unit : static_cast<double>(toBandwidth(*given).bytesPerSecond) / unit;
        if (scaled != std::floor(scaled) || scaled > 9e15 || (scaled == 0 && given->value > 0))
            map.error(key, quotedText(given->text()) + " is not possible here", expected);
        return static_cast<std::int64_t>(std::min(scaled, 9e15));
    };
    memory.latencyNs = whole("latency", Measure::Time, 1e3, "a whole number of nanoseconds");
    memory.bytesPerNs = whole("bandwidth", Measure::Bandwidth, 1e9, "a whole number of GB/s");
    memory.nodes = map.integer32("nodes", 1, kMaxInt).value_or(0);
}

Blueprints readBlueprints(DesignReading& reading, const MapReader& map);

/// Dimensions, topology, preset, file, nodes or fabric: exactly one of them says what the fabric is. `path`: of what is described.
void readFabric(DesignReading& reading, const MapReader& map, const std::string& path, PlatformSpec& spec)
{
    std::string given;
    int count = 0;
    for (const char* key : {"dimensions", "topology", "preset", "file", "nodes", "fabric"}) {
        if (map.has(key)) {
            given += std::string(given.empty() ? "" : " and ") + key;
            ++count;
        }
    }
    if (count != 1)
        reading.fields.error(map.map(), path, count == 0 ? "nothing says what the fabric is" : given + " are given together",
                             "one of dimensions, topology, preset, file, nodes (with links), fabric");
    if (map.has("links") && !map.has("nodes"))
        map.error("links", "links need nodes");
    for (const char* key : {"kind", "link_figures"}) {
        if (map.has(key) && !map.has("file"))
            map.error(key, '"' + std::string(key) + "\" belongs to a file, and there is no file");
    }
    for (const char* key : {"bandwidth", "npu_bandwidth", "latency"}) {
        if (map.has(key) && !map.has("topology"))
            map.error(key, '"' + std::string(key) + "\" of the platform belongs to a topology, and there is none", "topology: \"Ring(4)_Switch(8)\", or the figure in a dimension or link");
    }

    const bool unequal = hasUnequalGroups(map);
    std::vector<Dimension> dimensions = readList(map, "dimensions", dimensionFields(unequal));
    if (unequal)
        addUnequalGroups(reading, map, std::move(dimensions), spec);
    else
        spec.dimensions = std::move(dimensions);
    if (map.has("nodes"))
        readNodesAndLinks(reading, map, spec);
    if (map.has("topology"))
        readTopology(reading, map, spec);
    if (const auto name = map.text("preset")) {
        auto preset = presetPlatform(*name);
        if (!preset) {
            const YamlNode& node = *map.node("preset");
            return reading.fields.error(node, map.field("preset"), preset.error().message, preset.error().expected, preset.error().code);
        }
        spec = std::move(preset).value();
        reading.design.platformOrigin = "preset " + *name;
    }
    if (map.has("file"))
        readFabricFile(reading, map, spec);
    if (map.has("blueprints") && !map.has("fabric"))
        map.error("blueprints", "blueprints without a fabric", "fabric: {of: NAME, levels: [...]}");
    if (map.has("fabric"))
        readGeneratedFabric(reading, map, readBlueprints(reading, map), spec);
}

/// Machines with names, described as a platform is.
Blueprints readBlueprints(DesignReading& reading, const MapReader& map)
{
    Blueprints out;
    const YamlNode* const fabric = map.node("fabric"); // Null where the key has no value, which is told already.
    const YamlEntry* const of = fabric && fabric->isMap() ? fabric->find("of") : nullptr;
    for (const auto& [item, field] : map.list("blueprints")) {
        const MapReader reader(reading.fields, *item, field, {"name", "dimensions", "topology", "bandwidth", "npu_bandwidth", "latency", "preset", "nodes", "links", "npu"});
        if (!item->isMap())
            continue;
        reader.required("name");
        const std::string name = reader.text("name").value_or("");
        PlatformSpec spec;
        const std::string origin = reading.design.platformOrigin;
        readFabric(reading, reader, field, spec);
        reading.design.platformOrigin = origin;
        if (const YamlNode* const npu = reader.node("npu"))
            readFields(reading.fields, *npu, field + ".npu", npuFields(), spec.npu);
        spec.name.clear();
        spec.source.clear();
        spec.generated = {};
        if (!out.emplace(name, std::make_shared<const PlatformSpec>(std::move(spec))).second)
            reader.error("name", "a second blueprint is called " + quotedText(name), "another name");
        if (reader.has("name") && (!of || !of->value.isScalar() || of->value.text != name))
            reading.fields.diagnostics.push_back(warning("unused-blueprint", "blueprint " + quotedText(name) + " is not used: fabric.of names another", reading.fields.document.place(*item, field)));
    }
    return out;
}

} // namespace

void readPlatformSection(DesignReading& reading, const YamlNode& node)
{
    MapReader map(reading.fields, node, "platform", {"name", "source", "dimensions", "topology", "bandwidth", "npu_bandwidth", "latency", "preset", "file", "kind", "link_figures", "nodes", "links", "fabric", "blueprints", "npu", "budgets", "overrides", "remote_memory", "placement"});
    if (!node.isMap())
        return;
    PlatformSpec spec;
    readFabric(reading, map, "platform", spec);
    if (auto name = map.text("name"))
        spec.name = std::move(*name);
    if (auto source = map.text("source"))
        spec.source = std::move(*source);
    if (const YamlNode* npu = map.node("npu"))
        readFields(reading.fields, *npu, "platform.npu", npuFields(), spec.npu);
    if (const YamlNode* budgets = map.node("budgets"))
        readFields(reading.fields, *budgets, "platform.budgets", budgetFields(), spec.npu);
    if (const YamlNode* overrides = map.node("overrides"))
        readOverrides(reading, *overrides, spec);
    if (const YamlNode* memory = map.node("remote_memory"))
        readRemoteMemory(reading, *memory);
    if (const YamlNode* placement = map.node("placement"))
        readFields(reading.fields, *placement, "platform.placement", placementFields(), reading.design);
    reading.design.platform = std::make_shared<const PlatformSpec>(std::move(spec));
}

} // namespace fabricscope
