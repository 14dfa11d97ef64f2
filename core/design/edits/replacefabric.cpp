// The edits of graphedits.h that replace a whole fabric.
#include "core/base/index.h"
#include "core/design/edits/graphedits.h"
#include "core/design/edits/partnames.h"
#include "core/design/file/graphsection.h"
#include "core/design/file/readdesign.h"
#include "core/design/file/sectionfields.h"
#include "core/platform/fabric/parseline.h"
#include "core/platform/fabric/platformof.h"
#include "core/platform/offload.h"
#include "core/platform/presets.h"

#include <algorithm>
#include <initializer_list>
#include <map>

namespace fabricscope {

namespace {

Status removeKeys(YamlDocument& yaml, std::initializer_list<const char*> keys, std::string_view kept)
{
    for (const char* key : keys) {
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
    return removeKeys(yaml, {"dimensions", "topology", "bandwidth", "npu_bandwidth", "latency", "preset", "rates", "file", "kind", "link_figures", "nodes", "links", "fabric", "blueprints"}, key);
}

using Offloads = std::map<std::size_t, SwitchOffload>;

Error lostOffload(const YamlDocument& yaml, const std::string& of)
{
    return {ErrorCode::Unsupported, "nodes and links do not say what the switches of " + of + " reduce and copy", yaml.place(yaml.root(), "platform"), "a platform without in_network"};
}

/// Which nodes of a graph stand for the switches of dimensions: of every line the one that joins its NPUs and no others.
class LineSwitches {
public:
    explicit LineSwitches(const PlatformSpec& graph)
        : m_npus(static_cast<NodeId>(graph.nodes.count(NodeKind::Npu)))
    {
        std::map<std::size_t, std::vector<NodeId>> joined;
        for (std::size_t link = 0; link < graph.links.size(); ++link) {
            if (graph.nodes.kind(at(graph.links.to(link))) == NodeKind::Switch)
                joined[at(graph.links.to(link))].push_back(graph.links.from(link));
        }
        for (auto& [node, npus] : joined) {
            std::ranges::sort(npus);
            m_joins.emplace(npus, node);
        }
    }

    /// Absent: a line has none.
    std::optional<std::vector<std::size_t>> of(const std::vector<Dimension>& dimensions, std::size_t dimension) const
    {
        NodeId stride = 1;
        for (std::size_t d = 0; d < dimension; ++d)
            stride *= dimensions[d].size;
        const NodeId size = dimensions[dimension].size;
        std::vector<std::size_t> out;
        for (NodeId first = 0; first < m_npus && size > 1; ++first) {
            if (first / stride % size != 0)
                continue;
            std::vector<NodeId> line;
            for (NodeId i = 0; i < size; ++i)
                line.push_back(first + i * stride);
            const auto found = m_joins.find(line);
            if (found == m_joins.end())
                return std::nullopt;
            out.push_back(found->second);
        }
        return out;
    }

private:
    NodeId m_npus;
    std::map<std::vector<NodeId>, std::size_t> m_joins;
};

/// What switches reduce and copy.
Result<Offloads> offloadsOf(const YamlDocument& yaml, const PlatformSpec& old, const PlatformSpec& spec)
{
    Offloads out = spec.nodes.offloads();
    if (!out.empty() || !hasOffload(old))
        return out;
    if (!old.nodes.empty()) { // Numbers stay.
        const auto isThere = [&](const auto& entry) { return entry.first < spec.nodes.size() && spec.nodes.kind(entry.first) == NodeKind::Switch; };
        if (old.nodes.size() != spec.nodes.size() || !std::ranges::all_of(old.nodes.offloads(), isThere))
            return lostOffload(yaml, "this graph");
        return old.nodes.offloads();
    }
    const LineSwitches switches(spec);
    for (std::size_t d = 0; d < old.dimensions.size(); ++d) {
        if (!old.dimensions[d].offload)
            continue;
        const auto nodes = switches.of(old.dimensions, d);
        if (!nodes)
            return lostOffload(yaml, "dimension " + std::to_string(d));
        for (const std::size_t node : *nodes)
            out.emplace(node, *old.dimensions[d].offload);
    }
    return out;
}

Error lostCrossbar(const YamlDocument& yaml, const std::string& of)
{
    return {ErrorCode::Unsupported, "nodes and links do not say which switches of " + of + " have a crossbar limit", yaml.place(yaml.root(), "platform"), "a platform without crossbar"};
}

/// Crossbar limits of switches: a graph that says none may stand for one that did, node by node, or for dimensions.
Result<std::map<std::size_t, Quantity>> crossbarsOf(const YamlDocument& yaml, const PlatformSpec& old, const PlatformSpec& spec)
{
    std::map<std::size_t, Quantity> out = spec.nodes.crossbars();
    if (!out.empty())
        return out;
    if (!old.nodes.crossbars().empty()) {
        const auto isThere = [&](const auto& entry) { return entry.first < spec.nodes.size() && spec.nodes.kind(entry.first) == NodeKind::Switch; };
        if (old.nodes.size() != spec.nodes.size() || !std::ranges::all_of(old.nodes.crossbars(), isThere))
            return lostCrossbar(yaml, "this graph");
        return old.nodes.crossbars();
    }
    std::optional<LineSwitches> switches;
    for (std::size_t d = 0; d < old.dimensions.size(); ++d) {
        if (!old.dimensions[d].crossbar)
            continue;
        const auto nodes = (switches ? *switches : switches.emplace(spec)).of(old.dimensions, d);
        if (!nodes)
            return lostCrossbar(yaml, "dimension " + std::to_string(d));
        for (const std::size_t node : *nodes)
            out.emplace(node, *old.dimensions[d].crossbar);
    }
    return out;
}

GraphText listedNames(const NodeList& nodes)
{
    GraphText out;
    for (std::size_t i = 0; i < nodes.size(); ++i)
        out.nodes.push_back({nodes.name(i), nodes.kind(i)});
    return out;
}

/// What a preset or a host gave and nodes and links do not say; what the design says stays as it is written.
Status keepFigures(YamlDocument& yaml, const PlatformSpec& spec)
{
    for (const auto& [key, text] : {std::pair{"platform.name", spec.name}, {"platform.source", spec.source}}) {
        if (text.empty() || yaml.find(key))
            continue;
        if (Status status = yaml.set(key, text); !status)
            return status;
    }
    for (const auto& [key, fields] : {std::pair{"platform.npu.", &npuFields()}, {"platform.budgets.", &budgetFields()}}) {
        for (const YamlEntry& figure : fieldsTree(*fields, spec.npu).entries) {
            if (yaml.find(key + figure.key))
                continue;
            if (Status status = yaml.set(key + figure.key, figure.value); !status)
                return status;
        }
    }
    return {};
}

/// Links have other names now; NPUs have their numbers.
Status dropLinkOverrides(YamlDocument& yaml)
{
    const YamlNode* overrides = yaml.find("platform.overrides");
    if (!overrides || !overrides->isMap() || !overrides->find("links"))
        return {};
    return yaml.remove(overrides->entries.size() > 1 ? "platform.overrides.links" : "platform.overrides");
}

} // namespace

namespace edits {

Status writeOutGraph(YamlDocument& yaml, const PlatformSpec& spec)
{
    PlatformSpec full = spec;
    // Generated fabrics have neither names that change nor switches that reduce, and many links.
    const YamlNode* line = yaml.find("platform.topology");
    const bool generated = yaml.find("platform.fabric") || (line && line->isScalar() && isFabricLine(line->text));
    if (const auto old = generated ? nullptr : inspectDesign(yaml).design.platform) {
        const Result<Offloads> offloads = offloadsOf(yaml, *old, spec);
        if (!offloads)
            return offloads.error();
        const Result<std::map<std::size_t, Quantity>> crossbars = crossbarsOf(yaml, *old, spec);
        if (!crossbars)
            return crossbars.error();
        full.nodes.clear();
        for (std::size_t i = 0; i < spec.nodes.size(); ++i) {
            const auto given = [i](const auto& of) { return of.contains(i) ? std::optional(of.at(i)) : std::nullopt; };
            full.nodes.push_back({spec.nodes.name(i), spec.nodes.kind(i), given(offloads.value()), spec.nodes.forwards(i), given(crossbars.value())});
        }
        if (const YamlNode* npu = otherNpu(yaml, listedNames(old->nodes), listedNames(spec.nodes)))
            return Error{ErrorCode::Unsupported, "\"" + textOf(*npu, "npu") + "\" would mean other NPUs", yaml.place(*npu, "platform.overrides.npus"), "numbers of NPUs"};
    }
    MapBuilder written;
    addGraph(full, written, {});
    const YamlNode tree = written.take();
    const auto items = [&](const char* key) { return tree.find(key) ? tree.find(key)->value.items : std::vector<YamlNode>(); };
    YamlDocument edited = yaml;
    YamlNode none = YamlNode::sequence();
    none.flow = true;
    if (Status status = replaceFabric(edited, "nodes", none); !status)
        return status;
    if (Status status = dropLinkOverrides(edited); !status)
        return status;
    if (Status status = addToGraph(edited, {items("nodes"), items("links")}); !status)
        return status;
    if (Status status = keepFigures(edited, spec); !status)
        return status;
    yaml = std::move(edited);
    return {};
}

Status setFabricLine(YamlDocument& yaml, const std::string& line)
{
    if (const Result<Fabric> fabric = fabricOfLine(line); !fabric)
        return fabric.error();
    const YamlNode* now = yaml.find("platform.topology");
    if (now && now->isScalar() && now->text == line)
        return {};
    YamlDocument edited = yaml;
    if (Status status = replaceFabric(edited, "topology", YamlNode::scalar(line)); !status)
        return status;
    // A name and a source are those of what was replaced; a line that changes has its own.
    if (Status status = now ? removeKeys(edited, {"overrides"}, {}) : removeKeys(edited, {"overrides", "name", "source"}, {}); !status)
        return status;
    yaml = std::move(edited);
    return {};
}

Status setFabricPreset(YamlDocument& yaml, const std::string& name)
{
    if (const Result<PlatformSpec> preset = presetPlatform(name); !preset)
        return preset.error();
    const YamlNode* now = yaml.find("platform.preset");
    if (now && now->isScalar() && now->text == name)
        return {};
    YamlDocument edited = yaml;
    if (Status status = replaceFabric(edited, "preset", YamlNode::scalar(name)); !status)
        return status;
    if (Status status = removeKeys(edited, {"overrides", "name", "source", "npu"}, {}); !status)
        return status;
    yaml = std::move(edited);
    return {};
}

} // namespace edits

} // namespace fabricscope
