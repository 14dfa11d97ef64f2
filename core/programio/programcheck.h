#pragma once

#include "core/base/result.h"
#include "core/program/program.h"

#include <stop_token>

namespace fabricscope {

/// May an explicit body that was read from a file be given to the rest of the program? Columns as long as they must be, ranks in order, every
/// index (peer, dependency, route, team, fused group) that of something there, numbers not negative where they count. The field of the error is the
/// column and row. Says nothing about meaning: that is the verifier's. Told to stop: Cancelled. O(operations + dependencies).
Status checkExplicitBody(const Program& program, const std::stop_token& stop = {});

} // namespace fabricscope
