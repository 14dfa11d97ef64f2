// The models astra-unaware and astra-aware: checks, the event loop, the record.
#include "core/sim/astraranks.h"
#include "core/sim/simulate.h"

#include <algorithm>
#include <chrono>
#include <map>
#include <new>

namespace fabricscope {

namespace {

constexpr std::int64_t kCheckEvery = 4096;      ///< Events between looks at the stop token.
constexpr std::int64_t kProgressMs = 100;

struct Engine {
    AstraQueue queue;
    AstraNetwork network;
    AstraPost post;
    AstraRanks ranks;
    AstraCollectives collectives;

    Engine(const Scenario& scenario, std::int32_t npus)
        : queue(npus), network(queue, scenario.structure->platform, scenario.model == Model::AstraAware),
          post(queue, network, scenario.astra->rendezvous || scenario.params->rendezvous),
          ranks({*scenario.structure->workload, *scenario.astra, scenario.params->remoteMemory, npus, network.dimensions().size()}, queue, post),
          collectives({*scenario.astra, *scenario.structure->workload, scenario.customPrograms, npus}, queue, network, post, ranks)
    {
        ranks.setCollectives(collectives);
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

/// One entry per rule and text, with a count where several say nearly the same.
void addOnce(Diagnostics& target, Diagnostics found)
{
    for (Diagnostic& diagnostic : found) {
        const auto same = [&](const Diagnostic& known) { return known.rule == diagnostic.rule; };
        if (std::none_of(target.begin(), target.end(), same))
            target.push_back(std::move(diagnostic));
    }
}

} // namespace

Result<RunRecord> simulateAstra(const Scenario& scenario, const RunOptions& options, std::stop_token stop)
{
    RunRecord record;
    record.model = scenario.model;
    record.version = modelVersion(scenario.model);
    if (auto status = check(scenario, record.diagnostics); !status)
        return status.error();
    const Platform& platform = scenario.structure->platform;
    const std::int32_t npus = platform.npuCount();
    const std::int64_t links = AstraNetwork::estimate(platform, scenario.model == Model::AstraAware);
    const std::int64_t queues = std::int64_t{npus} * static_cast<std::int64_t>(platform.dimensions().size()) * scenario.astra->queuesPerDimension * 20;
    const std::int64_t needed = links + queues + AstraRanks::estimate(*scenario.structure->workload, npus);
    if (options.memoryLimit > 0 && needed > options.memoryLimit)
        return Error{ErrorCode::MemoryLimit, "the run needs at least " + std::to_string(needed / 1048576 + 1) + " MiB", {}, "a higher memory limit"};
    if (links / 40 > INT32_MAX)
        return unsupported("astra-aware keeps the state of every link: too many links", "fewer than 2^31 links");

    try {
        Engine engine(scenario, npus);
        if (auto status = engine.ranks.prepare(options.memoryLimit > 0 ? options.memoryLimit - links - queues : 0); !status)
            return status.error();
        engine.collectives.setMemoryLimit(options.memoryLimit > 0 ? options.memoryLimit - needed : 0);
        engine.ranks.start();

        std::optional<Error> failure;
        std::int64_t nextCheck = 0;
        auto published = std::chrono::steady_clock::now();
        const auto look = [&] {
            nextCheck = engine.queue.events() + kCheckEvery;
            if (stop.stop_requested())
                failure = Error{ErrorCode::Cancelled, "stopped", {}, {}};
            else if (options.memoryLimit > 0 && static_cast<std::int64_t>(engine.queue.memory()) + engine.collectives.memory() + needed > options.memoryLimit)
                failure = Error{ErrorCode::MemoryLimit, "the run needs more than the memory limit", {}, "a higher memory limit"};
            if (!options.progress || failure)
                return;
            const auto time = std::chrono::steady_clock::now();
            if (time - published < std::chrono::milliseconds(kProgressMs))
                return;
            published = time;
            Progress progress;
            const auto total = static_cast<double>(std::max<std::int64_t>(engine.ranks.tasksTotal(), 1));
            const auto expected = static_cast<double>(std::max<std::int64_t>(engine.collectives.messagesExpected(), 1));
            const double tasks = static_cast<double>(engine.ranks.tasksDone()) / total;
            const double messages = static_cast<double>(engine.collectives.messagesDelivered()) / expected;
            // One collective of all ranks is one task each: its messages tell more than its tasks.
            progress.share = std::clamp(tasks + (1 - tasks) * messages * std::min(1.0, npus / total), 0.0, 1.0);
            progress.events = engine.queue.events();
            progress.simulated = nanoseconds(engine.queue.now());
            options.progress(progress);
        };
        const auto handle = [&](const AstraQueue::Event& event) {
            if (engine.queue.events() >= nextCheck) {
                look();
                if (failure)
                    return false;
            }
            engine.handle(event);
            return !engine.ranks.error() && !engine.queue.beyondHorizon();
        };
        do {
            engine.queue.run(handle);
        } while (!failure && !engine.ranks.error() && !engine.queue.beyondHorizon() && !engine.ranks.complete() && engine.ranks.nudge());
        if (failure)
            return *std::move(failure);
        if (engine.ranks.error())
            return *engine.ranks.error();
        if (engine.queue.beyondHorizon())
            return invalidInput("the run takes longer than 104 days of simulated time", {}, "smaller sizes or durations, or higher rates");

        engine.ranks.report(record, options.taskTimes);
        record.dimensions = engine.network.use();
        record.links = engine.network.links(record.allLinks);
        record.events = engine.queue.events();
        std::int64_t messages = 0;
        for (const DimensionUse& use : record.dimensions)
            messages += use.messages;
        record.engines = {{"events", messages, 1.0}};
        addOnce(record.diagnostics, engine.collectives.takeDiagnostics());
        addOnce(record.diagnostics, engine.ranks.takeDiagnostics());
    } catch (const std::bad_alloc&) {
        return Error{ErrorCode::MemoryLimit, "the run does not fit into memory", {}, {}};
    }
    return record;
}

} // namespace fabricscope
