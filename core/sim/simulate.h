#pragma once

#include "core/base/result.h"
#include "core/scenario/scenario.h"
#include "core/sim/common/runoptions.h"

#include <stop_token>

namespace fabricscope {

/// Runs the scenario to its end. Pure: the same scenario gives the same record, bit for bit, on any thread.
/// A run that cannot finish returns a record with complete = false and the ring of waits.
/// Errors: Cancelled, MemoryLimit, Unsupported (engine or feature), InvalidInput (found only while running).
Result<RunRecord> simulate(const Scenario& scenario, const RunOptions& options = {}, std::stop_token stop = {});

} // namespace fabricscope
