#pragma once

#include "core/base/result.h"
#include "core/program/program.h"

#include <cstdint>
#include <stop_token>
#include <string>
#include <vector>

namespace fabricscope {

/// What is asked of a collective by levels whose blocks differ in size (manual: collectives 5.6), as hosts of 8 NPUs and one of 7.
///
/// A full block of level l has extents[l] blocks of the level below, the lowest being single ranks. A rank stands at a slot: digit c_l says which block of
/// level l it is in; the number of the slot counts the digits mixed-radix, that of the highest level fastest. Slots without a rank are gaps.
struct UnevenRequest {
    CollectiveOp op = CollectiveOp::AllReduce; ///< Or ReduceScatter, AllGather.
    std::vector<std::int32_t> extents;         ///< By level, from below. All >= 2, product at most 2^30.
    std::vector<std::int32_t> places;          ///< Of ranks 0, 1, ..: ascending, in 0 .. product - 1; at least 2.
    std::vector<Algorithm> algorithms;         ///< By level: Ring (neighbours), Direct (all pairs), HalvingDoubling (distances that double, any number of blocks).
    std::int32_t chunks = 1;                   ///< Pieces of the vector, side by side.
    std::string name;                          ///< For people.
    std::stop_token stop{};
};

/// The program. Its all-gather goes down the levels: among the blocks a block is made of, every part of the vector goes to one rank of each, that in the same
/// slots where they are taken; parts whose slot is a gap are shared evenly by the blocks beside it. A reduce-scatter is that backwards, an all-reduce both. In place;
/// a rank sends each part once for each level at most, and receives no part twice. Every program passes verify().
/// Errors: more than kMaxUnevenTransfers transfers (Unsupported); Cancelled. O(ranks x blocks of a block, transfers log).
Result<ProgramPtr> unevenProgram(const UnevenRequest& request);

/// Transfers beyond which a program is not written: half a minute and 2 GB.
constexpr std::int64_t kMaxUnevenTransfers = 4'000'000;

} // namespace fabricscope
