#include "core/design/file/fabricfiles.h"

#include "core/design/file/sectionfields.h"
#include "core/formats/fabricload.h"
#include "core/platform/topologytext.h"
#include "core/platform/unequalgroups.h"
#include "core/platform/valueranges.h"

namespace fabricscope {

namespace {

/// The keys are names of links, free as those of the file: only what stands below each has rows.
LinkCompletions readLinkFigures(FieldContext& context, const MapReader& map)
{
    LinkCompletions out;
    const YamlNode* node = map.node("link_figures");
    if (!node)
        return out;
    if (!node->isMap()) {
        map.error("link_figures", "a mapping is needed here", "names of links, each with bandwidth, latency or bytes_per_transfer");
        return out;
    }
    for (const YamlEntry& entry : node->entries) {
        readFields(context, entry.value, map.field("link_figures") + '.' + entry.key, linkFigureFields(), out[entry.key]);
    }
    return out;
}

/// One value or a list of them as the text that parseTopologyText takes; a single value stands for all.
std::string figureList(FieldContext& context, const MapReader& map, std::string_view key, std::size_t open)
{
    const YamlNode* node = map.node(key);
    if (!node)
        return {};
    std::string out;
    const auto add = [&](const YamlNode& item, const std::string& field) {
        const auto text = readText(context, item, field);
        if (text && text->find(',') != std::string::npos)
            context.error(item, field, "\"" + *text + "\" holds a comma", "one value with its unit; several in a list [ ]");
        out += (out.empty() ? "" : ",") + text.value_or("");
    };
    if (node->isSequence()) {
        for (const auto& [item, field] : map.list(key))
            add(*item, field);
        return out;
    }
    add(*node, map.field(key));
    const std::string one = out;
    for (std::size_t i = 1; i < open; ++i)
        out += ',' + one;
    return out;
}

std::optional<double> readTransfer(const MapReader& map, const char* key)
{
    const std::optional<double> bytes = map.number(key, 0);
    if (bytes && !(*bytes > 0))
        map.error(key, "no byte in a transfer", "a number above 0; PCI Express 5.0 with 16 lanes: 1.97");
    return bytes;
}

} // namespace

const SectionFields<LinkCompletion>& linkFigureFields()
{
    using Config = LinkCompletion;
    static const SectionFields<Config> fields{
        givenQuantity("bandwidth", &Config::bandwidth, Measure::Bandwidth, ""),
        givenQuantity("latency", &Config::latency, Measure::Time, ""),
        givenField("bytes_per_transfer", &Config::bytesPerTransfer, "where the file has GT/s", readTransfer, [](double value) { return decimal(value); }),
    };
    return fields;
}

void readFabricFile(DesignReading& reading, const MapReader& map, PlatformSpec& spec)
{
    std::vector<std::pair<std::string_view, FabricKind>> kinds;
    for (const FabricKindRow& row : kFabricKinds)
        kinds.emplace_back(row.key, row.kind);
    const bool told = map.has("kind");
    std::optional<FabricKind> kind = told ? map.choice<FabricKind>("kind", kinds) : std::nullopt;
    const LinkCompletions completions = readLinkFigures(reading.fields, map);
    const auto path = kind || !told ? reading.openable(map, "file") : std::nullopt;
    if (!path)
        return;
    if (!kind) {
        auto found = fabricKindOfFile(*path);
        if (!found)
            return reading.report(*map.node("file"), "platform.file", found.error());
        kind = found.value();
    }
    if (!completions.empty() && kind != FabricKind::InfraGraph && kind != FabricKind::Nccl)
        return map.error("link_figures", std::string(fabricKindRow(*kind).text) + " has all figures", "platform without link_figures, or overrides");
    auto read = loadFabric(*path, *kind, completions, reading.fields.diagnostics, reading.stop);
    if (!read)
        return reading.report(*map.node("file"), "platform.file", read.error());
    spec = std::move(read.value().spec);
    reading.design.platformOrigin = map.text("file").value_or("") + " (" + std::string(fabricKindRow(*kind).name) + ')';
    reading.design.astraUnits = read.value().astraUnits;
    reading.design.files.insert(reading.design.files.end(), read.value().files.begin(), read.value().files.end());
}

void readTopology(DesignReading& reading, const MapReader& map, PlatformSpec& spec)
{
    const auto text = map.text("topology");
    if (!text)
        return;
    const bool perNpu = map.has("npu_bandwidth");
    if (perNpu && map.has("bandwidth"))
        map.error("npu_bandwidth", "both \"bandwidth\" and \"npu_bandwidth\" are given", "bandwidth (of one link) or npu_bandwidth (of all links of one NPU)");
    const std::string rates = figureList(reading.fields, map, perNpu ? "npu_bandwidth" : "bandwidth", openFigures(*text, Measure::Bandwidth));
    const std::string times = figureList(reading.fields, map, "latency", openFigures(*text, Measure::Time));
    if (reading.fields.hasErrors())
        return;
    auto read = parseTopologyText(*text, rates, times, perNpu);
    if (read) {
        spec = std::move(read).value();
        return;
    }
    const std::string option = read.error().place.field;
    const char* key = option == "--latency" ? "latency" : option != "--bandwidth" ? "topology" : perNpu ? "npu_bandwidth" : "bandwidth";
    const std::string about = map.has(key) ? key : "topology";
    std::string message = read.error().message;
    if (!map.has(key))
        message = std::string("no ") + key + " is given for a dimension";
    map.error(about, std::move(message), map.has(key) ? read.error().expected : std::string(key) + ": a value, or one per dimension in [ ]");
}

bool hasUnequalGroups(const MapReader& map)
{
    const YamlEntry* list = map.map().isMap() ? map.map().find("dimensions") : nullptr;
    if (!list || !list->value.isSequence())
        return false;
    return std::any_of(list->value.items.begin(), list->value.items.end(), [](const YamlNode& item) { return item.isMap() && item.find("sizes"); });
}

void addUnequalGroups(DesignReading& reading, const MapReader& map, std::vector<Dimension> dimensions, PlatformSpec& spec)
{
    FieldContext& context = reading.fields;
    UnequalGroups groups;
    std::size_t number = 0;
    for (const auto& [item, field] : map.list("dimensions")) {
        const YamlEntry* sizes = item->isMap() ? item->find("sizes") : nullptr;
        if (sizes && number > 0)
            context.error(sizes->value, field + ".sizes", "only the first dimension may have groups of unequal size", "size");
        if (sizes && number == 0) {
            const std::vector<YamlNode>& list = sizes->value.items;
            if (!sizes->value.isSequence() || list.empty())
                context.error(sizes->value, field + ".sizes", "the sizes of the groups are missing", "a list such as [4, 6]");
            for (std::size_t i = 0; i < list.size(); ++i)
                groups.sizes.push_back(static_cast<std::int32_t>(readInteger(context, list[i], field + ".sizes[" + std::to_string(i) + ']', 1, kMaxNpus).value_or(1)));
        }
        if (number == 2)
            context.error(*item, field, "a third dimension over groups of unequal size", "two dimensions: the groups, and the switch that joins them");
        ++number;
    }
    if (context.hasErrors() || dimensions.empty() || groups.sizes.empty())
        return;
    // Here, as the links that are made of them have no place in the file.
    PlatformSpec given;
    given.dimensions = dimensions;
    for (Dimension& dimension : given.dimensions)
        dimension.size = 2; // With links.
    if (const Status status = checkValues(given); !status)
        return map.error(status.error().place.field.substr(std::string_view("platform.").size()), status.error().message, status.error().expected);
    groups.inside = dimensions[0];
    if (dimensions.size() > 1) {
        groups.join = dimensions[1];
        const YamlNode& join = map.map().find("dimensions")->value.items[1];
        if (!join.find("size"))
            groups.join->size = static_cast<std::int32_t>(groups.sizes.size());
    }
    auto expanded = expandUnequalGroups(groups);
    if (!expanded) {
        const YamlNode& list = map.map().find("dimensions")->value;
        context.error(list, expanded.error().place.field, expanded.error().message, expanded.error().expected);
        return;
    }
    spec = std::move(expanded).value();
}

} // namespace fabricscope
