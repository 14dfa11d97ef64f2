#pragma once

#include "core/platform/platform.h"

namespace fabricscope {

/// Checks everything about a spec that does not need its graph: sizes, rates, latencies, node numbers, names. First problem found;
/// its field is the path in a design file ("platform.dimensions[1].size"). Overrides are checked by `checkOverrides`.
Status checkPlatform(const PlatformSpec& spec);

/// Overrides name a link and an NPU that exist, each at most once, with valid values.
Status checkOverrides(const PlatformSpec& spec, std::int32_t npus, LinkId links);

} // namespace fabricscope
