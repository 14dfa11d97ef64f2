#pragma once

#include "core/base/result.h"
#include "core/scenario/scenario.h"
#include "core/sim/common/runoptions.h"

#include <stop_token>

namespace fabricscope {

/// Runs a scenario that is one all-reduce by a double binary tree, of all NPUs of one Switch dimension that are alike: one rank of each class of ranks with the
/// same history (treeclasses.h). The record is that of simulateEvents() in every field but `events` and `engines`.
/// Errors: Unsupported, naming the first thing that stands in the way; Cancelled; MemoryLimit. \pre !options.messageDigest && !options.ways
/// O(ranks + messages of all ranks) of little work, O(messages of one rank of each class) of much.
Result<RunRecord> simulateTree(const Scenario& scenario, const RunOptions& options, const std::stop_token& stop);

} // namespace fabricscope
