#pragma once

#include "core/insight/explain.h"

#include <vector>

namespace fabricscope {

/// A time for every link of a platform, as shares of the most.
struct PathLens {
    SimTime most;
    std::vector<float> shares; ///< By link, 0 to 1; empty: no link has any.
};

/// How long the critical path waits for each link that others had. Where one rank stands for all, for each link of the class of that. O(links + pieces).
PathLens waitingLens(const Explanation& explanation);
/// What a link saves when it, with all links of the same figures, has 10 % more bandwidth (manual: explain 4). O(links + parameters).
PathLens gainLens(const Explanation& explanation);

} // namespace fabricscope
