// fabricscope-cli step: the collectives of a design, or one of them step by step.
#include "app/cli/commandline.h"
#include "app/cli/filekinds.h"
#include "app/cli/runflags.h"
#include "app/cli/output/programsteps.h"
#include "app/cli/output/stepoutput.h"
#include "core/base/placeof.h"
#include "core/base/files/textfile.h"
#include "core/design/file/readdesign.h"
#include "core/planner/placeddesign.h"
#include "core/run/inputkind.h"
#include "core/run/openinput.h"
#include "core/scenario/lowering.h"
#include "core/formats/programform.h"
#include "core/step/replaychecks.h"
#include "core/design/modelversions.h"

#include <memory>

namespace fabricscope::cli {

namespace {

struct StepFlags {
    std::vector<std::string> files;
    std::int32_t instance = -1; ///< -1: list them.
    std::int32_t chunk = 0;
    std::int32_t at = -1;       ///< Programs: the state after this step; -1: the steps.
    RunFlags run;
};

/// Graphs are stepped as the traces they are.
bool isProgram(const std::string& path)
{
    const auto form = programFormOfFile(path);
    return form && *form != ProgramForm::Graphs;
}

void stepProgram(const StepFlags& flags, const RunRequest& request, Session& session)
{
    const std::string& path = flags.files.front();
    const Result<std::string> text = readTextFile(path, kMaxDocumentBytes);
    if (!text)
        return session.fail(text.error());
    const CheckedProgram checked = checkProgramText(text.value(), path, session.stopToken(), false, request.memoryLimit);
    if (checked.cancelled)
        return session.fail(Error{ErrorCode::Cancelled, "the replay was stopped", {}, {}});
    if (!checked.replay) {
        Error error{checked.outOfMemory ? ErrorCode::MemoryLimit : ErrorCode::InvalidInput, checked.replayNote, {}, {}};
        error.place.file = path;
        if (!checked.program && !checked.issues.empty()) {
            error.message = checked.issues.front().message;
            error.place.line = checked.issues.front().line;
        }
        return session.fail(error);
    }
    const std::int32_t steps = checked.replay->steps();
    if (flags.at > steps)
        return session.fail(usageError("there is no step " + std::to_string(flags.at), "--at", "0 to " + std::to_string(steps)));
    session.print(flags.run.json ? programStepsJson(checked.replay, flags.at) : programStepsText(checked.replay, flags.at));
}

/// Any inputs the window opens, but graphs to shard.
Result<LoadedDesign> load(const std::vector<std::string>& files, int threads, const std::stop_token& stop)
{
    static constexpr std::string_view kStepped[] = {"a design", programFormRow(ProgramForm::Xml).text, programFormRow(ProgramForm::Json).text, programFormRow(ProgramForm::Script).text, "a saved run", "an ASTRA-sim network file", "an ASTRA-sim system file", "an ASTRA-sim remote memory file",
                                                    "an InfraGraph document", "a topology dump of NCCL", "a topology file of ns-3", "a topology file of HTSim", "a file of communicator groups", "a Chakra trace"};
    static constexpr FileWanted kWanted{"a design, ASTRA-sim inputs and traces together, or a program", kStepped};
    for (const std::string& file : files) {
        // The window gives such a graph a platform nobody described; its steps would be those of that.
        if (fileKindText(file) == inputKindText(InputKind::ShardFile))
            return withKindNamed(invalidInput("", placeOfFile(file)), file, kWanted);
    }
    Result<OpenedInput> opened = openInputs(files, {false, threads, stop});
    if (!opened) {
        Error error = std::move(opened).error();
        for (const std::string& file : files) {
            if (files.size() == 1 || error.place.file == file)
                error = withKindNamed(std::move(error), file, kWanted);
        }
        return error;
    }
    const OpenedInput& input = opened.value();
    switch (input.kind) {
    case OpenedInput::Kind::DesignFile:
        return readDesign(input.path, {}, stop);
    case OpenedInput::Kind::DesignText:
        return readDesignText(input.text, input.folder.empty() ? input.suggestedName : input.folder + '/' + input.suggestedName, {}, stop);
    case OpenedInput::Kind::SavedRun:
        break;
    }
    Error error{ErrorCode::Unsupported, "a saved run holds no messages to step through", {}, "the design it was made of"};
    error.place.file = input.path;
    return error;
}

void list(const StepFlags& flags, const RunRequest& request, const Scenario& scenario, Session& session)
{
    if (!traitsOf(scenario.model).ownCollectives)
        return session.fail(Error{ErrorCode::Unsupported, "Stepping shows the models " + modelsWith(&ModelTraits::stepping, "and") + "; run this design under links", {}, {}});
    RunOptions options;
    options.memoryLimit = request.memoryLimit;
    const Result<RunRecord> record = simulate(scenario, options, session.stopToken());
    if (!record)
        return session.fail(record.error());
    const std::vector<InstanceRun> runs = collectivesOf(scenario, record.value(), session.stopToken());
    session.print(flags.run.json ? collectiveListJson(runs) : collectiveListText(runs));
}

void step(const StepFlags& flags, const RunRequest& request, const ScenarioPtr& scenario, Session& session)
{
    const Result<CollectiveReplayPtr> replay = CollectiveReplay::create(scenario, flags.instance, request.memoryLimit, session.stopToken());
    if (!replay) {
        Error error = replay.error();
        if (error.code == ErrorCode::InvalidInput && error.place.empty())
            error.place.field = "--instance";
        return session.fail(error);
    }
    const std::int32_t chunks = replay.value()->chunks();
    if (flags.chunk < 0 || flags.chunk >= chunks)
        return session.fail(usageError("there is no chunk " + std::to_string(flags.chunk), "--chunk", "0 to " + std::to_string(chunks - 1)));
    session.print(flags.run.json ? stepsJson(*replay.value(), flags.chunk) : stepsText(*replay.value(), flags.chunk));
}

void run(const StepFlags& flags, const Command& command, Session& session)
{
    const Result<RunRequest> request = understand(flags.run, session);
    if (!request)
        return session.fail(request.error());
    const bool one = command.isGiven("--instance");
    const bool program = flags.files.size() == 1 && isProgram(flags.files.front());
    const OptionsRead use = program ? OptionsRead{"with a program", {"--at", "--json"}}
                            : one   ? OptionsRead{"with a design", {"--instance", "--chunk", "--model", "--json"}}
                                    : OptionsRead{"without --instance", {"--model", "--json"}, "--instance N (a design) or a program (--at)"};
    if (const Status status = command.checkRead(use); !status)
        return session.fail(status);
    if (program)
        return stepProgram(flags, request.value(), session);
    Result<LoadedDesign> loaded = load(flags.files, request.value().threads, session.stopToken());
    if (!loaded)
        return session.fail(loaded.error());
    Design& design = loaded.value().design;
    if (request.value().model && *request.value().model != design.model.model) {
        design.model.model = *request.value().model;
        design.model.version = versionFor(design.model.model, design.model.version);
    }
    if (session.failOn(loaded.value().diagnostics) || session.failOn(validate(design, session.stopToken())))
        return;
    const Result<PreparedDesign> prepared = prepareToRun(design, request.value().threads, session.stopToken());
    if (!prepared)
        return session.fail(prepared.error());
    const ScenarioPtr& scenario = prepared.value().scenario;
    if (one)
        step(flags, request.value(), scenario, session);
    else
        list(flags, request.value(), *scenario, session);
}

} // namespace

void addStep(Command& program, Session& session)
{
    auto flags = std::make_shared<StepFlags>();
    Command& command = *program.add_subcommand("step", "List the collectives of a design, or show one step by step and why each move takes its time");
    command.add_option("FILES", flags->files, "A design, ASTRA-sim inputs and traces together, or a program (.lua, MSCCL XML, MSCCL++ plan, our JSON)")->required();
    command.add_option("--instance", flags->instance, "Number of the collective in the list; without it, the list");
    command.add_option("--chunk", flags->chunk, "Which chunk of it, from 0 (default 0)")->nonNegative();
    command.add_option("--at", flags->at, "Programs: who holds what after this step, and who waits; 0: at the start")->nonNegative();
    command.add_option("--model", flags->run.model, modelsWith(&ModelTraits::stepping) + " (default: the design's, else links)");
    addMemoryLimit(command, flags->run.memoryLimit, "Run");
    command.add_flag("--json", flags->run.json, "As JSON, with every move");
    command.callback([flags, &command, &session] { run(*flags, command, session); });
}

} // namespace fabricscope::cli
