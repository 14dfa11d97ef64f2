// fabricscope-cli convert: one trace file from one form into another, or a platform from one kind of file into another.
#include "app/cli/commandline.h"
#include "app/cli/filekinds.h"
#include "app/cli/output/tracejson.h"
#include "app/cli/outputs.h"
#include "app/cli/savedprograms.h"
#include "app/cli/runflags.h"
#include "core/base/files/openfile.h"
#include "core/base/files/outputtarget.h"
#include "core/base/files/textfile.h"
#include "core/base/placeof.h"
#include "core/base/stop.h"
#include "core/formats/fabricload.h"
#include "core/formats/infragraph/exporter.h"
#include "core/formats/programload.h"
#include "core/design/file/readdesign.h"
#include "core/design/referencedfiles.h"
#include "core/design/steps/layersteps.h"
#include "core/report/outputfile.h"
#include "core/run/inputfiles.h"
#include "core/trace/etfile.h"
#include "core/trace/etnodes.h"
#include "core/trace/etwriter.h"

#include <filesystem>
#include <memory>
#include <unistd.h>

namespace fabricscope::cli {

namespace {

bool isStandardOutput(const std::string& out)
{
    return streamOf(out) == STDOUT_FILENO;
}

/// A name of a YAML file, or standard output, which takes any form.
bool isYaml(const std::string& out)
{
    return out.ends_with(".yaml") || out.ends_with(".yml") || isStandardOutput(out);
}

Status writeTrace(const std::string& path, const EtMetadata& metadata, const std::vector<EtNode>& nodes, Session& session)
{
    Result<EtWriter> writer = EtWriter::create(path, metadata, session.outputs());
    if (!writer)
        return std::move(writer).error();
    for (const EtNode& node : nodes) {
        if (session.stopToken().stop_requested())
            return stoppedError();
        if (Status status = writer.value().add(node); !status)
            return status;
    }
    return writer.value().finish();
}

Status convert(const std::string& in, const std::string& out, Session& session)
{
    const bool toJson = out.ends_with(".json") || isStandardOutput(out);
    if (!toJson && !out.ends_with(".et") && !out.ends_with(".et.gz"))
        return usageError("the ending of " + out + " names no form of a trace", "OUT", ".et, .et.gz or .json");
    const Result<RankTrace> trace = readTraceFile(in, -1, session.stopToken());
    if (!trace)
        return trace.error();
    const Result<std::vector<EtNode>> nodes = readAllNodes(trace.value(), in, session.stopToken());
    if (!nodes)
        return nodes.error();
    if (trace.value().dialect() != EtDialect::Current)
        session.say("note: " + in + " has the form " + std::string(etDialectName(trace.value().dialect())) + ": properties that no simulation uses are not carried over");
    return toJson ? writeOutputFile(out, etJson(trace.value().metadata(), nodes.value()), session.outputs())
                  : writeTrace(out, trace.value().metadata(), nodes.value(), session);
}

/// The platform of a file that describes one; nothing where it is of another kind.
Result<std::optional<Design>> platformIn(const std::string& in, InputKind kind, Diagnostics& diagnostics, const std::stop_token& stop)
{
    Design design;
    if (kind == InputKind::Design) {
        auto loaded = readDesign(in, {}, stop);
        if (!loaded)
            return std::move(loaded).error();
        diagnostics = loaded.value().diagnostics;
        return std::optional(std::move(loaded.value().design));
    }
    const auto fabric = fabricKindOf(kind);
    if (!fabric)
        return std::optional<Design>();
    auto loaded = loadFabric(in, *fabric, {}, diagnostics, stop);
    if (!loaded)
        return std::move(loaded).error();
    design.files = std::move(loaded.value().files);
    design.platform = std::make_shared<const PlatformSpec>(std::move(loaded.value().spec));
    return std::optional(std::move(design));
}

/// Does the file hold a platform? Decided by its content; what cannot be read is left to the reader of traces.
InputKind kindOf(const std::string& in)
{
    InputFiles files;
    if (isInputFile(in) && files.add(in)) {
        for (const InputKind kind : {InputKind::InfraGraph, InputKind::NcclTopology, InputKind::Ns3Topology, InputKind::HtsimTopology, InputKind::AstraNetwork, InputKind::Design}) {
            if (!files.of(kind).empty())
                return kind;
        }
    }
    return InputKind::Unknown;
}

/// A platform as a design or as an InfraGraph document; without `to` a design becomes an InfraGraph document and all else a design.
Status convertPlatform(const std::string& in, InputKind kind, const std::string& out, const std::string& to, Session& session)
{
    if (!to.empty() && to != "design" && to != "infragraph")
        return usageError("\"" + to + "\" is no choice", "--to", "design or infragraph");
    if (!isYaml(out))
        return usageError("the ending of " + out + " names no form of a platform", "OUT", ".yaml or .yml");
    const bool toInfraGraph = to.empty() ? kind == InputKind::Design : to == "infragraph";
    Diagnostics diagnostics;
    std::string text;
    if (kind == InputKind::InfraGraph && toInfraGraph) {
        auto document = loadInfraGraph(in, diagnostics, session.stopToken());
        if (!document)
            return std::move(document).error();
        text = writeInfraGraph(document.value(), session.stopToken());
    } else {
        auto design = platformIn(in, kind, diagnostics, session.stopToken());
        if (!design)
            return std::move(design).error();
        if (Status status = checkOutputs({{"OUT", out}}, referencedFiles(*design.value())); !status)
            return status;
        if (toInfraGraph) {
            auto document = infraGraphOf(*design.value()->platform, diagnostics, session.stopToken());
            if (!document)
                return std::move(document).error();
            text = writeInfraGraph(document.value(), session.stopToken());
        } else {
            text = writeDesign(*design.value(), session.stopToken());
        }
    }
    for (const Diagnostic& found : diagnostics)
        session.say(found.text());
    return writeOutputFile(out, text, session.outputs());
}

Status convertProgram(const std::string& in, const std::string& out, const std::string& to, const std::string& size, bool fuse, std::int32_t instances, Session& session)
{
    constexpr std::int32_t kMostInstances = 32; // As many channels as the executor has.
    if (instances < 1 || instances > kMostInstances)
        return usageError(std::to_string(instances) + " instances", "--instances", "1 to " + std::to_string(kMostInstances));
    if ((instances != 1 || fuse) && (to.empty() ? !out.ends_with(".xml") : to != "xml"))
        return usageError("only MSCCL XML has instances and fused steps", instances != 1 ? "--instances" : "--fuse", "OUT.xml");
    const Result<std::int64_t> bytes = readSize(size);
    if (!bytes)
        return bytes.error();
    Diagnostics findings;
    const auto loaded = loadProgram(in, findings, {{}, session.stopToken()});
    if (!loaded)
        return loaded.error();
    if (!loaded.value().program)
        return firstError(findings);
    for (const Diagnostic& found : findings)
        session.say(found.text());
    const auto notes = writeProgramTo(loaded.value().program, out, to, {bytes.value(), fuse, instances, session.outputs(), session.stopToken()});
    if (!notes)
        return notes.error();
    for (const Diagnostic& found : notes.value())
        session.say(found.text());
    return {};
}

bool isLayers(const std::string& path)
{
    constexpr std::size_t kHeadBytes = std::size_t{1} << 16;
    const auto head = isInputFile(path) ? readFileHead(path, kHeadBytes) : Result<std::string>(std::string());
    return head && isLayerTable(head.value());
}

/// "forward: 3 ALLGATHER of 96 B" of one column.
std::string sumsOf(const LayerTable& table, std::size_t pass, std::string_view title)
{
    static constexpr std::pair<std::string_view, LayerCollective> kWords[] = {{"ALLREDUCE", LayerCollective::AllReduce}, {"ALLGATHER", LayerCollective::AllGather}, {"REDUCESCATTER", LayerCollective::ReduceScatter},
        {"ALLTOALL", LayerCollective::AllToAll}};
    std::string text = std::string(title) + ": " + std::to_string(table.time(pass)) + " ns";
    for (const auto& [word, collective] : kWords) {
        if (const LayerTable::Sum sum = table.sum(pass, collective); sum.count > 0)
            text += ", " + std::to_string(sum.count) + " " + std::string(word) + " of " + std::to_string(sum.bytes) + " B together";
    }
    return text;
}

/// A layer table as the workload of a design with the platform of another.
Status convertLayers(const std::string& in, const std::string& out, const std::string& platform, Session& session)
{
    if (!isYaml(out))
        return usageError("a table of layers becomes the workload of a design", "OUT", ".yaml or .yml");
    if (platform.empty())
        return usageError("a table of layers needs the design whose platform it is to run on", "--platform", "DESIGN.yaml");
    auto loaded = readDesignOnly(platform, {}, session.stopToken());
    if (!loaded)
        return std::move(loaded).error();
    Design design = std::move(loaded.value().design);
    if (Status status = checkOutputs({{"OUT", out}}, referencedFiles(design)); !status)
        return status;
    const Result<std::string> text = readTextFile(in);
    if (!text)
        return text.error();
    Diagnostics diagnostics = std::move(loaded.value().diagnostics);
    const Result<LayerTable> table = readLayerTable(text.value(), in, diagnostics, session.stopToken());
    if (!table)
        return table.error();
    if (!design.platform)
        return invalidInput("the design has no platform", placeOfFile(platform), "a platform");
    const auto built = Platform::create(*design.platform, session.stopToken());
    if (!built)
        return built.error();
    const std::int64_t npus = built.value().npuCount();
    if (table.value().ranks > 0 && table.value().ranks != npus)
        return invalidInput("the table is for " + std::to_string(table.value().ranks) + " ranks (all_gpus), the platform has " + std::to_string(npus) + " NPUs", placeOfFile(in), "a platform of as many");
    auto steps = stepsOfLayers(table.value(), npus, in, diagnostics);
    if (!steps)
        return std::move(steps).error();
    design.jobs.clear();
    design.workload = std::make_shared<const WorkloadSpec>(std::move(steps).value());
    design.name = std::filesystem::path(in).stem().string();
    for (const Diagnostic& found : diagnostics)
        session.say(found.text());
    session.say(std::to_string(table.value().rows.size()) + " rows, " + std::to_string(table.value().rounds) + " rounds; sums of one round:");
    session.say(sumsOf(table.value(), 0, "forward"));
    session.say(sumsOf(table.value(), 1, "input gradient"));
    session.say(sumsOf(table.value(), 2, "weight gradient"));
    return writeOutputFile(out, writeDesign(design, session.stopToken()), session.outputs());
}

} // namespace

void addConvert(Command& program, Session& session)
{
    struct Files {
        std::string in;
        std::string out;
        std::string to;
        std::string size;
        std::string platform;
        bool fuse = false;
        std::int32_t instances = 1;
    };
    auto files = std::make_shared<Files>();
    Command& command = *program.add_subcommand("convert", "Convert a Chakra trace of one rank, a platform, or a collective program, between their forms");
    command.add_option("IN", files->in, "Trace (binary of any schema version, packed or not, or JSON), InfraGraph document, topology of NCCL or RCCL (dump), ns-3 or HTSim, ASTRA-sim network file, design; MSCCL XML, MSCCL++ plan, program as JSON, a table of layers (SimAI, AICB, ASTRA-sim 1.0), or prefix of the graphs of a custom collective")->required();
    command.add_option("OUT", files->out, "FILE.et, FILE.et.gz or FILE.json of a trace, FILE.yaml of a platform or of a table of layers, FILE.xml, FILE.json or (--to et) PREFIX of a program; \"-\": standard output, of a trace as JSON, of a program as --to says")->required();
    command.add_option("--to", files->to, "What a platform becomes: design or infragraph (default: a design becomes an InfraGraph document, all else a design), or a program: xml, json or et (default: by the ending of OUT)");
    command.add_option("--size", files->size, "Graphs of a program: its large side, which fixes the bytes of every message (default: left open)");
    command.add_option("--platform", files->platform, "Table of layers: the design whose platform it is to run on");
    command.add_flag("--fuse", files->fuse, "MSCCL XML: join receives with the sends right behind them");
    command.add_option("--instances", files->instances, "MSCCL XML: so many copies of the program side by side, each on its part of every chunk and on channels of its own (default 1)");
    command.callback([files, &command, &session] {
        const auto reads = [&](std::string_view with, std::vector<std::string_view> names, std::string_view instead = {}) {
            const Status status = command.checkRead({with, std::move(names), instead});
            session.fail(status);
            return bool(status);
        };
        if (const Status status = claimOutputs(session, {{"OUT", files->out, files->to == "et"}}, {{"IN", files->in}, {"IN", files->in, true}}, false); !status)
            return session.fail(status);
        if (isLayers(files->in)) {
            if (reads("with a table of layers", {"--platform"}))
                session.fail(convertLayers(files->in, files->out, files->platform, session));
            return;
        }
        const InputKind kind = kindOf(files->in);
        if (kind != InputKind::Unknown && !reads("with a platform", {"--to"}))
            return;
        if (kind != InputKind::Unknown)
            return session.fail(convertPlatform(files->in, kind, files->out, files->to, session));
        const auto form = programFormOfFile(files->in);
        const bool isProgram = form && *form != ProgramForm::Script;
        const bool graphs = files->to == "et" || (files->to.empty() && files->out.ends_with(".et"));
        if (isProgram && !graphs && !reads("in this form of a program", {"--to", "--fuse", "--instances"}, "--to et: only graphs have sizes"))
            return;
        if (isProgram && graphs && !reads("with graphs of a program", {"--to", "--size", "--fuse", "--instances"}))
            return;
        if (isProgram)
            return session.fail(convertProgram(files->in, files->out, files->to, files->size, files->fuse, files->instances, session));
        if (fileKindText(files->in) == inputKindText(InputKind::GoalSchedule)) {
            Place place;
            place.file = files->in;
            return session.fail(invalidInput("a schedule in GOAL is simulated as it is", std::move(place), "a design that names it, workload: {trace: " + files->in + '}'));
        }
        static constexpr std::string_view kTraces[] = {"a Chakra trace"};
        const FileWanted wanted{"a Chakra trace, a platform (a design, InfraGraph, NCCL, ns-3, HTSim, an ASTRA-sim network file) or a program (MSCCL XML, JSON)", kTraces};
        if (const Status status = checkFileKind(files->in, wanted); !status)
            return session.fail(status);
        if (!files->to.empty())
            return session.fail(usageError("only platforms and programs have a choice of forms", "--to", "an ending of OUT"));
        if (!reads("with a trace", {}))
            return;
        session.fail(convert(files->in, files->out, session));
    });
}

} // namespace fabricscope::cli
