#include "core/sim/symmetry/runfolded.h"

#include "core/sim/events/engine.h"

#include <string>

namespace fabricscope {

Status runFolded(events::Engine& engine, std::string_view whatDecides, const std::stop_token& stop)
{
    if (Status status = engine.build(stop); !status)
        return status;
    if (Status status = engine.run(stop); !status)
        return status;
    if (engine.tasks.left() > 0)
        return Error{ErrorCode::Unsupported, "the ranks cannot finish, and the engine symmetry does not look for the reason", {}, "the engine auto or events"};
    if (engine.network.positionsDecided())
        return Error{ErrorCode::Unsupported, "not all NPUs do the same: " + std::string(whatDecides), {}, "the engine auto or events for this run"};
    return {};
}

} // namespace fabricscope
