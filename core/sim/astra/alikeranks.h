#pragma once

#include "core/scenario/scenario.h"

namespace fabricscope {

/// Whether one rank can stand for all: every rank has the same tasks, nothing is shared between ranks, and all collectives are rings
/// inside dimensions where each link has a single sender, so that moving all rank numbers along a dimension changes nothing. Whether events of one
/// instant come in the same order on all ranks shows only while running (AstraQueue::ambiguous).
bool astraRanksAreAlike(const Scenario& scenario);

} // namespace fabricscope
