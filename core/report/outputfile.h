#pragma once

#include "core/base/result.h"

#include <string>
#include <string_view>

namespace fabricscope {

/// Writes `content` to `path` so that the file is either the old one or the whole new one: a temporary file in the same folder,
/// then a rename. Devices and pipes are written directly. Error: NotWritable, with the system's reason.
Status writeOutputFile(const std::string& path, std::string_view content);

} // namespace fabricscope
