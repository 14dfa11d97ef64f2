#pragma once

#include "core/platform/platform.h"

#include <string>

namespace fabricscope {

/// Reads a network file of ASTRA-sim's analytical back ends (astra_sim_inputs section 2): topology, npus_count, bandwidth (GiB/s per link
/// and direction), latency (ns per link), one entry per dimension. Errors carry file, line, column and key. Size 1, which ASTRA-sim
/// refuses, and unknown keys are warnings in `diagnostics`. `file` is only for messages. The result passes Platform::create.
Result<PlatformSpec> readAstraNetwork(const std::string& text, const std::string& file, Diagnostics& diagnostics);

/// The same from a file.
Result<PlatformSpec> loadAstraNetwork(const std::string& path, Diagnostics& diagnostics);

} // namespace fabricscope
