#pragma once

#include "core/platform/router.h"

namespace fabricscope {

/// Refuses tables that lead in a circle, end elsewhere, or use removed links. O(table entries * links of a way + NPUs * destinations).
Status checkTable(const Platform& platform, const ExplicitGraph& graph, const RoutingRules& rules);

} // namespace fabricscope
