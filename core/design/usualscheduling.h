#pragma once

#include "core/design/schedulingconfig.h"

namespace fabricscope {

/// What `inside` is where a design does not say: Themis was published with the smallest chunk first, and gains nothing on average of the fabrics
/// of bench_scheduling without it.
constexpr InsideScheduler usualInside(DimensionScheduler dimensions)
{
    return dimensions == DimensionScheduler::Themis ? InsideScheduler::SmallestFirst : InsideScheduler::Fifo;
}

} // namespace fabricscope
