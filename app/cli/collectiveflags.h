#pragma once

#include "core/design/design.h"

#include <string>
#include <vector>

namespace fabricscope::cli {

class Command;
class Option;

/// The options of `collective`, as written.
struct CollectiveFlags {
    std::string topology;
    std::string bandwidth;    ///< Per link and direction; numbers without unit are GiB/s.
    std::string npuBandwidth; ///< Per NPU, instead of the former.
    std::string latency;      ///< Numbers without unit are ns.
    std::string collective;
    std::string size;         ///< The large side.
    std::string algorithm = "standard";
    std::string program;      ///< A file to run instead; empty: none.
    std::int64_t chunks = 1;
    std::int64_t activeChunks = 1;
    std::int64_t queues = 1;
    std::int32_t window = 0;
    std::string optimization = "baseline";
    std::string scheduler = "baseline"; ///< Word of kDimensionSchedulers.
    std::string endpointDelay; ///< Numbers without unit are ns; empty: 0 (links, ideal) or 10 ns (astra-*).
    std::string localMemory;   ///< Numbers without unit are GB/s (10^9); empty: 1600 GB/s, assumed.
};

/// --topology, as `topology` explains it, with --bandwidth, --npu-bandwidth and --latency of its dimensions. The answer is --topology.
Option* addFabricFlags(Command& command, CollectiveFlags& flags, const std::string& topology);

/// The design these options describe, for a model. Errors name the option and what it may be.
Result<LoadedDesign> designOf(const CollectiveFlags& flags, Model model);

/// One entry of --algorithm: ring, direct, direct4, halving_doubling, double_binary_tree, in_network, standard, auto, ASTRA-sim's spelling of them,
/// and its one* forms.
struct AlgorithmEntry {
    AlgorithmChoice choice;
    bool one = false; ///< One flat dimension over all NPUs; astra-* only.
};
Result<std::vector<AlgorithmEntry>> parseAlgorithms(const std::string& text);

} // namespace fabricscope::cli
