#include "core/sim/simulate.h"

#include "core/base/outofmemory.h"
#include "core/base/stop.h"
#include "core/sim/common/livememory.h"
#include "core/sim/engines.h"

namespace fabricscope {

namespace {

Result<RunRecord> simulateRun(const Scenario& scenario, const RunOptions& options, const std::stop_token& stop)
{
    for (const RunEngine& engine : engines()) {
        const bool forced = options.engine != EngineChoice::Auto && options.engine == engine.choice;
        if (options.engine != EngineChoice::Auto && engine.choice != EngineChoice::Auto && !forced)
            continue;
        if (Status status = engine.applies(scenario); !status) {
            if (forced)
                return std::move(status).error();
            continue;
        }
        if (auto record = engine.run(scenario, options, stop))
            return *std::move(record);
    }
    return Error{ErrorCode::Internal, "no engine follows this run", {}, {}};
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
