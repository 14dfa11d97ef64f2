#pragma once

#include "core/sharding/partition/partitionedprogram.h"

namespace fabricscope {

/// What a step works on every device, from local shapes with their padding.
struct LocalWork {
    std::int64_t flops = 0; ///< A multiply-add is 2.
    std::int64_t bytes = 0; ///< Operands read, result written.
    bool free = false;      ///< Only another view of the same array: takes no time.
};

/// Work of a step that sends nothing (manual: sharding 8). Of a product of n operands n - 1 times 2 per combination of letters; of a convolution or its gradients 2 per window
/// element, input channel of a group and result; gather 0, elementwise ops 1 per element, normalisations and their like 5, sorts 20. Both counts end at 2^62. O(dims).
LocalWork localWork(const PartitionedProgram& program, const ProgramStep& step);

} // namespace fabricscope
