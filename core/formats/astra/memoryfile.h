#pragma once

#include "core/platform/platform.h"

#include <string>

namespace fabricscope {

/// Reads a remote memory file of ASTRA-sim (manual: formats 2.4). Fractions are dropped with a warning, as ASTRA-sim does;
/// a bandwidth of 0 is refused where the memory type uses it. Errors carry file, line, column and key. `file` is only for messages.
Result<RemoteMemory> readAstraMemory(const std::string& text, const std::string& file, Diagnostics& diagnostics);

/// The same from a file.
Result<RemoteMemory> loadAstraMemory(const std::string& path, Diagnostics& diagnostics);

} // namespace fabricscope
