#pragma once

#include "core/platform/platform.h"

#include <stop_token>
#include <string>
#include <string_view>

namespace fabricscope {

/// Could the text be a topology file of HTSim? O(length of `head`).
bool looksLikeHtsimTopology(std::string_view head);

/// Reads a fat tree of HTSim: Nodes, Tiers (2 or 3), Podsize, and per "Tier N" Downlink_speed_Gbps, Downlink_Latency_ns, Radix_Down, Radix_Up,
/// and where they differ from 1 or 0 Bundle, Oversubscribed, Switch_Latency_ns; the words in any case. Wired as HTSim does: the switches of a tier follow
/// from hosts, speeds, oversubscription and Radix_Down of the tier above; a leaf joins every second-tier switch of its pod, a second-tier switch at place p
/// of its pod the core switches p, p + (switches per pod), ... Hosts are NPUs ("host0"); switches are "leaf0", "spine0" (two tiers), "aggregation0", "core0".
/// A bundle is one link of its sum. The latency of a switch is part of the links that leave it. Queue sizes are not used and named.
/// Errors name file, line, key and what was expected. Told to stop: Cancelled. O(links).
Result<PlatformSpec> readHtsimTopology(const std::string& text, const std::string& file, Diagnostics& diagnostics, const std::stop_token& stop = {});

} // namespace fabricscope
