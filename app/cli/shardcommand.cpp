// fabricscope-cli shard: an op graph over a mesh of devices.
#include "app/cli/commandline.h"
#include "app/cli/fieldsets.h"
#include "app/cli/filekinds.h"
#include "app/cli/output/shardoutput.h"
#include "app/cli/runflags.h"
#include "app/cli/session.h"
#include "core/base/files/textfile.h"
#include "core/run/inputkind.h"
#include "core/sharding/execute/prove.h"
#include "core/sharding/execute/reducedrun.h"
#include "core/sharding/partition/partition.h"
#include "core/sharding/stablehlo/readstablehlo.h"

#include <memory>

namespace fabricscope::cli {

namespace {

struct ShardFlags {
    std::string file;
    std::vector<std::string> sets;
    std::string platform;
    bool run = false;
    bool simulate = false;
    bool overlap = false;
    bool json = false;
};

Status simulateInto(const ShardFlags& flags, ShardAnswer& answer, Session& session)
{
    const Result<Design> platform = platformNamed(flags.platform, session.stopToken());
    if (!platform)
        return platform.error();
    const ShardLowering how{flags.overlap};
    Result<ShardTimes> times = simulateSharding(platform.value(), answer.plan->program, how, session.stopToken());
    if (!times)
        return times.error();
    answer.times = std::move(times).value();
    for (const Diagnostic& found : answer.times->record.diagnostics) {
        if (found.severity != Severity::Note)
            session.say(found.text());
    }
    Result<std::vector<ShardRemoval>> removals = shardRemovals(platform.value(), *answer.problem, *answer.plan, *answer.times, how, 5, session.stopToken());
    if (!removals)
        return removals.error();
    answer.removals = std::move(removals).value();
    return {};
}

Result<ShardProblem> problemOf(const ShardFlags& flags, Session& session)
{
    const Result<std::vector<FieldOverride>> sets = overridesOf(flags.sets, "mesh.x=8");
    if (!sets)
        return sets.error();
    std::vector<std::pair<std::string, std::string>> overrides;
    for (const FieldOverride& set : sets.value())
        overrides.emplace_back(set.path, set.value);
    const Result<std::string> text = readTextFile(flags.file);
    Result<ShardProblem> problem = !text ? Result<ShardProblem>(text.error()) : readShardInput(text.value(), flags.file, overrides, session.stopToken());
    if (problem)
        return problem;
    const std::string_view kinds[] = {inputKindText(InputKind::ShardFile), inputKindText(InputKind::StableHlo)};
    return withKindNamed(std::move(problem).error(), flags.file, {"a file with a section shard, or a StableHLO program", kinds});
}

/// Executes both sides, on smaller dims where those of the file are too large.
Result<ShardProof> proofOf(const ShardProblem& problem, const ShardPlan& plan, Session& session)
{
    std::optional<ReducedShard> reduced;
    if (!checkExecutable(plan.program)) {
        Result<ReducedShard> made = reducedShard(problem, plan, {}, session.stopToken());
        if (!made)
            return made.error();
        reduced = std::move(made).value();
    }
    const PartitionedProgram& program = reduced ? reduced->plan.program : plan.program;
    const Result<ExecutionProof> run = proveByExecution(reduced ? reduced->problem.graph : problem.graph, program, session.stopToken());
    if (!run)
        return run.error();
    if (run.value().difference)
        session.say("whole and partitioned differ: " + run.value().difference->text(program));
    ShardProof proof{run.value().equal(), {}};
    for (const TensorId input : reduced ? reduced->inputs : std::vector<TensorId>{})
        proof.reduced.push_back({problem.graph.tensor(input).name, problem.graph.tensor(input).shape, reduced->problem.graph.tensor(input).shape});
    return proof;
}

void runShard(const ShardFlags& flags, Session& session)
{
    if (flags.simulate == flags.platform.empty())
        return session.fail(usageError(flags.simulate ? "nothing says where it runs" : "a platform is given and nothing is simulated", flags.simulate ? "--platform" : "--simulate", "--simulate --platform NAME"));
    if (flags.overlap && !flags.simulate)
        return session.fail(usageError("nothing is simulated", "--overlap", "--simulate --platform NAME"));
    const Result<ShardProblem> problem = problemOf(flags, session);
    if (!problem)
        return session.fail(problem.error());
    for (const Diagnostic& note : problem.value().notes)
        session.say(note.text());
    const Result<ShardPlan> plan = partition(problem.value(), session.stopToken());
    if (!plan)
        return session.fail(plan.error());
    ShardAnswer answer{&problem.value(), &plan.value(), {}, {}, {}};
    if (flags.run) {
        Result<ShardProof> run = proofOf(problem.value(), plan.value(), session);
        if (!run)
            return session.fail(run.error());
        answer.proof = std::move(run).value();
    }
    if (flags.simulate) {
        if (Status status = simulateInto(flags, answer, session); !status)
            return session.fail(status);
    }
    session.print(flags.json ? shardJson(answer, session.stopToken()) : shardText(answer));
    if (answer.proof && !answer.proof->equal)
        session.setExit(1);
}

} // namespace

void addShard(Command& program, Session& session)
{
    auto flags = std::make_shared<ShardFlags>();
    Command& command = *program.add_subcommand("shard", "Shard an op graph over a mesh of devices: shardings, collectives and their bytes");
    command.add_option("FILE", flags->file, "File with a section `shard` (YAML), or a StableHLO program (MLIR text)")->required();
    command.add_option("--set", flags->sets, "Replace a field of the file, e.g. mesh.x=8 or options.backward=true")->take_all()->expected(1)->allow_extra_args(false);
    command.add_flag("--run", flags->run, "Execute the graph whole and partitioned on small integers and compare (exit code 1: they differ)");
    command.add_flag("--simulate", flags->simulate, "Simulate the program of all devices: times of the step and its collectives, and what would remove the slowest");
    command.add_option("--platform", flags->platform, "With --simulate: a preset or a design whose NPUs and network it runs on, device r on NPU r");
    command.add_flag("--overlap", flags->overlap, "With --simulate: collectives run beside computations, as the data allows; else in the order of the program");
    command.add_flag("--json", flags->json, "As JSON");
    command.callback([flags, &session] { runShard(*flags, session); });
}

} // namespace fabricscope::cli
