#include "core/run/openinput.h"

#include "core/base/outofmemory.h"
#include "core/base/placeof.h"
#include "core/base/stop.h"
#include "core/base/files/textfile.h"
#include "core/design/design.h"
#include "core/design/loadworkload.h"
#include "core/formats/astra/memoryfile.h"
#include "core/formats/astra/systemfile.h"
#include "core/formats/fabricload.h"
#include "core/platform/topologytext.h"
#include "core/run/inputfiles.h"
#include "core/run/opensharded.h"

#include <algorithm>
#include <array>
#include <filesystem>

namespace fabricscope {

namespace fs = std::filesystem;

namespace {

/// Of a platform nobody described.
constexpr const char* kAssumedBandwidth = "50 GB/s";
constexpr const char* kAssumedLatency = "1 us";
constexpr const char* kAssumedPeak = "400 TFLOP/s";
constexpr const char* kAssumedMemory = "2 TB/s";
constexpr const char* kAssumedCollective = "64 MiB";

/// Files that describe a platform; there may be one of them.
constexpr std::array kPlatformKinds{InputKind::AstraNetwork, InputKind::InfraGraph, InputKind::NcclTopology, InputKind::Ns3Topology, InputKind::HtsimTopology};

std::string listed(const std::vector<std::string>& paths)
{
    constexpr std::size_t kShown = 4;
    std::string out;
    for (std::size_t i = 0; i < std::min(paths.size(), kShown); ++i)
        out += (i > 0 ? ", " : "") + fs::path(paths[i]).filename().string();
    return paths.size() > kShown ? out + " and " + std::to_string(paths.size() - kShown) + " more" : out;
}

/// Of every kind there may be one.
Status checkCounts(InputFiles& files)
{
    struct Plural {
        InputKind kind;
        const char* words;
    };
    for (const auto& [kind, words] : {Plural{InputKind::Design, "designs"}, {InputKind::SavedRun, "saved runs"}, {InputKind::ShardFile, "graphs to shard"}, {InputKind::AstraNetwork, "network files"},
                                      {InputKind::InfraGraph, "InfraGraph documents"}, {InputKind::NcclTopology, "topology dumps"},
                                      {InputKind::Ns3Topology, "topology files of ns-3"}, {InputKind::HtsimTopology, "topology files of HTSim"},
                                      {InputKind::AstraSystem, "system files"}, {InputKind::AstraMemory, "memory files"},
                                      {InputKind::CommGroups, "files of communicator groups"}, {InputKind::Trace, "sets of traces"}}) {
        const auto& list = files.of(kind);
        if (list.size() > 1)
            return invalidInput(std::to_string(list.size()) + " " + words + " at once: " + listed(list), placeOfFile(list[1]), "one; open only the files that belong together");
    }
    for (const InputKind alone : {InputKind::Design, InputKind::SavedRun, InputKind::ShardFile}) {
        if (!files.of(alone).empty() && files.kinds() > 1)
            return invalidInput((alone == InputKind::ShardFile ? "a graph to shard" : std::string(inputKindText(alone))) + " cannot be opened together with other inputs", placeOfFile(files.of(alone)[0]),
                                "this file by itself, or the other files without it");
    }
    const bool topology = !files.topologies().empty() || !files.of(InputKind::TopologyText).empty();
    if (files.topologies().size() + files.of(InputKind::TopologyText).size() > 1)
        return invalidInput("more than one topology is given", {}, "one");
    bool platform = topology;
    std::string_view before = "a topology";
    for (const InputKind kind : kPlatformKinds) {
        const auto& list = files.of(kind);
        if (list.empty())
            continue;
        if (platform) {
            const std::string what = kind == InputKind::AstraNetwork ? "a network file" : std::string(inputKindText(kind));
            return invalidInput(std::string(before) + " and " + what + " both describe the platform", placeOfFile(list[0]), "one of them");
        }
        before = kind == InputKind::AstraNetwork ? "a network file" : inputKindText(kind);
        platform = true;
    }
    const bool traces = !files.of(InputKind::Trace).empty();
    for (const InputKind part : {InputKind::AstraSystem, InputKind::AstraMemory, InputKind::CommGroups}) {
        const auto& list = files.of(part);
        if (!list.empty() && !traces && (!platform || part == InputKind::CommGroups))
            return invalidInput(std::string(inputKindText(part)) + " alone says too little to run", placeOfFile(list[0]),
                                part == InputKind::CommGroups ? "the Chakra traces that use the groups" : "a network file, or Chakra traces, with it");
    }
    return {};
}

/// Builds the design from the parts.
class Builder {
public:
    Builder(InputFiles& files, const std::stop_token& stop)
        : m_stop(stop)
        , m_files(files)
    {
    }

    Status build()
    {
        m_design.folder = fs::path(anchor()).parent_path().string();
        if (Status status = addPlatform(); !status)
            return status;
        if (Status status = addSystem(); !status)
            return status;
        if (const auto& memory = m_files.of(InputKind::AstraMemory); !memory.empty()) {
            auto read = loadAstraMemory(memory[0], m_diagnostics);
            if (!read)
                return std::move(read).error();
            m_design.remoteMemory = read.value();
        }
        addWorkload();
        const fs::path named(anchor());
        m_design.name = m_files.of(InputKind::Trace).empty() ? named.stem().string() : named.filename().string();
        return {};
    }

    /// Figures for traces that count operations, where no system file has any.
    void assumeNpu()
    {
        PlatformSpec spec = *m_design.platform;
        spec.npu.peak = quantity(kAssumedPeak, Measure::ComputeRate);
        spec.npu.memoryBandwidth = quantity(kAssumedMemory, Measure::Bandwidth);
        m_design.platform = std::make_shared<const PlatformSpec>(std::move(spec));
        assume(std::string("an NPU computes ") + kAssumedPeak + " and reads " + kAssumedMemory + ", as no system file was given");
    }

    /// Puts what was assumed into the notes of the design.
    void writeNotes()
    {
        for (const std::string& line : m_assumed)
            m_design.notes += (m_design.notes.empty() ? "Assumed: " : "; ") + line;
    }

    Design& design() { return m_design; }
    Diagnostics& diagnostics() { return m_diagnostics; }

    /// The file the document is named after.
    std::string anchor()
    {
        for (const InputKind kind : {InputKind::Trace, InputKind::AstraNetwork, InputKind::InfraGraph, InputKind::NcclTopology, InputKind::Ns3Topology, InputKind::HtsimTopology, InputKind::TopologyText})
            if (!m_files.of(kind).empty())
                return m_files.of(kind)[0];
        return absolutePath("platform");
    }

private:
    void assume(std::string what)
    {
        m_diagnostics.push_back(note("assumed", what));
        m_assumed.push_back(std::move(what));
    }

    Status addPlatform()
    {
        PlatformSpec spec;
        const auto file = std::find_if(kPlatformKinds.begin(), kPlatformKinds.end(), [&](InputKind kind) { return !m_files.of(kind).empty(); });
        if (file != kPlatformKinds.end()) {
            auto read = loadFabric(m_files.of(*file)[0], *fabricKindOf(*file), {}, m_diagnostics, m_stop);
            if (!read)
                return std::move(read).error();
            spec = std::move(read.value().spec);
            m_design.astraUnits = read.value().astraUnits;
        } else if (!m_files.topologies().empty() || !m_files.of(InputKind::TopologyText).empty()) {
            auto read = readTopology();
            if (!read)
                return std::move(read).error();
            spec = std::move(read).value();
        } else {
            spec = assumedPlatform(m_files.ranksOf(m_files.of(InputKind::Trace)[0]));
        }
        m_design.platform = std::make_shared<const PlatformSpec>(std::move(spec));
        return {};
    }

    static Quantity quantity(const char* text, Measure measure)
    {
        return parseQuantity(text, measure).value();
    }

    PlatformSpec assumedPlatform(std::int64_t ranks)
    {
        PlatformSpec spec;
        Dimension dimension;
        dimension.shape = Shape::Switch;
        dimension.size = static_cast<std::int32_t>(std::min<std::int64_t>(ranks, INT32_MAX));
        dimension.bandwidth = quantity(kAssumedBandwidth, Measure::Bandwidth);
        dimension.latency = quantity(kAssumedLatency, Measure::Time);
        spec.dimensions.push_back(dimension);
        spec.source = "assumed: no network file was given";
        assume("one switch joins the " + std::to_string(ranks) + " NPUs with " + kAssumedBandwidth + " and " + kAssumedLatency + " a link");
        return spec;
    }

    /// "Ring(4)_Switch(8)"; in a file a second line may give the bandwidths and a third one the latencies.
    Result<PlatformSpec> readTopology()
    {
        std::array<std::string, 3> lines;
        std::string file;
        if (!m_files.topologies().empty()) {
            lines[0] = m_files.topologies()[0];
        } else {
            file = m_files.of(InputKind::TopologyText)[0];
            auto text = readTextFile(file, 1 << 16);
            if (!text)
                return std::move(text).error();
            std::size_t row = 0;
            std::string rest = text.value();
            for (std::size_t at = 0; at <= rest.size() && row < lines.size();) {
                const std::size_t end = std::min(rest.find('\n', at), rest.size());
                std::string line = rest.substr(at, end - at);
                line.erase(0, std::min(line.find_first_not_of(" \t\r"), line.size()));
                line.erase(line.find_last_not_of(" \t\r") + 1);
                if (!line.empty())
                    lines[row++] = line;
                at = end + 1;
            }
        }
        const auto repeated = [](const char* value, std::size_t times) {
            std::string out = value;
            for (std::size_t i = 1; i < times; ++i)
                out += "," + std::string(value);
            return out;
        };
        // Dimensions may have their figures in brackets.
        const auto dimensions = static_cast<std::size_t>(std::count(lines[0].begin(), lines[0].end(), '('));
        const std::size_t rates = openFigures(lines[0], Measure::Bandwidth);
        const std::size_t times = openFigures(lines[0], Measure::Time);
        if (lines[1].empty() && rates > 0) {
            lines[1] = repeated(kAssumedBandwidth, rates);
            assume(std::string(rates == dimensions ? "every link carries " : "links of dimensions without bandwidth carry ") + kAssumedBandwidth);
        }
        if (lines[2].empty() && times > 0) {
            lines[2] = repeated(kAssumedLatency, times);
            assume(std::string(times == dimensions ? "every link has a latency of " : "links of dimensions without latency have one of ") + kAssumedLatency);
        }
        auto spec = parseTopologyText(lines[0], lines[1], lines[2]);
        if (spec)
            return spec;
        // The fields it names are options of a command line.
        Error error = std::move(spec).error();
        error.code = ErrorCode::InvalidInput;
        if (file.empty()) {
            error.place = {};
        } else {
            const int line = error.place.field == "--bandwidth" ? 2 : error.place.field == "--latency" ? 3 : 1;
            error.place = placeOfFile(file);
            error.place.line = line;
        }
        return error;
    }

    Status addSystem()
    {
        const auto& system = m_files.of(InputKind::AstraSystem);
        if (system.empty()) {
            if (m_design.astraUnits)
                assume("collectives as this program chooses them, as no system file was given");
            return {};
        }
        auto read = loadAstraSystem(system[0], m_diagnostics);
        if (!read)
            return std::move(read).error();
        m_design.astra = std::make_shared<const AstraSystem>(std::move(read).value());
        return {};
    }

    void addWorkload()
    {
        const auto& traces = m_files.of(InputKind::Trace);
        if (traces.empty()) {
            SingleCollective collective;
            collective.size = quantity(kAssumedCollective, Measure::Size);
            m_design.workload = std::make_shared<const WorkloadSpec>(collective);
            assume(std::string("the workload is one all-reduce of ") + kAssumedCollective + ", as no traces were given");
            return;
        }
        TraceWorkload trace;
        trace.prefix = traces[0];
        const auto& groups = m_files.of(InputKind::CommGroups);
        trace.commGroups = groups.empty() ? groupsBeside(traces[0]) : groups[0];
        m_design.workload = std::make_shared<const WorkloadSpec>(std::move(trace));
    }

    /// The group file that lies with the traces, when there is exactly one: opening one trace opens what belongs to it.
    std::string groupsBeside(const std::string& prefix)
    {
        InputFiles beside;
        if (!beside.add(fs::path(prefix).parent_path().string()) || beside.of(InputKind::CommGroups).size() != 1)
            return {};
        const std::string found = beside.of(InputKind::CommGroups)[0];
        m_diagnostics.push_back(note("groups-beside", "the communicator groups of " + fs::path(found).filename().string() + ", which lies with the traces, are used"));
        return found;
    }

    const std::stop_token& m_stop;
    InputFiles& m_files;
    Design m_design;
    Diagnostics m_diagnostics;
    std::vector<std::string> m_assumed;
};

/// Anything that would keep the design from running, found now. `countsOperations`: some computing has operations and no duration.
Status check(const Design& design, Diagnostics& diagnostics, const OpenOptions& options, bool& countsOperations)
{
    for (Diagnostic& found : validate(design, options.stop)) {
        if (found.severity == Severity::Error)
            return toError(found);
        diagnostics.push_back(std::move(found));
    }
    const bool traces = design.workload && std::holds_alternative<TraceWorkload>(*design.workload);
    if (!options.checkTraces || !traces)
        return {};
    auto platform = Platform::create(*design.platform, options.stop);
    if (!platform)
        return std::move(platform).error();
    if (options.stop.stop_requested())
        return Error{ErrorCode::Cancelled, "opening was stopped", {}, {}};
    auto loaded = loadWorkload(design, platform.value(), options.threads, options.stop);
    if (!loaded)
        return std::move(loaded).error();
    diagnostics.insert(diagnostics.end(), loaded.value().diagnostics.begin(), loaded.value().diagnostics.end());
    countsOperations = std::any_of(loaded.value().workload->graphs.begin(), loaded.value().workload->graphs.end(), [](const auto& graph) {
        for (TaskIndex task = 0; task < graph->size(); ++task) {
            const auto at = static_cast<std::size_t>(task);
            if (graph->kind[at] == TaskKind::Compute && graph->durationUs[at] == 0 && graph->operations[at] > 0)
                return true;
        }
        return false;
    });
    return {};
}

Result<OpenedInput> open(const std::vector<std::string>& paths, const OpenOptions& options)
{
    if (paths.empty())
        return invalidInput("nothing to open", {}, "at least one file");
    InputFiles files;
    for (const std::string& path : paths) {
        if (options.stop.stop_requested())
            return Error{ErrorCode::Cancelled, "opening was stopped", {}, {}};
        if (Status status = files.add(path); !status)
            return std::move(status).error();
    }
    if (Status status = checkCounts(files); !status)
        return std::move(status).error();

    if (const auto& graphs = files.of(InputKind::ShardFile); !graphs.empty())
        return openSharded(graphs[0], options.stop);
    OpenedInput out;
    for (const auto& [kind, opened] : {std::pair{InputKind::Design, OpenedInput::Kind::DesignFile}, {InputKind::SavedRun, OpenedInput::Kind::SavedRun}}) {
        if (files.of(kind).empty())
            continue;
        out.kind = opened;
        out.path = files.of(kind)[0];
        out.folder = fs::path(out.path).parent_path().string();
        out.suggestedName = fs::path(out.path).filename().string();
        return out;
    }

    Builder builder(files, options.stop);
    if (Status status = builder.build(); !status)
        return std::move(status).error();
    Design& design = builder.design();
    bool countsOperations = false;
    if (Status status = check(design, builder.diagnostics(), options, countsOperations); !status)
        return std::move(status).error();
    if (countsOperations && !design.astra)
        builder.assumeNpu();
    builder.writeNotes();
    out.kind = OpenedInput::Kind::DesignText;
    out.folder = design.folder;
    // Without a folder paths are written from the root, so that the text may be saved anywhere.
    design.folder.clear();
    out.text = writeDesign(design, options.stop);
    out.suggestedName = design.name + ".yaml";
    out.diagnostics = std::move(builder.diagnostics());
    return out;
}

} // namespace

Result<OpenedInput> openInputs(const std::vector<std::string>& paths, const OpenOptions& options)
{
    return catchOutOfMemory([&] { return untilStopped([&] { return open(paths, options); }); });
}

} // namespace fabricscope
