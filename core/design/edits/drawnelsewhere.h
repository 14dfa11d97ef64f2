#pragma once

#include "core/yaml/tree.h"

namespace fabricscope {

/// Do two texts say the same but for where nodes of the platform are drawn (platform.nodes[i].at), and is each such place one that a design may have?
/// Then both are the same design, and only where its fields stand is new. O(nodes of the trees), without allocating.
bool differOnlyInPlaces(const YamlNode& before, const YamlNode& after);

} // namespace fabricscope
