#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <utility>

namespace fabricscope {

/// A fraction in lowest terms.
struct Fraction {
    std::int64_t over = 0;
    std::int64_t under = 1;
    double value() const { return static_cast<double>(over) / static_cast<double>(under); }
    friend bool operator==(const Fraction&, const Fraction&) = default;
};

__extension__ using WideCount = __int128;

/// over / under in lowest terms; what does not fit in 63 bits loses its last digits. \pre under > 0, over >= 0.
inline Fraction fraction(WideCount over, WideCount under)
{
    WideCount divisor = over;
    for (WideCount rest = under; rest != 0;)
        divisor = std::exchange(rest, divisor % rest);
    over /= divisor;
    under /= divisor;
    while (over > std::numeric_limits<std::int64_t>::max() || under > std::numeric_limits<std::int64_t>::max()) {
        over /= 2;
        under /= 2;
    }
    // What is below the least that fits is that.
    return {static_cast<std::int64_t>(over), static_cast<std::int64_t>(std::max<WideCount>(under, 1))};
}

} // namespace fabricscope
