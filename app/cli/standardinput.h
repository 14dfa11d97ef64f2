#pragma once

#include "core/base/result.h"

#include <string>
#include <vector>

namespace fabricscope::cli {

/// Where an input is named "-": makes standard input a file in memory that can be read several times, as other inputs are. `arguments`: of the command line;
/// "-" behind an option that names an output stands for standard output. Waits for the end of standard input. Error: NotReadable.
Status keepStandardInput(const std::vector<std::string>& arguments);

} // namespace fabricscope::cli
