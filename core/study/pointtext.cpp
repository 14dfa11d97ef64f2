#include "core/study/pointtext.h"

#include <algorithm>
#include <string_view>
#include <utility>

namespace fabricscope {

namespace {

constexpr std::size_t kWidestLine = 110;

/// A line where that fits, else a line for each entry.
void writeBlock(const YamlNode& map, std::size_t indent, std::string& out, const std::stop_token& stop)
{
    for (const YamlEntry& entry : map.entries) {
        const std::string begin = std::string(indent, ' ') + renderYaml(YamlNode::scalar(entry.key), false) + ':';
        const std::string line = begin + ' ' + renderYaml(entry.value, false, stop) + '\n';
        if (line.size() <= kWidestLine || entry.value.isScalar() || entry.value.isNull()) {
            out += line;
            continue;
        }
        out += begin + '\n';
        if (entry.value.isMap()) {
            writeBlock(entry.value, indent + 2, out, stop);
            continue;
        }
        for (const YamlNode& item : entry.value.items)
            out += std::string(indent + 2, ' ') + "- " + renderYaml(item, false, stop) + '\n';
    }
}

} // namespace

Result<std::string> pointText(const StudySpec& space, std::int64_t number, const std::stop_token& stop)
{
    YamlDocument document = space.base;
    const Result<LoadedDesign> design = readDesignDocument(document, space.fieldsOf(space.choicesOf(number)), stop);
    if (!design)
        return design.error();
    YamlNode root = document.root();
    YamlNode name = YamlNode::scalar((space.name.empty() ? std::string("Study") : space.name) + ", point " + std::to_string(number));
    name.quoted = true;
    root.set("name", std::move(name));
    const auto first = [&root](std::string_view key, std::ptrdiff_t place) {
        const auto found = std::find_if(root.entries.begin(), root.entries.end(), [key](const YamlEntry& entry) { return entry.key == key; });
        if (found != root.entries.end())
            std::rotate(root.entries.begin() + std::min(place, found - root.entries.begin()), found, found + 1);
    };
    first("name", 0);
    first("fabricscope", 0);
    std::string out;
    writeBlock(root, 0, out, stop);
    return out;
}

} // namespace fabricscope
