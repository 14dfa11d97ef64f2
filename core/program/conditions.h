#pragma once

#include "core/program/collectiveop.h"
#include "core/program/explicitbody.h"

#include <cstdint>
#include <vector>

namespace fabricscope {

/// What one rank put in at one place of its input. The value of a chunk is a multiset of these: an element twice is a double reduction,
/// a missing one a lost contribution.
struct Contribution {
    std::int32_t rank = 0;
    std::int32_t index = 0; ///< Chunk of that rank's input.
    friend auto operator<=>(const Contribution&, const Contribution&) = default;
};

/// A chunk of memory and what it holds, or must hold.
struct ChunkValue {
    std::int32_t rank = 0;
    BufferKind buffer = BufferKind::Input;
    std::int32_t index = 0;
    std::vector<Contribution> value; ///< Ascending; empty: undefined.
    friend bool operator==(const ChunkValue&, const ChunkValue&) = default;
};

/// Pre- and postcondition of a custom collective as maps; places that are not named are undefined before and free after.
struct Conditions {
    std::vector<ChunkValue> before; ///< By (rank, buffer, index). Input i of rank r must be {(r, i)} where it is named.
    std::vector<ChunkValue> after;  ///< By (rank, buffer, index).
    friend bool operator==(const Conditions&, const Conditions&) = default;
};

/// What the native collectives require at one place of the output (manual: formats 5.2), without writing out a set of n contributions.
struct Required {
    enum class Kind : std::uint8_t { Anything, One, AllRanks };
    Kind kind = Kind::Anything;
    Contribution one;           ///< One: exactly this. AllRanks: this index of every rank, each once.
    friend bool operator==(const Required&, const Required&) = default;
};

/// Chunks of the buffers of rank `rank` by the contract of the collective: n ranks, N chunks of the large side (manual: formats 4.1).
/// Scratch is 0. \pre all-gather, reduce-scatter, all-to-all, gather, scatter: n divides N.
BufferSizes contractSizes(CollectiveOp op, std::int32_t ranks, std::int32_t chunks, std::int32_t rank, std::int32_t root);
/// Is input `index` of `rank` defined at the start?
bool definedAtStart(CollectiveOp op, std::int32_t ranks, std::int32_t chunks, std::int32_t rank, std::int32_t index, std::int32_t root);
/// What output `index` of `rank` must hold. Custom: Anything (see Program::conditions).
Required requiredAt(CollectiveOp op, std::int32_t ranks, std::int32_t chunks, std::int32_t rank, std::int32_t index, std::int32_t root);

/// In place, where input and output are one memory (manual: formats 4.2): the output index that is input `index` of `rank`; -1: none.
std::int32_t outputOfInput(CollectiveOp op, std::int32_t ranks, std::int32_t chunks, std::int32_t rank, std::int32_t index, std::int32_t root);

/// "alltonext-forward" (rank r's chunks to r+1) and "alltonext-backward" as maps. \pre ranks >= 2, chunks >= 1.
Conditions allToNext(std::int32_t ranks, std::int32_t chunks, bool forward);

} // namespace fabricscope
