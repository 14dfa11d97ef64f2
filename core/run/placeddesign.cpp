#include "core/run/placeddesign.h"

#include "core/base/stop.h"
#include "core/choose/choose.h"
#include "core/planner/designplacement.h"

namespace fabricscope {

namespace {

Result<ScenarioPtr> preparePlaced(const Design& design, int threads, const std::stop_token& stop)
{
    Diagnostics noticed = validate(design, stop);
    for (const Diagnostic& problem : noticed) {
        if (problem.severity == Severity::Error)
            return toError(problem);
    }
    const Result<Platform> platform = Platform::create(*design.platform, stop);
    if (!platform)
        return platform.error();
    const Result<DesignPlacement> placed = placeDesign(design, stop);
    if (!placed)
        return placed.error();
    SimulatingChooser chooser(threads, stop);
    const Result<ScenarioPtr> scenario = lower(design, platform.value(), placed.value().workload, stop, &chooser, threads);
    if (!scenario)
        return scenario;
    auto complete = std::make_shared<Scenario>(*scenario.value());
    complete->diagnostics.insert(complete->diagnostics.begin(), noticed.begin(), noticed.end());
    if (!placed.value().placement.proved)
        complete->diagnostics.push_back(note("placement-not-proved", "placement: hap: too many states to look at all, the program need not be the best"));
    return ScenarioPtr(std::move(complete));
}

} // namespace

Result<ScenarioPtr> prepareToRun(const Design& design, int threads, const std::stop_token& stop)
{
    if (!isPlacedByHap(design))
        return prepareChosen(design, threads, stop);
    return untilStopped([&] { return preparePlaced(design, threads, stop); });
}

} // namespace fabricscope
