#pragma once

#include "core/step/collectivelist.h"
#include "core/step/collectivereplay.h"

#include <string>
#include <vector>

namespace fabricscope::cli {

/// The collectives of a run for people, one line each; groups of a family that do the same at the same time share one.
std::string collectiveListText(const std::vector<InstanceRun>& runs);
std::string collectiveListJson(const std::vector<InstanceRun>& runs);

/// The steps of one chunk with the moves of each and what their time consists of; of long steps the first moves.
std::string stepsText(const CollectiveReplay& replay, std::int32_t chunk);
/// The same with every move.
std::string stepsJson(const CollectiveReplay& replay, std::int32_t chunk);

} // namespace fabricscope::cli
