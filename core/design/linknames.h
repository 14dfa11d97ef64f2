#pragma once

#include "core/platform/platform.h"

#include <optional>
#include <string_view>

namespace fabricscope {

/// The link that Platform::linkName writes as `name` ("d0 3>4", "d1 5>switch", "gpu0>nvswitch").
/// O(1) for dimensions, O(links) for explicit graphs.
std::optional<LinkId> findLink(const Platform& platform, std::string_view name);

} // namespace fabricscope
