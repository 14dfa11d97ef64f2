#pragma once

#include "core/base/result.h"
#include "core/formats/astra/systemsettings.h"

#include <optional>
#include <string>
#include <string_view>

namespace fabricscope {

/// Reads a system file of ASTRA-sim (manual: formats 2.3). Keys that ASTRA-sim reads but that change nothing here, and its dead keys,
/// give notes; unknown keys give warnings with the nearest known key. Errors carry file, line, column and key. `file` is for messages,
/// and the folder from which per-node-custom-implementation is found. Fields of AstraSystem that the command line sets keep their defaults.
Result<AstraSystem> readAstraSystem(const std::string& text, const std::string& file, Diagnostics& diagnostics);

/// The same from a file.
Result<AstraSystem> loadAstraSystem(const std::string& path, Diagnostics& diagnostics);

/// One entry of an "...-implementation" list: "ring", "oneRing", "direct", "direct4", "oneDirect", "halvingDoubling",
/// "oneHalvingDoubling", "doubleBinaryTree". Nothing for other words. Windows are 1..99999.
std::optional<AstraAlgorithm> astraAlgorithm(std::string_view word);

} // namespace fabricscope
