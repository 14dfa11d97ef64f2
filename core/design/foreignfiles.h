#pragma once

#include "core/design/astrasystem.h"
#include "core/platform/platform.h"

namespace fabricscope {

/// What a file of another program says, and what was noticed while reading it.
template <typename T>
struct ForeignFile {
    T value;
    Diagnostics diagnostics;
};

// Files of ASTRA-sim 2.x. Errors name file and line.
Result<ForeignFile<PlatformSpec>> readNetworkFile(const std::string& path);
Result<ForeignFile<AstraSystem>> readSystemFile(const std::string& path);
Result<ForeignFile<RemoteMemory>> readMemoryFile(const std::string& path);

} // namespace fabricscope
