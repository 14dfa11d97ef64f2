#pragma once

#include "core/platform/platform.h"

#include <span>
#include <string_view>

namespace fabricscope {

/// A machine that can be named instead of described.
struct PresetInfo {
    std::string_view name;   ///< "hgx-h100-8": lower case, the text in a design file.
    std::string_view title;  ///< "NVIDIA HGX H100, 8 GPUs".
    std::string_view shape;  ///< "Switch(8)"; explicit graphs: "8 GPUs, hybrid cube mesh".
    std::string_view source; ///< Where each figure is from; says "assumed" where there is no source for one.
};

/// All presets, in the order to list them.
std::span<const PresetInfo> presets();

/// The platform of a preset, with `name` and `source` filled in. Unknown names are refused with the known ones.
Result<PlatformSpec> presetPlatform(std::string_view name);

} // namespace fabricscope
