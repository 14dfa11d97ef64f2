#pragma once

#include "core/base/result.h"
#include "core/formats/astra/systemsettings.h"
#include "core/program/program.h"

#include <string>
#include <utility>
#include <vector>

namespace fabricscope {

/// Loads every custom collective a system file names (per collective and per node), by the path prefix as written there.
/// Relative prefixes start at the folder of the system file, else at the working directory.
Result<std::vector<std::pair<std::string, ProgramPtr>>> loadCustomPrograms(const AstraSystem& system);

} // namespace fabricscope
