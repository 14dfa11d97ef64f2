// fabricscope-cli lint: what is wrong or strange in a trace, a platform file or a design, without running it.
#include "app/cli/commandline.h"
#include "app/cli/filekinds.h"
#include "app/cli/runflags.h"
#include "app/cli/values.h"
#include "core/base/index.h"
#include "core/base/stop.h"
#include "core/base/files/openfile.h"
#include "core/base/files/textfile.h"
#include "core/formats/fabricload.h"
#include "core/formats/infragraph/infragraph.h"
#include "core/report/jsonwriter.h"
#include "core/run/inputfiles.h"
#include "core/trace/lint.h"
#include "core/workload/goalreader.h"
#include "core/yaml/tree.h"

#include <algorithm>
#include <memory>
#include <optional>

namespace fabricscope::cli {

namespace {

struct LintFlags {
    std::string prefix;
    std::string commGroups;
    std::int64_t ranks = 0;
    std::string ctrlDeps = "auto";
    std::int64_t bytesPerElement = 1;
    int threads = 1;
    bool json = false;
    bool strict = false;
};

struct Findings {
    Diagnostics list;
    std::int64_t ranks = 0;
    std::int64_t nodes = 0;

    std::int64_t count(Severity severity) const
    {
        return std::count_if(list.begin(), list.end(), [&](const Diagnostic& entry) { return entry.severity == severity; });
    }
};

/// A file that is there but damaged is a finding like any other; one that cannot be opened ends the command.
Result<Findings> lint(const LintFlags& flags, const std::stop_token& stop)
{
    const int ctrlDeps = indexOf(flags.ctrlDeps, {"auto", "use", "ignore"});
    if (ctrlDeps < 0)
        return usageError("\"" + flags.ctrlDeps + "\" is no choice", "--ctrl-deps", "auto, use or ignore");
    Findings findings;
    CommGroups groups;
    // `generate` writes groups beside its traces, under their name.
    const bool given = !flags.commGroups.empty();
    const std::string path = given ? flags.commGroups : flags.prefix + ".json";
    if (given || isInputFile(path)) {
        Result<CommGroups> read = readCommGroups(path);
        if (!read && given && read.error().code != ErrorCode::InvalidInput)
            return std::move(read).error();
        if (read)
            groups = std::move(read).value();
        else if (given)
            findings.list.push_back(finding("group-file", read.error()));
    }
    const Result<TraceSet> traces = TraceSet::load(flags.prefix, {flags.ranks, flags.threads, stop});
    if (!traces) {
        if (traces.error().code != ErrorCode::InvalidInput)
            return traces.error();
        findings.list.push_back(finding("unreadable-trace", traces.error()));
        return findings;
    }
    findings.ranks = traces.value().rankCount();
    findings.nodes = traces.value().nodeCount();
    const Diagnostics found = lintTraces(traces.value(), groups, {static_cast<CtrlDeps>(ctrlDeps), flags.ranks, flags.bytesPerElement, stop});
    findings.list.insert(findings.list.end(), found.begin(), found.end());
    return findings;
}

/// A schedule in GOAL, which is a trace of all ranks in one file.
Result<Findings> lintGoal(const std::string& path, const std::stop_token& stop)
{
    Findings findings;
    const Result<std::int64_t> ranks = goalRanks(path);
    const Result<WorkloadPtr> workload = ranks ? workloadOfGoalFile(path, ranks.value(), findings.list, stop) : Result<WorkloadPtr>(ranks.error());
    if (!workload && workload.error().code == ErrorCode::Cancelled)
        return workload.error();
    if (!workload) {
        findings.list.push_back(finding("goal", workload.error()));
        return findings;
    }
    findings.ranks = workload.value()->rankCount;
    findings.nodes = workload.value()->taskCount();
    return findings;
}

/// A file that is no trace: an InfraGraph document by its strict rules, a topology dump, a network file, a design.
std::optional<Result<Findings>> lintFile(const LintFlags& flags, const std::stop_token& stop)
{
    if (isGoalFile(flags.prefix))
        return lintGoal(flags.prefix, stop);
    InputFiles files;
    static constexpr std::string_view kChecked[] = {"a design", "an ASTRA-sim network file", "an InfraGraph document", "a topology dump of NCCL", "a topology file of ns-3", "a topology file of HTSim"};
    if (Status status = checkFileKind(flags.prefix, {"Chakra traces by their prefix (PREFIX of PREFIX.RANK.et), a design or a file of a platform", kChecked}); !status)
        return Result<Findings>(std::move(status).error());
    if (!isInputFile(flags.prefix) || !files.add(flags.prefix))
        return std::nullopt;
    const auto is = [&](InputKind kind) { return !files.of(kind).empty(); };
    std::optional<FabricKind> fabric;
    for (const InputKind kind : {InputKind::AstraNetwork, InputKind::InfraGraph, InputKind::NcclTopology, InputKind::Ns3Topology, InputKind::HtsimTopology}) {
        if (is(kind))
            fabric = fabricKindOf(kind);
    }
    if (!fabric && !is(InputKind::Design))
        return std::nullopt;
    auto text = readTextFile(flags.prefix, YamlDocument::kMaxBytes);
    if (!text)
        return Result<Findings>(std::move(text).error());
    Findings findings;
    if (fabric == FabricKind::InfraGraph) {
        findings.list = inspectInfraGraph(text.value(), flags.prefix, stop).diagnostics;
    } else if (fabric) {
        if (auto read = readFabric(text.value(), flags.prefix, *fabric, {}, findings.list, stop); !read)
            findings.list.push_back(finding(fabric == FabricKind::AstraSim ? "astra-network" : std::string(fabricKindRow(*fabric).key) + "-topology", std::move(read).error()));
    } else {
        LoadedDesign loaded = inspectDesignText(text.value(), flags.prefix, {}, true, stop);
        checkStop(stop);
        findings.list = std::move(loaded.diagnostics);
        if (findings.count(Severity::Error) == 0) {
            const Diagnostics found = validate(loaded.design, stop);
            findings.list.insert(findings.list.end(), found.begin(), found.end());
        }
    }
    return Result<Findings>(std::move(findings));
}

std::string lintText(const Findings& findings)
{
    std::string out;
    for (const Severity severity : {Severity::Error, Severity::Warning, Severity::Note}) {
        for (const Diagnostic& entry : findings.list) {
            if (entry.severity == severity)
                out += entry.text() + '\n';
        }
    }
    out += counted(findings.count(Severity::Error), "error") + ", " + counted(findings.count(Severity::Warning), "warning") + ", "
        + counted(findings.count(Severity::Note), "note");
    if (findings.ranks > 0)
        out += " in " + counted(findings.nodes, "node") + " of " + counted(findings.ranks, "rank");
    return out + '\n';
}

std::string lintJson(const Findings& findings)
{
    static constexpr std::string_view kSeverities[] = {"note", "warning", "error"};
    JsonWriter json;
    json.beginObject();
    json.member("schema", 1);
    for (const auto& [key, value] : {std::pair{"errors", findings.count(Severity::Error)}, {"warnings", findings.count(Severity::Warning)},
                                     {"notes", findings.count(Severity::Note)}, {"ranks", findings.ranks}, {"nodes", findings.nodes}}) {
        json.member(key, value);
    }
    json.key("findings");
    json.beginArray();
    for (const Diagnostic& entry : findings.list) {
        json.beginCompactObject();
        for (const auto& [key, text] : {std::pair{"severity", std::string(kSeverities[at(entry.severity)])}, {"rule", entry.rule},
                                        {"message", entry.message}, {"expected", entry.expected}, {"file", entry.place.file}, {"field", entry.place.field}}) {
            if (text.empty())
                continue;
            json.member(key, text);
        }
        for (const auto& [key, value] : {std::pair<const char*, std::int64_t>{"line", entry.place.line > 0 ? entry.place.line : -1}, {"offset", entry.place.offset},
                                         {"rank", entry.place.rank}}) {
            if (value < 0)
                continue;
            json.member(key, value);
        }
        if (entry.place.hasNode) {
            json.key("node");
            json.number(std::to_string(static_cast<std::uint64_t>(entry.place.node)));
        }
        json.endObject();
    }
    json.endArray();
    json.endObject();
    return json.text();
}

void run(const LintFlags& flags, const Command& command, Session& session)
{
    const std::stop_token stop = session.stopToken();
    const Result<Findings> findings = untilStopped([&] {
        const std::optional<Result<Findings>> file = lintFile(flags, stop);
        if (const Status status = command.checkRead({"with a file that is no trace", {"--strict", "--json"}}); file && !status)
            return Result<Findings>(status.error());
        return file ? *file : lint(flags, stop);
    });
    if (!findings)
        return session.fail(findings.error());
    session.print(flags.json ? lintJson(findings.value()) : lintText(findings.value()));
    if (findings.value().count(Severity::Error) > 0 || (flags.strict && findings.value().count(Severity::Warning) > 0))
        session.setExit(1);
}

} // namespace

void addLint(Command& program, Session& session)
{
    auto flags = std::make_shared<LintFlags>();
    Command& command = *program.add_subcommand("lint", "Check Chakra traces, a platform file or a design without running them; exit code 1 when there are errors");
    command.add_option("PREFIX", flags->prefix, "Traces PREFIX.RANK.et, a schedule in GOAL, an InfraGraph document, a topology of NCCL, RCCL, ns-3 or HTSim, an ASTRA-sim network file or a design")->required();
    command.add_option("--comm-group", flags->commGroups, "Communicator groups (JSON; default: PREFIX.json where it is there)");
    command.add_option("--ranks", flags->ranks, "Ranks of the machine (default: as many as there are files)")->range(0, 1 << 20);
    command.add_option("--ctrl-deps", flags->ctrlDeps, "Control dependencies: auto, use or ignore");
    command.add_option("--bytes-per-element", flags->bytesPerElement, "Factor on sizes, as for simulate")->range(1, 64);
    command.add_option("--threads", flags->threads, "Threads that read")->range(1, 1024);
    command.add_flag("--strict", flags->strict, "Exit code 1 for warnings too");
    command.add_flag("--json", flags->json, "Findings as JSON");
    command.callback([flags, &command, &session] { run(*flags, command, session); });
}

} // namespace fabricscope::cli
