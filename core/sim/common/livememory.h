#pragma once

#include "core/record/memoryuse.h"
#include "core/record/runrecord.h"
#include "core/scenario/scenario.h"

#include <stop_token>

namespace fabricscope {

/// Is anything known of the memory of the ranks (tensors of the workload, resident bytes) and wanted?
bool followsMemory(const Scenario& scenario);

/// Live bytes of every rank from the times of its tasks: works after any engine. Fills RunRecord::memory and adds a warning for ranks that need more than
/// their NPU has, with the instant and what fills it; the run is as it was, as nothing is swapped out. Of ranks that did not finish: what their times say.
/// \pre the classes have task times. O(t log t) in the tensors of every class of ranks with equal times and tasks, plus O(ranks) where ranks differ in
/// tasks, sizes or resident bytes. Throws StopRequested.
void followMemory(const Scenario& scenario, RunRecord& record, const std::stop_token& stop = {});

} // namespace fabricscope
