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
    case Model::Flow:
        return "flow";
    case Model::Ideal:
        break;
    }
    return "ideal";
}

std::optional<Model> parseModel(std::string_view text)
{
    for (const Model model : {Model::AstraUnaware, Model::AstraAware, Model::Links, Model::Ideal, Model::Flow}) {
        if (text == modelName(model))
            return model;
    }
    return std::nullopt;
}

std::string_view modelVersion(Model model)
{
    return isAstra(model) ? "astra/2" : model == Model::Flow ? "flow/1" : "physical/1";
}

} // namespace fabricscope
