#include "core/sim/simulate.h"

namespace fabricscope {

namespace {

std::string_view engineName(EngineChoice engine)
{
    switch (engine) {
    case EngineChoice::Memo:
        return "memo";
    case EngineChoice::Symmetry:
        return "symmetry";
    case EngineChoice::Sweep:
        return "sweep";
    case EngineChoice::Auto:
    case EngineChoice::Events:
        break;
    }
    return "events";
}

} // namespace

Result<RunRecord> simulate(const Scenario& scenario, const RunOptions& options, std::stop_token stop)
{
    if (options.engine != EngineChoice::Auto && options.engine != EngineChoice::Events) {
        return Error{ErrorCode::Unsupported, "the engine " + std::string(engineName(options.engine)) + " comes with a later version", {}, "auto or events"};
    }
    if (isAstra(scenario.model))
        return simulateAstra(scenario, options, stop);
    return simulateEvents(scenario, options, stop);
}

} // namespace fabricscope
