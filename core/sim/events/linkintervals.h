#pragma once

#include "core/base/result.h"
#include "core/scenario/scenario.h"

#include <cstdint>
#include <functional>
#include <stop_token>

namespace fabricscope {

/// A link works from one instant to the other, in ps.
using TellLinkBusy = std::function<void(LinkId link, std::int64_t beginPs, std::int64_t endPs)>;

/// Runs the scenario as simulateEvents() does, and tells of every busy interval of every link; those of a link follow one another, under ideal they overlap.
/// Nothing is told of model flow, where links have no such intervals. Memory: that of the run. `seed`: RunOptions::seed. Errors: those of simulate().
/// \pre not astra-*
Status tellLinkIntervals(const Scenario& scenario, std::uint64_t seed, std::int64_t memoryLimit, const TellLinkBusy& tell, std::stop_token stop);

} // namespace fabricscope
