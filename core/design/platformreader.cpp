#include "core/design/astramemoryfile.h"
#include "core/design/astranetwork.h"
#include "core/design/designreader.h"
#include "core/design/linknames.h"
#include "core/platform/presets.h"

#include <cmath>

namespace fabricscope {

namespace {

constexpr std::int32_t kMaxInt = INT32_MAX;

Dimension readDimension(FieldContext& context, const YamlNode& node, const std::string& field)
{
    Dimension dimension;
    MapReader map(context, node, field, {"shape", "size", "bandwidth", "npu_bandwidth", "latency"});
    if (!node.isMap())
        return dimension;
    map.required("shape");
    map.required("size");
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
    return dimension;
}

void readNodesAndLinks(FieldContext& context, const MapReader& map, PlatformSpec& spec)
{
    std::map<std::string, NodeId> numbers;
    for (const auto& [node, field] : map.list("nodes")) {
        MapReader reader(context, *node, field, {"name", "kind"});
        ExplicitNode added;
        reader.required("name");
        added.name = reader.text("name").value_or("");
        added.kind = reader.choice<NodeKind>("kind", {{"npu", NodeKind::Npu}, {"switch", NodeKind::Switch}, {"memory", NodeKind::Memory}}).value_or(NodeKind::Npu);
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
    for (const auto& [node, field] : map.list("links")) {
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
        link.bandwidth = reader.quantity("bandwidth", Measure::Bandwidth).value_or(Quantity{});
        link.latency = reader.quantity("latency", Measure::Time).value_or(Quantity{0, "ns", Measure::Time});
        spec.links.push_back(link);
        if (between) {
            std::swap(link.from, link.to);
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
        auto created = Platform::create(spec);
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
        MapReader reader(context, *item, field, {"npu", "speed", "peak", "memory_bandwidth", "removed"});
        NpuOverride change;
        reader.required("npu");
        change.node = reader.integer32("npu", 0, static_cast<std::int32_t>(kMaxNpus) - 1).value_or(0);
        change.speed = reader.number("speed", 0);
        change.peak = reader.quantity("peak", Measure::ComputeRate);
        change.memoryBandwidth = reader.quantity("memory_bandwidth", Measure::Bandwidth);
        change.removed = reader.boolean("removed").value_or(false);
        spec.npuOverrides.push_back(std::move(change));
    }
}

void readRemoteMemory(DesignReading& reading, const YamlNode& node)
{
    MapReader map(reading.fields, node, "platform.remote_memory", {"file", "kind", "latency", "bandwidth", "nodes", "npus_per_node"});
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
    memory.kind = map.choice<Kind>("kind", {{"none", Kind::None}, {"per_npu", Kind::PerNpu}, {"per_node", Kind::PerNode}, {"pool", Kind::Pool}}).value_or(Kind::None);
    const auto whole = [&](std::string_view key, Measure measure, double unit, const char* expected) -> std::int64_t {
        const auto given = map.quantity(key, measure);
        if (!given)
            return 0;
        const double scaled = measure == Measure::Time ? static_cast<double>(toSimTime(*given).ps) / unit : static_cast<double>(toBandwidth(*given).bytesPerSecond) / unit;
        if (scaled != std::floor(scaled) || scaled > 9e15)
            map.error(key, "\"" + given->text() + "\" is not possible here", expected);
        return static_cast<std::int64_t>(std::min(scaled, 9e15));
    };
    memory.latencyNs = whole("latency", Measure::Time, 1e3, "a whole number of nanoseconds");
    memory.bytesPerNs = whole("bandwidth", Measure::Bandwidth, 1e9, "a whole number of GB/s");
    memory.nodes = map.integer32("nodes", 1, kMaxInt).value_or(0);
    memory.npusPerNode = map.integer32("npus_per_node", 1, kMaxInt).value_or(0);
}

void readPlacement(DesignReading& reading, const YamlNode& node)
{
    FieldContext& context = reading.fields;
    MapReader map(context, node, "platform.placement", {"jobs"});
    map.required("jobs");
    for (const auto& [item, field] : map.list("jobs")) {
        MapReader reader(context, *item, field, {"name", "ranks", "first_node", "stride", "nodes"});
        Placement::Job job;
        job.name = reader.text("name").value_or("");
        job.ranks = reader.integer32("ranks", 1, static_cast<std::int32_t>(kMaxNpus)).value_or(0);
        job.firstNode = reader.integer32("first_node", 0, static_cast<std::int32_t>(kMaxNpus) - 1).value_or(0);
        job.stride = reader.integer32("stride", 1, static_cast<std::int32_t>(kMaxNpus)).value_or(1);
        for (const auto& [entry, entryField] : reader.list("nodes"))
            job.nodes.push_back(static_cast<NodeId>(readInteger(context, *entry, entryField, 0, kMaxNpus - 1).value_or(0)));
        if (reader.has("nodes")) {
            if (reader.has("first_node") || reader.has("stride"))
                reader.error("nodes", "listed nodes need neither first_node nor stride");
            if (reader.has("ranks") && job.ranks != static_cast<std::int32_t>(job.nodes.size()))
                reader.error("ranks", std::to_string(job.ranks) + " ranks on " + std::to_string(job.nodes.size()) + " listed nodes", "one node per rank");
            job.ranks = static_cast<std::int32_t>(job.nodes.size());
        } else {
            reader.required("ranks");
        }
        reading.design.jobs.push_back(std::move(job));
    }
}

/// Dimensions, preset, file or nodes: exactly one of them says what the fabric is.
void readFabric(DesignReading& reading, const MapReader& map, PlatformSpec& spec)
{
    std::string given;
    int count = 0;
    for (const char* key : {"dimensions", "preset", "file", "nodes"}) {
        if (map.has(key)) {
            given += std::string(given.empty() ? "" : " and ") + key;
            ++count;
        }
    }
    if (count != 1)
        reading.fields.error(map.map(), "platform", count == 0 ? "nothing says what the fabric is" : given + " are given together",
                             "one of dimensions, preset, file, nodes (with links)");
    if (map.has("links") && !map.has("nodes"))
        map.error("links", "links need nodes");
    if (map.has("kind") && !map.has("file"))
        map.error("kind", "\"kind\" says what a file is, and there is no file");

    for (const auto& [item, field] : map.list("dimensions"))
        spec.dimensions.push_back(readDimension(reading.fields, *item, field));
    if (map.has("nodes"))
        readNodesAndLinks(reading.fields, map, spec);
    if (const auto name = map.text("preset")) {
        auto preset = presetPlatform(*name);
        if (!preset)
            return reading.report(*map.node("preset"), "platform.preset", preset.error());
        spec = std::move(preset).value();
        reading.design.platformOrigin = "preset " + *name;
    }
    if (!map.has("file"))
        return;
    enum class Kind : std::uint8_t { AstraSim, InfraGraph };
    map.required("kind");
    const auto kind = map.choice<Kind>("kind", {{"astra-sim", Kind::AstraSim}, {"infragraph", Kind::InfraGraph}});
    if (kind == Kind::InfraGraph)
        map.error("kind", "InfraGraph files cannot be read yet", "astra-sim", ErrorCode::Unsupported);
    const auto path = kind == Kind::AstraSim ? reading.openable(map, "file") : std::nullopt;
    if (!path)
        return;
    auto read = loadAstraNetwork(*path, reading.fields.diagnostics);
    if (!read)
        return reading.report(*map.node("file"), "platform.file", read.error());
    spec = std::move(read).value();
    reading.design.platformOrigin = map.text("file").value_or("") + " (ASTRA-sim)";
    reading.design.astraUnits = true;
}

} // namespace

void readPlatformSection(DesignReading& reading, const YamlNode& node)
{
    MapReader map(reading.fields, node, "platform", {"name", "source", "dimensions", "preset", "file", "kind", "nodes", "links", "npu", "budgets", "overrides", "remote_memory", "placement"});
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
