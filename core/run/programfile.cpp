#include "core/run/programfile.h"

#include "core/base/stop.h"
#include "core/generate/generate.h"
#include "core/program/onesided.h"
#include "core/programio/mscclwriter.h"
#include "core/programio/programjson.h"
#include "core/programio/programtraces.h"
#include "core/report/outputfile.h"
#include "core/scenario/programruns.h"
#include "core/step/replaychecks.h"

namespace fabricscope {

namespace {

/// Error: Cancelled.
Result<std::string> jsonOf(const Program& program, const std::stop_token& stop)
{
    return untilStopped([&]() -> Result<std::string> { return writeProgramJson(program, stop); });
}

/// `program` written out: what its graphs do not keep. Of a template also what is lost on the way there.
Result<Diagnostics> writeGraphs(const ProgramPtr& program, const Program& sided, const std::string& prefix, const ProgramWriteOptions& options)
{
    if (Status status = writeProgramTraces(sided, prefix, options.bytes, options.files, options.stop); !status)
        return std::move(status).error();
    Diagnostics notes = program->isTemplate() ? programTraceNotes(*program, options.bytes) : Diagnostics();
    for (Diagnostic& lost : programTraceNotes(sided, options.bytes))
        notes.push_back(std::move(lost));
    return notes;
}

} // namespace

Result<ProgramForm> programFormWritten(const std::string& path)
{
    for (const ProgramFormRow& row : kProgramForms) {
        if (row.written && path.ends_with(row.ending))
            return row.form;
    }
    Place place;
    place.file = path;
    return Error{ErrorCode::Usage, "the ending names no form of a program", place, ".xml (MSCCL XML), .json or .et (Chakra graphs)"};
}

Result<Diagnostics> writeProgramAs(ProgramForm form, const ProgramPtr& program, const std::string& path, const ProgramWriteOptions& options)
{
    if (form == ProgramForm::Json) {
        const Result<std::string> text = jsonOf(*program, options.stop);
        if (!text)
            return text.error();
        if (Status status = writeOutputFile(path, text.value(), options.files); !status)
            return std::move(status).error();
        return Diagnostics();
    }
    const Result<ProgramPtr> expanded = expandTemplate(program, options.stop);
    if (!expanded)
        return expanded.error();
    const Result<ProgramPtr> sided = toTwoSided(expanded.value(), form == ProgramForm::Graphs ? BareSignals::Keep : BareSignals::Fold, options.stop);
    if (!sided)
        return sided.error();
    if (form == ProgramForm::Graphs)
        return writeGraphs(program, *sided.value(), path, options);
    const auto copies = withInstances(sided.value(), options.instances);
    if (!copies)
        return copies.error();
    Result<MscclText> written = writeMsccl(copies.value(), {options.fuse, options.stop});
    if (!written)
        return std::move(written).error();
    if (Status status = writeOutputFile(path, written.value().text, options.files); !status)
        return std::move(status).error();
    return std::move(written).value().notes;
}

Result<Diagnostics> writeProgramFile(const ProgramPtr& program, const std::string& path, std::int64_t bytes, const std::stop_token& stop)
{
    const Result<ProgramForm> form = programFormWritten(path);
    if (!form)
        return form.error();
    ProgramWriteOptions options;
    options.bytes = bytes;
    options.stop = stop;
    const bool graphs = form.value() == ProgramForm::Graphs;
    const std::size_t ending = programFormRow(ProgramForm::Graphs).ending.size();
    return writeProgramAs(form.value(), program, graphs ? path.substr(0, path.size() - ending) : path, options);
}

Result<ProgramText> programAsText(const ProgramPtr& program, const std::stop_token& stop)
{
    Result<std::string> xml = programXml(program, stop);
    if (xml)
        return ProgramText{std::move(xml).value(), ".xml"};
    if (xml.error().code != ErrorCode::Unsupported)
        return std::move(xml).error();
    Result<std::string> json = jsonOf(*program, stop);
    if (!json)
        return std::move(json).error();
    return ProgramText{std::move(json).value(), ".json"};
}

} // namespace fabricscope
