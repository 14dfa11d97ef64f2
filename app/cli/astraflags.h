#pragma once

#include "core/design/file/astrainputs.h"

#include <string>
#include <string_view>
#include <vector>

namespace fabricscope::cli {

/// ASTRA-sim's command line (manual: formats 2.1), plus --backend and --memory-limit.
struct AstraFlags {
    AstraInputs inputs;
    Model model = Model::AstraUnaware;
    std::string memoryLimit;   ///< As --memory-limit of the other commands.
    std::string loggingFolder; ///< Empty: not given, nothing is written.
    std::vector<std::string> warnings;
};

/// Reads `--name=value` and `--name value`. Options ASTRA-sim does not know are ignored with a warning, as there (without one).
/// `program` chooses the back end by its name unless --backend does. Errors: a required option is missing, a value is no number.
Result<AstraFlags> parseAstraFlags(std::string_view program, const std::vector<std::string>& arguments);

/// True when the program was started under the name of one of ASTRA-sim's analytical programs.
bool isAstraProgramName(std::string_view program);

} // namespace fabricscope::cli
