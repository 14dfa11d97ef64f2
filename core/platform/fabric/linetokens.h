#pragma once

#include "core/platform/fabric/fabric.h"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace fabricscope {

/// a:b, cables down to cables up.
struct Ratio {
    std::int64_t down = 1;
    std::int64_t up = 1;
};

/// One join of a fabric line, its tokens sorted by what they are.
struct LineJoin {
    std::string word;
    std::vector<std::vector<std::int64_t>> numbers{};                      ///< Without a key, in order.
    std::vector<std::pair<std::string, std::vector<std::int64_t>>> keyed{};
    std::int64_t radix = 0;
    std::optional<Ratio> ratio{};
    std::optional<Quantity> bandwidth{};
    std::optional<Quantity> latency{};
    std::int64_t times = 0;                                                ///< xN; 0: not given.
};

/// A fabric line, its words understood one by one.
struct FabricLine {
    std::string part;
    std::int64_t times = 0; ///< xN of the part; 0: not given.
    std::vector<LineJoin> joins{};
};

/// Splits and sorts; families and levels are not looked at.
Result<FabricLine> tokenizeFabricLine(std::string_view line);

Error lineError(std::string message, std::string expected);

} // namespace fabricscope
