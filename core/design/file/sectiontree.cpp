#include "core/design/file/sectiontree.h"

#include "core/design/file/sectionfields.h"

#include <filesystem>

namespace fabricscope {

MapBuilder& MapBuilder::add(std::string key, YamlNode value)
{
    m_node.add(std::move(key), std::move(value));
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
    return fieldsTree(designFields(), design, {form, stop});
}

} // namespace fabricscope
