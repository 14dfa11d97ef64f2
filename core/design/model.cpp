#include "core/design/model.h"

namespace fabricscope {

std::string_view modelName(Model model)
{
    switch (model) {
    case Model::AstraUnaware:
        return "astra-unaware";
    case Model::AstraAware:
        return "astra-aware";
    case Model::Links:
        return "links";
    case Model::Ideal:
        break;
    }
    return "ideal";
}

std::optional<Model> parseModel(std::string_view text)
{
    for (const Model model : {Model::AstraUnaware, Model::AstraAware, Model::Links, Model::Ideal}) {
        if (text == modelName(model))
            return model;
    }
    return std::nullopt;
}

std::string_view modelVersion(Model model)
{
    return isAstra(model) ? "astra/2" : "physical/1";
}

} // namespace fabricscope
