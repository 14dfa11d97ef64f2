#pragma once

#include "core/base/result.h"
#include "core/sharding/partition/partitionedprogram.h"

#include <stop_token>

namespace fabricscope {

/// Runs the graph whole and the program on every device with small integers and compares: are all tensors equal? Errors: Unsupported (not merged yet), too large
/// (a tensor of more than 2^20 elements), Cancelled.
Result<bool> proveByExecution(const PartitionedProgram& program, const std::stop_token& stop = {});

} // namespace fabricscope
