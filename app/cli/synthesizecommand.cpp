// fabricscope-cli synthesize: a program for a collective, made for one platform.
#include "app/cli/collectiveflags.h"
#include "app/cli/commandline.h"
#include "app/cli/filekinds.h"
#include "app/cli/outputs.h"
#include "app/cli/runflags.h"
#include "app/cli/savedprograms.h"
#include "app/cli/output/synthesisoutput.h"
#include "app/cli/values.h"
#include "core/base/quantity.h"
#include "core/choose/synthesizer.h"
#include "core/design/file/readdesign.h"
#include "core/design/referencedfiles.h"
#include "core/report/jsonwriter.h"

#include <charconv>
#include <chrono>
#include <memory>
#include <optional>
#include <thread>

namespace fabricscope::cli {

namespace {

struct Flags {
    std::string design;
    CollectiveFlags fabric; ///< Topology, rates and latencies.
    std::string collective = "all_gather";
    std::string size;
    std::string chunks = "1";
    std::string method = "greedy";
    std::uint64_t seed = 1;
    std::int32_t tries = 1;
    std::int32_t threads = 0;
    double timeLimit = 0;
    std::int32_t root = 0;
    std::string out;
    bool json = false;
};

Result<std::vector<std::int32_t>> chunksOf(const std::string& text)
{
    if (text == "auto")
        return std::vector<std::int32_t>(automaticChunks().begin(), automaticChunks().end());
    std::int32_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size() || value < 1)
        return usageError("\"" + text + "\" is no number of chunks", "--chunks", "a whole number above 0, or auto");
    return std::vector<std::int32_t>{value};
}

/// With a platform.
Result<Design> designOf(const Flags& flags, const std::stop_token& stop)
{
    if (flags.design.empty() == flags.fabric.topology.empty())
        return usageError("give a design or --topology, one of them", "--topology");
    CollectiveFlags fabric = flags.fabric;
    fabric.collective = "all_gather";
    fabric.size = "1";
    Result<LoadedDesign> loaded = flags.design.empty() ? cli::designOf(fabric, Model::Links) : readDesignOnly(flags.design, {}, stop);
    if (!loaded)
        return std::move(loaded).error();
    if (!loaded.value().design.platform)
        return invalidInput("the design has no platform");
    if (Status status = checkValues(*loaded.value().design.platform); !status) {
        Error error = std::move(status).error();
        error.place = loaded.value().design.place(error.place.field);
        return error;
    }
    return std::move(loaded.value().design);
}

Result<SynthesisOptions> optionsOf(const Flags& flags)
{
    SynthesisOptions options;
    const Result<CollectiveOp> op = collectiveNamed(flags.collective, "--collective", synthesisOps());
    if (!op)
        return op.error();
    options.op = op.value();
    const bool bare = flags.size.find_first_not_of("0123456789.") == std::string::npos;
    const Result<Quantity> size = parseQuantity(bare ? flags.size + " B" : flags.size, Measure::Size);
    if (!size)
        return usageError(size.error().message, "--size", "a number in B, or with its own unit");
    if (size.value().base() < 1)
        return usageError("there is nothing to send", "--size", "at least 1 B");
    if (const Status status = checkOption(size.value(), Meaning::Data, "--size"); !status)
        return status.error();
    options.bytes = toBytes(size.value()).value;
    if (flags.tries < 1)
        return usageError(std::to_string(flags.tries) + " is no number of tries", "--tries", "at least 1");
    if (flags.threads < 0 || flags.threads > 256)
        return usageError(std::to_string(flags.threads) + " is no number of threads", "--threads", "0 to 256");
    if (flags.timeLimit < 0)
        return usageError("the time limit is negative", "--time-limit", "seconds; 0: none");
    constexpr double kLeastTime = 1e-3;
    constexpr double kMostTime = 1e9;
    if (flags.timeLimit != 0 && !(flags.timeLimit >= kLeastTime && flags.timeLimit <= kMostTime))
        return usageError("the time limit cannot be meant", "--time-limit", "0.001 to 1e9 seconds; 0: none");
    const bool rooted = options.op == CollectiveOp::Broadcast || options.op == CollectiveOp::Reduce;
    if (flags.root != 0 && !rooted)
        return usageError(flags.collective + " has no root", "--root", "broadcast or reduce");
    options.root = flags.root;
    options.seed = flags.seed;
    options.tries = flags.tries;
    options.threads = flags.threads > 0 ? flags.threads : static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
    options.timeLimitSeconds = flags.timeLimit;
    return options;
}

/// Says how far the search is; where that is not shown, once a second, from the second second on.
std::function<void(const SynthesisProgress&)> teller(Session& session)
{
    auto last = std::make_shared<std::chrono::steady_clock::time_point>(std::chrono::steady_clock::now());
    return [last, &session](const SynthesisProgress& progress) {
        session.progress().tell({"searching", progress.share});
        const auto now = std::chrono::steady_clock::now();
        if (now - *last < std::chrono::seconds(1))
            return;
        *last = now;
        if (!progress.best.empty()) {
            session.allowBestSoFar();
            session.progress().tellPart("{\"best\": " + jsonString(progress.best) + '}');
        }
        if (!session.progress().isShown())
            session.say(std::to_string(static_cast<int>(progress.share * 100)) + " %" + (progress.best.empty() ? "" : ", best " + progress.best));
    };
}

/// The shortest of the methods and numbers of chunks asked for.
Result<SynthesisReport> bestOf(const Flags& flags, const SynthesisGraph& graph, const SynthesisOptions& options, const std::vector<std::int32_t>& chunks)
{
    SynthesisSearch search;
    search.method = flags.method;
    search.chunks = chunks;
    search.options = options;
    Result<SynthesisTrial> found = searchProgram(graph, search);
    if (!found && found.error().code == ErrorCode::Usage)
        return usageError(found.error().message, "--method", found.error().expected);
    if (!found)
        return std::move(found).error();
    SynthesisTrial trial = std::move(found).value();
    return SynthesisReport{std::move(trial.method), options.op, options.bytes, trial.chunks, graph.ranks, graph.links.size(), std::move(trial.synthesis), {}, {}, {}, flags.root};
}

/// What is given and not read: figures of dimensions beside a design, settings of methods that search otherwise.
Status checkGiven(const Flags& flags, const Command& command)
{
    std::vector<std::string_view> read{"--topology", "--collective", "--size", "--chunks", "--method", "--root", "--out", "--json"};
    const bool timed = isTimedSynthesis(flags.method);
    const bool seeded = isSeededSynthesis(flags.method);
    const auto add = [&](std::initializer_list<std::string_view> names) { read.insert(read.end(), names); };
    add({"--seed", "--tries", "--threads", "--time-limit"});
    if (!flags.design.empty()) {
        if (Status status = command.checkRead({"with a design", read, "the design says it; or --topology instead of a design"}); !status)
            return status;
    }
    add({"--bandwidth", "--npu-bandwidth", "--latency"});
    std::erase_if(read, [&](std::string_view name) { return (!timed && name == "--time-limit") || (!seeded && (name == "--seed" || name == "--tries")); });
    const std::string with = "by method " + flags.method;
    return command.checkRead({with, read, "method greedy, or another that does"});
}

void run(const Flags& flags, const Command& command, Session& session)
{
    if (!flags.out.empty() && !flags.out.ends_with(".xml") && !flags.out.ends_with(".json"))
        return session.fail(usageError("cannot tell the format of " + flags.out, "--out", "a name that ends in .xml (MSCCL XML) or .json"));
    Result<SynthesisOptions> options = optionsOf(flags);
    if (!options)
        return session.fail(options.error());
    const Result<std::vector<std::int32_t>> chunks = chunksOf(flags.chunks);
    if (!chunks)
        return session.fail(chunks.error());
    if (const Status status = checkGiven(flags, command); !status)
        return session.fail(status);
    const Result<Design> design = designOf(flags, session.stopToken());
    if (!design)
        return session.fail(design.error());
    if (const Status status = claimOutputs(session, {{"--out", flags.out}}, referencedFiles(design.value()), flags.json); !status)
        return session.fail(status);
    const PlatformSpec& spec = *design.value().platform;
    const Result<Platform> platform = Platform::create(spec, session.stopToken());
    if (!platform)
        return session.fail(platform.error());
    std::vector<NodeId> members;
    for (NodeId npu = 0; npu < platform.value().npuCount(); ++npu) {
        if (!platform.value().isNpuRemoved(npu))
            members.push_back(npu);
    }
    const Result<SynthesisGraph> graph = synthesisGraph(platform.value(), members);
    if (!graph)
        return session.fail(graph.error());

    if (flags.root < 0 || flags.root >= graph.value().ranks)
        return session.fail(usageError("root is " + std::to_string(flags.root), "--root", "0 to " + std::to_string(graph.value().ranks - 1)));
    options.value().stop = session.stopToken();
    options.value().progress = teller(session);
    Result<SynthesisReport> found = bestOf(flags, graph.value(), options.value(), chunks.value());
    if (!found)
        return session.fail(found.error());
    SynthesisReport report = std::move(found).value();
    const bool stopped = session.stopToken().stop_requested();
    if (!stopped && report.synthesis.program->asExplicit().size() <= kMostSimulatedOperations) {
        const Result<SimTime> time = simulatedTime(spec, report.synthesis.program, report.bytes, options.value().threads, session.stopToken());
        if (!time && time.error().code == ErrorCode::MemoryLimit)
            return session.fail(time.error());
        if (time)
            report.simulated = time.value();
        else
            session.say("not simulated: " + time.error().text());
    }
    if (!stopped) {
        const Result<SimTime> least = leastTime(platform.value(), members, *report.synthesis.program, report.bytes, session.stopToken());
        if (least)
            report.bound = least.value();
    }
    if (!stopped && !flags.out.empty()) {
        if (Status status = writeProgram(report.synthesis.program, flags.out, session); !status)
            return session.fail(status);
        report.file = flags.out;
    }
    session.print(flags.json ? synthesisJson(report) : synthesisText(report));
    if (stopped)
        session.fail(Error{ErrorCode::Cancelled, "stopped; this is the best so far", {}, {}});
}

} // namespace

void addSynthesize(Command& program, Session& session)
{
    auto flags = std::make_shared<Flags>();
    Flags& f = *flags;
    Command& command = *program.add_subcommand("synthesize", "Make a program for a collective, for one platform");
    command.add_option("DESIGN", f.design, "Design whose platform to use; all its NPUs take part");
    addFabricFlags(command, f.fabric, "Instead of a design: Ring(4)_Switch(8), as for collective");
    command.add_option("--collective", f.collective, collectiveList(synthesisOps()) + " (default all_gather)");
    command.add_option("--size", f.size, "The large side, e.g. 64MiB: what all-gather gives, what reduce-scatter takes")->required();
    command.add_option("--chunks", f.chunks, "Parts of what each rank gives (all-to-all: for each other rank; broadcast, reduce: of all); auto tries 1 to 16 (default 1)");
    command.add_option("--method", f.method, "greedy (default), trees, forest, exact (small platforms; set --time-limit), or auto: the shortest of the first three");
    command.add_option("--root", f.root, "Rank that broadcasts or gets the sum (default 0)");
    addSeed(command, f.seed, "First seed (default 1)");
    command.add_option("--tries", f.tries, "Seeds to try; the best is kept (default 1)");
    command.add_option("--threads", f.threads, "Threads; 0: one per core (default)");
    command.add_option("--time-limit", f.timeLimit, "Seconds after which the best so far is given; 0: none (default)");
    command.add_option("--out", f.out, "Write the program: FILE.xml (MSCCL XML) or FILE.json");
    command.add_flag("--json", f.json, "Print JSON");
    command.callback([flags, &command, &session] { run(*flags, command, session); });
}

} // namespace fabricscope::cli
