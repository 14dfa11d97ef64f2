#pragma once

#include "core/platform/platform.h"

#include <cstdint>
#include <functional>

namespace fabricscope {

/// A link works from one instant to the other, in ps; `busyPs`: as long at its full rate, under flow maybe less than that time.
using TellLinkBusy = std::function<void(LinkId link, std::int64_t beginPs, std::int64_t endPs, std::int64_t busyPs)>;

} // namespace fabricscope
