#pragma once

#include "core/base/digest.h"
#include "core/base/result.h"

#include <stop_token>
#include <string>

namespace fabricscope {

/// A file's content, for telling whether it is still the same.
struct FileDigest {
    Digest digest;
    std::uint64_t bytes = 0;
};

/// Digest of a regular file's content, equal to digestOf(text), without holding the file in memory. Errors: NotReadable, Cancelled.
Result<FileDigest> digestOfFile(const std::string& path, const std::stop_token& stop = {});

} // namespace fabricscope
