#pragma once

#include "core/base/result.h"
#include "core/scenario/scenario.h"
#include "core/sim/common/runoptions.h"

#include <stop_token>

namespace fabricscope {

/// Runs a scenario of `links`, `ideal` or `flow` (flowmodel.h) event by event: every message on its own. Errors: those of simulate().
/// \pre not astra-*
Result<RunRecord> simulateEvents(const Scenario& scenario, const RunOptions& options, std::stop_token stop);

} // namespace fabricscope
