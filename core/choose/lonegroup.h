#pragma once

#include "core/base/result.h"
#include "core/scenario/collectivechooser.h"
#include "core/scenario/lowering.h"
#include "core/scenario/scenario.h"

#include <cstdint>
#include <memory>

namespace fabricscope {

/// The group alone on the platform: rank i is its member i.
struct LoneGroup {
    std::shared_ptr<Structure> structure;
    std::shared_ptr<const Params> params;
    std::shared_ptr<const CostTable> costs;
};

/// The group of a question. Errors: those of Placement::create(). O(platform).
Result<LoneGroup> aloneOnPlatform(const ChooseQuestion& question);

/// The group with this program and so many bytes, ready to run.
Scenario scenarioOf(const ChooseQuestion& question, const LoneGroup& alone, const PlannedCollective& planned, std::int64_t bytes);

/// The same with another size.
Scenario withBytes(const Scenario& scenario, std::int64_t bytes);

} // namespace fabricscope
