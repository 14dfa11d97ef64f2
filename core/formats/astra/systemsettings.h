#pragma once

#include "core/program/program.h"

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace fabricscope {

/// One entry of an "...-implementation" list of an ASTRA-sim system file.
struct AstraAlgorithm {
    Algorithm algorithm = Algorithm::Ring;
    bool one = false;         ///< oneRing, oneDirect, oneHalvingDoubling: one flat dimension over all NPUs; ends the list.
    std::int32_t window = -1; ///< directW; -1: none given.
    friend bool operator==(const AstraAlgorithm&, const AstraAlgorithm&) = default;
};

/// The collectives that can be configured.
enum class AstraCollective : std::uint8_t { AllReduce, AllGather, ReduceScatter, AllToAll };
constexpr std::size_t kAstraCollectives = 4;
/// Which of them an operation is; none for broadcast and its like.
std::optional<AstraCollective> configuredCollective(CollectiveOp op);

/// An ASTRA-sim system file (manual: formats 2.3) with the values the simulator would use; plus the command line's part.
struct AstraSystem {
    std::array<std::vector<AstraAlgorithm>, kAstraCollectives> implementations; ///< Empty: not configured.
    std::array<std::string, kAstraCollectives> custom;  ///< Path prefix of a custom collective; empty: none.
    std::map<std::uint64_t, std::string> perNodeCustom; ///< Workload node id -> path prefix.
    std::string schedulingPolicy;      ///< As written; changes nothing there (manual: formats 2.3).
    bool localBandwidthAware = false;  ///< collective-optimization: localBWAware.
    std::int64_t splits = 0;           ///< preferred-dataset-splits; 0: absent (refused when a collective runs).
    std::int64_t activeChunks = 1;     ///< active-chunks-per-dimension.
    std::int64_t queuesPerDimension = 1;
    std::int64_t endpointDelayNs = 10;
    double injectionScale = 1;         ///< Applied to endpointDelayNs only when the file has the key.
    bool endpointDelayGiven = false;
    double localMemoryGBps = 0;        ///< 10^9 B/s; 0: absent.
    double peakTflops = 0;             ///< 10^12 FLOP/s; 0: absent.
    bool roofline = false;
    bool replayOnly = false;
    bool trackLocalMemory = false;
    bool rendezvous = false;
    std::string file;                  ///< As named by the user; custom paths are relative to its folder.
    friend bool operator==(const AstraSystem&, const AstraSystem&) = default;
};

} // namespace fabricscope
