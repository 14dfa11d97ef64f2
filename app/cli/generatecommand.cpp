// fabricscope-cli generate: the workload of a design as Chakra traces and communicator groups.
#include "app/cli/commandline.h"
#include "app/cli/fieldsets.h"
#include "app/cli/filekinds.h"
#include "app/cli/outputs.h"
#include "app/cli/session.h"
#include "app/cli/runflags.h"
#include "core/base/files/textfile.h"
#include "core/base/placeof.h"
#include "core/base/stop.h"
#include "core/choose/choose.h"
#include "core/design/file/readdesign.h"
#include "core/design/loadworkload.h"
#include "core/plan/sharded/devicetasks.h"
#include "core/report/jsonwriter.h"
#include "core/report/outputfile.h"
#include "core/run/goalexport.h"
#include "core/sharding/partition/partition.h"
#include "core/workload/exportedtraces.h"

#include <memory>
#include <optional>

namespace fabricscope::cli {

namespace {

struct GenerateFlags {
    std::string design;
    std::string out;
    std::vector<std::string> sets;
    bool overlap = false;
    bool json = false;
};

/// Of a file with a section `shard`: its devices are the ranks; nothing of a platform is needed.
Result<WorkloadPtr> workloadOfShard(const GenerateFlags& flags, const std::string& text, const std::vector<FieldOverride>& changes, Session& session)
{
    std::vector<std::pair<std::string, std::string>> overrides;
    for (const FieldOverride& change : changes)
        overrides.emplace_back(change.path, change.value);
    const Result<ShardProblem> problem = readShardText(text, flags.design, overrides, session.stopToken());
    if (!problem)
        return problem.error();
    const Result<ShardPlan> plan = partition(problem.value(), session.stopToken());
    if (!plan)
        return plan.error();
    Result<ShardedWorkload> lowered = lowerSharding(plan.value().program, {flags.overlap}, session.stopToken());
    if (!lowered)
        return lowered.error();
    return std::move(lowered).value().workload;
}

/// The workload of a design that could be run.
Result<LoadedWorkload> workloadOf(const Design& design, Session& session)
{
    for (const Diagnostic& found : validate(design, session.stopToken())) {
        if (found.severity == Severity::Error)
            return toError(found);
    }
    const Result<Platform> platform = Platform::create(*design.platform, session.stopToken());
    if (!platform)
        return platform.error();
    return loadWorkload(design, platform.value(), 1, session.stopToken());
}

/// Nothing where the design has errors, which are said then.
std::optional<Result<WorkloadPtr>> workloadNamed(const GenerateFlags& flags, const std::vector<FieldOverride>& changes, Session& session)
{
    if (const Result<std::string> text = readTextFile(flags.design); text && isShardText(text.value()))
        return workloadOfShard(flags, text.value(), changes, session);
    if (flags.overlap)
        return Result<WorkloadPtr>(usageError("only a sharded graph has steps that could overlap", "--overlap", "a file with a section shard"));
    const Result<LoadedDesign> loaded = readDesignOnly(flags.design, changes, session.stopToken());
    if (!loaded)
        return Result<WorkloadPtr>(loaded.error());
    if (session.failOn(loaded.value().diagnostics))
        return std::nullopt;
    Result<LoadedWorkload> workload = workloadOf(loaded.value().design, session);
    if (!workload)
        return Result<WorkloadPtr>(workload.error());
    return Result<WorkloadPtr>(std::move(workload).value().workload);
}

std::string generatedText(const GenerateFlags& flags, const Workload& workload, const std::string& groups)
{
    const std::string last = std::to_string(workload.rankCount - 1);
    std::string out = std::to_string(workload.taskCount()) + " nodes of " + workload.source + " in " + flags.out + ".0.et to " + flags.out + '.' + last + ".et\n";
    return groups.empty() ? out : out + "groups in " + groups + '\n';
}

std::string generatedJson(const std::string& prefix, std::int64_t ranks, std::int64_t classes, std::int64_t nodes, const std::string& groups)
{
    JsonWriter out;
    out.beginObject();
    out.key("schema");
    out.integer(1);
    out.key("result");
    out.beginObject();
    out.member("prefix", prefix);
    out.key("ranks");
    out.integer(ranks);
    out.key("classes");
    out.integer(classes);
    out.key("nodes");
    out.integer(nodes);
    out.key("comm_groups");
    if (groups.empty())
        out.null();
    else
        out.string(groups);
    out.endObject();
    out.endObject();
    return out.text() + '\n';
}

/// The whole run of a design as messages, in one file.
void runGoal(const GenerateFlags& flags, const std::vector<FieldOverride>& changes, Session& session)
{
    if (flags.overlap)
        return session.fail(usageError("a schedule is made of a design, whose steps wait for what it says", "--overlap", "a PREFIX of traces"));
    const Result<LoadedDesign> loaded = readDesignOnly(flags.design, changes, session.stopToken());
    if (!loaded)
        return session.fail(loaded.error());
    if (session.failOn(loaded.value().diagnostics))
        return;
    Result<ScenarioPtr> scenario = prepareChosen(loaded.value().design, 1, session.stopToken());
    if (!scenario)
        return session.fail(scenario.error());
    if (Status status = claimOutputs(session, {{"--out", flags.out}}, {{"DESIGN", flags.design}}, false); !status)
        return session.fail(status);
    Diagnostics notes;
    const Result<GoalSchedule> schedule = goalOf(*scenario.value(), notes, session.stopToken());
    if (!schedule)
        return session.fail(schedule.error());
    for (const Diagnostic& entry : notes)
        session.say(entry.text());
    const Result<std::string> text = untilStopped([&] { return Result<std::string>(goalText(schedule.value(), session.stopToken())); });
    if (!text)
        return session.fail(text.error());
    if (Status status = writeOutputFile(flags.out, text.value(), session.outputs()); !status)
        return session.fail(status);
    std::int64_t operations = 0;
    for (const GoalRank& rank : schedule.value().ranks)
        operations += static_cast<std::int64_t>(rank.ops.size());
    const auto ranks = static_cast<std::int64_t>(schedule.value().ranks.size());
    session.print(flags.json ? generatedJson(flags.out, ranks, ranks, operations, {})
                             : std::to_string(operations) + " operations of " + scenario.value()->structure->workload->source + " in " + flags.out + '\n');
}

void runGenerate(const GenerateFlags& flags, Session& session)
{
    const Result<std::vector<FieldOverride>> changes = overridesOf(flags.sets, "workload.plan.pipeline.schedule=zb_h1");
    if (!changes)
        return session.fail(changes.error());
    if (flags.out.ends_with(".goal"))
        return runGoal(flags, changes.value(), session);
    if (const Status status = checkPrefix("--out", flags.out); !status)
        return session.fail(status);
    const std::optional<Result<WorkloadPtr>> workload = workloadNamed(flags, changes.value(), session);
    if (!workload)
        return;
    if (!*workload)
        return session.fail(workload->error());
    const Workload& graphs = *workload->value();
    if (graphs.taskCount() > ExportedTraces::kMostNodes)
        return session.fail(invalidInput("traces of " + std::to_string(graphs.taskCount()) + " nodes", placeOfFile(flags.design), "at most " + std::to_string(ExportedTraces::kMostNodes)));
    const ExportedTraces traces(graphs);
    const std::string text = traces.groupsText();
    const std::string groups = text.empty() ? std::string() : flags.out + ".json";
    if (Status status = claimOutputs(session, {{"--out", flags.out + ".0.et"}, {"--out", flags.out + ".json"}}, {{"DESIGN", flags.design}}, false); !status)
        return session.fail(status);
    for (const Diagnostic& entry : traces.notes())
        session.say(entry.text());
    if (Status status = traces.write(flags.out, session.outputs(), session.stopToken()); !status)
        return session.fail(status);
    if (!text.empty()) {
        if (Status status = writeOutputFile(groups, text, session.outputs()); !status)
            return session.fail(status);
    }
    session.print(flags.json ? generatedJson(flags.out, graphs.rankCount, static_cast<std::int64_t>(graphs.graphs.size()), graphs.taskCount(), groups) : generatedText(flags, graphs, groups));
}

} // namespace

void addGenerate(Command& program, Session& session)
{
    auto flags = std::make_shared<GenerateFlags>();
    Command& command = *program.add_subcommand("generate", "The workload of a design as Chakra traces, one per rank, and communicator groups, or as a schedule in GOAL");
    command.add_option("DESIGN", flags->design, "Design file, or a file with a section shard (YAML)")->required();
    command.add_option("--out", flags->out, "PREFIX: writes PREFIX.0.et, PREFIX.1.et, ... and, where collectives have groups, PREFIX.json; FILE.goal: one schedule in GOAL, collectives as messages")->required();
    command.add_option("--set", flags->sets, "Replace a field of the design, e.g. workload.plan.pipeline.schedule=zb_h1")->take_all()->expected(1)->allow_extra_args(false);
    command.add_flag("--overlap", flags->overlap, "Of a sharded graph: steps wait for what they use alone, not for the step before them");
    command.add_flag("--json", flags->json, "What was written, as JSON");
    command.callback([flags, &session] { runGenerate(*flags, session); });
}

} // namespace fabricscope::cli
