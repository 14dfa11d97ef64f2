#pragma once

#include "core/design/design.h"
#include "core/scenario/scenario.h"

namespace fabricscope {

/// Every rate, latency and delay the engines of links and ideal need, and the list of them for people.
/// Adds one warning per thing that is unknown and matters (no memory bandwidth: reductions are free).
Params makeParams(const Design& design, const Structure& structure, Diagnostics& diagnostics);

/// The ASTRA-sim system the astra-* models run: the design's system file, or one derived from its collectives.
AstraSystem makeAstraSystem(const Design& design, Diagnostics& diagnostics);

} // namespace fabricscope
