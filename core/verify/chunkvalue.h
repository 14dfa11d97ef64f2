#pragma once

#include "core/base/seededhash.h"
#include "core/program/conditions.h"

#include <cstdint>

namespace fabricscope {

/// The value of a chunk while a program is executed: a multiset of contributions as a fingerprint and its size. Two 64- and 32-bit sums of
/// strong mixes of the members: unequal multisets of equal size agree by accident with probability 2^-96. The size is exact, and sticks at its
/// largest, so that nothing can wrap around. 16 bytes.
struct ChunkMark {
    std::uint64_t low = 0;
    std::uint32_t high = 0;
    std::uint32_t size = 0; ///< 0: undefined. UINT32_MAX: made of something undefined, or far too large.

    static constexpr std::uint32_t kSpoilt = UINT32_MAX;
    static constexpr ChunkMark spoilt() { return {0, 0, kSpoilt}; }
    static constexpr ChunkMark of(const Contribution& contribution)
    {
        const std::uint64_t word = static_cast<std::uint64_t>(static_cast<std::uint32_t>(contribution.rank)) << 32
            | static_cast<std::uint32_t>(contribution.index);
        return {mixedBits(word), static_cast<std::uint32_t>(mixedBits(word ^ 0xd1b54a32d192ed03u) >> 32), 1};
    }

    bool isDefined() const { return size != 0; }
    bool isSpoilt() const { return size == kSpoilt; }
    friend bool operator==(const ChunkMark&, const ChunkMark&) = default;
};

/// Union; spoilt where one of them is undefined or spoilt.
constexpr ChunkMark unite(const ChunkMark& a, const ChunkMark& b)
{
    const std::uint64_t size = std::uint64_t{a.size} + b.size;
    if (a.size == 0 || b.size == 0 || size >= ChunkMark::kSpoilt)
        return ChunkMark::spoilt();
    return {a.low + b.low, a.high + b.high, static_cast<std::uint32_t>(size)};
}

} // namespace fabricscope
