#pragma once

#include "core/base/digest.h"
#include "core/base/result.h"

#include <string>

namespace fabricscope {

struct FileDigest {
    Digest digest;
    std::uint64_t bytes = 0;
};

/// Digest of a regular file's content, equal to digestOf(text), without holding the file in memory. Error: NotReadable.
Result<FileDigest> digestOfFile(const std::string& path);

} // namespace fabricscope
