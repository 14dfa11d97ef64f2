#pragma once

#include "core/record/runrecord.h"
#include "core/sim/symmetry/fold.h"

namespace fabricscope {

/// The record of all ranks, from that of the one that stands for them; without the fingerprint.
RunRecord unfoldedRecord(const FoldedScenario& folded, RunRecord record);

} // namespace fabricscope
