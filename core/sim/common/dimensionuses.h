#pragma once

#include "core/platform/platform.h"
#include "core/record/runrecord.h"

#include <vector>

namespace fabricscope {

/// Links that count as those of one NPU in a dimension: the ones that leave it, in a Switch also the one down to it.
std::int32_t portsPerNpu(const Dimension& dimension);

/// One entry per dimension, or one for all links of an explicit graph, with name and number of links and nothing used yet.
std::vector<DimensionUse> dimensionUses(const Platform& platform);

} // namespace fabricscope
