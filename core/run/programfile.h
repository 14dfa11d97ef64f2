#pragma once

#include "core/base/result.h"
#include "core/formats/programform.h"
#include "core/program/program.h"

#include <cstdint>
#include <stop_token>
#include <string>

namespace fabricscope {

class OutputFiles;

/// By the ending: .xml, .json, .et. Error (Usage): another ending.
Result<ProgramForm> programFormWritten(const std::string& path);

struct ProgramWriteOptions {
    std::int64_t bytes = -1;    ///< The large side, for the sizes in graphs; -1: left open.
    bool fuse = false;          ///< XML: MscclWriteOptions::fuse.
    std::int32_t instances = 1; ///< XML: withInstances().
    OutputFiles* files = nullptr; ///< As for writeOutputFile().
    std::stop_token stop = {};    ///< Looked at every few milliseconds; then the error is Cancelled.
};

/// Writes a program; Graphs: `path` is their prefix, PREFIX.0.et, PREFIX.1.et, ... Templates are written out and one-sided operations become sends
/// and receives where the form needs it. Returns what the reader of the file does not learn. Errors: those of the form's writer (Unsupported);
/// NotWritable.
Result<Diagnostics> writeProgramAs(ProgramForm form, const ProgramPtr& program, const std::string& path, const ProgramWriteOptions& options = {});

/// The same in the form of the ending of `path`; of PREFIX.et the prefix is taken. Errors too: programFormWritten().
Result<Diagnostics> writeProgramFile(const ProgramPtr& program, const std::string& path, std::int64_t bytes = -1, const std::stop_token& stop = {});

/// A program as text to be read and changed: MSCCL XML where that can say it, else JSON. Error: Cancelled.
struct ProgramText {
    std::string text;
    std::string ending; ///< ".xml" or ".json".
};
Result<ProgramText> programAsText(const ProgramPtr& program, const std::stop_token& stop = {});

} // namespace fabricscope
