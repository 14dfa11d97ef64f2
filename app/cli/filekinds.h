#pragma once

#include "core/base/error.h"
#include "core/base/result.h"
#include "core/design/file/astrainputs.h"
#include "core/design/file/readdesign.h"

#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace fabricscope::cli {

/// What a file is by its content, as inputKindText() or ProgramFormRow::text, "a folder", "an empty file", "a picture"; empty: not known, or not there.
std::string_view fileKindText(const std::string& path);

/// What a command takes as one of its inputs.
struct FileWanted {
    std::string_view words;                 ///< "a design".
    std::span<const std::string_view> kinds; ///< Of fileKindText().
};

/// The error of reading `path`; where that is of another kind than wanted, one that says of which and what is wanted: its reader could only have told what
/// a file of its own kind lacks.
Error withKindNamed(Error error, const std::string& path, const FileWanted& wanted);

/// The same without reading: the error where the file is known to be of another kind. Prefixes of traces that are there pass.
Status checkFileKind(const std::string& path, const FileWanted& wanted);

/// readDesign() for commands that take nothing else.
Result<LoadedDesign> readDesignOnly(const std::string& path, const std::vector<FieldOverride>& overrides, const std::stop_token& stop);

/// A platform by the name of a preset or of an example (fabrics/a100), or a design by the name of its file. Errors: also those that reading the design found.
Result<Design> platformNamed(const std::string& name, const std::stop_token& stop);
/// designFromAstra(), each file by its kind.
Result<LoadedDesign> readAstraInputs(const AstraInputs& inputs);
/// Programs of collectives, as readProgram() takes them.
FileWanted wantedProgram();

} // namespace fabricscope::cli
