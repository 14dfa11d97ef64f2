#pragma once

#include "core/base/result.h"
#include "core/model/modelspec.h"

#include <string>
#include <string_view>
#include <vector>

namespace fabricscope {

/// A model known by name.
struct ModelPreset {
    std::string_view name;  ///< "llama-3-8b".
    std::string_view about; ///< What it is, a few words.
};

/// All presets in the order of lists: training papers' transformers, checkpoints by family, others.
std::vector<ModelPreset> modelPresets();

/// The preset of that name, whatever case, "-", "_" and blanks. Refuses others with the nearest known name. O(presets).
Result<ModelSpec> presetModel(std::string_view name);

} // namespace fabricscope
