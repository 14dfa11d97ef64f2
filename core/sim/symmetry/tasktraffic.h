#pragma once

#include "core/sim/symmetry/grouptraffic.h"

namespace fabricscope {

/// Puts into roles, kinds and sources what the tasks of ranks say, collectives apart: groupTraffic(), which says the errors. \pre traffic.roles has one entry per rank
Status addTasks(const Scenario& scenario, GroupTraffic& traffic, const std::stop_token& stop);

} // namespace fabricscope
