#pragma once

#include "core/base/result.h"

#include <cstddef>
#include <string>

namespace fabricscope {

/// Configuration files larger than this are a mistake.
constexpr std::size_t kMaxConfigurationBytes = std::size_t{16} << 20;

/// Reads a whole file. Errors name the file: missing, a folder, not readable, or larger than `limit` bytes.
Result<std::string> readTextFile(const std::string& path, std::size_t limit = kMaxConfigurationBytes);

} // namespace fabricscope
