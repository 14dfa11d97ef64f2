#pragma once

#include "core/base/result.h"
#include "core/record/runrecord.h"
#include "core/sim/events/enginestate.h"

#include <stop_token>

namespace fabricscope::events {

/// Makes the record of a finished or stuck engine, or with `cut` that of an engine that goes on: RunRecord::cutAt is the present instant, and there
/// are no waits and no digests. Errors: Cancelled.
Result<RunRecord> recordOf(const EngineState& state, bool cut, const std::stop_token& stop);

} // namespace fabricscope::events
