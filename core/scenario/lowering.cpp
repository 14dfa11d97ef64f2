#include "core/scenario/lowering.h"

#include "core/base/index.h"
#include "core/base/stop.h"
#include "core/design/loadworkload.h"
#include "core/design/modelversions.h"
#include "core/design/validate.h"
#include "core/program/innetwork.h"
#include "core/scenario/collectivechooser.h"
#include "core/scenario/customprograms.h"
#include "core/scenario/instances.h"
#include "core/scenario/involveddims.h"
#include "core/scenario/parameters.h"

#include <algorithm>
#include <set>

namespace fabricscope {

namespace {

Result<Placement> makePlacement(const Design& design, const Platform& platform, std::int32_t ranks)
{
    if (!design.jobs.empty())
        return Placement::create(design.jobs, platform);
    if (platform.remainingNpus() < platform.npuCount() && ranks > platform.remainingNpus()) {
        const std::string needed = std::to_string(ranks);
        return invalidInput(needed + " ranks need " + needed + " NPUs; " + std::to_string(platform.remainingNpus()) + " are left");
    }
    if (ranks > platform.npuCount()) {
        return invalidInput("the workload has " + std::to_string(ranks) + " ranks, the platform " + std::to_string(platform.npuCount()) + " NPUs");
    }
    return Placement::onRemaining(platform, ranks);
}

/// The links whose class is their own: overridden ones.
std::vector<LinkId> classedLinks(const Platform& platform)
{
    std::set<LinkId> links;
    for (const LinkOverride& change : platform.spec().linkOverrides)
        links.insert(change.link);
    return {links.begin(), links.end()};
}

/// What the usual neighbour messages do instead where a link between two NPUs that are left is removed.
void noteDetours(const Platform& platform, Diagnostics& diagnostics)
{
    if (!platform.hasRemovals() || platform.isExplicit())
        return;
    constexpr int kMostNotes = 16;
    int notes = 0;
    for (const LinkOverride& change : platform.spec().linkOverrides) {
        const LinkInfo info = platform.linkInfo(change.link);
        if (!change.removed || info.from < 0 || info.to < 0 || platform.isNpuRemoved(info.from) || platform.isNpuRemoved(info.to))
            continue;
        if (++notes > kMostNotes)
            break;
        const bool ring = platform.dimensions()[at(info.dimension)].shape == Shape::Ring;
        diagnostics.push_back(note("removed-link", platform.linkName(change.link) + " is removed: 1 neighbour message "
                                                       + (ring ? "goes the other way round" : "takes two links")));
    }
}

/// Receive slots are those of connections, which only programs of operations have.
void noteUnusedSlots(const Design& design, const Structure& structure, Diagnostics& diagnostics)
{
    const CollectiveConfig& collectives = design.collectives;
    const bool set = collectives.defaults.program.receiveSlots != 0
                     || std::any_of(collectives.rules.begin(), collectives.rules.end(), [](const CollectiveRule& rule) { return rule.program.receiveSlots != 0; });
    const bool used = std::any_of(structure.instances.begin(), structure.instances.end(),
                                  [](const CollectiveInstance& instance) { return instance.program && !instance.program->isTemplate(); });
    if (set && !used)
        diagnostics.push_back(note("slots-unused", "slots of collectives is not used: no collective runs operation by operation"));
}

/// Chunks are let in one by one only where a collective goes along dimensions.
void noteUnusedWindow(const Design& design, const Structure& structure, Diagnostics& diagnostics)
{
    if (!traitsOf(design.model.model).ownCollectives)
        return; // validate() has said that these models have no such window.
    const CollectiveConfig& collectives = design.collectives;
    const bool set = collectives.defaults.window > 0 || std::any_of(collectives.rules.begin(), collectives.rules.end(), [](const CollectiveRule& rule) { return rule.window.value_or(0) > 0; });
    const bool used = std::any_of(structure.instances.begin(), structure.instances.end(), [](const CollectiveInstance& instance) { return instance.program && instance.program->window > 0; });
    if (set && !used)
        diagnostics.push_back(note("window-unused", "window of collectives is not used: no collective that runs under it goes chunk by chunk along dimensions"));
}

/// Says where switches that reduce or copy have nothing to do; Params::offload is then absent, so that every engine may run the design.
/// Error: a model that does not follow them.
Status checkOffload(const Structure& structure, Model model, Params& params, Diagnostics& diagnostics)
{
    const ModelTraits& traits = traitsOf(model);
    bool used = false;
    for (const CollectiveInstance& instance : structure.instances) {
        const bool switches = instance.program && usesSwitches(*instance.program);
        if (instance.program && ((switches && !traits.switchesReduce) || (isBroadcast(*instance.program) && !traits.broadcasts))) {
            return Error{ErrorCode::Unsupported, "the " + std::string(traits.name) + " model knows no " + (switches ? "collectives done by switches" : "broadcasts"), {},
                         modelsWith(switches ? &ModelTraits::switchesReduce : &ModelTraits::broadcasts)};
        }
        used = used || switches;
    }
    if (params.offload && !used) {
        params.offload.reset();
        diagnostics.push_back(note("in-network-unused", traits.ownCollectives ? "in_network of the platform is not used: no collective runs by the algorithm in_network"
                                                                       : "in_network of the platform is not used: astra-* models know no switches that reduce or copy"));
    }
    return {};
}

} // namespace

Result<ScenarioPtr> lower(const Design& design, const Platform& platform, WorkloadPtr workload, const std::stop_token& stop, CollectiveChooser* chooser, int threads)
{
    if (stop.stop_requested())
        return stoppedError();
    auto placement = makePlacement(design, platform, workload->rankCount);
    if (!placement)
        return std::move(placement).error();
    if (placement.value().rankCount() != workload->rankCount) {
        return invalidInput("the jobs place " + std::to_string(placement.value().rankCount()) + " ranks, the workload has "
                            + std::to_string(workload->rankCount));
    }
    auto scenario = std::make_shared<Scenario>();
    scenario->model = design.model.model;
    scenario->version = versionUsed(design.model.model, design.model.version);
    scenario->accuracy = design.accuracy;
    const bool own = traitsOf(scenario->model).ownCollectives;

    auto structure = std::make_shared<Structure>();
    structure->platform = platform;
    structure->placement = std::move(placement).value();
    structure->classedLinks = classedLinks(platform);
    structure->figureClasses = static_cast<std::int32_t>(platform.spec().links.figures().size());
    if (own) {
        auto resolved = resolveInvolvedDimensions(std::move(workload), platform, structure->placement);
        if (!resolved)
            return std::move(resolved).error();
        workload = std::move(resolved).value();
    }
    structure->workload = std::move(workload);
    if (stop.stop_requested())
        return stoppedError();

    if (design.astra || !own) {
        scenario->astra = std::make_shared<const AstraSystem>(makeAstraSystem(design, scenario->diagnostics));
        auto customs = loadCustomPrograms(*scenario->astra);
        if (!customs)
            return std::move(customs).error();
        scenario->customPrograms = std::move(customs).value();
    }
    auto params = std::make_shared<Params>(makeParams(design, *structure, scenario->diagnostics));
    if (stop.stop_requested())
        return stoppedError();
    if (own) {
        const CollectivePolicy policy(design, scenario->customPrograms);
        ProgramLibrary library(design, threads, stop, chooser ? chooser->generatedPrograms() : nullptr);
        if (Status status = buildInstances(*structure, policy, *params, scenario->model, library, chooser, scenario->diagnostics, stop); !status)
            return std::move(status).error();
        for (Diagnostic& noticed : library.takeDiagnostics())
            scenario->diagnostics.push_back(std::move(noticed));
        if (chooser)
            scenario->choices = chooser->takeChoices();
    }
    const auto chooses = [](const CollectiveRule& rule) { return rule.program.choose; };
    const CollectiveConfig& collectives = design.collectives;
    if (!own && !design.astra && (collectives.defaults.program.choose || std::any_of(collectives.rules.begin(), collectives.rules.end(), chooses)))
        scenario->diagnostics.push_back(note("auto-astra", "astra-* models compare no algorithms: where the design says auto, the standard ones run"));
    if (Status status = checkOffload(*structure, scenario->model, *params, scenario->diagnostics); !status) {
        Error error = std::move(status).error();
        error.place = design.place("model");
        return error;
    }
    noteDetours(platform, scenario->diagnostics);
    noteUnusedSlots(design, *structure, scenario->diagnostics);
    noteUnusedWindow(design, *structure, scenario->diagnostics);
    if (stop.stop_requested())
        return stoppedError();
    scenario->costs = std::make_shared<const CostTable>(*params);
    scenario->params = std::move(params);
    scenario->structure = std::move(structure);
    return ScenarioPtr(std::move(scenario));
}

namespace {

Result<ScenarioPtr> prepareOrStop(const Design& design, int threads, const std::stop_token& stop, CollectiveChooser* chooser)
{
    std::optional<Platform> made;
    Diagnostics noticed = validate(design, stop, made);
    for (const Diagnostic& problem : noticed) {
        if (problem.severity == Severity::Error)
            return toError(problem);
    }
    if (stop.stop_requested())
        return stoppedError();
    Result<Platform> platform = made ? Result<Platform>(*std::move(made)) : Platform::create(*design.platform, stop);
    if (!platform)
        return std::move(platform).error();
    if (stop.stop_requested())
        return stoppedError();
    auto workload = loadWorkload(design, platform.value(), threads, stop);
    if (!workload)
        return std::move(workload).error();
    if (stop.stop_requested())
        return stoppedError();
    auto scenario = lower(design, platform.value(), workload.value().workload, stop, chooser, threads);
    if (!scenario)
        return scenario;
    auto complete = std::make_shared<Scenario>(*scenario.value());
    noticed.insert(noticed.end(), workload.value().diagnostics.begin(), workload.value().diagnostics.end());
    complete->diagnostics.insert(complete->diagnostics.begin(), noticed.begin(), noticed.end());
    return ScenarioPtr(std::move(complete));
}

} // namespace

Result<ScenarioPtr> prepare(const Design& design, int threads, const std::stop_token& stop, CollectiveChooser* chooser)
{
    return untilStopped([&] { return prepareOrStop(design, threads, stop, chooser); });
}

} // namespace fabricscope
