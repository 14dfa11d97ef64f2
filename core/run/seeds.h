#pragma once

#include "core/sim/simulate.h"

#include <cstdint>
#include <stop_token>
#include <vector>

namespace fabricscope {

/// Finish times of one scenario under several seeds.
struct SeedTimes {
    std::uint64_t firstSeed = 0;
    std::vector<std::int64_t> finishPs; ///< Of seed firstSeed + i.

    /// The smallest time that `percent` of the runs do not exceed (nearest rank). \pre 0 < percent <= 100, some run.
    std::int64_t percentile(int percent) const;
};

/// Runs the scenario under `count` seeds from `firstSeed` on. Each run depends on its seed alone, so the result is the same on any number of threads.
/// Errors: those of simulate(), of the first seed that has one; Stuck when a run cannot finish; MemoryLimit when memory runs out.
Result<SeedTimes> simulateSeeds(const Scenario& scenario, const RunOptions& options, std::uint64_t firstSeed, std::int32_t count, int threads,
                                std::stop_token stop = {});

} // namespace fabricscope
