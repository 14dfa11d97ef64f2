#pragma once

#include "core/base/error.h"
#include "core/base/result.h"
#include "core/scenario/scenario.h"

#include <cstdint>
#include <string>

namespace fabricscope::sweep {

/// The order of messages cannot be told beforehand.
Error noSweep(std::string why);

/// What stands in the way of sweeping a collective whatever its algorithm: model, and what is removed, limited or weighed. \pre the instance has a program
Status checkSweepable(const Scenario& scenario, const CollectiveInstance& instance);

/// Do its reductions take time?
bool reducesInTime(const Scenario& scenario, const TemplateBody& body);

/// Errors: MemoryLimit. \param limit 0: none.
Status checkMemory(std::int64_t bytes, std::int64_t limit);

} // namespace fabricscope::sweep
