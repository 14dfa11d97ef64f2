#include "core/base/rankdigest.h"

#include <algorithm>
#include <array>
#include <cassert>

// A million short records: here the call costs more than the hash.
#define XXH_INLINE_ALL
#include <xxhash.h>

namespace fabricscope {

namespace {

template <std::size_t Words>
Digest numbered(std::int64_t count, const std::int64_t* rest)
{
    std::array<std::int64_t, Words> words{};
    std::copy_n(rest, Words - 1, words.begin() + 1);
    Digest sum;
    for (std::int64_t number = 0; number < count; ++number) {
        words[0] = number;
        const XXH128_hash_t hash = XXH3_128bits(words.data(), sizeof(words));
        sum = sumOf(sum, {hash.low64, hash.high64});
    }
    return sum;
}

} // namespace

Digest sumOf(Digest a, Digest b)
{
    Digest sum{a.low + b.low, a.high + b.high};
    sum.high += sum.low < b.low ? 1 : 0;
    return sum;
}

Digest digestOfNumbered(std::int64_t count, std::span<const std::int64_t> rest)
{
    assert(rest.size() <= 7);
    switch (rest.size()) {
    case 3: // Task times.
        return numbered<4>(count, rest.data());
    default:
        break;
    }
    std::array<std::int64_t, 8> words{};
    std::copy(rest.begin(), rest.end(), words.begin() + 1);
    Digest sum;
    for (std::int64_t number = 0; number < count; ++number) {
        words[0] = number;
        sum = sumOf(sum, digestOf(std::span<const std::int64_t>(words.data(), rest.size() + 1)));
    }
    return sum;
}

} // namespace fabricscope
