#pragma once

#include "app/cli/session.h"
#include "core/base/result.h"
#include "core/program/program.h"
#include "core/run/programfile.h"

#include <string>

namespace fabricscope::cli {

/// Bytes of "64MiB"; -1 for an empty text. Errors: usage, naming --size.
Result<std::int64_t> readSize(const std::string& text);

/// Writes one. `to`: "xml", "json" or "et" (OUT is then the prefix of the graphs); empty: by the ending of OUT.
Result<Diagnostics> writeProgramTo(const ProgramPtr& program, const std::string& out, const std::string& to, const ProgramWriteOptions& options = {});

/// The same by the ending of the name (.xml, .json); notes go to stderr.
Status writeProgram(const ProgramPtr& program, const std::string& out, Session& session);

} // namespace fabricscope::cli
