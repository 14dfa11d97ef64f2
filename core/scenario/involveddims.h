#pragma once

#include "core/base/result.h"
#include "core/platform/placement.h"
#include "core/platform/platform.h"
#include "core/workload/taskgraph.h"

namespace fabricscope {

/// Replaces "all ranks, but only some dimensions" (involved_dim of Chakra traces) by group families along those dimensions, so that
/// the physical engines see only families. Returns the same workload when nothing is to be replaced.
/// Errors: a mask on a platform without dimensions, or with ranks that are not placed one to one on its nodes.
Result<WorkloadPtr> resolveInvolvedDimensions(WorkloadPtr workload, const Platform& platform, const Placement& placement);

} // namespace fabricscope
