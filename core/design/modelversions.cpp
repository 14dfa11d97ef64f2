#include "core/design/modelversions.h"

#include <algorithm>

namespace fabricscope {

std::string_view currentVersion(Model model)
{
    const auto& versions = traitsOf(model).versions;
    return *std::find_if(versions.rbegin(), versions.rend(), [](std::string_view version) { return !version.empty(); });
}

bool knowsVersion(Model model, std::string_view version)
{
    const auto& versions = traitsOf(model).versions;
    return !version.empty() && std::find(versions.begin(), versions.end(), version) != versions.end();
}

std::string versionList(Model model, std::int32_t from)
{
    std::string list;
    for (const std::string_view version : traitsOf(model).versions) {
        if (!version.empty() && rulesNumber(version) >= from)
            list += (list.empty() ? "" : ", ") + std::string(version);
    }
    return list;
}

std::int32_t rulesNumber(std::string_view version)
{
    for (const ModelTraits& row : kModelRows) {
        const auto found = std::find(row.versions.begin(), row.versions.end(), version);
        if (row.family == ModelFamily::Physical && !version.empty() && found != row.versions.end())
            return static_cast<std::int32_t>(found - row.versions.begin()) + 1;
    }
    return 1;
}

std::string versionFor(Model model, std::string_view version)
{
    if (isAstra(model))
        return {};
    const bool own = knowsVersion(Model::Links, version) || knowsVersion(Model::Flow, version);
    return own ? std::string(traitsOf(model).versions[static_cast<std::size_t>(rulesNumber(version) - 1)]) : std::string();
}

std::string versionUsed(Model model, std::string_view named)
{
    const std::string same = versionFor(model, named);
    return same.empty() ? std::string(currentVersion(model)) : same;
}

} // namespace fabricscope
