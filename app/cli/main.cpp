#include "app/cli/interrupt.h"
#include "app/cli/memorynet.h"
#include "app/cli/outputs.h"
#include "app/cli/runflags.h"
#include "app/cli/session.h"
#include "app/version.h"
#include "core/base/outofmemory.h"
#include "core/run/memorylimit.h"

#include <CLI/CLI.hpp>
#include <exception>
#include <memory>
#include <new>
#include <stdexcept>
#include <system_error>

namespace {

using fabricscope::Error;
using fabricscope::ErrorCode;
using fabricscope::cli::Session;

/// To the commands that do not have it among the settings of a run.
void addMemoryLimits(CLI::App& program)
{
    for (CLI::App* command : program.get_subcommands([](CLI::App*) { return true; })) {
        for (CLI::App* part : command->get_subcommands([](CLI::App*) { return true; }))
            part->fallthrough(); // `program list --memory-limit ...`: the option is that of `program`.
        if (command->get_name() == "help" || command->get_name() == "astra" || command->get_option_no_throw("--memory-limit"))
            continue;
        auto text = std::make_shared<std::string>();
        fabricscope::cli::addMemoryLimit(*command, *text, "Run");
        command->parse_complete_callback([text] {
            if (const auto limit = fabricscope::cli::applyMemoryLimit(*text); !limit)
                throw CLI::ValidationError(limit.error().text());
        });
    }
}

void runProgram(int argc, char** argv, Session& session)
{
    CLI::App program("Fabricscope: how long does a distributed training step take on a given fabric, and why?", "fabricscope-cli");
    program.set_version_flag("--version", std::string("fabricscope-cli ") + fabricscope::kVersion + " (" + fabricscope::kCommit + ')');
    program.set_help_all_flag("--help-all", "Help of all commands");
    program.require_subcommand(1);
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
    addProgram(program, session);
    addSubsets(program, session);
    addPresets(program, session);
    addExamples(program, session);
    addManual(program, session);
    program.add_subcommand("help", "This text");
    addMemoryLimits(program);
    const std::string first = argc > 1 ? argv[1] : "";
    if (first == "help")
        return session.print(program.help());
    if (!first.empty() && first[0] != '-' && program.get_subcommands([&](CLI::App* command) { return command->get_name() == first; }).empty())
        return session.fail(Error{ErrorCode::Usage, "there is no command \"" + first + "\"; fabricscope-cli help lists them", {}, {}});
    try {
        program.parse(argc, argv);
    } catch (const CLI::CallForHelp&) {
        session.print(program.help());
    } catch (const CLI::CallForAllHelp&) {
        session.print(program.help("", CLI::AppFormatMode::All));
    } catch (const CLI::CallForVersion& version) {
        session.print(std::string(version.what()) + '\n');
    } catch (const CLI::ParseError& error) {
        session.fail(Error{ErrorCode::Usage, error.what(), {}, {}});
        session.say("Run fabricscope-cli with --help for what it understands.");
    }
}

void runCommand(int argc, char** argv, Session& session)
{
    fabricscope::enforceDefaultMemoryLimit();
    const std::vector<std::string> arguments(argv + 1, argv + argc);
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
    Session session(interrupt, outputs);
    try {
        runCommand(argc, argv, session);
    } catch (const std::bad_alloc&) {
        session.failForMemory();
    } catch (const std::length_error&) {
        session.failForMemory();
    } catch (const std::system_error& error) {
        if (fabricscope::isOutOfMemory(error))
            session.failForMemory();
        else
            session.fail(Error{ErrorCode::Internal, error.what(), {}, {}});
    } catch (const std::exception& error) {
        session.fail(Error{ErrorCode::Internal, error.what(), {}, {}});
    }
    session.finish();
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
        return exitCode(ErrorCode::MemoryLimit);
    }
}
