#pragma once

#include "core/platform/platform.h"
#include "core/record/runrecord.h"

#include <vector>

namespace fabricscope {

/// One entry per dimension, or one for all links of an explicit graph, with name and number of links and nothing used yet.
std::vector<DimensionUse> dimensionUses(const Platform& platform);

} // namespace fabricscope
