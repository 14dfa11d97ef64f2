#pragma once

#include "core/base/result.h"

#include <string>
#include <string_view>

namespace fabricscope {

class OutputFiles;

/// Writes `content` to `path` so that the file is either the old one or the whole new one: a temporary file in the same folder,
/// then a rename. Devices and pipes are written directly. With `files` it is one of these and gets its name with them (OutputFiles::commit).
/// Errors: NotWritable, with the system's reason; Cancelled where `files` were abandoned.
Status writeOutputFile(const std::string& path, std::string_view content, OutputFiles* files = nullptr);

} // namespace fabricscope
