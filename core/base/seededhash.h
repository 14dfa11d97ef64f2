#pragma once

#include <cstdint>
#include <initializer_list>

namespace fabricscope {

/// One step of SplitMix64 (Steele, Lea, Flood 2014): a bijection of 64 bits in which every bit of the result depends on every bit given.
constexpr std::uint64_t mixedBits(std::uint64_t x)
{
    x += 0x9e3779b97f4a7c15u;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return x ^ x >> 31;
}

/// What is drawn for the thing that `words` name. Depends on nothing else, so neither on the order of drawing nor on threads.
constexpr std::uint64_t seededHash(std::uint64_t seed, std::initializer_list<std::int64_t> words)
{
    std::uint64_t state = mixedBits(seed);
    for (const std::int64_t word : words)
        state = mixedBits(state ^ static_cast<std::uint64_t>(word));
    return state;
}

} // namespace fabricscope
