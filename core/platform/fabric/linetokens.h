#pragma once

#include "core/base/result.h"
#include "core/platform/fabric/fabricform.h"

#include <string>
#include <string_view>

namespace fabricscope {

/// Splits and sorts; families and levels are not looked at.
Result<FabricForm> tokenizeFabricLine(std::string_view line);

/// "2:1"; 1 to 1024 each.
std::optional<Ratio> parseRatio(std::string_view text);

Error lineError(std::string message, std::string expected);

} // namespace fabricscope
