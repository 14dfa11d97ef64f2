#pragma once

#include "core/base/result.h"
#include "core/scenario/scenario.h"
#include "core/sim/common/runoptions.h"

#include <optional>
#include <span>
#include <stop_token>
#include <string_view>

namespace fabricscope {

/// One way to compute a run.
struct RunEngine {
    std::string_view name;
    /// What forces it; Auto: the models it follows have no other engine, and it looks at RunOptions::engine itself.
    EngineChoice choice;
    /// May it follow the scenario, as far as model and parameters tell? Unsupported, with the reason. O(1).
    Status (*applies)(const Scenario& scenario);
    /// Runs it. Absent: it does not follow this one after all, the next has to do it; never when it is forced. \pre applies()
    std::optional<Result<RunRecord>> (*run)(const Scenario& scenario, const RunOptions& options, const std::stop_token& stop);
};

/// All engines in the order in which EngineChoice::Auto tries them: fastest first. The last that applies follows everything it applies to.
std::span<const RunEngine> engines();

} // namespace fabricscope
