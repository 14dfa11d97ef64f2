#include "core/design/accuracyconfig.h"
#include "core/design/file/platformsection.h"

#include "core/base/showntext.h"
#include "core/design/file/fabricfiles.h"
#include "core/design/file/fabricsection.h"
#include "core/design/file/graphsection.h"
#include "core/design/file/overridesection.h"
#include "core/design/file/remotesection.h"
#include "core/design/file/sectionfields.h"
#include "core/design/networkconfig.h"
#include "core/platform/presetreached.h"
#include "core/platform/presets.h"

namespace fabricscope {

namespace {

using PlatformRow = SectionField<PlatformReading, PlatformWriting>;
using PlatformRows = SectionFields<PlatformReading, PlatformWriting>;

/// A row that is read from its mapping by one function and written by another.
PlatformRow platformField(const char* key, const char* text, void (*read)(const MapReader&, PlatformReading&), void (*write)(MapBuilder&, const PlatformWriting&, const Writing&))
{
    return {key, text, read, write, [](const PlatformWriting&, const auto&) {}, {}};
}

PlatformRow besideField(const char* key, const char* text) { return fabricscope::besideField<PlatformReading, PlatformWriting>(key, text); }

PlatformRow ofSpec(SectionField<PlatformSpec> field)
{
    return {field.key, field.text, [read = std::move(field.read)](const MapReader& map, PlatformReading& reading) { read(map, reading.spec); },
            [write = std::move(field.write)](MapBuilder& map, const PlatformWriting& writing, const Writing& how) { write(map, writing.spec, how); },
            [](const PlatformWriting&, const auto&) {}, {}};
}

/// What is for people decides no result.
PlatformRow remark(SectionField<PlatformSpec> field)
{
    PlatformRow row = ofSpec(std::move(field));
    row.write = [write = std::move(row.write)](MapBuilder& map, const PlatformWriting& writing, const Writing& how) {
        if (how.form == DesignForm::File)
            write(map, writing, how);
    };
    return row;
}

/// Nothing: a key that names a fabric, which is written as what it is.
void writeNothing(MapBuilder&, const PlatformWriting&, const Writing&) {}

/// Dimensions, topology, preset, file, nodes or fabric: exactly one of them says what the fabric is.
void checkTogether(const MapReader& map, const std::string& path)
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
        map.context().error(map.map(), path, count == 0 ? "nothing says what the fabric is" : given + " are given together",
                            "one of dimensions, topology, preset, file, nodes (with links), fabric");
    if (map.has("links") && !map.has("nodes"))
        map.error("links", "links need nodes");
    for (const char* key : {"kind", "link_figures"}) {
        if (map.has(key) && !map.has("file"))
            map.error(key, '"' + std::string(key) + "\" belongs to a file, and there is no file");
    }
    if (map.has("rates") && !map.has("preset"))
        map.error("rates", "\"rates\" belongs to a preset, and there is none", "preset: dgx-a100-8");
    for (const char* key : {"bandwidth", "npu_bandwidth", "latency"}) {
        if (map.has(key) && !map.has("topology"))
            map.error(key, '"' + std::string(key) + "\" of the platform belongs to a topology, and there is none", "topology: \"Ring(4)_Switch(8)\", or the figure in a dimension or link");
    }
}

void readDimensions(const MapReader& map, PlatformReading& reading)
{
    checkTogether(map, reading.path);
    const bool unequal = hasUnequalGroups(map);
    std::vector<Dimension> dimensions = readList(map, "dimensions", dimensionFields(unequal));
    if (unequal)
        addUnequalGroups(reading.whole, map, std::move(dimensions), reading.spec);
    else
        reading.spec.dimensions = std::move(dimensions);
}

void writeDimensions(MapBuilder& map, const PlatformWriting& writing, const Writing&)
{
    if (!writing.spec.generated.form)
        map.addFilled("dimensions", listTree(dimensionFields(false), writing.spec.dimensions));
}

void readNodes(const MapReader& map, PlatformReading& reading)
{
    if (map.has("nodes"))
        readGraph(reading.whole, map, reading.spec);
    if (map.has("copies"))
        readCopies(reading.whole, map, reading.spec);
}

void writeNodes(MapBuilder& map, const PlatformWriting& writing, const Writing& how)
{
    if (!writing.spec.generated.form)
        addGraph(writing.spec, map, how.stop);
}

void readTopologyLine(const MapReader& map, PlatformReading& reading)
{
    if (map.has("topology"))
        readTopology(reading.whole, map, reading.spec);
}

std::shared_ptr<const AccuracyConfig> accuracyOf(const PresetReached& reached, bool reaches)
{
    AccuracyConfig config;
    config.errorPct = reaches ? reached.errorPct : reached.wireErrorPct;
    config.minSize = Quantity{1, "KiB", Measure::Size};
    config.maxSize = Quantity{8, "GiB", Measure::Size};
    config.minRanks = 2;
    config.maxRanks = 8;
    config.source = reaches ? "all-reduces of other sites" : "all-reduces of several sites";
    return std::make_shared<const AccuracyConfig>(std::move(config));
}

void readPreset(const MapReader& map, PlatformReading& reading)
{
    const auto name = map.text("preset");
    if (!name)
        return;
    auto preset = presetPlatform(*name);
    if (!preset)
        return map.error("preset", preset.error().message, preset.error().expected, preset.error().code);
    reading.spec = std::move(preset).value();
    reading.whole.design.platformOrigin = "preset " + *name;
    static constexpr KeyTable<bool, 2> kRates{{{"wire", false}, {"reached", true}}};
    const bool reaches = map.choice<bool>("rates", {kRates.begin(), kRates.end()}).value_or(false);
    const PresetReached* const reached = presetReached(*name);
    if (reached && reading.path == "platform")
        reading.whole.design.accuracy = accuracyOf(*reached, reaches); // The section of its own name may say something else.
    if (!reaches)
        return;
    if (reading.path != "platform")
        return map.error("rates", "a blueprint has no start of collectives of its own", "rates: wire, and network.launch");
    if (!reached)
        return map.error("rates", "nothing is known of what collectives reach on " + *name, "rates: wire; reached: dgx-a100-8, hgx-h100-8, hgx-h200-8, clos-h100-256");
    applyReached(*reached, reading.spec);
    NetworkConfig network;
    network.launch = Quantity{reached->launchUs, "us", Measure::Time};
    reading.whole.design.network = std::make_shared<const NetworkConfig>(std::move(network)); // The section of its own name may say something else.
}

void readFileOfFabric(const MapReader& map, PlatformReading& reading)
{
    if (map.has("file"))
        readFabricFile(reading.whole, map, reading.spec);
}

/// Machines with names, described as a platform is.
Blueprints readBlueprints(const MapReader& map, DesignReading& reading);

void readLevels(const MapReader& map, PlatformReading& reading)
{
    if (map.has("blueprints") && !map.has("fabric"))
        map.error("blueprints", "blueprints without a fabric", "fabric: {of: NAME, levels: [...]}");
    if (map.has("fabric"))
        readGeneratedFabric(reading.whole, map, readBlueprints(map, reading.whole), reading.spec);
}

const PlatformRows& blueprintFields();

void writeLevels(MapBuilder& map, const PlatformWriting& writing, const Writing& how)
{
    const FabricForm* const made = writing.spec.generated.form.get();
    if (!made)
        return;
    if (made->blueprint)
        map.add("blueprints", YamlNode::sequence({fieldsTree(blueprintFields(), PlatformWriting{writing.design, *made->blueprint, made->part}, how)}));
    map.add("fabric", generatedFabricTree(*made));
}

/// What the fabric is: of a platform, or of a blueprint, which no file and no other blueprint gives. The first of them looks at all.
PlatformRows machineRows(bool blueprint)
{
    PlatformRows rows{
        platformField("dimensions", "the first is the fastest part of the NPU's number", readDimensions, writeDimensions),
        platformField("topology", "in one line; figures in the brackets, or for dimensions without", readTopologyLine, writeNothing),
        besideField("bandwidth", "one value, or one per dimension without"),
        besideField("npu_bandwidth", "of all links of one NPU together"),
        besideField("latency", ""),
        platformField("preset", "", readPreset, writeNothing),
        besideField("rates", "of a preset: wire (usual), or reached: what collectives of a library reach, with network.launch"),
    };
    if (!blueprint) {
        rows.push_back(platformField("file", "of another program", readFileOfFabric, writeNothing));
        rows.push_back(besideField("kind", "where the content does not say it"));
        rows.push_back(besideField("link_figures", "infragraph and nccl: what the file leaves open, by kind of link"));
    }
    rows.push_back(platformField("nodes", "NPUs first", readNodes, writeNodes));
    rows.push_back(besideField("links", ""));
    if (!blueprint) {
        rows.push_back(besideField("copies", "nodes host0.X, host1.X, ... are one part of copies of a blueprint, which the window edits together; no result depends on it"));
        rows.push_back(platformField("fabric", "generated: what stands at its places, and what joins them, from below", readLevels, writeLevels));
        rows.push_back(besideField("blueprints", "machines for `of`, described as a platform is"));
    }
    return rows;
}

const PlatformRows& fabricFields()
{
    static const PlatformRows rows = machineRows(false);
    return rows;
}

const PlatformRows& blueprintFields()
{
    static const PlatformRows rows = [] {
        PlatformRows made{required(PlatformRow{"name", "", [](const MapReader& map, PlatformReading& reading) { reading.name = map.text("name").value_or(""); },
                               [](MapBuilder& map, const PlatformWriting& writing, const Writing&) { map.add("name", writing.name); }, [](const PlatformWriting&, const auto&) {}, {}})};
        std::ranges::move(machineRows(true), std::back_inserter(made));
        made.push_back(ofSpec(partField("npu", &PlatformSpec::npu, npuFields, "")));
        return made;
    }();
    return rows;
}

/// What is said of a platform beside its fabric, which is read first: a preset has a name and figures of its own.
const PlatformRows& remarkFields()
{
    static const PlatformRows rows{remark(textField("name", &PlatformSpec::name, "for people")), remark(textField("source", &PlatformSpec::source, "where the figures are from"))};
    return rows;
}

const PlatformRows& figureFields()
{
    static const PlatformRows rows{
        ofSpec(partField("npu", &PlatformSpec::npu, npuFields, "")),
        ofSpec(partField("budgets", &PlatformSpec::npu, budgetFields, "limits over all links of an NPU together; usually none")),
        platformField("overrides", "what is not like the rest",
                      [](const MapReader& map, PlatformReading& reading) {
                          if (const YamlNode* const node = map.node("overrides"))
                              readOverrides(reading.whole, *node, reading.spec);
                      },
                      [](MapBuilder& map, const PlatformWriting& writing, const Writing& how) { map.addFilled("overrides", overridesTree(writing.spec, how.stop)); }),
        platformField("remote_memory", "for load and store",
                      [](const MapReader& map, PlatformReading& reading) {
                          if (const YamlNode* const node = map.node("remote_memory"))
                              readRemoteMemory(reading.whole, *node);
                      },
                      [](MapBuilder& map, const PlatformWriting& writing, const Writing&) { map.addFilled("remote_memory", remoteMemoryTree(writing.design.remoteMemory)); }),
        platformField("placement", "usual: rank r runs on NPU r",
                      [](const MapReader& map, PlatformReading& reading) {
                          if (const YamlNode* const node = map.node("placement"))
                              readFields(map.context(), *node, map.field("placement"), placementFields(), reading.whole.design);
                      },
                      [](MapBuilder& map, const PlatformWriting& writing, const Writing& how) {
                          const Design& design = writing.design;
                          if (!design.workload || !std::holds_alternative<JobsWorkload>(*design.workload)) // else written with the jobs
                              map.addFilled("placement", fieldsTree(placementFields(), design, how));
                      }),
    };
    return rows;
}

Blueprints readBlueprints(const MapReader& map, DesignReading& whole)
{
    Blueprints out;
    const YamlNode* const fabric = map.node("fabric"); // Null where the key has no value, which is told already.
    const YamlEntry* const of = fabric && fabric->isMap() ? fabric->find("of") : nullptr;
    for (const auto& [item, field] : map.list("blueprints")) {
        const MapReader reader(whole.fields, *item, field, keysOf(blueprintFields()));
        if (!item->isMap())
            continue;
        PlatformReading reading{whole, field};
        const std::string origin = whole.design.platformOrigin;
        readFields(reader, blueprintFields(), reading);
        whole.design.platformOrigin = origin;
        PlatformSpec& spec = reading.spec;
        spec.name.clear();
        spec.source.clear();
        spec.generated = {};
        if (!out.emplace(reading.name, std::make_shared<const PlatformSpec>(std::move(spec))).second)
            reader.error("name", "a second blueprint is called " + quotedText(reading.name), "another name");
        if (reader.has("name") && (!of || !of->value.isScalar() || of->value.text != reading.name))
            whole.fields.diagnostics.push_back(warning("unused-blueprint", "blueprint " + quotedText(reading.name) + " is not used: fabric.of names another", whole.fields.document.place(*item, field)));
    }
    return out;
}

} // namespace

const SectionFields<PlatformReading, PlatformWriting>& platformFields()
{
    static const PlatformRows rows = [] {
        PlatformRows all = remarkFields();
        for (const PlatformRows* part : {&fabricFields(), &figureFields()})
            all.insert(all.end(), part->begin(), part->end());
        return all;
    }();
    return rows;
}

void readPlatformSection(DesignReading& reading, const YamlNode& node)
{
    const MapReader map(reading.fields, node, "platform", keysOf(platformFields()));
    if (!node.isMap())
        return;
    PlatformReading platform{reading, "platform"};
    readFields(map, fabricFields(), platform);
    readFields(map, remarkFields(), platform);
    readFields(map, figureFields(), platform);
    reading.design.platform = std::make_shared<const PlatformSpec>(std::move(platform.spec));
}

YamlNode platformTree(const Design& design, DesignForm form, const std::stop_token& stop)
{
    return fieldsTree(platformFields(), PlatformWriting{design, *design.platform}, {form, stop});
}

} // namespace fabricscope
