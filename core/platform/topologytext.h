#pragma once

#include "core/platform/platform.h"

#include <optional>
#include <string_view>

namespace fabricscope {

/// The shape called "Ring", "FullyConnected", "Switch" (ASTRA-sim), "ring", "fully_connected", "switch" (our files) or "FC"; nothing else.
std::optional<Shape> shapeFromText(std::string_view name);

/// Reads a fabric in one line: "Ring(4)_Switch(8)"; the dimensions, lowest first, are separated by "_", "x" or "×".
/// Figures may stand in the brackets, with units: "Ring(4, 50 GB/s, 500 ns)_Switch(8, 400 Gbit/s, 1 us, crossbar 3 TB/s)", the last of switches. Dimensions without get theirs from
/// `bandwidths` ("100,50" or "100 GB/s,400 Gbps") and `latencies` ("500,1us"), one entry for each of them; bare numbers are GiB/s and
/// ns as in ASTRA-sim's files. The bandwidths of the list are per link, or per NPU (`perNpu`); those in brackets always per link.
/// Several sizes are groups of unequal size (unequalgroups.h): "FullyConnected(4,6)_Switch(2)".
/// A fabric in one line ("hgx-h100-8 x32 / rails 64p 400G x4 / spine 2:1", fabric/parseline.h) is read too, without lists.
/// Errors name --topology, --bandwidth or --latency.
Result<PlatformSpec> parseTopologyText(std::string_view topology, std::string_view bandwidths, std::string_view latencies, bool perNpu = false);

/// How many dimensions of the text have no bandwidth (latency, for Measure::Time) in their brackets.
std::size_t openFigures(std::string_view topology, Measure measure);

} // namespace fabricscope
