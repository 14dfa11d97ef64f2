#include "core/design/modelversions.h"

#include <algorithm>

namespace fabricscope {

std::string_view currentVersion(Model model)
{
    const auto& versions = traitsOf(model).versions;
    return versions.back().empty() ? versions.front() : versions.back();
}

bool knowsVersion(Model model, std::string_view version)
{
    const auto& versions = traitsOf(model).versions;
    return !version.empty() && std::find(versions.begin(), versions.end(), version) != versions.end();
}

std::string versionList(Model model)
{
    std::string list;
    for (const std::string_view version : traitsOf(model).versions) {
        if (!version.empty())
            list += (list.empty() ? "" : ", ") + std::string(version);
    }
    return list;
}

std::int32_t rulesNumber(std::string_view version)
{
    return std::any_of(kModelRows.begin(), kModelRows.end(), [&](const ModelTraits& row) { return !version.empty() && row.versions.back() == version; }) ? 2 : 1;
}

std::string versionFor(Model model, std::string_view version)
{
    if (isAstra(model))
        return {};
    const bool own = knowsVersion(Model::Links, version) || knowsVersion(Model::Flow, version);
    return own ? std::string(traitsOf(model).versions[rulesNumber(version) == 2 ? 1 : 0]) : std::string();
}

std::string versionUsed(Model model, std::string_view named)
{
    const std::string same = versionFor(model, named);
    return same.empty() ? std::string(currentVersion(model)) : same;
}

} // namespace fabricscope
