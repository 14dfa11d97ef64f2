#pragma once

#include "core/scenario/networkparams.h"
#include "core/scenario/scenario.h"
#include "core/scenario/taskscheduling.h"
#include "core/sim/common/runoptions.h"

#include <cstdint>

namespace fabricscope::events {

/// What a run is given and never changes: the scenario, the options, and what every class of the engine asks of them. Cheap to copy.
struct Setting {
    Setting(const Scenario& scenario_, const RunOptions& options_)
        : scenario(scenario_)
        , structure(*scenario_.structure)
        , params(*scenario_.params)
        , costs(*scenario_.costs)
        , workload(*scenario_.structure->workload)
        , options(options_)
        , scheduling(scenario_.params->scheduling.get())
        , byPriority(scheduling && scheduling->order == TaskOrder::Explicit)
        , ideal(scenario_.model == Model::Ideal)
        , severalJobs(scenario_.structure->placement.jobs().size() > 1)
        , endpointDelay(scenario_.params->endpointDelay.ps)
        , pieceBytes(scenario_.params->pieceBytes)
        , launches(scenario_.params->network && scenario_.params->network->launches())
        , seed(!scenario_.params->network || options_.seed != 0 ? options_.seed : scenario_.params->network->seed)
    {
    }

    const Scenario& scenario;
    const Structure& structure;
    const Params& params;
    const CostTable& costs;
    const Workload& workload;
    const RunOptions& options;
    const TaskScheduling* scheduling; ///< Null: as in physical/1.
    bool byPriority;                  ///< Explicit order.
    bool ideal;
    bool severalJobs;
    std::int64_t endpointDelay;
    std::int64_t pieceBytes;
    bool launches;                    ///< Some collective begins later than it is issued.
    std::uint64_t seed;               ///< Of what NetworkParams draws: that of the run, else that of the design.
};

} // namespace fabricscope::events
