#include "core/design/file/sectiontree.h"

#include "core/base/decimal.h"
#include "core/base/stop.h"
#include "core/design/file/fabricsection.h"
#include "core/design/file/poolsection.h"
#include "core/design/file/programsection.h"
#include "core/design/file/reader.h"
#include "core/design/file/sectionfields.h"
#include "core/design/linknames.h"
#include "core/design/modelversions.h"

#include <array>
#include <filesystem>

namespace fabricscope {

namespace {

YamlNode numbers(const auto& values)
{
    YamlNode list = YamlNode::sequence();
    for (const auto value : values)
        list.items.push_back(YamlNode::scalar(std::to_string(value)));
    return list;
}

void addGraph(const PlatformSpec& spec, MapBuilder& platform, const std::stop_token& stop)
{
    platform.addFilled("nodes", listTree(nodeFields(), spec.nodes, {DesignForm::File, stop}));

    const auto name = [&](NodeId node) { return YamlNode::scalar(node >= 0 && static_cast<std::size_t>(node) < spec.nodes.size() ? spec.nodes[static_cast<std::size_t>(node)].name : std::to_string(node)); };
    YamlNode links = YamlNode::sequence();
    for (std::size_t i = 0; i < spec.links.size(); ++i) {
        checkStop(stop);
        const ExplicitLink& link = spec.links[i];
        ExplicitLink back = link;
        std::swap(back.from, back.to);
        MapBuilder map;
        if (i + 1 < spec.links.size() && spec.links[i + 1] == back) {
            map.add("between", YamlNode::sequence({name(link.from), name(link.to)}));
            ++i;
        } else {
            map.add("from", name(link.from)).add("to", name(link.to));
        }
        links.items.push_back(map.add("bandwidth", link.bandwidth).add("latency", link.latency).take());
    }
    platform.addFilled("links", std::move(links));
}

/// Dimensions, or nodes and links.
void addMachine(const PlatformSpec& spec, MapBuilder& platform, const std::stop_token& stop)
{
    platform.addFilled("dimensions", listTree(dimensionFields(false), spec.dimensions));
    addGraph(spec, platform, stop);
}

YamlNode overridesTree(const PlatformSpec& spec, const std::stop_token& stop)
{
    MapBuilder overrides;
    YamlNode links = YamlNode::sequence();
    if (!spec.linkOverrides.empty()) {
        PlatformSpec plain = spec;
        plain.linkOverrides.clear();
        plain.npuOverrides.clear();
        const auto platform = Platform::create(std::move(plain), stop);
        for (const LinkOverride& change : spec.linkOverrides) {
            checkStop(stop);
            const bool known = platform && change.link >= 0 && change.link < platform.value().linkCount();
            MapBuilder map;
            map.add("link", known ? overrideName(platform.value(), change.link) : "link " + std::to_string(change.link));
            map.add("bandwidth", change.bandwidth).add("latency", change.latency);
            if (change.removed)
                map.add("removed", "true");
            links.items.push_back(map.take());
        }
    }
    overrides.addFilled("links", std::move(links));
    overrides.addFilled("npus", listTree(npuOverrideFields(), spec.npuOverrides, {DesignForm::File, stop}));
    return overrides.take();
}

YamlNode remoteMemoryTree(const RemoteMemory& memory)
{
    constexpr std::array<const char*, 5> kKinds{"none", "per_npu", "per_node", "pool", "hierarchical"};
    MapBuilder map;
    if (memory == RemoteMemory{})
        return map.take();
    map.add("kind", kKinds[static_cast<std::size_t>(memory.kind)]);
    if (memory.pool) {
        YamlNode tree = map.add("npus_per_node", std::int64_t{memory.npusPerNode}).take();
        addMemoryPool(*memory.pool, tree);
        return tree;
    }
    map.add("latency", std::to_string(memory.latencyNs) + " ns").add("bandwidth", std::to_string(memory.bytesPerNs) + " GB/s");
    if (memory.nodes > 0)
        map.add("nodes", std::int64_t{memory.nodes});
    if (memory.npusPerNode > 0)
        map.add("npus_per_node", std::int64_t{memory.npusPerNode});
    return map.take();
}

YamlNode platformTree(const Design& design, DesignForm form, const std::stop_token& stop)
{
    const PlatformSpec& spec = *design.platform;
    MapBuilder platform;
    if (form == DesignForm::File) {
        if (!spec.name.empty())
            platform.add("name", spec.name);
        if (!spec.source.empty())
            platform.add("source", spec.source);
    }
    if (const FabricForm* const made = spec.generated.form.get()) {
        if (made->blueprint) {
            MapBuilder blueprint;
            addMachine(*made->blueprint, blueprint.add("name", made->part), stop);
            blueprint.addFilled("npu", fieldsTree(npuFields(), made->blueprint->npu));
            platform.add("blueprints", YamlNode::sequence({blueprint.take()}));
        }
        platform.add("fabric", generatedFabricTree(*made));
    } else {
        addMachine(spec, platform, stop);
    }
    platform.addFilled("npu", fieldsTree(npuFields(), spec.npu));
    platform.addFilled("budgets", fieldsTree(budgetFields(), spec.npu));
    platform.addFilled("overrides", overridesTree(spec, stop));
    platform.addFilled("remote_memory", remoteMemoryTree(design.remoteMemory));
    if (!design.workload || !std::holds_alternative<JobsWorkload>(*design.workload)) // else written with the jobs
        platform.addFilled("placement", fieldsTree(placementFields(), design));
    return platform.take();
}

/// Everything of a system file that decides a result, as text for comparing.
YamlNode astraSystemTree(const AstraSystem& system)
{
    MapBuilder map;
    for (const auto& implementation : system.implementations) {
        YamlNode list = YamlNode::sequence();
        for (const AstraAlgorithm& entry : implementation)
            list.items.push_back(YamlNode::scalar(std::string(entry.one ? "one " : "") + std::string(algorithmKey(entry.algorithm)) + " " + std::to_string(entry.window)));
        map.add("implementation", std::move(list));
    }
    map.add("numbers", numbers(std::array<std::int64_t, 4>{system.splits, system.activeChunks, system.queuesPerDimension, system.endpointDelayNs}));
    map.add("scale", decimal(system.injectionScale)).add("local", decimal(system.localMemoryGBps)).add("peak", decimal(system.peakTflops));
    std::string flags;
    for (const bool flag : {system.localBandwidthAware, system.endpointDelayGiven, system.roofline, system.replayOnly, system.trackLocalMemory, system.rendezvous})
        flags += flag ? '1' : '0';
    return map.add("flags", flags).take();
}

void addSlots(MapBuilder& map, std::int32_t count)
{
    if (count == kProtocolSlots)
        map.add("slots", "protocol");
    else if (count > 0)
        map.add("slots", std::int64_t{count});
}

YamlNode collectivesTree(const Design& design, DesignForm form)
{
    const bool all = form == DesignForm::Canonical;
    const CollectiveConfig& config = design.collectives;
    const CollectiveConfig usual;
    MapBuilder map;
    if (design.astra && form == DesignForm::File) {
        map.add("system", pathInDesign(design, design.astra->file));
        if (design.astra->queuesPerDimension != 1)
            map.add("queues", design.astra->queuesPerDimension);
        if (design.astra->injectionScale != 1)
            map.add("injection_scale", decimal(design.astra->injectionScale));
        return map.take();
    }
    if (design.astra)
        return astraSystemTree(*design.astra);
    if (all || !(config.defaults == usual.defaults)) {
        MapBuilder defaults;
        writeProgramFields(defaults, config.defaults.algorithms, config.defaults.program, all);
        addSlots(defaults, config.defaults.program.receiveSlots);
        defaults.add("chunks", std::int64_t{config.defaults.chunks});
        if (all || config.defaults.window != 0)
            defaults.add("window", std::int64_t{config.defaults.window});
        map.add("default", defaults.take());
    }
    YamlNode rules = YamlNode::sequence();
    for (const CollectiveRule& rule : config.rules) {
        MapBuilder entry;
        if (rule.op)
            entry.add("op", std::string(collectiveKey(*rule.op)));
        entry.add("group", rule.group).add("min_size", rule.minSize).add("max_size", rule.maxSize);
        if (!rule.nodes.empty())
            entry.add("node", numbers(rule.nodes));
        if (rule.algorithms)
            writeProgramFields(entry, *rule.algorithms, rule.program, all);
        addSlots(entry, rule.program.receiveSlots);
        if (rule.chunks)
            entry.add("chunks", std::int64_t{*rule.chunks});
        if (rule.window)
            entry.add("window", std::int64_t{*rule.window});
        rules.items.push_back(entry.take());
    }
    map.addFilled("rules", std::move(rules));
    if (all || config.activeChunks != usual.activeChunks)
        map.add("active_chunks", config.activeChunks);
    if (all || config.queuesPerDimension != usual.queuesPerDimension)
        map.add("queues", config.queuesPerDimension);
    if (all || config.localBandwidthAware)
        map.add("optimization", config.localBandwidthAware ? "localBWAware" : "baseline");
    return map.take();
}

YamlNode modelTree(const Design& design, DesignForm form)
{
    const bool all = form == DesignForm::Canonical;
    const ModelConfig& model = design.model;
    MapBuilder map;
    map.add("name", std::string(modelName(model.model)));
    if (all || !model.version.empty())
        map.add("version", model.version.empty() ? std::string(currentVersion(model.model)) : model.version);
    if (!design.astra && (all || !(model.endpointDelay == ModelConfig{}.endpointDelay)))
        map.add("endpoint_delay", model.endpointDelay);
    const bool rendezvous = design.astra ? design.astra->rendezvous : model.rendezvous;
    if (all || rendezvous)
        map.add("rendezvous", rendezvous ? "true" : "false");
    if (all || !model.roofline)
        map.add("roofline", model.roofline ? "true" : "false");
    return map.take();
}

} // namespace

MapBuilder& MapBuilder::add(std::string key, YamlNode value)
{
    YamlEntry entry;
    entry.key = std::move(key);
    entry.value = std::move(value);
    m_node.entries.push_back(std::move(entry));
    return *this;
}

MapBuilder& MapBuilder::addFilled(std::string key, YamlNode value)
{
    return value.items.empty() && value.entries.empty() ? *this : add(std::move(key), std::move(value));
}

std::string pathInDesign(const Design& design, const std::string& path)
{
    if (design.folder.empty())
        return path;
    const auto relative = std::filesystem::path(path).lexically_relative(design.folder);
    return relative.empty() || std::filesystem::path(path).is_absolute() != std::filesystem::path(design.folder).is_absolute() ? path : relative.string();
}

YamlNode designTree(const Design& design, DesignForm form, const std::stop_token& stop)
{
    MapBuilder root;
    root.add("fabricscope", std::int64_t{1});
    if (form == DesignForm::File && !design.name.empty())
        root.add("name", design.name);
    if (form == DesignForm::File && !design.notes.empty())
        root.add("notes", design.notes);
    if (design.platform)
        root.add("platform", platformTree(design, form, stop));
    root.addFilled("workload", workloadTree(design, form, stop));
    root.addFilled("collectives", collectivesTree(design, form));
    root.add("model", modelTree(design, form));
    root.addFilled("network", networkTree(design, form));
    root.addFilled("compute", computeTree(design, form));
    return root.addFilled("scheduling", schedulingTree(design, form)).take();
}

} // namespace fabricscope
