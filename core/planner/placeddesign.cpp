#include "core/planner/placeddesign.h"

#include "core/base/stop.h"
#include "core/choose/choose.h"

#include <vector>

namespace fabricscope {

namespace {

Result<PreparedDesign> preparePlaced(const Design& design, int threads, const std::stop_token& stop)
{
    Diagnostics noticed = validate(design, stop);
    for (const Diagnostic& problem : noticed) {
        if (problem.severity == Severity::Error)
            return toError(problem);
    }
    const Result<Platform> platform = Platform::create(*design.platform, stop);
    if (!platform)
        return platform.error();
    Result<DesignPlacement> placed = placeDesign(design, stop);
    if (!placed)
        return placed.error();
    SimulatingChooser chooser(threads, stop);
    const Result<ScenarioPtr> scenario = lower(design, platform.value(), placed.value().workload, stop, &chooser, threads);
    if (!scenario)
        return scenario.error();
    auto complete = std::make_shared<Scenario>(*scenario.value());
    // The search counts what devices hold.
    std::erase_if(complete->diagnostics, [](const Diagnostic& entry) { return entry.rule == "memory-not-followed"; });
    complete->diagnostics.insert(complete->diagnostics.begin(), noticed.begin(), noticed.end());
    if (!placed.value().placement.proved)
        complete->diagnostics.push_back(note("placement-not-proved", "placement: hap: too many states to look at all, the program need not be the best"));
    return PreparedDesign{std::move(complete), std::make_shared<const DesignPlacement>(std::move(placed).value())};
}

} // namespace

Result<PreparedDesign> prepareToRun(const Design& design, int threads, const std::stop_token& stop)
{
    if (!isPlacedByHap(design)) {
        Result<ScenarioPtr> scenario = prepareChosen(design, threads, stop);
        return scenario ? Result<PreparedDesign>(PreparedDesign{std::move(scenario).value(), nullptr}) : scenario.error();
    }
    return untilStopped([&] { return preparePlaced(design, threads, stop); });
}

} // namespace fabricscope
