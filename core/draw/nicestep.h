#pragma once

#include <cstdint>

namespace fabricscope {

/// Distance of the ticks of an axis: 1, 2 or 5 times a power of ten, so that there are at most `most` steps in `span`. \pre span >= 0, most > 0
constexpr std::int64_t niceStep(std::int64_t span, std::int64_t most)
{
    std::int64_t step = 1;
    while (true) {
        for (const std::int64_t factor : {1, 2, 5})
            if (span / (step * factor) <= most)
                return step * factor;
        step *= 10;
    }
}

} // namespace fabricscope
