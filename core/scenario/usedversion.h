#pragma once

#include "core/scenario/scenario.h"

#include <string>

namespace fabricscope {

/// The version of the rules that a run of the scenario follows: what its record says.
std::string usedVersion(const Scenario& scenario);

} // namespace fabricscope
