#include "core/study/designspace.h"

#include <array>
#include <cassert>

namespace fabricscope {

namespace {

/// Degree and inner coefficients of a primitive polynomial, and the first odd numbers (S. Joe, F. Y. Kuo: new-joe-kuo-6.21201). The first dimension has none.
struct Direction {
    std::uint32_t degree;
    std::uint32_t inner;
    std::array<std::uint32_t, 7> first;
};

constexpr std::array<Direction, kSobolDimensions - 1> kDirections{{{1, 0, {1}},
                                                                   {2, 1, {1, 3}},
                                                                   {3, 1, {1, 3, 1}},
                                                                   {3, 2, {1, 1, 1}},
                                                                   {4, 1, {1, 1, 3, 3}},
                                                                   {4, 4, {1, 3, 5, 13}},
                                                                   {5, 2, {1, 1, 5, 5, 17}},
                                                                   {5, 4, {1, 1, 5, 5, 5}},
                                                                   {5, 7, {1, 1, 7, 11, 19}},
                                                                   {5, 11, {1, 1, 5, 1, 1}},
                                                                   {5, 13, {1, 1, 1, 3, 11}},
                                                                   {5, 14, {1, 3, 5, 5, 31}},
                                                                   {6, 1, {1, 3, 3, 9, 7, 49}},
                                                                   {6, 13, {1, 1, 1, 15, 21, 21}},
                                                                   {6, 16, {1, 3, 1, 13, 27, 49}},
                                                                   {6, 19, {1, 1, 1, 15, 7, 5}},
                                                                   {6, 22, {1, 3, 1, 15, 13, 25}},
                                                                   {6, 25, {1, 1, 5, 5, 19, 61}},
                                                                   {7, 1, {1, 3, 7, 11, 23, 15, 103}},
                                                                   {7, 4, {1, 3, 7, 13, 13, 15, 69}}}};

using Numbers = std::array<std::uint32_t, 32>;

constexpr std::array<Numbers, kSobolDimensions> kNumbers = [] {
    std::array<Numbers, kSobolDimensions> all{};
    for (std::size_t bit = 0; bit < 32; ++bit)
        all[0][bit] = 1U << (31 - bit);
    for (std::size_t dimension = 1; dimension < kSobolDimensions; ++dimension) {
        const Direction& of = kDirections[dimension - 1];
        Numbers& v = all[dimension];
        for (std::size_t bit = 0; bit < 32; ++bit) {
            if (bit < of.degree) {
                v[bit] = of.first[bit] << (31 - bit);
                continue;
            }
            v[bit] = v[bit - of.degree] ^ (v[bit - of.degree] >> of.degree);
            for (std::uint32_t k = 1; k < of.degree; ++k) {
                if ((of.inner >> (of.degree - 1 - k) & 1U) != 0)
                    v[bit] ^= v[bit - k];
            }
        }
    }
    return all;
}();

} // namespace

double sobolNumber(std::uint32_t index, std::size_t dimension, std::uint32_t shift)
{
    assert(dimension < kSobolDimensions);
    const std::uint32_t gray = index ^ (index >> 1);
    std::uint32_t bits = shift;
    for (std::size_t bit = 0; bit < 32; ++bit) {
        if ((gray >> bit & 1U) != 0)
            bits ^= kNumbers[dimension][bit];
    }
    return static_cast<double>(bits) / 4294967296.0;
}

} // namespace fabricscope
