#pragma once

#include "core/base/quantity.h"

#include <optional>
#include <string>
#include <string_view>

namespace fabricscope {

/// What a time means: topic models of the manual.
enum class Model : std::uint8_t { AstraUnaware, AstraAware, Links, Ideal, Flow };

std::string_view modelName(Model model);                    ///< "astra-unaware", "astra-aware", "links", "ideal", "flow".
std::optional<Model> parseModel(std::string_view text);
/// Version of the rules: "physical/1" for links and ideal, "flow/1", "astra/2" for the others.
std::string_view modelVersion(Model model);
constexpr bool isAstra(Model model) { return model == Model::AstraUnaware || model == Model::AstraAware; }

} // namespace fabricscope
