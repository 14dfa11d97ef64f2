#pragma once

#include "core/record/runrecord.h"
#include "tests/unit/support/cases/randomcase.h"
#include "tests/unit/support/recorddifference.h"

#include <cstdint>
#include <string>

namespace fabricscope::test {

/// What a random symmetric case may contain.
struct SymmetricLimits {
    std::int32_t maxNpus = 48;
    bool equal = false;      ///< Equal links and latencies everywhere: every instant has ties.
    bool families = true;    ///< Groups over some of the dimensions beside the world.
    bool anyHalving = false; ///< Halving-doubling also where the symmetry engine has to refuse.
};

/// A machine on which every rank does the same: collectives of the world and of groups over whole dimensions, computations, memory
/// accesses, all sizes divisible into equal blocks. The same seed gives the same case.
CaseSpec symmetricCase(std::uint64_t seed, const SymmetricLimits& limits);

/// The scenario with equal task graphs shared by their ranks, as loading a workload leaves it.
Scenario sharedBuild(const CaseSpec& spec);

} // namespace fabricscope::test
