#include "core/design/file/fabricoverlay.h"

#include "core/design/file/sectiontree.h"

#include <algorithm>
#include <array>
#include <filesystem>

namespace fabricscope {

namespace {

constexpr std::array<std::string_view, 3> kParts{"dimensions", "nodes", "links"};
/// Keys that name a fabric instead of describing it.
constexpr std::array<std::string_view, 8> kNames{"preset", "file", "kind", "link_figures", "topology", "bandwidth", "npu_bandwidth", "latency"};

void placeAt(YamlNode& node, int line, int column)
{
    node.line = line;
    node.column = column;
    for (YamlNode& item : node.items)
        placeAt(item, line, column);
    for (YamlEntry& entry : node.entries) {
        entry.line = line;
        entry.column = column;
        placeAt(entry.value, line, column);
    }
}

bool isOneOf(std::string_view key, const auto& list)
{
    return std::find(list.begin(), list.end(), key) != list.end();
}

} // namespace

void writeOutFabric(YamlDocument& document, std::string_view path, const std::string& file, bool readFiles, WrittenFabric& written)
{
    const auto steps = parseYamlPath(path);
    if (!steps || steps.value().size() < 3 || steps.value()[0] != "platform" || !isOneOf(steps.value()[1], kParts))
        return;
    const YamlNode* platform = document.find("platform");
    // With `rates` the preset also brings network.launch, which its parts would not.
    if (!platform || !platform->isMap() || platform->find(steps.value()[1]) || platform->find("rates"))
        return;
    const YamlEntry* name = nullptr;
    for (const char* key : {"preset", "file", "topology"})
        name = name ? name : platform->find(key);
    if (!name)
        return;

    DesignReading reading{FieldContext(document), {}, readFiles};
    reading.design.file = file;
    reading.design.folder = std::filesystem::path(file).parent_path().string();
    readPlatformSection(reading, *platform);
    if (reading.fields.hasErrors() || !reading.design.platform)
        return;
    PlatformSpec plain = *reading.design.platform; // Dimensions or nodes, whatever generated them.
    plain.generated = {};
    reading.design.platform = std::make_shared<const PlatformSpec>(std::move(plain));
    const YamlNode tree = designTree(reading.design, DesignForm::File);
    const YamlEntry* described = tree.find("platform");
    if (!described)
        return;
    YamlNode out = *platform;
    std::erase_if(out.entries, [&](const YamlEntry& entry) { return isOneOf(entry.key, kNames) || entry.key == "npu" || entry.key == "budgets"; });
    for (const YamlEntry& entry : described->value.entries) {
        const bool figures = isOneOf(entry.key, kParts) || entry.key == "npu" || entry.key == "budgets" || entry.key == "name" || entry.key == "source";
        if (!figures || out.find(entry.key))
            continue;
        YamlEntry added = entry;
        placeAt(added.value, name->value.line, name->value.column);
        added.line = name->line;
        added.column = name->column;
        out.entries.push_back(std::move(added));
    }
    written.origin = (reading.design.platformOrigin.empty() ? "topology " + name->value.text : reading.design.platformOrigin) + ", changed";
    written.astraUnits = reading.design.astraUnits;
    written.files = reading.design.files;
    written.diagnostics = std::move(reading.fields.diagnostics);
    static_cast<void>(document.overlay("platform", out)); // the path is there
}

} // namespace fabricscope
