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
#include "core/sharding/partition/partition.h"
#include "core/sharding/stablehlo/readstablehlo.h"

#include <memory>

namespace fabricscope::cli {

namespace {

struct ShardFlags {
    std::string file;
    std::vector<std::string> sets;
    bool run = false;
    bool json = false;
};

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

void runShard(const ShardFlags& flags, Session& session)
{
    const Result<ShardProblem> problem = problemOf(flags, session);
    if (!problem)
        return session.fail(problem.error());
    for (const Diagnostic& note : problem.value().notes)
        session.say(note.text());
    const Result<ShardPlan> plan = partition(problem.value(), session.stopToken());
    if (!plan)
        return session.fail(plan.error());
    std::optional<bool> equal;
    if (flags.run) {
        const Result<ExecutionProof> proof = proveByExecution(problem.value().graph, plan.value().program, session.stopToken());
        if (!proof)
            return session.fail(proof.error());
        equal = proof.value().equal();
        if (proof.value().difference)
            session.say("whole and partitioned differ: " + proof.value().difference->text(plan.value().program));
    }
    session.print(flags.json ? shardJson(plan.value(), equal, session.stopToken()) : shardText(plan.value(), equal));
    if (equal && !*equal)
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
    command.add_flag("--json", flags->json, "As JSON");
    command.callback([flags, &session] { runShard(*flags, session); });
}

} // namespace fabricscope::cli
