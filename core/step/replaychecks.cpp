#include "core/step/replaychecks.h"

#include "core/formats/programload.h"
#include "core/generate/generate.h"
#include "core/programio/mscclwriter.h"
#include "core/verify/verify.h"

#include <algorithm>

namespace fabricscope {

namespace {

std::string withExpected(const std::string& message, const std::string& expected)
{
    return expected.empty() ? message : message + " (expected " + expected + ")";
}

ProgramIssue issueOf(const Diagnostic& diagnostic)
{
    ProgramIssue issue;
    issue.severity = diagnostic.severity;
    issue.rule = diagnostic.rule;
    issue.message = withExpected(diagnostic.message, diagnostic.expected);
    issue.line = diagnostic.place.line;
    return issue;
}

void addError(CheckedProgram& checked, const Error& error)
{
    if (error.code == ErrorCode::Cancelled) {
        checked.cancelled = true;
        return;
    }
    checked.outOfMemory = checked.outOfMemory || error.code == ErrorCode::MemoryLimit;
    ProgramIssue& issue = checked.issues.emplace_back();
    // Where no line is known the key says where.
    const bool byKey = error.place.line == 0 && !error.place.field.empty();
    issue.message = (byKey ? error.place.field + ": " : std::string()) + withExpected(error.message, error.expected);
    issue.line = error.place.line;
}

void compile(CheckedProgram& checked, std::string_view text, const std::string& name, const std::stop_token& stop)
{
    Diagnostics findings;
    Result<LoadedProgram> loaded = parseProgram(programFormOfText(text), std::string(text), name, findings, {{}, stop});
    for (const Diagnostic& diagnostic : findings)
        checked.issues.push_back(issueOf(diagnostic));
    if (!loaded)
        return addError(checked, loaded.error());
    checked.program = std::move(loaded.value().program);
    const std::vector<ScriptParameter>& parameters = loaded.value().parameters;
    checked.asksForRanks = std::any_of(parameters.begin(), parameters.end(), [](const ScriptParameter& parameter) { return parameter.name == "ranks"; });
}

/// The line the first operation of a finding that has one was written on.
int lineOf(const Program& program, const std::vector<std::uint32_t>& operations)
{
    if (program.isTemplate())
        return 0;
    for (const std::uint32_t operation : operations) {
        if (const std::uint64_t line = program.asExplicit().sourceIdOf(operation); line > 0)
            return static_cast<int>(std::min<std::uint64_t>(line, INT32_MAX));
    }
    return 0;
}

void addVerification(CheckedProgram& checked, const std::stop_token& stop, const std::function<void(double)>& progress)
{
    VerifyOptions options;
    options.slotCounts = {1, 2, 8};
    options.stop = stop;
    options.progress = progress;
    const Verification verification = verify(*checked.program, options);
    if (verification.cancelled) {
        checked.cancelled = true;
        return;
    }
    checked.verified = true;
    checked.postcondition = postconditionKey(verification.postcondition);
    checked.minimumSlots = verification.minimumSlots;
    checked.wastedTransfers = verification.wastedTransfers;
    checked.worksInPlace = verification.worksInPlace;
    checked.worksOutOfPlace = verification.worksOutOfPlace;
    for (const VerifyFinding& found : verification.findings) {
        ProgramIssue& issue = checked.issues.emplace_back();
        issue.severity = found.severity;
        issue.rule = found.rule;
        issue.message = found.message;
        issue.line = lineOf(*checked.program, found.operations);
        issue.operations = found.operations;
    }
}

} // namespace

std::size_t CheckedProgram::errors() const
{
    return static_cast<std::size_t>(std::count_if(issues.begin(), issues.end(), [](const ProgramIssue& issue) { return issue.severity == Severity::Error; }));
}

Result<std::string> programXml(const ProgramPtr& program, const std::stop_token& stop)
{
    Result<ProgramPtr> expanded = expandTemplate(program, stop);
    if (!expanded)
        return std::move(expanded).error();
    Result<MscclText> written = writeMsccl(expanded.value(), {false, stop});
    if (!written)
        return std::move(written).error();
    return std::move(written).value().text;
}

CheckedProgram checkProgramText(std::string_view text, const std::string& name, std::stop_token stop, bool verifies, std::int64_t memoryLimit,
                                const std::function<void(double)>& progress)
{
    CheckedProgram checked;
    compile(checked, text, name, stop);
    if (checked.cancelled || stop.stop_requested()) {
        checked.cancelled = true;
        return checked;
    }
    if (checked.program) {
        if (verifies)
            addVerification(checked, stop, progress);
        ProgramPtr shown = checked.program;
        if (shown->isTemplate()) {
            if (Result<ProgramPtr> expanded = expandTemplate(shown, stop))
                shown = std::move(expanded).value();
        }
        ProgramReplayOptions options;
        options.memoryLimit = memoryLimit;
        options.stop = stop;
        auto replay = ProgramReplay::create(shown, options);
        if (replay)
            checked.replay = std::move(replay).value();
        else if (replay.error().code == ErrorCode::Cancelled)
            checked.cancelled = true;
        else
            checked.replayNote = replay.error().text();
        checked.outOfMemory = checked.outOfMemory || (!replay && replay.error().code == ErrorCode::MemoryLimit);
    }
    std::stable_sort(checked.issues.begin(), checked.issues.end(), [](const ProgramIssue& a, const ProgramIssue& b) {
        return a.severity != b.severity ? a.severity > b.severity : a.line < b.line;
    });
    return checked;
}

} // namespace fabricscope
