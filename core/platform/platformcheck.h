#pragma once

#include "core/platform/platform.h"

namespace fabricscope {

/// Checks everything about a spec that does not need its graph: sizes, rates, latencies, node numbers, names. First problem found;
/// its field is the path in a design file ("platform.dimensions[1].size"). Overrides are checked by `checkOverrides`.
/// Told to stop: throws StopRequested (stop.h).
Status checkPlatform(const PlatformSpec& spec, const std::stop_token& stop = {});

/// Overrides name a link and an NPU that exist, each at most once, with valid values. Told to stop: throws StopRequested (stop.h).
Status checkOverrides(const PlatformSpec& spec, std::int32_t npus, LinkId links, const std::stop_token& stop = {});

} // namespace fabricscope
