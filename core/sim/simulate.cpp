#include "core/sim/simulate.h"

#include "core/sim/symmetry.h"

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
    if (isAstra(scenario.model))
        return simulateAstra(scenario, options, stop);
    if (options.engine == EngineChoice::Memo || options.engine == EngineChoice::Sweep)
        return Error{ErrorCode::Unsupported, "the engine " + std::string(engineName(options.engine)) + " comes with a later version", {}, "auto, symmetry or events"};
    if (options.engine != EngineChoice::Events) {
        if (auto record = trySymmetry(scenario, options, stop))
            return std::move(*record);
    }
    return simulateEvents(scenario, options, stop);
}

} // namespace fabricscope
