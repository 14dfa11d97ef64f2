#pragma once

#include "core/scenario/taskscheduling.h"
#include "tests/unit/support/cases/randomcase.h"

#include <cstdint>

namespace fabricscope::test {

/// Gives template programs of the case chunks of other orders and of unequal sizes, drawn from `seed`. The case stays as it is where a
/// collective has one phase and one chunk only.
void mixChunks(CaseSpec& spec, std::uint64_t seed, bool weights = true);

/// The same scenario with this scheduling; tasks and collectives get priorities drawn from `seed`, 0: they keep theirs.
Scenario withScheduling(const Scenario& scenario, const TaskScheduling& scheduling, std::uint64_t seed);

/// One of the possible settings.
TaskScheduling randomScheduling(std::uint64_t seed);

} // namespace fabricscope::test
