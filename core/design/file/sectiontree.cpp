#include "core/design/file/sectiontree.h"

#include "core/base/stop.h"
#include "core/design/file/fabricsection.h"
#include "core/design/file/poolsection.h"
#include "core/design/file/reader.h"
#include "core/design/file/sectionfields.h"
#include "core/design/linknames.h"

#include <array>
#include <filesystem>

namespace fabricscope {

namespace {

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
