#pragma once

#include "core/design/design.h"

#include <stop_token>

namespace fabricscope {

/// loadWorkload() of design.h that can be stopped. Errors: also Cancelled.
Result<LoadedWorkload> loadWorkload(const Design& design, const Platform& platform, int threads, const std::stop_token& stop);

} // namespace fabricscope
