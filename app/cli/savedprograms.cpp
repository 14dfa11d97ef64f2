#include "app/cli/savedprograms.h"

#include "app/cli/runflags.h"
#include "core/base/files/outputtarget.h"
#include "core/base/quantity.h"

namespace fabricscope::cli {

Result<std::int64_t> readSize(const std::string& text)
{
    if (text.empty())
        return std::int64_t{-1};
    const auto quantity = parseQuantity(text, Measure::Size);
    if (!quantity)
        return usageError(quantity.error().message, "--size", "a size with its unit, as 64MiB");
    if (const Status status = checkOption(quantity.value(), Meaning::Data, "--size"); !status)
        return status.error();
    if (quantity.value().value == 0)
        return usageError("there is nothing to send", "--size", "at least 1 B");
    return toBytes(quantity.value()).value;
}

Result<Diagnostics> writeProgramTo(const ProgramPtr& program, const std::string& out, const std::string& to, const ProgramWriteOptions& options)
{
    for (const ProgramFormRow& row : kProgramForms) {
        const bool named = streamOf(out) >= 0 ? row.form == ProgramForm::Json : out.ends_with(row.ending);
        const bool byEnding = to.empty() && row.form != ProgramForm::Graphs && named;
        if (row.written && (byEnding || to == row.key))
            return writeProgramAs(row.form, program, out, options);
    }
    return Error{ErrorCode::Usage, "the ending of " + out + " names no form of a program", {{}, 0, 0, -1, "OUT", -1, -1, false}, ".xml, .json, or --to et with a prefix"};
}

Status writeProgram(const ProgramPtr& program, const std::string& out, Session& session)
{
    const Result<Diagnostics> notes = writeProgramTo(program, out, {}, {-1, false, 1, session.outputs(), session.stopToken()});
    if (!notes)
        return notes.error();
    for (const Diagnostic& note : notes.value())
        session.say(note.text());
    return {};
}

} // namespace fabricscope::cli
