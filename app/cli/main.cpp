#include "app/cli/commandset.h"
#include "app/cli/interrupt.h"
#include "app/cli/memorynet.h"
#include "app/cli/outputs.h"
#include "app/cli/session.h"
#include "app/cli/standardinput.h"
#include "app/version.h"
#include "core/base/outofmemory.h"
#include "core/base/stop.h"
#include "core/run/memorylimit.h"

#include <memory>
#include <new>

namespace {

using fabricscope::Error;
using fabricscope::ErrorCode;
using fabricscope::Status;
using fabricscope::cli::Command;
using fabricscope::cli::Session;

/// "g++ 12.2.0, assertions on".
std::string builtBy()
{
#ifdef __clang__
    std::string by = "clang++ " __clang_version__;
#else
    std::string by = "g++ " __VERSION__;
#endif
    while (by.ends_with(' '))
        by.pop_back();
#ifdef NDEBUG
    return by + ", assertions off";
#else
    return by + ", assertions on";
#endif
}

/// To the commands that do not have it among the settings of a run.
void addMemoryLimits(Command& program)
{
    program.addToOthers("--memory-limit", [](Command& command) {
        auto text = std::make_shared<std::string>();
        fabricscope::cli::addMemoryLimit(command, *text, "Run");
        return [text]() -> Status {
            const auto limit = fabricscope::cli::applyMemoryLimit(*text);
            return limit ? Status() : Status(limit.error());
        };
    });
}

/// To all commands: understood before the line is (runCommand()).
void addQuiet(Command& program)
{
    program.addToOthers("--quiet", [](Command& command) {
        auto quiet = std::make_shared<bool>(false);
        command.add_flag("--quiet", *quiet, "Say errors only: no warnings, notes or progress")->group("Run");
        return [quiet]() -> Status { return {}; };
    });
}

void runProgram(int argc, char** argv, Session& session)
{
    Command program("Fabricscope: how long does a distributed training step take on a given fabric, and why?", "fabricscope-cli");
    program.setProgramFlags(std::string("fabricscope-cli ") + fabricscope::kVersion + " (" + fabricscope::kCommit + ")\n" + builtBy());
    program.footer("Exit codes: 0 done; 1 lint errors, or warnings with --strict; 2 refused input or usage; 3 the simulation cannot finish;\n"
                   "4 cancelled; 5 output not writable; 6 over the memory limit; 70 a bug of Fabricscope.");
    addSimulate(program, session);
    addCollective(program, session);
    addAstra(program, session);
    addStep(program, session);
    addSynthesize(program, session);
    addTune(program, session);
    addVerify(program, session);
    addLint(program, session);
    addConvert(program, session);
    addReport(program, session);
    addCompare(program, session);
    addExplain(program, session);
    addPlan(program, session);
    addStudy(program, session);
    addGenerate(program, session);
    addValidate(program, session);
    addCalibrate(program, session);
    addProgram(program, session);
    addSubsets(program, session);
    addFabric(program, session);
    addModel(program, session);
    addPlace(program, session);
    addShard(program, session);
    addTransform(program, session);
    addPresets(program, session);
    addExamples(program, session);
    addManual(program, session);
    addSchema(program, session);
    addServe(program, session);
    addCompletion(program, session);
    program.add_subcommand("help", "This text");
    addMemoryLimits(program);
    addQuiet(program);
    const std::string first = argc > 1 ? argv[1] : "";
    if (first == "help")
        return session.print(program.help());
    if (!first.empty() && first[0] != '-' && !program.hasSubcommand(first))
        return session.fail(Error{ErrorCode::Usage, "there is no command \"" + first + "\"; fabricscope-cli help lists them", {}, {}});
    const auto text = program.parse(argc, argv);
    if (text)
        return session.print(text.value());
    session.fail(text.error());
    session.say("Run fabricscope-cli with --help for what it understands.");
}

void runCommand(int argc, char** argv, Session& session)
{
    fabricscope::enforceDefaultMemoryLimit();
    const std::vector<std::string> arguments(argv + 1, argv + argc);
    // Before options are read: what is wrong with them is said so too.
    const auto has = [&](std::string_view option) { return std::find(arguments.begin(), arguments.end(), option) != arguments.end(); };
    if (has("--json"))
        session.answerAsJson();
    if (has("--quiet"))
        session.beQuiet();
    if (const Status status = fabricscope::cli::keepStandardInput(arguments); !status)
        return session.fail(status);
    if (fabricscope::cli::isAstraProgramName(argv[0]))
        fabricscope::cli::runAstra(argv[0], arguments, session);
    else if (!arguments.empty() && arguments[0] == "astra" && (arguments.size() < 2 || arguments[1] != "--help"))
        fabricscope::cli::runAstra(argv[0], {arguments.begin() + 1, arguments.end()}, session);
    else
        runProgram(argc, argv, session);
}

int runSession(int argc, char** argv)
{
    fabricscope::cli::guardStreams();
    const auto outputs = std::make_shared<fabricscope::OutputFiles>();
    fabricscope::cli::Interrupt interrupt(outputs);
    fabricscope::cli::Session session(interrupt.token(), outputs, fabricscope::cli::streamsOfProgram(interrupt));
    fabricscope::enforceDefaultMemoryLimit();
    fabricscope::cli::runArguments({argv, argv + argc}, session);
    return session.exit();
}

} // namespace

int main(int argc, char** argv)
{
    fabricscope::cli::spreadMemoryNet();
    try {
        return runSession(argc, argv);
    } catch (const std::bad_alloc&) {
        fabricscope::cli::sayOutOfMemory();
        return fabricscope::exitCode(fabricscope::ErrorCode::MemoryLimit);
    }
}
