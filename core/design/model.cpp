#include "core/design/model.h"

#include "core/base/keytable.h"

#include <algorithm>
#include <cassert>
#include <vector>

namespace fabricscope {

const ModelTraits& traitsOf(Model model)
{
    const auto row = std::find_if(kModelRows.begin(), kModelRows.end(), [&](const ModelTraits& traits) { return traits.model == model; });
    assert(row != kModelRows.end());
    return *row;
}

std::optional<Model> parseModel(std::string_view text)
{
    for (const ModelTraits& traits : kModelRows) {
        if (text == traits.name)
            return traits.model;
    }
    return std::nullopt;
}

std::string modelList(std::string_view conjunction)
{
    std::vector<std::string_view> names;
    for (const ModelTraits& traits : kModelRows)
        names.push_back(traits.name);
    return listedWords(names, conjunction);
}

std::string modelsWith(bool ModelTraits::*ability, std::string_view conjunction)
{
    std::vector<std::string_view> names;
    for (const ModelTraits& traits : kModelRows) {
        if (traits.*ability)
            names.push_back(traits.name);
    }
    return listedWords(names, conjunction);
}

} // namespace fabricscope
