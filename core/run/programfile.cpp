#include "core/run/programfile.h"

#include "core/generate/generate.h"
#include "core/program/onesided.h"
#include "core/programio/mscclwriter.h"
#include "core/programio/programjson.h"
#include "core/programio/programtraces.h"
#include "core/report/outputfile.h"
#include "core/step/programcheck.h"

namespace fabricscope {

namespace {

constexpr std::string_view kGraphs = ".et";

/// With all transfers, and sends and receives instead of one-sided operations.
Result<ProgramPtr> writtenOut(const ProgramPtr& program, BareSignals signals)
{
    Result<ProgramPtr> expanded = expandTemplate(program);
    if (!expanded)
        return expanded;
    return toTwoSided(expanded.value(), signals);
}

} // namespace

Result<ProgramForm> programFormOf(const std::string& path)
{
    if (path.ends_with(".xml"))
        return ProgramForm::Xml;
    if (path.ends_with(".json"))
        return ProgramForm::Json;
    if (path.ends_with(kGraphs))
        return ProgramForm::Graphs;
    Place place;
    place.file = path;
    return Error{ErrorCode::Usage, "the ending names no form of a program", place, ".xml (MSCCL XML), .json or .et (Chakra graphs)"};
}

Result<Diagnostics> writeProgramFile(const ProgramPtr& program, const std::string& path, std::int64_t bytes)
{
    const Result<ProgramForm> form = programFormOf(path);
    if (!form)
        return form.error();
    if (form.value() == ProgramForm::Json) {
        if (Status status = writeOutputFile(path, writeProgramJson(*program)); !status)
            return std::move(status).error();
        return Diagnostics();
    }
    const bool graphs = form.value() == ProgramForm::Graphs;
    Result<ProgramPtr> sided = writtenOut(program, graphs ? BareSignals::Keep : BareSignals::Fold);
    if (!sided)
        return std::move(sided).error();
    if (graphs) {
        if (Status status = writeProgramTraces(*sided.value(), path.substr(0, path.size() - kGraphs.size()), bytes); !status)
            return std::move(status).error();
        return Diagnostics();
    }
    Result<MscclText> written = writeMsccl(sided.value());
    if (!written)
        return std::move(written).error();
    if (Status status = writeOutputFile(path, written.value().text); !status)
        return std::move(status).error();
    return std::move(written).value().notes;
}

Result<ProgramText> programAsText(const ProgramPtr& program)
{
    Result<std::string> xml = programXml(program);
    if (xml)
        return ProgramText{std::move(xml).value(), ".xml"};
    if (xml.error().code != ErrorCode::Unsupported)
        return std::move(xml).error();
    return ProgramText{writeProgramJson(*program), ".json"};
}

} // namespace fabricscope
