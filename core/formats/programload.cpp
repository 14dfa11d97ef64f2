#include "core/formats/programload.h"

#include "core/base/files/openfile.h"
#include "core/programio/mscclxml.h"
#include "core/programio/programtext.h"
#include "core/workload/customcollective.h"

#include <cassert>
#include <filesystem>

namespace fabricscope {

namespace {

Result<LoadedProgram> plain(ProgramForm form, Result<ProgramPtr> program)
{
    if (!program)
        return std::move(program).error();
    return LoadedProgram{std::move(program).value(), form};
}

Result<LoadedProgram> fromXml(Result<MscclFile> file, Diagnostics& findings)
{
    if (!file)
        return std::move(file).error();
    for (Diagnostic& found : file.value().findings)
        findings.push_back(std::move(found));
    return LoadedProgram{std::move(file.value().program), ProgramForm::Xml};
}

Result<LoadedProgram> fromScript(const std::string& text, const std::string& name, Diagnostics& findings, const ProgramReadOptions& options)
{
    ScriptRequest request;
    request.text = text;
    request.name = name;
    request.parameters = options.parameters;
    request.stop = options.stop;
    auto script = compileScript(request);
    if (!script)
        return std::move(script).error();
    Script& made = script.value();
    for (Diagnostic& found : made.notes)
        findings.push_back(std::move(found));
    return LoadedProgram{std::move(made.program), ProgramForm::Script, std::move(made.parameters), std::move(made.phases)};
}

/// What is no file and no graphs.
Error notThere(const std::string& path)
{
    std::error_code ignored;
    if (auto file = OpenFile::open(path); !file && std::filesystem::exists(path, ignored))
        return std::move(file).error(); // A folder, a pipe: which of them.
    Place place;
    place.file = path;
    return Error{ErrorCode::NotReadable, "there is no such file, and no traces with this prefix", place, "an MSCCL XML or JSON file, or the prefix of Chakra traces"};
}

} // namespace

Result<LoadedProgram> parseProgram(ProgramForm form, std::string text, const std::string& name, Diagnostics& findings, const ProgramReadOptions& options)
{
    assert(form != ProgramForm::Graphs);
    if (form == ProgramForm::Xml)
        return fromXml(parseMsccl(text, name, options.stop), findings);
    if (form == ProgramForm::Json)
        return plain(form, parseJsonProgram(std::move(text), name, &findings, options.stop));
    return fromScript(text, name, findings, options);
}

Result<LoadedProgram> loadProgram(const std::string& path, Diagnostics& findings, const ProgramReadOptions& options)
{
    if (!isInputFile(path))
        return areGraphs(path) ? plain(ProgramForm::Graphs, readGraphProgram(path, 0, CollectiveOp::Custom, options.stop)) : notThere(path);
    const bool script = programFormOf(path, {}) == ProgramForm::Script;
    if (!script && !isJsonFile(path))
        return fromXml(readMsccl(path, options.stop), findings);
    auto text = script ? readTextFile(path) : readTextFile(path, kMaxDocumentBytes);
    if (!text)
        return std::move(text).error();
    return parseProgram(script ? ProgramForm::Script : ProgramForm::Json, std::move(text).value(), path, findings, options);
}

Status firstError(const Diagnostics& findings)
{
    for (const Diagnostic& found : findings) {
        if (found.severity == Severity::Error)
            return toError(found);
    }
    return {};
}

} // namespace fabricscope
