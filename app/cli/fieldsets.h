#pragma once

#include "core/design/design.h"

#include <string>
#include <string_view>
#include <vector>

namespace fabricscope::cli {

/// The values of `--set PATH=VALUE`, in their order. Refuses one without a path or a sign of equality; `example` is then said: "mesh.x=8".
Result<std::vector<FieldOverride>> overridesOf(const std::vector<std::string>& sets, std::string_view example);

} // namespace fabricscope::cli
