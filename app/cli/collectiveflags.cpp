#include "app/cli/collectiveflags.h"

#include "app/cli/commandline.h"
#include "app/cli/runflags.h"
#include "app/cli/values.h"
#include "core/base/index.h"
#include "core/design/schedulingconfig.h"
#include "core/design/usualscheduling.h"
#include "core/formats/programform.h"
#include "core/generate/generate.h"
#include "core/platform/topologytext.h"
#include "core/program/nativerule.h"

#include <algorithm>
#include <charconv>
#include <tuple>

namespace fabricscope::cli {

namespace {

/// What --algorithm takes.
std::string algorithmWords()
{
    std::string words = "auto (simulates all and takes the fastest), standard";
    for (const NativeRule* const rule : nativeRules())
        words += ", " + std::string(rule->key) + (rule->algorithm == Algorithm::Direct ? ", direct and a window (direct4)" : "");
    return words + ", or a generator such as swing; astra-* also oneRing, oneDirect, oneHalvingDoubling";
}

bool isBareNumber(std::string_view text)
{
    return !text.empty() && text.find_first_not_of("0123456789.eE+-") == std::string_view::npos;
}

/// One quantity; a number alone gets `bareUnit`.
Result<Quantity> quantityOf(const std::string& text, Measure measure, std::string_view bareUnit, const std::string& option)
{
    Result<Quantity> quantity = parseQuantity(isBareNumber(text) ? text + ' ' + std::string(bareUnit) : text, measure);
    if (!quantity)
        return usageError(quantity.error().message, option, "a number in " + std::string(bareUnit) + ", or with its own unit");
    return quantity;
}

/// A single value stands for all dimensions.
std::string forAll(const std::string& text, std::size_t dimensions)
{
    std::string out = text;
    if (!text.empty() && text.find(',') == std::string::npos) {
        for (std::size_t d = 1; d < dimensions; ++d)
            out += ',' + text;
    }
    return out;
}

/// The fabric of --topology, --bandwidth or --npu-bandwidth, and --latency.
Result<PlatformSpec> platformOf(const CollectiveFlags& flags)
{
    const bool perNpu = !flags.npuBandwidth.empty();
    const std::size_t rates = openFigures(flags.topology, Measure::Bandwidth);
    const std::size_t times = openFigures(flags.topology, Measure::Time);
    if (perNpu ? !flags.bandwidth.empty() : flags.bandwidth.empty() && rates > 0)
        return usageError(perNpu ? "the bandwidth is given twice" : "the bandwidth is missing", "--bandwidth", "either --bandwidth (per link) or --npu-bandwidth");
    if (flags.latency.empty() && times > 0)
        return usageError("the latency is missing", "--latency", "a latency per dimension, or one in the brackets of each dimension");
    Result<PlatformSpec> spec = parseTopologyText(flags.topology, forAll(perNpu ? flags.npuBandwidth : flags.bandwidth, rates), forAll(flags.latency, times), perNpu);
    if (!spec) {
        Error error = std::move(spec).error();
        error.code = ErrorCode::Usage;
        if (perNpu && error.place.field == "--bandwidth")
            error.place.field = "--npu-bandwidth";
        return error;
    }
    return spec;
}

/// Names the option of a figure of the platform that cannot be meant.
Status checkFigures(const CollectiveFlags& flags, const PlatformSpec& spec)
{
    const Status status = checkValues(spec);
    if (status)
        return {};
    const bool rate = status.error().place.field.ends_with("bandwidth");
    const std::string& given = !rate ? flags.latency : flags.npuBandwidth.empty() ? flags.bandwidth : flags.npuBandwidth;
    const char* option = !rate ? "--latency" : flags.npuBandwidth.empty() ? "--bandwidth" : "--npu-bandwidth";
    // Figures may also stand in the brackets.
    return usageError(status.error().message, given.empty() ? "--topology" : option, status.error().expected);
}

/// The system file these options stand for.
AstraSystem astraSystemOf(const CollectiveFlags& flags, const std::vector<Dimension>& dimensions, const std::vector<AlgorithmEntry>& algorithms, CollectiveOp op,
                          double memoryGBps, std::int64_t endpointDelayNs)
{
    AstraSystem system;
    std::vector<AstraAlgorithm> list;
    const bool one = algorithms.front().one;
    const std::size_t count = one ? 1 : algorithms.size() == 1 ? dimensions.size() : algorithms.size();
    for (std::size_t d = 0; d < count; ++d) {
        const AlgorithmEntry& entry = algorithms[algorithms.size() == 1 ? 0 : d];
        const Dimension& dimension = dimensions[std::min(d, dimensions.size() - 1)];
        list.push_back({entry.choice.automatic ? automaticAstraAlgorithm(dimension, op).algorithm : entry.choice.algorithm, entry.one,
                        entry.choice.window > 0 ? entry.choice.window : -1});
    }
    system.implementations[at(*configuredCollective(op))] = std::move(list);
    system.localBandwidthAware = flags.optimization == "localBWAware";
    system.splits = flags.chunks;
    system.activeChunks = flags.activeChunks;
    system.queuesPerDimension = flags.queues;
    system.endpointDelayNs = endpointDelayNs;
    system.endpointDelayGiven = true;
    system.localMemoryGBps = memoryGBps;
    return system;
}

Status checkNumbers(const CollectiveFlags& flags)
{
    constexpr std::int64_t kMost = std::int64_t{1} << 20;
    for (const auto& [value, name] : {std::pair{flags.chunks, "--chunks"}, {flags.activeChunks, "--active-chunks"}, {flags.queues, "--queues"}}) {
        if (value < 1 || value > kMost)
            return usageError(std::to_string(value) + " is out of range", name, "1 to 1048576");
    }
    if (flags.window < 0)
        return usageError(std::to_string(flags.window) + " is out of range", "--window", "0 (no limit) or more");
    if (!valueMeant(kDimensionSchedulers, flags.scheduler))
        return usageError("there is no scheduler \"" + flags.scheduler + '"', "--scheduler", keyList(kDimensionSchedulers));
    if (flags.optimization != "localBWAware" && flags.optimization != "baseline")
        return usageError("there is no optimization \"" + flags.optimization + '"', "--optimization", "localBWAware or baseline");
    return {};
}

/// What only the other family of models looks at.
void noteUnused(const CollectiveFlags& flags, Model model, Diagnostics& diagnostics)
{
    const auto unused = [&](bool given, std::string_view option, std::string_view who) {
        if (given)
            diagnostics.push_back(note("unused-option", std::string(option) + " has no effect: only " + std::string(who) + " know it"));
    };
    const ModelTraits& traits = traitsOf(model);
    unused(!traits.schedules && flags.scheduler != "baseline", "--scheduler", modelsWith(&ModelTraits::schedules, "and"));
    unused(!traits.ownCollectives && flags.window != 0, "--window", modelsWith(&ModelTraits::ownCollectives, "and"));
    if (traits.chunkQueues)
        return;
    unused(flags.activeChunks != 1, "--active-chunks", "astra-* models");
    unused(flags.queues != 1, "--queues", "astra-* models");
    unused(flags.optimization != "baseline", "--optimization", "astra-* models");
}

} // namespace

Result<std::vector<AlgorithmEntry>> parseAlgorithms(const std::string& text)
{
    std::vector<AlgorithmEntry> out;
    for (const std::string& part : commaSeparated(text)) {
        std::string name = plainWord(part);
        AlgorithmEntry entry;
        entry.one = name.size() > 3 && name.starts_with("one");
        if (entry.one)
            name.erase(0, 3);
        const auto unknown = [&] { return usageError("there is no algorithm \"" + part + '"', "--algorithm", algorithmWords()); };
        entry.choice.automatic = (name == "auto" || name == "standard") && !entry.one;
        if (!entry.choice.automatic) {
            const std::optional<Algorithm> algorithm = algorithmMeant(name);
            // ASTRA-sim's forms over all NPUs.
            const bool flat = algorithm == Algorithm::Ring || algorithm == Algorithm::Direct || algorithm == Algorithm::HalvingDoubling;
            if (algorithm && (flat || !entry.one)) {
                entry.choice.algorithm = *algorithm;
            } else if (name.starts_with("direct")) {
                entry.choice.algorithm = Algorithm::Direct;
                const std::string window = name.substr(6);
                const auto number = wholeNumber<std::int32_t>(window);
                if (!window.empty() && (!number || *number < 1 || *number > 99'999))
                    return unknown();
                entry.choice.window = number.value_or(0);
            } else {
                return unknown();
            }
        }
        out.push_back(entry);
        if (entry.one && out.size() > 1)
            return usageError("an algorithm over all NPUs (" + part + ") stands alone", "--algorithm", "one entry");
    }
    if (out.size() > 1 && out.front().one)
        return usageError("an algorithm over all NPUs stands alone", "--algorithm", "one entry");
    return out;
}

/// What --algorithm and --program say besides algorithms along the dimensions.
Result<ProgramChoice> programOf(const CollectiveFlags& flags, Model model)
{
    ProgramChoice choice;
    if (!flags.program.empty()) {
        if (flags.algorithm != "standard")
            return usageError("the program of the collective is given twice", "--program", "either --algorithm or --program");
        const bool script = programFormOf(flags.program, {}) == ProgramForm::Script;
        choice.program.push_back({script ? ProgramSource::Kind::Script : ProgramSource::Kind::File, flags.program, {}, 2, 1, 8, 1});
    } else if (plainWord(flags.algorithm) == "auto" && traitsOf(model).ownCollectives) {
        choice.choose = true;
    } else if (!parseAlgorithms(flags.algorithm)) {
        for (const GeneratorInfo& info : generators()) {
            if (plainWord(info.key) == plainWord(flags.algorithm))
                choice.program.push_back({ProgramSource::Kind::Generator, std::string(info.key), {}, 2, 1, 8, 1});
        }
    }
    if (!choice.program.empty() && !traitsOf(model).ownCollectives)
        return usageError("the models astra-* run only their own algorithms here", flags.program.empty() ? "--algorithm" : "--program",
                          "--model " + modelsWith(&ModelTraits::ownCollectives));
    return choice;
}

Option* addFabricFlags(Command& command, CollectiveFlags& flags, const std::string& topology)
{
    Option* const option = command.add_option("--topology", flags.topology, topology);
    command.add_option("--bandwidth", flags.bandwidth, "Per link and direction, one per dimension: 100,50 (GiB/s), or with unit: 50GB/s");
    command.add_option("--npu-bandwidth", flags.npuBandwidth, "All links of one NPU in a dimension together, instead of --bandwidth");
    command.add_option("--latency", flags.latency, "Per link, one per dimension: 500,1000 (ns), or with unit: 1us");
    return option;
}

Result<LoadedDesign> designOf(const CollectiveFlags& flags, Model model)
{
    LoadedDesign loaded;
    if (Status numbers = checkNumbers(flags); !numbers)
        return std::move(numbers).error();
    Result<PlatformSpec> spec = platformOf(flags);
    if (!spec)
        return std::move(spec).error();
    const ModelTraits& traits = traitsOf(model);
    if (!traits.graphs && spec.value().dimensions.empty())
        return usageError(spec.value().generated.form ? "the astra-* models know no nodes and links" : "the astra-* models know no groups of unequal size", "--topology", "dimensions of one size each, or --model " + modelsWith(&ModelTraits::graphs));
    // Groups of unequal size are one axis. 0 of other graphs: how many levels there are shows later.
    const std::size_t count = spec.value().generated.form ? spec.value().dimensions.size() : std::max<std::size_t>(spec.value().dimensions.size(), 1);

    const Result<CollectiveOp> op = collectiveNamed(flags.collective, "--collective", kDesignCollectives);
    if (!op)
        return op.error();
    if (op.value() == CollectiveOp::Broadcast && !traits.ownCollectives)
        return usageError("the models astra-* run no broadcasts", "--collective", "another collective, or --model " + modelsWith(&ModelTraits::broadcasts));
    Result<Quantity> size = quantityOf(flags.size, Measure::Size, "B", "--size");
    if (!size)
        return std::move(size).error();
    const Result<ProgramChoice> choice = programOf(flags, model);
    if (!choice)
        return choice.error();
    const Result<std::vector<AlgorithmEntry>> algorithms = parseAlgorithms(choice.value().program.empty() ? flags.algorithm : "standard");
    if (!algorithms)
        return algorithms.error();
    if (algorithms.value().size() > 1 && algorithms.value().size() != count && count > 0) {
        return usageError(std::to_string(algorithms.value().size()) + " algorithms for " + std::to_string(count) + " dimensions", "--algorithm",
                          "one per dimension, or one for all");
    }
    if (algorithms.value().front().one && traits.ownCollectives)
        return usageError("algorithms over all NPUs as one dimension exist only in ASTRA-sim", "--algorithm", "--model astra-unaware or astra-aware with it");

    const Result<Quantity> memory = quantityOf(flags.localMemory.empty() ? "1600" : flags.localMemory, Measure::Bandwidth, "GB/s", "--local-mem-bw");
    if (!memory)
        return memory.error();
    const Result<Quantity> delay = quantityOf(flags.endpointDelay.empty() ? (traits.wholeNanoseconds ? "10" : "0") : flags.endpointDelay, Measure::Time, "ns", "--endpoint-delay");
    if (!delay)
        return delay.error();

    if (traits.checksValues) { // The reference computes with anything: there validate() warns.
        if (Status figures = checkFigures(flags, spec.value()); !figures)
            return std::move(figures).error();
        for (const auto& [value, meaning, option] : {std::tuple{&std::as_const(size).value(), Meaning::Data, "--size"}, {&memory.value(), Meaning::Rate, "--local-mem-bw"},
                                                     {&delay.value(), Meaning::Latency, "--endpoint-delay"}}) {
            if (meaning == Meaning::Rate && value->value == 0)
                continue; // Reductions are free.
            if (Status status = checkOption(*value, meaning, option); !status)
                return std::move(status).error();
        }
    }
    Design& design = loaded.design;
    auto platform = std::make_shared<PlatformSpec>(std::move(spec).value());
    if (memory.value().value > 0)
        platform->npu.memoryBandwidth = memory.value();
    design.name = flags.topology;
    design.platformOrigin = "command line";
    design.platform = platform;
    design.workload = std::make_shared<const WorkloadSpec>(SingleCollective{op.value(), size.value()});
    design.model.model = model;
    design.model.endpointDelay = delay.value();
    design.collectives.defaults.program = choice.value();
    for (const AlgorithmEntry& entry : algorithms.value())
        design.collectives.defaults.algorithms.push_back(entry.choice);
    if (choice.value().choose || !choice.value().program.empty())
        design.collectives.defaults.algorithms.clear();
    design.collectives.defaults.chunks = static_cast<std::int32_t>(flags.chunks);
    design.collectives.defaults.window = flags.window;
    design.collectives.activeChunks = flags.activeChunks;
    design.collectives.queuesPerDimension = flags.queues;
    design.collectives.localBandwidthAware = flags.optimization == "localBWAware";
    if (const DimensionScheduler scheduler = *valueMeant(kDimensionSchedulers, flags.scheduler); scheduler != DimensionScheduler::Baseline && traits.schedules) {
        SchedulingConfig config;
        config.dimensions = scheduler;
        config.inside = usualInside(scheduler);
        design.scheduling = std::make_shared<const SchedulingConfig>(config);
    }
    if (isAstra(model)) {
        const std::int64_t delayPs = toSimTime(delay.value()).ps;
        design.astra = std::make_shared<const AstraSystem>(
            astraSystemOf(flags, platform->dimensions, algorithms.value(), op.value(), memory.value().base() / 1e9, delayPs / kPsPerNs));
        if (delayPs % kPsPerNs != 0)
            loaded.diagnostics.push_back(warning("rounded-endpoint-delay", "astra-* models count whole nanoseconds: the endpoint delay is rounded down"));
    }
    if (flags.localMemory.empty())
        loaded.diagnostics.push_back(note("assumed-memory", "local memory bandwidth = 1600 GB/s (default of this command; --local-mem-bw)"));
    if (flags.endpointDelay.empty() && traits.wholeNanoseconds)
        loaded.diagnostics.push_back(note("assumed-delay", "endpoint delay = 10 ns (ASTRA-sim's default; --endpoint-delay)"));
    noteUnused(flags, model, loaded.diagnostics);
    return loaded;
}

} // namespace fabricscope::cli
