#include "app/cli/shared/commandset.h"

#include "app/cli/astraflags.h"
#include "app/cli/commandline.h"
#include "app/cli/measure/calibratecommand.h"
#include "app/cli/measure/validatecommand.h"
#include "app/cli/runflags.h"
#include "app/cli/session.h"
#include "app/cli/standardinput.h"
#include "app/version.h"
#include "core/base/outofmemory.h"
#include "core/base/stop.h"

#include <algorithm>
#include <exception>
#include <memory>
#include <new>
#include <stdexcept>
#include <system_error>

namespace fabricscope::cli {

namespace {

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
void addMemoryLimits(Command& program, const Session& session)
{
    program.addToOthers("--memory-limit", [&session](Command& command) {
        auto text = std::make_shared<std::string>();
        addMemoryLimit(command, *text, "Run");
        return [text, &session]() -> Status {
            const auto limit = applyMemoryLimit(*text, session);
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

void runProgram(const std::vector<std::string>& arguments, Session& session)
{
    Command program("Fabricscope: how long does a distributed training step take on a given fabric, and why?", "fabricscope-cli");
    program.setProgramFlags(std::string("fabricscope-cli ") + kVersion + " (" + kCommit + ")\n" + builtBy());
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
    addCase(program, session);
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
    addMemoryLimits(program, session);
    addQuiet(program);
    const std::string first = arguments.size() > 1 ? arguments[1] : "";
    if (first == "help")
        return session.print(program.help());
    if (!first.empty() && first[0] != '-' && !program.hasSubcommand(first))
        return session.fail(Error{ErrorCode::Usage, "there is no command \"" + first + "\"; fabricscope-cli help lists them", {}, {}});
    const auto text = program.parse(arguments);
    if (text)
        return session.print(text.value());
    session.fail(text.error());
    session.say("Run fabricscope-cli with --help for what it understands.");
}

void runCommand(const std::vector<std::string>& arguments, Session& session)
{
    const std::string& program = arguments.front();
    const std::vector<std::string> given(arguments.begin() + 1, arguments.end());
    // Before options are read: what is wrong with them is said so too.
    const auto has = [&](std::string_view option) { return std::find(given.begin(), given.end(), option) != given.end(); };
    if (has("--json"))
        session.answerAsJson();
    if (has("--quiet"))
        session.beQuiet();
    // Standard input is the process's.
    if (const Status status = session.ownsProcess() ? keepStandardInput(given) : Status(); !status)
        return session.fail(status);
    if (isAstraProgramName(program))
        runAstra(program, given, session);
    else if (!given.empty() && given[0] == "astra" && (given.size() < 2 || given[1] != "--help"))
        runAstra(program, {given.begin() + 1, given.end()}, session);
    else
        runProgram(arguments, session);
}

} // namespace

void runArguments(const std::vector<std::string>& arguments, Session& session)
{
    try {
        runCommand(arguments, session);
    } catch (const StopRequested&) {
        session.fail(stoppedError());
    } catch (const std::bad_alloc&) {
        session.failForMemory();
    } catch (const std::length_error&) {
        session.failForMemory();
    } catch (const std::system_error& error) {
        if (isOutOfMemory(error))
            session.failForMemory();
        else
            session.fail(Error{ErrorCode::Internal, error.what(), {}, {}});
    } catch (const std::exception& error) {
        session.fail(Error{ErrorCode::Internal, error.what(), {}, {}});
    }
    session.finish();
}

} // namespace fabricscope::cli
