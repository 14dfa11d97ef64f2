// fabricscope-cli verify: is a program of a collective right?
#include "app/cli/commandline.h"
#include "app/cli/filekinds.h"
#include "app/cli/programinput.h"
#include "app/cli/runflags.h"
#include "app/cli/values.h"
#include "app/cli/output/verifyoutput.h"
#include "core/base/showntext.h"

#include <memory>

namespace fabricscope::cli {

namespace {

struct VerifyFlags {
    ProgramSource source;
    std::vector<std::string> slotCounts;
    std::string collective;
    std::string condition;
    std::int32_t root = 0;
    bool inPlace = false;
    bool outOfPlace = false;
    bool strict = false;
    bool json = false;
};

/// The program as the options want it seen.
Result<Program> adapted(const VerifyFlags& flags, bool rootGiven, const Program& read)
{
    Program program = read;
    if (!flags.collective.empty()) {
        const auto op = collectiveNamed(flags.collective, "--collective");
        if (!op)
            return op.error();
        program.op = op.value();
    }
    if (rootGiven && !hasRoot(program.op))
        return Error{ErrorCode::Usage, "--root is not used with " + std::string(collectiveKey(program.op)) + ", which has no root", {}, "--collective broadcast, reduce, gather or scatter with it"};
    if (rootGiven) {
        if (flags.root < 0 || flags.root >= program.ranks)
            return usageError("there is no rank " + std::to_string(flags.root), "--root", "0 to " + std::to_string(program.ranks - 1));
        program.root = flags.root;
    }
    if (flags.inPlace || flags.outOfPlace) {
        program.inPlace = flags.inPlace;
        program.outOfPlace = flags.outOfPlace;
    }
    return program;
}

/// What a custom collective must do, where the options say it; else it is for the program to say (the reader of MSCCL XML guesses by its name).
Status setCondition(const std::string& condition, Program& program)
{
    if (condition.empty())
        return {};
    const bool forward = condition == "alltonext-forward";
    if (!forward && condition != "alltonext-backward")
        return usageError("there is no condition \"" + condition + "\"", "--condition", "alltonext-forward or alltonext-backward");
    if (program.op != CollectiveOp::Custom || program.ranks < 2)
        return usageError("only custom collectives of two ranks or more take a condition", "--condition", "--collective custom");
    program.conditions = std::make_shared<Conditions>(allToNext(program.ranks, program.chunks, forward));
    return {};
}

Result<std::vector<std::int32_t>> slotCountsOf(const std::vector<std::string>& texts)
{
    std::vector<std::int32_t> counts;
    for (const std::string& text : texts) {
        for (const std::string& part : commaSeparated(text)) {
            const auto count = wholeNumber<std::int32_t>(part);
            if (!count || *count < 1)
                return usageError(quotedText(text), "--slots", "how many messages a connection holds, at least 1, separated by commas: 1,2,8");
            counts.push_back(*count);
        }
    }
    return counts;
}

void run(const VerifyFlags& flags, const Command& command, Session& session)
{
    OptionsRead use{"with a file", {"--slots", "--in-place", "--out-of-place", "--collective", "--root", "--condition", "--strict", "--json"}, "the file says it; or --algorithm instead of a file"};
    if (!flags.source.algorithm.empty())
        use.names.insert(use.names.end(), {"--algorithm", "--axes", "--op", "--chunks"});
    if (const Status status = command.checkRead(use); !status && (!flags.source.file.empty() && flags.source.algorithm.empty()))
        return session.fail(status);
    const auto slotCounts = slotCountsOf(flags.slotCounts);
    if (!slotCounts)
        return session.fail(slotCounts.error());
    Result<ProgramInput> read = readProgram(flags.source, session.stopToken());
    if (!read)
        return session.fail(flags.source.file.empty() ? read.error() : withKindNamed(read.error(), flags.source.file, wantedProgram()));
    ProgramInput& input = read.value();
    VerifyReport report;
    report.hasLines = input.hasLines;
    report.program = input.program;
    if (input.program) {
        auto program = adapted(flags, command.isGiven("--root"), *input.program);
        if (!program)
            return session.fail(program.error());
        if (Status status = setCondition(flags.condition, program.value()); !status)
            return session.fail(status);
        VerifyOptions options;
        options.slotCounts = slotCounts.value();
        options.stop = session.stopToken();
        if (session.progress().isShown())
            options.progress = [&session](double share) { session.progress().tell({"verifying", share}); };
        report.program = std::make_shared<Program>(std::move(program).value());
        report.verification = verify(*report.program, options);
        if (report.verification.cancelled)
            return session.fail(Error{ErrorCode::Cancelled, "stopped", {}, {}});
    }
    report.addFindings(input.findings);
    session.print(flags.json ? report.json() : report.text());
    if (!report.isValid() || (flags.strict && report.hasWarnings()))
        session.setExit(1);
}

} // namespace

void addVerify(Command& program, Session& session)
{
    auto flags = std::make_shared<VerifyFlags>();
    Command& command = *program.add_subcommand("verify", "Check a program of a collective: structure, deadlock, races, and that the result is right");
    addProgramSource(command, flags->source);
    command.add_option("--slots", flags->slotCounts, "Also look for deadlock with so many messages per connection: 1,2,8");
    Option* const inPlace = command.add_flag("--in-place", flags->inPlace, "Check it where input and output are one memory, whatever it claims");
    command.add_flag("--out-of-place", flags->outOfPlace, "Check it where they are not, whatever it claims")->excludes(inPlace);
    command.add_option("--collective", flags->collective, "What it must do, whatever it claims: all_reduce, all_gather, ...");
    command.add_option("--root", flags->root, "Root of a broadcast, reduce, gather or scatter (default: the program's, in MSCCL XML 0)");
    command.add_option("--condition", flags->condition, "What a custom collective must do: alltonext-forward or alltonext-backward");
    command.add_flag("--strict", flags->strict, "Exit code 1 for warnings too, so when the slots of its protocol do not suffice");
    command.add_flag("--json", flags->json, "As JSON");
    command.callback([flags, &command, &session] { run(*flags, command, session); });
}

} // namespace fabricscope::cli
