#pragma once

#include "core/base/error.h"
#include "core/platform/platform.h"

#include <optional>
#include <stop_token>

namespace fabricscope {

struct Design;

/// As validate() of design.h; `made` receives the platform of the design, where that is one, which takes long on large graphs and need not be made again.
/// One that comes in it is taken where its spec is that of the design.
Diagnostics validate(const Design& design, const std::stop_token& stop, std::optional<Platform>& made);

} // namespace fabricscope
