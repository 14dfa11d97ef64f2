// The edits of graphedits.h that replace a whole fabric.
#include "core/design/edits/graphedits.h"
#include "core/design/file/graphsection.h"
#include "core/design/file/sectionfields.h"
#include "core/platform/fabric/parseline.h"

namespace fabricscope {

namespace edits {

namespace {

/// Takes out what says what the fabric is, and what names parts of it.
Status removeFabric(YamlDocument& yaml, std::string_view kept)
{
    for (const char* key : {"dimensions", "topology", "bandwidth", "npu_bandwidth", "latency", "preset", "file", "kind", "link_figures", "nodes", "links", "fabric", "blueprints", "overrides", "name", "source"}) {
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
    return removeFabric(yaml, key);
}

} // namespace

Status writeOutGraph(YamlDocument& yaml, const PlatformSpec& spec)
{
    MapBuilder written;
    addGraph(spec, written, {});
    const YamlNode tree = written.take();
    const auto items = [&](const char* key) { return tree.find(key) ? tree.find(key)->value.items : std::vector<YamlNode>(); };
    YamlDocument edited = yaml;
    YamlNode none = YamlNode::sequence();
    none.flow = true;
    if (Status status = replaceFabric(edited, "nodes", none); !status)
        return status;
    if (Status status = addToGraph(edited, {items("nodes"), items("links")}); !status)
        return status;
    yaml = std::move(edited);
    return {};
}

Status setFabricLine(YamlDocument& yaml, const std::string& line)
{
    if (const Result<Fabric> fabric = fabricOfLine(line); !fabric)
        return fabric.error();
    if (const YamlNode* now = yaml.find("platform.topology"); now && now->isScalar())
        return yaml.set("platform.topology", line);
    YamlDocument edited = yaml;
    if (Status status = replaceFabric(edited, "topology", YamlNode::scalar(line)); !status)
        return status;
    yaml = std::move(edited);
    return {};
}

} // namespace edits

} // namespace fabricscope
