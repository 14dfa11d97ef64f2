#pragma once

#include "core/synthesis/treepacking.h"

#include <cstdint>
#include <stop_token>
#include <string>
#include <vector>

namespace fabricscope {

/// What packed trees and what rings reach on one class of subsets of ranks that look alike (isomorphic with their rates). Bytes per second.
struct SubsetRates {
    std::vector<std::int32_t> ranks;   ///< The first subset of the class, in ascending order.
    std::int32_t alike = 0;            ///< Subsets of the class.
    double treeBroadcast = 0;
    double treeAllReduce = 0;
    double ringBroadcast = 0;          ///< Rings of direct links; without any, one ring at the fallback rate.
    double ringAllReduce = 0;
    std::int64_t rings = 0;            ///< Directed rings of one unit each; 0: the fallback is used.
    std::int32_t broadcastTrees = 0;
    std::int32_t allReduceTrees = 0;
    double broadcastSpeedUp() const { return treeBroadcast / ringBroadcast; }
    double allReduceSpeedUp() const { return treeAllReduce / ringAllReduce; }
};

struct SpeedUps {
    double least = 0;
    double geometricMean = 0;
    double most = 0;
};
SpeedUps speedUps(const std::vector<double>& values);

/// Every class of at least three ranks that direct links connect (the experiment of the Blink paper: a scheduler hands out some of the GPUs of a
/// machine). Pipelined rates: rings broadcast at rings x unit and all-reduce at p / (2 (p - 1)) of that.
/// `fallback`: bytes per second of what replaces rings where there are none (PCIe). Errors: less than 3 or more than 8 ranks; Cancelled.
Result<std::vector<SubsetRates>> subsetRates(const SynthesisGraph& graph, double fallback, const std::stop_token& stop = {});

} // namespace fabricscope
