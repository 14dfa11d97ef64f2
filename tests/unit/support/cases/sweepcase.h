#pragma once

#include "tests/unit/support/cases/randomcase.h"

#include <cstdint>

namespace fabricscope::test {

/// What a random case may contain besides one collective of rings over a machine of one to four dimensions.
struct SweepLimits {
    bool equal = false;     ///< Links are alike or half as fast: instants coincide.
    bool uneven = false;    ///< Sizes that do not divide.
    bool overrides = true;  ///< Links with figures of their own.
    bool alike = false;     ///< ... of which there are up to four, and three small dimensions: most lines are like others.
};

/// One collective of all ranks by rings in any direction, over Ring, FullyConnected and Switch dimensions. The same seed gives the same case.
CaseSpec sweepCase(std::uint64_t seed, const SweepLimits& limits);

} // namespace fabricscope::test
