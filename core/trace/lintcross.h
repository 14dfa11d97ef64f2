#pragma once

#include "core/trace/commgroups.h"
#include "core/trace/groupresolver.h"
#include "core/trace/dependencies.h"
#include "core/trace/findings.h"
#include "core/trace/traceset.h"

#include <memory>
#include <vector>

namespace fabricscope {

/// Part of the linter: what only shows when the ranks are seen together. `resolved` has an entry per rank, free of rings.
void lintAcrossRanks(const TraceSet& traces, const GroupResolver& groups, const std::vector<std::shared_ptr<const ResolvedDependencies>>& resolved, Findings& findings,
                     const std::stop_token& stop = {});

} // namespace fabricscope
