#pragma once

#include "core/workload/taskgraph.h"

namespace fabricscope {

/// May two streams (groups with collectives, or pairs with sends) go from one rank to the same other? Exact within a bound of work, beyond it: yes.
/// O(ranks * groups of a rank squared + sends of graphs * ranks * groups).
bool streamsMeet(const Workload& workload);

} // namespace fabricscope
