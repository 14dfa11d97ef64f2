#include "app/cli/savedprograms.h"

#include "app/cli/runflags.h"
#include "core/base/quantity.h"
#include "core/base/textfile.h"
#include "core/programio/mscclxml.h"
#include "core/programio/programtext.h"
#include "core/report/outputfile.h"
#include "core/workload/customcollective.h"

#include <filesystem>

namespace fabricscope::cli {

namespace {

Result<std::optional<ProgramFile>> plain(Result<ProgramPtr> program)
{
    if (!program)
        return std::move(program).error();
    return std::optional(ProgramFile{std::move(program).value(), {}});
}

Result<std::optional<ProgramFile>> readXml(const std::string& in, const std::stop_token& stop)
{
    auto file = readMsccl(in, stop);
    if (!file)
        return std::move(file).error();
    if (!file.value().program) {
        for (const Diagnostic& found : file.value().findings) {
            if (found.severity == Severity::Error)
                return toError(found);
        }
    }
    return std::optional(ProgramFile{std::move(file.value().program), std::move(file.value().findings)});
}

} // namespace

Result<std::optional<ProgramFile>> readProgramFile(const std::string& in, const std::stop_token& stop)
{
    std::error_code ignored;
    if (!std::filesystem::is_regular_file(in, ignored)) {
        const bool graphs = std::filesystem::is_regular_file(in + ".0.et", ignored) || std::filesystem::is_regular_file(in + ".0.et.gz", ignored);
        if (graphs)
            return plain(readGraphProgram(in, 0, CollectiveOp::Custom, stop));
        return std::optional<ProgramFile>();
    }
    const auto begin = readFileHead(in, 4096);
    if (!begin)
        return begin.error();
    if (begin.value().find("<algo") != std::string::npos)
        return readXml(in, stop);
    if (!isJsonText(begin.value()))
        return std::optional<ProgramFile>();
    auto text = readTextFile(in, kMaxDocumentBytes);
    if (!text)
        return std::move(text).error();
    if (!isProgramJson(text.value()))
        return std::optional<ProgramFile>();
    Diagnostics notes;
    auto program = parseJsonProgram(std::move(text).value(), in, &notes, stop);
    if (!program)
        return std::move(program).error();
    return std::optional(ProgramFile{std::move(program).value(), std::move(notes)});
}

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
    const bool named = !to.empty();
    if (named ? to == "json" : out.ends_with(".json"))
        return writeProgramAs(ProgramForm::Json, program, out, options);
    if (named ? to == "xml" : out.ends_with(".xml"))
        return writeProgramAs(ProgramForm::Xml, program, out, options);
    if (to == "et")
        return writeProgramAs(ProgramForm::Graphs, program, out, options);
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
