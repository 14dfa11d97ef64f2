#include "core/base/showntext.h"
#include "core/base/stop.h"
#include "core/design/file/fabricfiles.h"
#include "core/design/file/poolsection.h"
#include "core/design/file/reader.h"
#include "core/design/linknames.h"
#include "core/formats/astra/memoryfile.h"
#include "core/platform/presets.h"

#include <cmath>
#include <set>

namespace fabricscope {

namespace {

constexpr std::int32_t kMaxInt = INT32_MAX;

/// What the switches of a dimension, or one switch of a graph, do in the network.
std::optional<SwitchOffload> readOffload(FieldContext& context, const MapReader& map, bool isSwitch)
{
    const YamlNode* node = map.node("in_network");
    if (!node)
        return std::nullopt;
    if (!isSwitch)
        map.error("in_network", "only switches reduce and copy in the network", "a switch, or no in_network");
    MapReader reader(context, *node, map.field("in_network"), {"reduction", "multicast", "buffer", "latency"});
    SwitchOffload offload;
    offload.reduction = reader.quantity("reduction", Measure::Bandwidth);
    offload.multicast = reader.quantity("multicast", Measure::Bandwidth);
    offload.buffer = reader.quantity("buffer", Measure::Size);
    offload.latency = reader.quantity("latency", Measure::Time).value_or(Quantity{0, "ns", Measure::Time});
    return offload;
}

/// `sized`: the dimension is part of a list with groups of unequal size, where `sizes` and the number of groups say what `size` says else.
Dimension readDimension(FieldContext& context, const YamlNode& node, const std::string& field, bool sized)
{
    Dimension dimension;
    MapReader map(context, node, field, {"shape", "size", "sizes", "bandwidth", "npu_bandwidth", "latency", "in_network"});
    if (!node.isMap())
        return dimension;
    map.required("shape");
    if (!sized)
        map.required("size");
    if (map.has("size") && map.has("sizes"))
        map.error("sizes", "both \"size\" and \"sizes\" are given", "size, or sizes for groups of unequal size");
    std::vector<std::pair<std::string_view, Shape>> shapes;
    for (const Shape shape : {Shape::Ring, Shape::FullyConnected, Shape::Switch})
        shapes.emplace_back(shapeKey(shape), shape);
    dimension.shape = map.choice<Shape>("shape", shapes).value_or(Shape::Ring);
    dimension.size = map.integer32("size", 1, static_cast<std::int32_t>(kMaxNpus)).value_or(1);
    dimension.bandwidthIsPerNpu = map.has("npu_bandwidth");
    if (map.has("bandwidth") == map.has("npu_bandwidth"))
        context.error(node, field, map.has("bandwidth") ? "both \"bandwidth\" and \"npu_bandwidth\" are given" : "no bandwidth is given",
                      "bandwidth (of one link) or npu_bandwidth (of all links of one NPU)");
    if (const auto bandwidth = map.quantity(dimension.bandwidthIsPerNpu ? "npu_bandwidth" : "bandwidth", Measure::Bandwidth))
        dimension.bandwidth = *bandwidth;
    map.required("latency");
    dimension.latency = map.quantity("latency", Measure::Time).value_or(Quantity{0, "ns", Measure::Time});
    dimension.offload = readOffload(context, map, dimension.shape == Shape::Switch);
    return dimension;
}

/// Throws StopRequested.
void readNodesAndLinks(DesignReading& reading, const MapReader& map, PlatformSpec& spec)
{
    FieldContext& context = reading.fields;
    std::map<std::string, NodeId> numbers;
    for (const auto& [node, field] : map.list("nodes")) {
        checkStop(reading.stop);
        MapReader reader(context, *node, field, {"name", "kind", "in_network"});
        ExplicitNode added;
        reader.required("name");
        added.name = reader.text("name").value_or("");
        added.kind = reader.choice<NodeKind>("kind", {{"npu", NodeKind::Npu}, {"switch", NodeKind::Switch}, {"memory", NodeKind::Memory}}).value_or(NodeKind::Npu);
        added.offload = readOffload(context, reader, added.kind == NodeKind::Switch);
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
    std::set<std::pair<NodeId, NodeId>> joined;
    std::int64_t parallel = 0;
    const auto join = [&](const ExplicitLink& link, const YamlNode& node, const std::string& field) {
        if (joined.emplace(link.from, link.to).second || link.from == link.to || context.hasErrors() || ++parallel > 1)
            return;
        context.diagnostics.push_back(warning("parallel-links",
                                              "a second link from " + quotedText(spec.nodes[static_cast<std::size_t>(link.from)].name) + " to " + quotedText(spec.nodes[static_cast<std::size_t>(link.to)].name)
                                                  + ": both are taken, side by side; messages take the first, unless network.routing is ecmp or a table",
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

void readNpu(const MapReader& map, NpuSpec& npu)
{
    const auto take = [&](std::optional<Quantity>& target, std::string_view key, Measure measure) {
        if (auto given = map.quantity(key, measure))
            target = std::move(given);
    };
    take(npu.peak, "peak", Measure::ComputeRate);
    take(npu.memoryBandwidth, "memory_bandwidth", Measure::Bandwidth);
    take(npu.memory, "memory", Measure::Size);
}

void readOverrides(DesignReading& reading, const YamlNode& node, PlatformSpec& spec)
{
    FieldContext& context = reading.fields;
    MapReader map(context, node, "platform.overrides", {"links", "npus"});
    std::optional<Platform> platform; // names of links need the fabric
    if (map.has("links") && !context.hasErrors()) {
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
        if (name && platform) {
            const auto link = findLink(*platform, *name);
            if (!link)
                reader.error("link", "there is no link \"" + *name + "\"",
                             platform->isExplicit() ? "the names of two nodes, like gpu0>nvswitch" : "a dimension and its two ends, like \"d0 3>4\" or \"d1 5>switch\"");
            change.link = link.value_or(0);
        }
        change.bandwidth = reader.quantity("bandwidth", Measure::Bandwidth);
        change.latency = reader.quantity("latency", Measure::Time);
        change.removed = reader.boolean("removed").value_or(false);
        spec.linkOverrides.push_back(std::move(change));
    }
    for (const auto& [item, field] : map.list("npus")) {
        MapReader reader(context, *item, field, {"npu", "speed", "peak", "memory_bandwidth", "memory", "removed"});
        NpuOverride change;
        reader.required("npu");
        change.node = reader.integer32("npu", 0, static_cast<std::int32_t>(kMaxNpus) - 1).value_or(0);
        change.speed = reader.number("speed", 0);
        change.peak = reader.quantity("peak", Measure::ComputeRate);
        change.memoryBandwidth = reader.quantity("memory_bandwidth", Measure::Bandwidth);
        change.memory = reader.quantity("memory", Measure::Size);
        change.removed = reader.boolean("removed").value_or(false);
        spec.npuOverrides.push_back(std::move(change));
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

void readPlacement(DesignReading& reading, const YamlNode& node)
{
    FieldContext& context = reading.fields;
    MapReader map(context, node, "platform.placement", {"jobs"});
    map.required("jobs");
    for (const auto& [item, field] : map.list("jobs")) {
        const MapReader reader(context, *item, field, {"name", "ranks", "first_node", "stride", "nodes"});
        reading.design.jobs.push_back(readPlacedJob(context, reader));
    }
}

/// Dimensions, topology, preset, file or nodes: exactly one of them says what the fabric is.
void readFabric(DesignReading& reading, const MapReader& map, PlatformSpec& spec)
{
    std::string given;
    int count = 0;
    for (const char* key : {"dimensions", "topology", "preset", "file", "nodes"}) {
        if (map.has(key)) {
            given += std::string(given.empty() ? "" : " and ") + key;
            ++count;
        }
    }
    if (count != 1)
        reading.fields.error(map.map(), "platform", count == 0 ? "nothing says what the fabric is" : given + " are given together",
                             "one of dimensions, topology, preset, file, nodes (with links)");
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
    std::vector<Dimension> dimensions;
    for (const auto& [item, field] : map.list("dimensions"))
        dimensions.push_back(readDimension(reading.fields, *item, field, unequal));
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
        if (!preset)
            return reading.report(*map.node("preset"), "platform.preset", preset.error());
        spec = std::move(preset).value();
        reading.design.platformOrigin = "preset " + *name;
    }
    if (map.has("file"))
        readFabricFile(reading, map, spec);
}

} // namespace

Placement::Job readPlacedJob(FieldContext& context, const MapReader& reader)
{
    Placement::Job job;
    job.name = reader.text("name").value_or("");
    job.ranks = reader.integer32("ranks", 1, static_cast<std::int32_t>(kMaxNpus)).value_or(0);
    job.firstNode = reader.integer32("first_node", 0, static_cast<std::int32_t>(kMaxNpus) - 1).value_or(0);
    job.stride = reader.integer32("stride", 1, static_cast<std::int32_t>(kMaxNpus)).value_or(1);
    for (const auto& [entry, entryField] : reader.list("nodes"))
        job.nodes.push_back(static_cast<NodeId>(readInteger(context, *entry, entryField, 0, kMaxNpus - 1).value_or(0)));
    if (!reader.has("nodes")) {
        reader.required("ranks");
        return job;
    }
    if (reader.has("first_node") || reader.has("stride"))
        reader.error("nodes", "listed nodes need neither first_node nor stride");
    if (reader.has("ranks") && job.ranks != static_cast<std::int32_t>(job.nodes.size()))
        reader.error("ranks", std::to_string(job.ranks) + " ranks on " + std::to_string(job.nodes.size()) + " listed nodes", "one node per rank");
    job.ranks = static_cast<std::int32_t>(job.nodes.size());
    return job;
}

void readPlatformSection(DesignReading& reading, const YamlNode& node)
{
    MapReader map(reading.fields, node, "platform", {"name", "source", "dimensions", "topology", "bandwidth", "npu_bandwidth", "latency", "preset", "file", "kind", "link_figures", "nodes", "links", "npu", "budgets", "overrides", "remote_memory", "placement"});
    if (!node.isMap())
        return;
    PlatformSpec spec;
    readFabric(reading, map, spec);
    if (auto name = map.text("name"))
        spec.name = std::move(*name);
    if (auto source = map.text("source"))
        spec.source = std::move(*source);
    if (const YamlNode* npu = map.node("npu"))
        readNpu(MapReader(reading.fields, *npu, "platform.npu", {"peak", "memory_bandwidth", "memory"}), spec.npu);
    if (const YamlNode* budgets = map.node("budgets")) {
        MapReader reader(reading.fields, *budgets, "platform.budgets", {"injection", "ejection"});
        if (auto injection = reader.quantity("injection", Measure::Bandwidth))
            spec.npu.injection = std::move(injection);
        if (auto ejection = reader.quantity("ejection", Measure::Bandwidth))
            spec.npu.ejection = std::move(ejection);
    }
    if (const YamlNode* overrides = map.node("overrides"))
        readOverrides(reading, *overrides, spec);
    if (const YamlNode* memory = map.node("remote_memory"))
        readRemoteMemory(reading, *memory);
    if (const YamlNode* placement = map.node("placement"))
        readPlacement(reading, *placement);
    reading.design.platform = std::make_shared<const PlatformSpec>(std::move(spec));
}

} // namespace fabricscope
