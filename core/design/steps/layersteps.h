#pragma once

#include "core/design/design.h"
#include "core/workload/layertable.h"

namespace fabricscope {

/// A layer table as an inline pattern for `ranks` ranks: `ga` times all rows forward, then backward in reverse order (manual: formats 8). Ranks: TP fastest, then DP (EP its faster part),
/// pipeline stages slowest. Notes what is left out (sends between pipeline stages). Errors: numbers that do not divide the ranks, more tasks than kMaxStepTasks. O(rows).
Result<StepsWorkload> stepsOfLayers(const LayerTable& table, std::int64_t ranks, const std::string& file, Diagnostics& diagnostics);

} // namespace fabricscope
