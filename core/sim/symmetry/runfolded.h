#pragma once

#include "core/base/result.h"

#include <stop_token>
#include <string_view>

namespace fabricscope {

namespace events {
class Engine;
}

/// Builds and runs an engine in which some ranks stand for others. Errors: the engine's; Unsupported when the ranks cannot finish, as why is not
/// looked for here, or when `whatDecides`, which differs from copy to copy, decided a tie.
Status runFolded(events::Engine& engine, std::string_view whatDecides, const std::stop_token& stop);

} // namespace fabricscope
