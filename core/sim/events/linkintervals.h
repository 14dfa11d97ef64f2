#pragma once

#include "core/base/result.h"
#include "core/scenario/scenario.h"
#include "core/sim/common/telllinkbusy.h"

#include <cstdint>
#include <stop_token>

namespace fabricscope {

/// Runs the scenario as simulateEvents() does, and tells of every busy interval of every link; those of a link follow one another, under ideal they overlap.
/// Under flow there is an interval for each rate a link has had, rounded down to whole ps. Memory: that of the run. `seed`: RunOptions::seed. Errors: those of simulate().
/// \pre not astra-*
Status tellLinkIntervals(const Scenario& scenario, std::uint64_t seed, std::int64_t memoryLimit, const TellLinkBusy& tell, std::stop_token stop);

} // namespace fabricscope
