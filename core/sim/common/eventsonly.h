#pragma once

#include "core/scenario/scenario.h"

namespace fabricscope {

/// Does the scenario set anything that only the event engine follows (crossbars of switches, network, compute or task scheduling parts of Params)?
bool needsEvents(const Params& params);

/// Nothing but who goes first among ready tasks is set of that: NPUs that are alike decide it alike, so one can still stand for all.
bool needsOnlyScheduling(const Params& params);

/// Nothing but when collectives begin is set of that, and who goes first: alike for NPUs that are alike.
bool needsOnlyBegins(const Params& params);

/// Nothing of that is set but rates of links that change at instants known before the run, and jitter of links.
bool changesOnlyLinks(const Params& params);

} // namespace fabricscope
