#pragma once

#include "core/base/result.h"
#include "core/design/model.h"
#include "core/sim/simulate.h"

#include <string>
#include <string_view>

namespace fabricscope::cli {

/// For messages and help.
constexpr std::string_view kEngineWords = "auto, memo, symmetry, sweep or events";

/// The engine, or the model, of a name that was given for `option`. Error: Usage.
Result<EngineChoice> engineNamed(std::string_view name, const std::string& option);
Result<Model> modelNamed(std::string_view name, const std::string& option);

} // namespace fabricscope::cli
