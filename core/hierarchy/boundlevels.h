#pragma once

#include "core/bounds/bounds.h"
#include "core/hierarchy/grouplevels.h"
#include "core/hierarchy/unevenlevels.h"

#include <cstdint>
#include <span>
#include <vector>

namespace fabricscope {

/// The blocks that levels in use make of a group, from below, as collectiveBound() takes them; without the whole, so none of a flat group. `order`: place among
/// the members by position, as GroupLevels::order. Levels that are not in use have as much cut for each NPU as those below, and bind nothing more.
/// \pre the product of the extents is the number of members.
std::vector<BoundLevel> boundLevels(std::span<const GroupLevels::Used> used, std::span<const std::int32_t> order);

/// The same of levels whose blocks differ in size.
std::vector<BoundLevel> boundLevels(const UnevenLevels& levels);

} // namespace fabricscope
