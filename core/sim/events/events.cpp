#include "core/sim/events/events.h"

#include "core/sim/events/engine.h"

namespace fabricscope {

Result<RunRecord> simulateEvents(const Scenario& scenario, const RunOptions& options, std::stop_token stop)
{
    events::Engine engine(scenario, options);
    if (Status status = engine.build(stop); !status)
        return std::move(status).error();
    if (Status status = engine.run(stop); !status)
        return std::move(status).error();
    return engine.record(false, stop);
}

} // namespace fabricscope
