#include "core/sim/engines.h"

#include "core/sim/astra/systemrun.h"
#include "core/sim/common/eventsonly.h"
#include "core/sim/components/components.h"
#include "core/sim/direct/singlephase.h"
#include "core/sim/events/events.h"
#include "core/sim/sweep/sweep.h"
#include "core/sim/symmetry/symmetricrun.h"

namespace fabricscope {

namespace {

Error unsupported(std::string message)
{
    return {ErrorCode::Unsupported, std::move(message), {}, "auto or events"};
}

Status astraOnly(const Scenario& scenario)
{
    if (isAstra(scenario.model))
        return {};
    return unsupported("only the astra-* models are followed as the reference does it");
}

Status notAstra(const Scenario& scenario)
{
    if (isAstra(scenario.model))
        return unsupported("the astra-* models have an engine of their own");
    return {};
}

/// What the engines follow that leave events out.
Status plainParams(const Scenario& scenario)
{
    if (Status status = notAstra(scenario); !status)
        return status;
    if (scenario.model == Model::Flow)
        return unsupported("under flow rates change during the run, which only the engines symmetry and events follow");
    if (needsEvents(*scenario.params))
        return unsupported("crossbars of switches, network, compute and scheduling settings of the design are followed by the event engine only");
    return {};
}

/// The sweep follows rates of links that change and jitter of links, too.
Status sweptParams(const Scenario& scenario)
{
    if ((scenario.model == Model::Links || scenario.model == Model::Ideal) && changesOnlyLinks(*scenario.params))
        return {};
    return plainParams(scenario);
}

/// Who goes first among ready tasks is decided alike on all ranks, and so are rates under flow, and when collectives begin.
Status alikeParams(const Scenario& scenario)
{
    const bool begins = needsOnlyBegins(*scenario.params) && !scenario.structure->platform.isExplicit();
    if (begins && (scenario.model == Model::Links || scenario.model == Model::Ideal || (scenario.model == Model::Flow && !scenario.params->scheduling)))
        return {};
    if ((scenario.model == Model::Links || scenario.model == Model::Ideal) && needsOnlyScheduling(*scenario.params))
        return {};
    if (scenario.model == Model::Flow && !needsEvents(*scenario.params))
        return {};
    return plainParams(scenario);
}

std::optional<Result<RunRecord>> runAstra(const Scenario& scenario, const RunOptions& options, const std::stop_token& stop)
{
    return simulateAstra(scenario, options, stop);
}

std::optional<Result<RunRecord>> runEvents(const Scenario& scenario, const RunOptions& options, const std::stop_token& stop)
{
    return simulateEvents(scenario, options, stop);
}

constexpr RunEngine kEngines[] = {
    {"astra", EngineChoice::Auto, astraOnly, runAstra},
    {"symmetry", EngineChoice::Symmetry, alikeParams, trySymmetry},
    {"sweep", EngineChoice::Sweep, sweptParams, trySweep},
    {"memo", EngineChoice::Memo, plainParams, tryComponents},
    {"direct", EngineChoice::Auto, followsOnePhase, tryOnePhase},
    {"events", EngineChoice::Events, notAstra, runEvents},
};

} // namespace

std::span<const RunEngine> engines()
{
    return kEngines;
}

} // namespace fabricscope
