#include "app/cli/programfiles.h"

#include "app/cli/runflags.h"
#include "core/base/quantity.h"
#include "core/program/onesided.h"
#include "core/programio/mscclpp.h"
#include "core/programio/mscclwriter.h"
#include "core/programio/mscclxml.h"
#include "core/programio/programjson.h"
#include "core/programio/programtraces.h"
#include "core/generate/generate.h"
#include "core/report/outputfile.h"
#include "core/scenario/programruns.h"
#include "core/workload/customcollective.h"

#include <filesystem>
#include <fstream>

namespace fabricscope::cli {

namespace {

/// The first bytes of a file.
std::string beginOf(const std::string& path)
{
    std::ifstream file(path, std::ios::binary);
    std::string out(4096, '\0');
    file.read(out.data(), static_cast<std::streamsize>(out.size()));
    out.resize(static_cast<std::size_t>(std::max<std::streamsize>(file.gcount(), 0)));
    return out;
}

Result<std::optional<ProgramFile>> plain(Result<ProgramPtr> program)
{
    if (!program)
        return std::move(program).error();
    return std::optional(ProgramFile{std::move(program).value(), {}});
}

Result<std::optional<ProgramFile>> readXml(const std::string& in)
{
    auto file = readMsccl(in);
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

Result<std::optional<ProgramFile>> readProgramFile(const std::string& in)
{
    std::error_code ignored;
    if (!std::filesystem::is_regular_file(in, ignored)) {
        const bool graphs = std::filesystem::is_regular_file(in + ".0.et", ignored) || std::filesystem::is_regular_file(in + ".0.et.gz", ignored);
        if (graphs)
            return plain(readGraphProgram(in));
        return std::optional<ProgramFile>();
    }
    const std::string begin = beginOf(in);
    if (begin.find("<algo") != std::string::npos)
        return readXml(in);
    const bool object = begin.find_first_not_of(" \t\r\n") != std::string::npos && begin[begin.find_first_not_of(" \t\r\n")] == '{';
    if (!object)
        return std::optional<ProgramFile>();
    // The key of ours may stand behind long lists, as keys are sorted: its words are looked for in the whole file.
    auto text = readInputFile(in, std::int64_t{1} << 30);
    if (!text)
        return std::move(text).error();
    if (text.value().find("\"fabricscope_program\"") != std::string::npos)
        return plain(parseProgramJson(std::move(text).value(), in));
    if (text.value().find("\"gpus\"") != std::string::npos && text.value().find("\"threadblocks\"") != std::string::npos)
        return plain(parseMscclppPlan(std::move(text).value(), in));
    return std::optional<ProgramFile>();
}

Result<std::int64_t> readSize(const std::string& text)
{
    if (text.empty())
        return std::int64_t{-1};
    const auto quantity = parseQuantity(text, Measure::Size);
    if (!quantity)
        return usageError(quantity.error().message, "--size", "a size with its unit, as 64MiB");
    return toBytes(quantity.value()).value;
}

Result<Diagnostics> writeProgramFile(const ProgramPtr& program, const std::string& out, const std::string& to, std::int64_t bytes, bool fuse, std::int32_t instances)
{
    std::string form = to;
    if (form.empty())
        form = out.ends_with(".xml") ? "xml" : out.ends_with(".json") ? "json" : std::string();
    if (form == "json") {
        if (Status status = writeOutputFile(out, writeProgramJson(*program)); !status)
            return std::move(status).error();
        return Diagnostics();
    }
    if (form != "xml" && form != "et")
        return Error{ErrorCode::Usage, "the ending of " + out + " names no form of a program", {{}, 0, 0, -1, "OUT", -1, -1, false}, ".xml, .json, or --to et with a prefix"};
    auto written = expandTemplate(program);
    if (!written)
        return std::move(written).error();
    auto sided = toTwoSided(written.value(), form == "xml" ? BareSignals::Fold : BareSignals::Keep);
    if (!sided)
        return std::move(sided).error();
    if (form == "et") {
        if (Status status = writeProgramTraces(*sided.value(), out, bytes); !status)
            return std::move(status).error();
        Diagnostics notes = program->isTemplate() ? programTraceNotes(*program, bytes) : Diagnostics();
        for (Diagnostic& lost : programTraceNotes(*sided.value(), bytes))
            notes.push_back(std::move(lost));
        return notes;
    }
    const auto copies = withInstances(sided.value(), instances);
    if (!copies)
        return copies.error();
    auto text = writeMsccl(copies.value(), {fuse});
    if (!text)
        return std::move(text).error();
    if (Status status = writeOutputFile(out, text.value().text); !status)
        return std::move(status).error();
    return std::move(text.value().notes);
}

Status writeProgram(const ProgramPtr& program, const std::string& out, Session& session)
{
    const Result<Diagnostics> notes = writeProgramFile(program, out, {}, -1, false);
    if (!notes)
        return notes.error();
    for (const Diagnostic& note : notes.value())
        session.say(note.text());
    return {};
}

} // namespace fabricscope::cli
