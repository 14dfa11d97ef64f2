#pragma once

#include "app/cli/session.h"
#include "core/base/result.h"
#include "core/program/program.h"
#include "core/run/programfile.h"

#include <optional>
#include <string>

namespace fabricscope::cli {

struct ProgramFile {
    ProgramPtr program;
    Diagnostics findings; ///< Of MSCCL XML.
};

/// Reads a collective program: MSCCL XML, our JSON, an execution plan of MSCCL++, or the prefix of Chakra graphs (IN.0.et, ...). Nothing where IN is of no
/// such kind, by its content. Errors: a file of such a kind that cannot be read, or leaves no program; Cancelled.
Result<std::optional<ProgramFile>> readProgramFile(const std::string& in, const std::stop_token& stop);

/// Bytes of "64MiB"; -1 for an empty text. Errors: usage, naming --size.
Result<std::int64_t> readSize(const std::string& text);

/// Writes one. `to`: "xml", "json" or "et" (OUT is then the prefix of the graphs); empty: by the ending of OUT.
Result<Diagnostics> writeProgramTo(const ProgramPtr& program, const std::string& out, const std::string& to, const ProgramWriteOptions& options = {});

/// The same by the ending of the name (.xml, .json); notes go to stderr.
Status writeProgram(const ProgramPtr& program, const std::string& out, Session& session);

} // namespace fabricscope::cli
