#pragma once

#include "core/base/index.h"

#include <cstdint>
#include <iterator>
#include <random>
#include <string>

namespace fabricscope::test {

/// What a random case is made of; the same seed draws the same.
class Draw {
public:
    explicit Draw(std::uint64_t seed) : m_random(seed) { m_random.discard(8); }
    int below(int count) { return static_cast<int>(m_random() % static_cast<std::uint64_t>(count)); }
    std::int64_t from(std::int64_t first, std::int64_t last) { return first + static_cast<std::int64_t>(m_random() % static_cast<std::uint64_t>(last - first + 1)); }
    bool oneIn(int count) { return from(1, count) == 1; }
    template <typename List>
    std::string of(const List& list) { return list[at(below(static_cast<int>(std::size(list))))]; }

private:
    std::mt19937_64 m_random;
};

} // namespace fabricscope::test
