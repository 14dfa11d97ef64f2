#pragma once

#include "core/sharding/execute/devicegrid.h"
#include "core/sharding/execute/wholerun.h"
#include "core/sharding/partition/partitionedprogram.h"

namespace fabricscope {

/// Is a program well formed, so that running it reads no memory it has not: ids, dims, axes and array shapes of all values and steps, values made once and before their use. Says
/// nothing of what it computes. Also refuses what is too large to be run on all devices, naming value or op and the limit. Errors: Internal with step and value; Unsupported. O(program). In formcheck.cpp.
Status checkProgram(const PartitionedProgram& program, const ExecutionLimits& limits = {});

} // namespace fabricscope
