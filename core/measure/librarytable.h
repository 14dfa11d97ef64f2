#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace fabricscope {

/// A way of doing an all-reduce that a library's own table takes up to a size, and what that table thinks it takes; which is not what it takes.
struct LibraryWay {
    std::string_view algorithm; ///< "ring", "tree".
    std::string_view protocol;  ///< "LL", "LL128", "Simple".
    double latency = 0;         ///< Seconds.
    double perByte = 0;         ///< Seconds, of the size of the all-reduce.
    std::int64_t upTo = INT64_MAX; ///< Bytes of the all-reduce, inclusive.

    double seconds(double bytes) const { return latency + bytes * perByte; }
};

/// NCCL's constants of one generation of GPUs, from its public tuning source (2026).
struct LibraryConstants {
    std::string_view gpu;     ///< "A100", "H100".
    double channelsInside = 0, busInside = 0;   ///< Channels and GB/s of their rings, in a node ...
    double channelsBetween = 0, busBetween = 0; ///< ... and on several.
    double flagged = 0, flaggedBetween = 0;     ///< GB/s at most with LL.
    double treeInside = 0, treeBetween = 0;     ///< GB/s of a tree's channel.
    double ring128 = 0;                         ///< GB/s of a ring's channel with LL128.
};
std::span<const LibraryConstants> libraryConstants();

/// The ways of an all-reduce of `gpus` GPUs on `nodes`, ascending by size: of every size that of the least time by the table. \pre gpus >= 2, divided by nodes
std::vector<LibraryWay> libraryWays(const LibraryConstants& constants, std::int32_t gpus, std::int32_t nodes);

} // namespace fabricscope
