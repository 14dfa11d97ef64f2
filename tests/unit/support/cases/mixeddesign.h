#pragma once

#include <cstdint>
#include <string>

namespace fabricscope::test {

/// What the designs of mixedDesign() are for.
struct MixLimits {
    std::string model = "links";
    std::string version; ///< Of its rules; empty: none is written.
    bool single = false; ///< One collective of all ranks and nothing else that moves or computes.
    bool library = false; ///< Rules say what a library takes beside messages: launch, ramp, protocol, by ranks.
};

/// A small random design as text: any kind of platform (dimensions, unequal groups, explicit graphs with several links between a pair,
/// switches that reduce, overrides, budgets, remote memories and pools), groups that overlap, several collectives, sends, computations and
/// accesses to memory at once, priorities, chunks, windows, jobs on chosen NPUs, routing, protocols, links that degrade or fail, jitter,
/// efficiency tables, slow-down, schedulers. The same seed gives the same text everywhere. Most are accepted; what does not go together is
/// refused when it is prepared.
std::string mixedDesign(std::uint64_t seed, const MixLimits& limits);

} // namespace fabricscope::test
