#pragma once

#include "core/platform/platform.h"

#include <stop_token>
#include <string>
#include <vector>

namespace fabricscope {

/// Reads a network file of ASTRA-sim's analytical back ends (manual: formats 2.2): topology, npus_count, bandwidth (GiB/s per link
/// and direction), latency (ns per link), one entry per dimension. Errors carry file, line, column and key. Size 1, which ASTRA-sim
/// refuses, and unknown keys are warnings in `diagnostics`. `topology: [ Custom ]` takes its nodes and links from `topology_file`
/// (ns3topology.h), looked for from the folder of `file`; that is what `file` is for, and messages. The result passes Platform::create.
/// `files` receives the path of a topology file that was read. Told to stop: Cancelled.
Result<PlatformSpec> readAstraNetwork(const std::string& text, const std::string& file, Diagnostics& diagnostics, std::vector<std::string>* files = nullptr,
                                       const std::stop_token& stop = {});

} // namespace fabricscope
