#include "core/sim/events/engine.h"

namespace fabricscope {

Result<RunRecord> simulateFlow(const Scenario& scenario, const RunOptions& options, std::stop_token stop)
{
    if (options.engine != EngineChoice::Auto && options.engine != EngineChoice::Events)
        return Error{ErrorCode::Unsupported, "under flow rates change during the run, which only the event engine follows", {}, "auto or events"};
    events::Engine<WheelQueue<6>> engine(scenario, options);
    if (Status status = engine.build(stop); !status)
        return std::move(status).error();
    if (Status status = engine.run(stop); !status)
        return std::move(status).error();
    return engine.record(false, stop);
}

} // namespace fabricscope
