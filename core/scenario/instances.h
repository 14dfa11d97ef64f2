#pragma once

#include "core/base/result.h"
#include "core/scenario/collectivechooser.h"
#include "core/scenario/collectivepolicy.h"
#include "core/scenario/programlibrary.h"
#include "core/scenario/scenario.h"

#include <stop_token>

namespace fabricscope {

/// Fills Structure::instances, layouts, streams and ordinals: every collective of every group once, matched between its members by
/// static order, or where their orders differ by (operation, size) and count. Errors name ranks and nodes of members that disagree.
/// Stopped between groups: Cancelled. O(tasks log tasks + groups * members).
/// `params`, `model`: of the scenario. `chooser`: who decides where the design says `algorithm: auto`; null: the standard algorithms run.
Status buildInstances(Structure& structure, const CollectivePolicy& policy, const Params& params, Model model, ProgramLibrary& library, CollectiveChooser* chooser,
                      Diagnostics& diagnostics, const std::stop_token& stop = {});

} // namespace fabricscope
