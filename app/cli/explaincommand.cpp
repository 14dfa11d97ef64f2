// fabricscope-cli explain: why a run, or a part of it, takes as long as it takes.
#include "app/cli/commandline.h"
#include "app/cli/fieldsets.h"
#include "app/cli/filekinds.h"
#include "app/cli/runflags.h"
#include "core/base/files/textfile.h"
#include "core/base/stop.h"
#include "core/design/file/readdesign.h"
#include "core/design/modelversions.h"
#include "core/insight/explaintext.h"
#include "core/report/runfile.h"

#include <memory>

namespace fabricscope::cli {

namespace {

struct ExplainFlags {
    std::string input;
    std::vector<std::string> sets;
    std::int64_t node = -1;
    std::int32_t collective = -1;
    std::int32_t chunk = -1;
    std::int32_t rank = -1;
    bool confirm = false;
    bool ranges = false;
    bool tree = false;
    RunFlags run;
};

/// A design to explain, and what it was read from.
struct ExplainedInput {
    LoadedDesign loaded;
    std::string text;
    std::string file;
    std::vector<FieldOverride> sets;
    std::uint64_t seed = 0;            ///< Of a saved run.
    std::optional<SimTime> finish;     ///< Likewise.
};

Result<ExplainedInput> readInput(const ExplainFlags& flags, const std::stop_token& stop)
{
    static constexpr std::string_view kKinds[] = {"a saved run", "a design"};
    const FileWanted wanted{"a run (simulate --save) or a design", kKinds};
    const Result<std::string> text = readTextFile(flags.input, kMaxRunBytes);
    if (!text)
        return withKindNamed(text.error(), flags.input, wanted);
    Result<std::vector<FieldOverride>> sets = overridesOf(flags.sets, "platform.dimensions.0.bandwidth=\"100 GB/s\"");
    if (!sets)
        return std::move(sets).error();
    ExplainedInput input{{}, text.value(), flags.input, std::move(sets).value(), 0, std::nullopt};
    if (looksLikeRunFile(text.value())) {
        const Result<SavedRun> saved = readRunText(text.value(), flags.input, stop);
        if (!saved)
            return saved.error();
        const RunSummary& summary = saved.value().summary;
        if (summary.designText.empty()) {
            Error error = invalidInput("the run has no design to simulate again", {}, "a run of simulate --save");
            error.place.file = flags.input;
            return error;
        }
        input.text = summary.designText;
        input.file = summary.designFile;
        input.seed = summary.seed;
        if (input.sets.empty())
            input.finish = summary.record->finish;
    }
    Result<LoadedDesign> loaded = readDesignText(input.text, input.file, input.sets, stop);
    if (!loaded)
        return withKindNamed(loaded.error(), flags.input, wanted);
    input.loaded = std::move(loaded).value();
    return input;
}

/// Only one part can be explained at a time.
Status checkSubject(const ExplainFlags& flags, const Command& command)
{
    if (command.isGiven("--node") && command.isGiven("--collective"))
        return usageError("a node and a collective are two things", "--collective", "--node N or --collective N");
    if (command.isGiven("--collective") && command.isGiven("--rank"))
        return usageError("a collective is explained on all its ranks", "--rank", "--collective N without --rank, or --node N --rank R");
    if (command.isGiven("--chunk") && !command.isGiven("--collective"))
        return usageError("a chunk is one of a collective", "--chunk", "--collective N with it");
    if (flags.ranges && (command.isGiven("--node") || command.isGiven("--collective") || command.isGiven("--rank")))
        return usageError("ranges are those of the whole run", "--ranges", "--ranges without --node, --collective and --rank");
    for (const auto& [name, value] : {std::pair{"--node", flags.node}, {"--collective", std::int64_t{flags.collective}}, {"--chunk", std::int64_t{flags.chunk}}, {"--rank", std::int64_t{flags.rank}}}) {
        if (command.isGiven(name) && value < 0)
            return usageError(std::to_string(value) + " is no number of one", name, "0 or more");
    }
    return {};
}

void run(const ExplainFlags& flags, const Command& command, Session& session)
{
    if (const Status status = checkSubject(flags, command); !status)
        return session.fail(status);
    const Result<RunRequest> request = understand(flags.run, session);
    if (!request)
        return session.fail(request.error());
    Result<ExplainedInput> read = readInput(flags, session.stopToken());
    if (!read)
        return session.fail(read.error());
    ExplainedInput& input = read.value();
    Design& design = input.loaded.design;
    if (request.value().model && *request.value().model != design.model.model) {
        design.model.model = *request.value().model;
        design.model.version = versionFor(design.model.model, design.model.version);
        input.finish = std::nullopt;
    }
    if (session.failOn(input.loaded.diagnostics) || session.failOn(validate(design, session.stopToken())))
        return;
    ExplainSubject subject;
    if (command.isGiven("--node"))
        subject.node = static_cast<std::uint64_t>(flags.node);
    if (command.isGiven("--collective"))
        subject.collective = flags.collective;
    if (command.isGiven("--chunk"))
        subject.chunk = flags.chunk;
    if (command.isGiven("--rank"))
        subject.rank = flags.rank;
    ExplainOptions options;
    options.engine = request.value().engine;
    options.seed = request.value().seed != 0 ? request.value().seed : input.seed;
    options.threads = request.value().threads;
    options.memoryLimit = request.value().memoryLimit;
    options.confirm = flags.confirm;
    options.ranges = flags.ranges;
    options.accepts = [&](const std::string& path, const std::string& value) {
        std::vector<FieldOverride> sets = input.sets;
        sets.push_back({path, value});
        return static_cast<bool>(readDesignText(input.text, input.file, sets, session.stopToken()));
    };
    const Result<Explanation> explanation = explainDesign(std::make_shared<const Design>(design), input.loaded.diagnostics, subject, options, session.stopToken());
    if (!explanation)
        return session.fail(withEngineNamed(explanation.error(), request.value().engine));
    noteUnusedSeed(session, request.value(), *explanation.value().run->scenario);
    if (input.finish && request.value().seed == 0 && explanation.value().run->record().finish != *input.finish)
        session.say("warning: the run took " + showTime(*input.finish) + ", its design now takes " + showTime(explanation.value().run->record().finish) + ": files it names have changed");
    for (const std::string& text : warningsOf(explanation.value().run->summary)) {
        session.say("warning: " + text);
        if (flags.run.strict)
            session.setExit(1);
    }
    const std::stop_token stop = session.stopToken();
    session.print(flags.run.json ? explanationJson(explanation.value(), flags.tree, stop) : explanationText(explanation.value(), flags.tree, stop));
}

} // namespace

void addExplain(Command& program, Session& session)
{
    auto flags = std::make_shared<ExplainFlags>();
    Command& command = *program.add_subcommand("explain", "Why a run takes as long as it takes: its critical path, who is to blame, and what would change it");
    command.add_option("INPUT", flags->input, "A design file, or a run (simulate --save), whose design is simulated again")->required();
    command.add_option("--set", flags->sets, "Change a field of the design before the run, e.g. --set platform.dimensions.0.bandwidth=\"100 GB/s\"")->allow_extra_args(false);
    command.add_option("--node", flags->node, "Explain this task alone, by its number in the input; on --rank, or where it ends last");
    command.add_option("--collective", flags->collective, "Explain this collective alone, by its number in the list of step");
    command.add_option("--chunk", flags->chunk, "Explain this chunk of --collective alone");
    command.add_option("--rank", flags->rank, "Explain this rank, from the start of the run to its end");
    command.add_flag("--confirm", flags->confirm, "Simulate again with each of the largest parameters twice as fast");
    command.add_flag("--ranges", flags->ranges, "Find by simulating again how far each of the largest parameters may change for its sensitivity to hold");
    command.add_flag("--tree", flags->tree, "Why, level by level: collectives by phase, chunk and message, each by kind and resource");
    const std::string group = "Run";
    command.add_option("--model", flags->run.model, "Model of time (default: the design's): " + modelList("or"))->group(group);
    command.add_option("--engine", flags->run.engine, "How it is computed, the answer is the same: auto, memo, symmetry, sweep or events")->group(group);
    addSeed(command, flags->run.seed, "Seed of whatever is drawn at random")->group(group);
    command.add_option("--threads", flags->run.threads, "Threads; 0: one per core")->group(group);
    command.add_option("--memory-limit", flags->run.memoryLimit, "Stop beyond this, e.g. \"8 GiB\" (default: 60 % of the RAM)")->group(group);
    command.add_flag("--strict", flags->run.strict, "Exit code 1 when there are warnings")->group(group);
    command.add_flag("--json", flags->run.json, "The result as one JSON object")->group("Output");
    command.callback([flags, &command, &session] { run(*flags, command, session); });
}

} // namespace fabricscope::cli
