#include "core/sim/astra/systemrun.h"

#include "core/scenario/usedversion.h"
#include "core/sim/astra/alikeranks.h"
#include "core/sim/astra/ranks.h"
#include "core/sim/common/runpace.h"

#include <algorithm>
#include <memory>
#include <new>

namespace fabricscope {

namespace {

constexpr std::int64_t kCheckEvery = 4096;      ///< Events between looks at the stop token.

std::vector<std::int32_t> sizesOf(const Platform& platform)
{
    std::vector<std::int32_t> sizes;
    for (const Dimension& dimension : platform.dimensions())
        sizes.push_back(dimension.size);
    return sizes;
}

AstraSystem collectiveSystem(const Scenario& scenario, const AstraVariant& variant)
{
    AstraSystem system = *scenario.astra;
    if (variant.freeReductions)
        system.localMemoryGBps = 0;
    return system;
}

struct Engine {
    AstraSystem system; ///< As the collectives see it.
    AstraQueue queue;
    AstraNetwork network;
    AstraPost post;
    AstraRanks ranks;
    AstraCollectives collectives;

    /// `symmetric`: rank 0 stands for all.
    Engine(const Scenario& scenario, const AstraVariant& variant, std::int32_t npus, bool symmetric)
        : system(collectiveSystem(scenario, variant)), queue(symmetric ? 1 : npus), network(queue, scenario.structure->platform, scenario.model == Model::AstraAware),
          post(queue, network, scenario.astra->rendezvous || scenario.params->rendezvous),
          ranks({*scenario.structure->workload, *scenario.astra, scenario.params->remoteMemory, symmetric ? 1 : npus, network.dimensions().size(),
                 variant.manyTransfers, variant.endsWhenLeft, variant.zeroDurations ? 0 : 1, {variant.slower, variant.roundUp}}, queue, post),
          collectives({system, *scenario.structure->workload, scenario.customPrograms, npus, symmetric, variant.noHandling,
                       variant.separateQueues, variant.ownPlaces, variant.bundledRings, variant.wholeShares, variant.endsWhenLeft}, queue, network, post, ranks)
    {
        ranks.setCollectives(collectives);
        network.setVariant(variant.allDimensions, variant.storeAndForward, variant.roundUp);
        if (!symmetric)
            return;
        queue.track(sizesOf(scenario.structure->platform));
        network.setCopies(npus);
    }

    void call(const AstraCallback& callback)
    {
        switch (callback.target) {
        case AstraCallback::Target::Nobody:
            return;
        case AstraCallback::Target::Task:
            ranks.taskEnd(static_cast<std::int32_t>(callback.a), static_cast<TaskIndex>(callback.b));
            return;
        case AstraCallback::Target::CustomOperation:
            collectives.customDone(callback.a, callback.b, callback.c);
            return;
        case AstraCallback::Target::Collective:
            collectives.received(callback.a, callback.b);
            return;
        case AstraCallback::Target::StartPacket:
            post.launch(callback.a);
            return;
        }
    }

    void packet(std::uint32_t index)
    {
        call(post.senderOf(index));
        call(post.receiverOf(index));
    }

    void handle(const AstraQueue::Event& event)
    {
        switch (event.kind) {
        case AstraEvent::Hop:
            arrived(network.hop(event.a));
            return;
        case AstraEvent::LinkFree:
            network.linkFree(event.a);
            return;
        case AstraEvent::Deliver:
            collectives.deliver(event.a, event.b, event.c);
            return;
        case AstraEvent::Received:
            collectives.received(event.a, event.b);
            return;
        case AstraEvent::Packet:
            packet(event.a);
            return;
        case AstraEvent::Collected:
            call(post.collect(event.a));
            return;
        case AstraEvent::Prepared:
            collectives.prepared(event.a, event.b);
            return;
        case AstraEvent::Reduce:
            collectives.reduce(event.a, event.b, event.c);
            return;
        case AstraEvent::TreeHandled:
            collectives.treeHandled(event.a, event.b, event.c != 0);
            return;
        case AstraEvent::TreeReduced:
            collectives.treeReduced(event.a, event.b);
            return;
        case AstraEvent::MemberLeft:
            collectives.memberLeft(event.a, event.b);
            return;
        case AstraEvent::TaskEnd:
            ranks.taskEnd(static_cast<std::int32_t>(event.npu), static_cast<TaskIndex>(event.a));
            return;
        case AstraEvent::MemoryEnd:
            ranks.memoryEnd(static_cast<std::int32_t>(event.npu), static_cast<TaskIndex>(event.a), event.b);
            return;
        case AstraEvent::CustomEnd:
            collectives.customDone(event.a, event.b, event.c);
            return;
        }
    }

    void arrived(const AstraNetwork::Delivery& delivery)
    {
        if (delivery.kind == AstraEvent::Deliver)
            collectives.deliver(delivery.a, delivery.b, delivery.c);
        else if (delivery.kind == AstraEvent::Packet)
            packet(delivery.a);
    }
};

Error unsupported(std::string message, std::string expected = {})
{
    return {ErrorCode::Unsupported, std::move(message), {}, std::move(expected)};
}

/// What can be said before anything runs.
Status check(const Scenario& scenario, Diagnostics& diagnostics)
{
    if (!scenario.structure || !scenario.structure->workload || !scenario.astra || !scenario.params)
        return Error{ErrorCode::Internal, "an astra-* scenario without structure, workload, system or parameters", {}, {}};
    const Platform& platform = scenario.structure->platform;
    const Workload& workload = *scenario.structure->workload;
    const AstraSystem& system = *scenario.astra;
    if (platform.isExplicit())
        return unsupported("astra-* cannot simulate an explicit graph", "a platform of dimensions, or the model links");
    if (platform.hasRemovals())
        return unsupported("astra-* models have no removed links or NPUs", "the model links or ideal");
    if (platform.hasLinkOverrides())
        return unsupported("astra-* knows no properties of single links", "no link overrides, or the model links");
    const Placement& placement = scenario.structure->placement;
    if (placement.rankCount() > 0 && !placement.isIdentity())
        return unsupported("astra-* runs rank r on NPU r", "no placement, or the model links");
    if (workload.rankCount < platform.npuCount())
        return invalidInput("the platform has " + std::to_string(platform.npuCount()) + " NPUs, the workload " + std::to_string(workload.rankCount)
                            + " ranks", {}, "one rank per NPU");
    if (workload.rankCount > platform.npuCount())
        diagnostics.push_back(warning("surplus-ranks", "the workload has " + std::to_string(workload.rankCount) + " ranks, the platform "
            + std::to_string(platform.npuCount()) + " NPUs: the other ranks are ignored, as in the reference"));
    Place place;
    place.file = system.file;
    const auto refuse = [&](const char* field, const char* message, const char* expected) {
        place.field = field;
        return invalidInput(message, place, expected);
    };
    if (system.activeChunks < 1)
        return refuse("active-chunks-per-dimension", "no chunk would ever start", "at least 1");
    if (system.queuesPerDimension < 1)
        return refuse("num-queues-per-dim", "no chunk would ever start", "at least 1");
    if (system.queuesPerDimension > 65536)
        return refuse("num-queues-per-dim", "too many queues", "at most 65536");
    for (const Dimension& dimension : platform.dimensions()) {
        if (scenario.model == Model::AstraAware && dimension.shape == Shape::Ring && dimension.size == 2)
            diagnostics.push_back(warning("aware-ring-2", "the contention-aware reference stops at a Ring of 2 NPUs in builds with assertions"));
    }
    if (scenario.model == Model::AstraUnaware)
        diagnostics.push_back(note("unaware-sharing", "astra-unaware ignores that messages share links: chunks in flight together each get the full bandwidth"));
    return {};
}

/// One entry per rule: the first says enough.
void addOnce(Diagnostics& target, Diagnostics found)
{
    for (Diagnostic& diagnostic : found) {
        const auto same = [&](const Diagnostic& known) { return known.rule == diagnostic.rule; };
        if (std::none_of(target.begin(), target.end(), same))
            target.push_back(std::move(diagnostic));
    }
}

/// What the engine has made so far, or with `cut` what there is of a run that goes on. Errors: Cancelled.
Result<RunRecord> recordOf(Engine& engine, const Scenario& scenario, const RunOptions& options, bool symmetric, bool cut)
{
    const std::vector<std::int32_t> sizes = sizesOf(scenario.structure->platform);
    const std::int32_t ranks = symmetric ? scenario.structure->platform.npuCount() : engine.ranks.rankCount();
    RecordBuilder builder(scenario.model, usedVersion(scenario), ranks, {}, options.record);
    const Result<Digest> fingerprint = engine.ranks.report(builder, options.taskTimes, symmetric ? &sizes : nullptr, cut);
    if (!fingerprint)
        return fingerprint.error();
    const SimTime now = nanoseconds(engine.queue.now());
    std::vector<DimensionUse> uses = engine.network.use();
    std::int64_t messages = 0;
    for (DimensionUse& use : uses) {
        if (cut)
            cutBusy(use, now);
        messages += use.messages;
    }
    builder.setDimensions(std::move(uses));
    builder.setLinks(engine.network.links(), engine.network.aware());
    builder.setEngine(symmetric ? "symmetry" : "events", messages, engine.queue.events());
    if (cut) {
        RunRecord record = std::move(builder).cut(now);
        for (LinkUse& link : record.links)
            link.busyPs = std::min(link.busyPs, now.ps);
        return record;
    }
    return std::move(builder).finished(fingerprint.value(), {}, builder.isComplete() ? std::vector<Wait>() : engine.ranks.waits());
}

/// Looks at the stop token and the memory limit, and shows how far the run is and what there is so far.
class Watch {
public:
    Watch(Engine& engine, const Scenario& scenario, const RunOptions& options, const std::stop_token& stop, RunPace& pace, std::int64_t fixedMemory,
          bool symmetric)
        : m_engine(engine), m_scenario(scenario), m_options(options), m_stop(stop), m_pace(pace), m_fixedMemory(fixedMemory), m_symmetric(symmetric)
    {
    }

    /// False when the run has to end.
    bool goOn()
    {
        if (m_engine.queue.events() < m_next)
            return true;
        m_next = m_engine.queue.events() + kCheckEvery;
        const std::int64_t memory = static_cast<std::int64_t>(m_engine.queue.memory()) + m_engine.collectives.memory() + m_fixedMemory;
        if (m_stop.stop_requested()) {
            m_failure = stoppedRun();
            m_pace.lastPartial([this] { return part(); });
        } else if (m_options.memoryLimit > 0 && memory > m_options.memoryLimit) {
            m_failure = Error{ErrorCode::MemoryLimit, "the run needs more than the memory limit", {}, "a higher memory limit"};
        } else {
            m_pace.progress([this] { return progress(); });
            m_pace.partial([this] { return part(); });
        }
        return !m_failure;
    }
    const std::optional<Error>& failure() const { return m_failure; }

private:
    Result<RunRecord> part() const { return recordOf(m_engine, m_scenario, m_options, m_symmetric, true); }

    Progress progress() const
    {
        // One collective of all ranks is one task each: its messages tell more than its tasks.
        const double done = static_cast<double>(m_engine.ranks.tasksDone()) + m_engine.collectives.membersUnderWay();
        Progress progress;
        progress.share = done / static_cast<double>(std::max<std::int64_t>(m_engine.ranks.tasksTotal(), 1));
        progress.events = m_engine.queue.events();
        progress.simulated = nanoseconds(m_engine.queue.now());
        return progress;
    }

    Engine& m_engine;
    const Scenario& m_scenario;
    const RunOptions& m_options;
    const std::stop_token& m_stop;
    RunPace& m_pace;
    std::int64_t m_fixedMemory;
    bool m_symmetric;
    std::int64_t m_next = 0;
    std::optional<Error> m_failure;
};

/// Runs to the end. Empty: the ranks are not alike after all (symmetric only).
Result<std::optional<RunRecord>> run(const Scenario& scenario, const AstraVariant& variant, const RunOptions& options, const std::stop_token& stop,
                                     RunPace& pace, bool symmetric, const TellLinkBusy* tell = nullptr)
{
    const Platform& platform = scenario.structure->platform;
    const std::int32_t npus = platform.npuCount();
    const std::int32_t simulated = symmetric ? 1 : npus;
    const std::int64_t links = AstraNetwork::estimate(platform, scenario.model == Model::AstraAware);
    const std::int64_t queues = std::int64_t{simulated} * static_cast<std::int64_t>(platform.dimensions().size()) * scenario.astra->queuesPerDimension * 20;
    const std::int64_t needed = links + queues + AstraRanks::estimate(*scenario.structure->workload, simulated);
    if (options.memoryLimit > 0 && needed > options.memoryLimit)
        return Error{ErrorCode::MemoryLimit, "the run needs at least " + std::to_string(needed / 1048576 + 1) + " MiB", {}, "a higher memory limit"};
    if (links > 0 && AstraNetwork::linkCount(platform) > INT32_MAX)
        return unsupported("astra-aware keeps the state of every link: too many links", "fewer than 2^31 links");

    const auto owned = std::make_unique<Engine>(scenario, variant, npus, symmetric);
    Engine& engine = *owned;
    engine.network.tellBusy(tell);
    engine.ranks.setStop(stop);
    engine.ranks.prepare();
    engine.collectives.setMemoryLimit(options.memoryLimit > 0 ? options.memoryLimit - needed : 0);
    Watch watch(engine, scenario, options, stop, pace, needed, symmetric);
    engine.ranks.start();
    const auto handle = [&](const AstraQueue::Event& event) {
        if (!watch.goOn())
            return false;
        engine.handle(event);
        return !engine.ranks.error() && !engine.queue.beyondHorizon();
    };
    bool again = !engine.ranks.error();
    while (again)
        again = engine.queue.run(handle) && !engine.ranks.complete() && engine.ranks.nudge();
    if (watch.failure())
        return *watch.failure();
    if (stop.stop_requested() && engine.ranks.error())
        return *engine.ranks.error();
    if (symmetric && (engine.queue.ambiguous() || !engine.ranks.complete()))
        return std::optional<RunRecord>(); // also after an error, which names the rank that meets it first
    if (engine.ranks.error())
        return *engine.ranks.error();
    if (engine.queue.beyondHorizon())
        return invalidInput("the run takes longer than 104 days of simulated time", {}, "smaller sizes or durations, or higher rates");

    auto made = recordOf(engine, scenario, options, symmetric, false);
    if (!made)
        return std::move(made).error();
    RunRecord record = std::move(made).value();
    addOnce(record.diagnostics, engine.collectives.takeDiagnostics());
    addOnce(record.diagnostics, engine.ranks.takeDiagnostics());
    return std::optional<RunRecord>(std::move(record));
}

} // namespace

Result<RunRecord> simulateAstra(const Scenario& scenario, const RunOptions& options, std::stop_token stop)
{
    return simulateAstraVariant(scenario, {}, options, std::move(stop));
}

Result<RunRecord> simulateAstraVariant(const Scenario& scenario, const AstraVariant& variant, const RunOptions& options, std::stop_token stop)
{
    Diagnostics diagnostics;
    if (auto status = check(scenario, diagnostics); !status)
        return status.error();
    if (options.engine == EngineChoice::Memo || options.engine == EngineChoice::Sweep)
        return unsupported("astra-* has the engines symmetry and events only", "auto, symmetry or events");
    try {
        std::optional<RunRecord> record;
        RunPace pace(options);
        if (options.engine != EngineChoice::Events && astraRanksAreAlike(scenario)) {
            auto alike = run(scenario, variant, options, stop, pace, true);
            if (!alike)
                return alike.error();
            record = std::move(alike).value();
        }
        if (!record && options.engine == EngineChoice::Symmetry)
            return unsupported("the ranks are not alike, so one cannot stand for all", "auto or events");
        if (!record) {
            auto all = run(scenario, variant, options, stop, pace, false);
            if (!all)
                return all.error();
            record = std::move(all).value();
        }
        record->diagnostics.insert(record->diagnostics.begin(), diagnostics.begin(), diagnostics.end());
        return *std::move(record);
    } catch (const std::bad_alloc&) {
        return Error{ErrorCode::MemoryLimit, "the run does not fit into memory", {}, {}};
    }
}

Status tellAstraLinkIntervals(const Scenario& scenario, std::int64_t memoryLimit, const TellLinkBusy& tell, std::stop_token stop)
{
    Diagnostics known; // To whoever ran it before.
    if (auto status = check(scenario, known); !status)
        return status;
    RunOptions options;
    options.taskTimes = false;
    options.memoryLimit = memoryLimit;
    RunPace pace(options);
    const auto done = run(scenario, {}, options, stop, pace, false, &tell);
    return done ? Status() : done.error();
}

} // namespace fabricscope
