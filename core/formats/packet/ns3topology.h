#pragma once

#include "core/platform/platform.h"

#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace fabricscope {

/// Could the text be a topology file of ns-3, or a configuration that names one (TOPOLOGY_FILE)? O(length of `head`).
bool looksLikeNs3Topology(std::string_view head);

/// Reads the physical topology of an ns-3 run of ASTRA-sim: "nodes switches links", the numbers of the switches, and one line per link with two
/// nodes, rate ("400Gbps"), delay ("0.0005ms") and error rate. SimAI's header of six words (nodes, GPUs per server, NVSwitches, switches, links,
/// GPU type) is read too. A configuration (ENABLE_QCN 1, TOPOLOGY_FILE path) leads to the file it names, looked for from the folder of `file`.
///
/// The result is an explicit graph: nodes that are no switch are NPUs in the order of their numbers ("npu0"), the others are "switch16". A line is a
/// link each way, unless every line has its mirror image in the file: then each is one way. Links between the same two nodes become one of their
/// sum. Loss is not simulated. All that is said in `diagnostics` and in PlatformSpec::source. Errors name file, line and what was expected.
/// `files` receives the path of the file that was read beside `text`. Told to stop: Cancelled. O(links log links).
Result<PlatformSpec> readNs3Topology(const std::string& text, const std::string& file, Diagnostics& diagnostics, std::vector<std::string>* files = nullptr,
                                      const std::stop_token& stop = {});

} // namespace fabricscope
