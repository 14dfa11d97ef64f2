#pragma once

#include "core/record/runrecord.h"
#include "core/sim/events/enginestate.h"

#include <vector>

namespace fabricscope::events {

/// Why every stuck rank cannot go on, rings of waits first.
std::vector<Wait> findWaits(const EngineState& state);

} // namespace fabricscope::events
