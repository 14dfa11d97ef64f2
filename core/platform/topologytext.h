#pragma once

#include "core/platform/platform.h"

#include <optional>
#include <string_view>

namespace fabricscope {

/// The shape called "Ring", "FullyConnected", "Switch" (ASTRA-sim), "ring", "fully_connected", "switch" (our files) or "FC"; nothing else.
std::optional<Shape> shapeFromText(std::string_view name);

/// Reads a fabric in one line: "Ring(4)_Switch(8)"; the dimensions, lowest first, are separated by "_", "x" or "×".
/// `bandwidths` ("100,50" or "100 GB/s,400 Gbps") and `latencies` ("500,1us") have one entry per dimension; bare numbers are GiB/s per
/// link and ns as in ASTRA-sim's files. Errors name --topology, --bandwidth or --latency.
Result<PlatformSpec> parseTopologyText(std::string_view topology, std::string_view bandwidths, std::string_view latencies);

} // namespace fabricscope
