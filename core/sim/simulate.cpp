#include "core/sim/simulate.h"

#include "core/base/outofmemory.h"
#include "core/base/stop.h"
#include "core/sim/astra/systemrun.h"
#include "core/sim/common/eventsonly.h"
#include "core/sim/common/livememory.h"
#include "core/sim/components/components.h"
#include "core/sim/events/events.h"
#include "core/sim/sweep/sweep.h"
#include "core/sim/symmetry/symmetricrun.h"

namespace fabricscope {

namespace {

Result<RunRecord> simulateRun(const Scenario& scenario, const RunOptions& options, std::stop_token stop)
{
    if (isAstra(scenario.model))
        return simulateAstra(scenario, options, stop);
    if (scenario.model == Model::Flow && options.engine != EngineChoice::Auto && options.engine != EngineChoice::Events)
        return Error{ErrorCode::Unsupported, "under flow rates change during the run, which only the event engine follows", {}, "auto or events"};
    if (scenario.model == Model::Flow)
        return simulateEvents(scenario, options, stop);
    if (needsOnlyScheduling(*scenario.params) && (options.engine == EngineChoice::Auto || options.engine == EngineChoice::Symmetry)) {
        if (auto record = trySymmetry(scenario, options, stop)) // Who goes first is decided alike on all ranks.
            return std::move(*record);
    }
    if (needsEvents(*scenario.params)) {
        if (options.engine != EngineChoice::Auto && options.engine != EngineChoice::Events)
            return Error{ErrorCode::Unsupported, "network, compute and scheduling settings of the design are followed by the event engine only", {}, "auto or events"};
        return simulateEvents(scenario, options, stop);
    }
    if (options.engine == EngineChoice::Auto || options.engine == EngineChoice::Symmetry) {
        if (auto record = trySymmetry(scenario, options, stop))
            return std::move(*record);
    }
    if (options.engine == EngineChoice::Auto || options.engine == EngineChoice::Sweep) {
        if (auto record = trySweep(scenario, options, stop))
            return std::move(*record);
    }
    if (options.engine == EngineChoice::Auto || options.engine == EngineChoice::Memo) {
        if (auto record = tryComponents(scenario, options, stop))
            return std::move(*record);
    }
    return simulateEvents(scenario, options, stop);
}

Result<RunRecord> simulateWithMemory(const Scenario& scenario, const RunOptions& options, const std::stop_token& stop)
{
    if (!followsMemory(scenario))
        return simulateRun(scenario, options, stop);
    RunOptions own = options;
    own.taskTimes = true;
    Result<RunRecord> record = simulateRun(scenario, own, stop);
    if (!record)
        return record;
    followMemory(scenario, record.value(), stop);
    if (!options.taskTimes) {
        for (RankClass& row : record.value().classes)
            row.tasks.reset();
    }
    return record;
}

} // namespace

Result<RunRecord> simulate(const Scenario& scenario, const RunOptions& options, std::stop_token stop)
{
    return catchOutOfMemory([&] { return untilStopped([&] { return simulateWithMemory(scenario, options, stop); }); });
}

} // namespace fabricscope
