#pragma once

#include "core/base/result.h"

#include <cstddef>
#include <string>

namespace fabricscope {

/// Configuration files larger than this are a mistake.
constexpr std::size_t kMaxConfigurationBytes = std::size_t{16} << 20;

/// Collective programs, plans and other JSON or XML documents that are held in memory as a whole.
constexpr std::size_t kMaxDocumentBytes = std::size_t{64} << 20;

/// Saved runs.
constexpr std::size_t kMaxRunBytes = std::size_t{4} << 30;

/// Reads a whole file. Errors name the file: missing, no regular file, not readable (NotReadable), or larger than `limit` bytes
/// (InvalidInput; said before reading where the file system tells the size).
Result<std::string> readTextFile(const std::string& path, std::size_t limit = kMaxConfigurationBytes);

/// The first `most` bytes of a file, or all of a shorter one. Errors as above.
Result<std::string> readFileHead(const std::string& path, std::size_t most);

} // namespace fabricscope
