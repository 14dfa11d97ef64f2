#pragma once

#include "core/base/result.h"
#include "core/scenario/scenario.h"

#include <cstdint>
#include <functional>
#include <stop_token>

namespace fabricscope {

/// A link works from one instant to the other, in ps; `busyPs`: as long at its full rate, under flow maybe less than that time.
using TellLinkBusy = std::function<void(LinkId link, std::int64_t beginPs, std::int64_t endPs, std::int64_t busyPs)>;

/// Runs the scenario as simulateEvents() does, and tells of every busy interval of every link; those of a link follow one another, under ideal they overlap.
/// Under flow there is an interval for each rate a link has had, rounded down to whole ps. Memory: that of the run. `seed`: RunOptions::seed. Errors: those of simulate().
/// \pre not astra-*
Status tellLinkIntervals(const Scenario& scenario, std::uint64_t seed, std::int64_t memoryLimit, const TellLinkBusy& tell, std::stop_token stop);

} // namespace fabricscope
