// fabricscope-cli place: the best sharded program for a cluster of unequal devices.
#include "app/cli/commandline.h"
#include "app/cli/fieldsets.h"
#include "app/cli/filekinds.h"
#include "app/cli/output/placeoutput.h"
#include "app/cli/runflags.h"
#include "app/cli/session.h"
#include "core/base/files/textfile.h"
#include "core/planner/clustersimulation.h"
#include "core/planner/placefile.h"
#include "core/run/inputkind.h"

#include <memory>

namespace fabricscope::cli {

namespace {

struct PlaceFlags {
    std::string file;
    std::vector<std::string> sets;
    std::string heuristic = "bound";
    bool exhaustive = false;
    bool json = false;
};

Result<YamlDocument> placeDocument(const PlaceFlags& flags, const std::stop_token& stop)
{
    Result<std::string> text = readTextFile(flags.file);
    if (!text)
        return text.error();
    Result<YamlDocument> document = YamlDocument::parse(std::move(text).value(), flags.file, stop);
    if (!document)
        return document;
    const Result<std::vector<FieldOverride>> sets = overridesOf(flags.sets, "place.batch=64");
    if (!sets)
        return sets.error();
    for (const FieldOverride& set : sets.value()) {
        if (const Status status = document.value().overlay(set.path, set.value, "--set " + set.path); !status)
            return status.error();
    }
    return document;
}

std::int64_t wholeNanoseconds(SimTime time)
{
    return (time.ps + 500) / 1000;
}

/// Simulated times of the program and the baselines.
Result<PlacementTimes> timesOf(const PlacementProblem& problem, const UnequalPlacement& placement, const std::optional<ClusterSimulation>& simulation, const std::stop_token& stop)
{
    PlacementTimes times;
    if (problem.graph.ops.empty())
        return times;
    if (!simulation) {
        times.reason = "Not simulated: the cluster gives times of collectives, no platform";
        return times;
    }
    const Result<SimTime> own = simulation->programTime(problem, placement.program, placement.ratios, stop);
    if (!own)
        return own.error();
    times.program = wholeNanoseconds(own.value());
    for (const bool proportional : {false, true}) {
        const auto& baseline = proportional ? placement.proportionalProgram : placement.evenProgram;
        if (!baseline)
            continue;
        const DeviceRatios ratios = proportional ? DeviceRatios::proportional(problem.cluster) : DeviceRatios::even(problem.cluster);
        const Result<SimTime> time = simulation->programTime(problem, *baseline, std::vector<DeviceRatios>(static_cast<std::size_t>(problem.segments), ratios), stop);
        if (!time)
            return time.error();
        (proportional ? times.dataParallelProportional : times.dataParallelEven) = wholeNanoseconds(time.value());
    }
    times.reason = "The simulation reduces gradients beside the backward pass, shares whole elements and lets devices wait only for each other's collectives; the estimate adds up the slowest device of every instruction";
    for (const auto& baseline : {times.dataParallelEven, times.dataParallelProportional}) {
        if (baseline && *baseline < *times.program) {
            times.reason += ". Data parallel is faster in the simulation: its gradients hide behind the backward pass, which the estimate charges in full";
            break;
        }
    }
    return times;
}

void run(const PlaceFlags& flags, Session& session)
{
    const int bound = indexOf(flags.heuristic, {"none", "bound"});
    if (bound < 0)
        return session.fail(usageError("\"" + flags.heuristic + "\" is no heuristic", "--heuristic", "none or bound"));
    const std::string_view kinds[] = {inputKindText(InputKind::PlaceFile)};
    const FileWanted wanted{"a file with a section place", kinds};
    const Result<YamlDocument> document = placeDocument(flags, session.stopToken());
    if (!document)
        return session.fail(withKindNamed(document.error(), flags.file, wanted));
    Result<PlaceFile> file = readPlaceFile(document.value(), session.stopToken());
    if (!file)
        return session.fail(withKindNamed(file.error(), flags.file, wanted));
    PlacementProblem& problem = file.value().problem;
    std::optional<ClusterSimulation> simulation;
    if (file.value().platform) {
        simulation.emplace(*file.value().platform, flags.file);
        if (const Status status = simulation->timeCollectives(problem.cluster, problem.mostBytes(), session.stopToken()); !status)
            return session.fail(status);
    }
    const SearchMethod method = flags.exhaustive ? SearchMethod::Exhaustive : bound == 1 ? SearchMethod::Bound : SearchMethod::NoBound;
    const Result<UnequalPlacement> placement = place(problem, method, session.stopToken());
    if (!placement)
        return session.fail(placement.error());
    const Result<PlacementTimes> times = timesOf(problem, placement.value(), simulation, session.stopToken());
    if (!times)
        return session.fail(times.error());
    session.print(flags.json ? placementJson(problem, placement.value(), times.value()) : placementText(problem, placement.value(), times.value()));
}

} // namespace

void addPlace(Command& program, Session& session)
{
    auto flags = std::make_shared<PlaceFlags>();
    Command& command = *program.add_subcommand("place", "The best sharded program and sharding ratios for a cluster of unequal devices (HAP)");
    command.add_option("FILE", flags->file, "A graph, a cluster and rules (manual placement)")->required();
    command.add_option("--set", flags->sets, "Replace a field of the file, e.g. place.batch=64")->type_name("PATH=VALUE")->expected(1)->take_all()->allow_extra_args(false);
    command.add_option("--heuristic", flags->heuristic, "Bound of the search: bound (least computation of the rest) or none; the cost is the same");
    command.add_flag("--exhaustive", flags->exhaustive, "Look at every program one by one (small graphs)");
    command.add_flag("--json", flags->json, "As JSON");
    command.callback([flags, &session] { run(*flags, session); });
}

} // namespace fabricscope::cli
