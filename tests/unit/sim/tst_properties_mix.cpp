// Random designs of everything at once, under links, ideal and flow: what must hold whatever they are made of.
#include "core/base/index.h"
#include "core/report/collectivebounds.h"
#include "core/report/runjson.h"
#include "core/run/rundesign.h"
#include "core/scenario/lowering.h"
#include "core/scenario/networkparams.h"
#include "tests/unit/support/cases.h"
#include "tests/unit/support/cases/mixeddesign.h"
#include "tests/unit/support/cases/symmetriccase.h"
#include "tests/unit/support/testprogram.h"

#include <QtTest/QtTest>

#include <algorithm>
#include <map>
#include <random>
#include <set>

using namespace fabricscope;
using namespace fabricscope::test;

namespace {

__extension__ using Wide = __int128;

/// An error: the parts of the design do not go together.
Result<ScenarioPtr> scenarioOf(const std::string& text)
{
    auto read = readDesignText(text, "mix.yaml");
    return read ? prepare(read.value().design) : Result<ScenarioPtr>(std::move(read).error());
}

struct Logged {
    RunRecord record;
    std::vector<MessageRecord> messages; ///< Sorted.
};

Result<Logged> run(const Scenario& scenario, EngineChoice engine, bool digest = true)
{
    Logged logged;
    RunOptions options;
    options.engine = engine;
    options.messageDigest = digest;
    options.message = [&](const MessageRecord& message) { logged.messages.push_back(message); };
    auto record = simulate(scenario, options);
    if (!record)
        return std::move(record).error();
    logged.record = std::move(record).value();
    std::sort(logged.messages.begin(), logged.messages.end(), [](const MessageRecord& a, const MessageRecord& b) { return a.words() < b.words(); });
    return logged;
}

bool switchesWork(const Scenario& scenario) { return scenario.params->offload != nullptr; }

/// Bytes of messages are those of the work: protocols add to what links carry.
bool bareBytes(const Scenario& scenario) { return !scenario.params->network || scenario.params->network->protocols.empty(); }

// ---- What must hold ----

/// Bytes all members together receive: what each needs and has not got. -1: the program is not one of the plain ones.
std::int64_t contractBytes(const CollectiveInstance& instance)
{
    if (!instance.program || instance.replayPs >= 0 || !instance.program->isTemplate())
        return -1;
    const TemplateBody& body = instance.program->asTemplate();
    const auto plain = [&](const PhaseTemplate& phase) {
        const std::int32_t extent = body.axes[at(phase.axis)];
        return phase.algorithm == Algorithm::Direct || phase.algorithm == Algorithm::Circulant || (phase.algorithm == Algorithm::Ring && phase.kind != PhaseKind::AllToAll)
            || (phase.algorithm == Algorithm::HalvingDoubling && (extent & (extent - 1)) == 0);
    };
    if (!std::all_of(body.phases.begin(), body.phases.end(), plain))
        return -1;
    const std::int64_t others = instance.program->ranks - 1;
    switch (instance.op) {
    case CollectiveOp::AllGather:
    case CollectiveOp::ReduceScatter: return others * instance.bytes;
    case CollectiveOp::AllReduce: return 2 * others * instance.bytes;
    default: return -1;
    }
}

std::string bytesAreConserved(const Scenario& scenario, const Logged& run)
{
    std::map<std::int64_t, std::int64_t> moved;
    std::map<std::int32_t, std::int64_t> balance; // By NPU: sent less received.
    for (const MessageRecord& message : run.messages) {
        moved[message.instance] += message.bytes;
        if (switchesWork(scenario) && (message.source < 0 || message.target < 0))
            continue; // From or to a switch.
        if (message.source < 0 || message.target < 0)
            return "a message from " + std::to_string(message.source) + " to " + std::to_string(message.target) + " of collective " + std::to_string(message.instance);
        balance[scenario.structure->placement.nodeOf(message.source)] += message.bytes;
        balance[scenario.structure->placement.nodeOf(message.target)] -= message.bytes;
        if (message.bytes <= 0 || message.leftPs <= message.readyPs || message.donePs < message.leftPs)
            return "a message of " + std::to_string(message.bytes) + " B, ready " + std::to_string(message.readyPs) + ", left " + std::to_string(message.leftPs) + ", done "
                + std::to_string(message.donePs);
    }
    for (std::size_t i = 0; i < scenario.structure->instances.size() && run.record.complete; ++i) {
        const std::int64_t expected = contractBytes(scenario.structure->instances[i]);
        if (expected >= 0 && moved[static_cast<std::int64_t>(i)] != expected)
            return "collective " + std::to_string(i) + " moves " + std::to_string(moved[static_cast<std::int64_t>(i)]) + " B, not " + std::to_string(expected);
    }
    if (!run.record.complete || !run.record.allLinks || switchesWork(scenario) || !bareBytes(scenario))
        return {};
    // What goes out of a node less what comes in is what it sends less what it receives.
    const Platform& platform = scenario.structure->platform;
    for (const LinkUse& use : run.record.links) {
        const LinkInfo info = platform.linkInfo(use.link);
        if (info.from >= 0)
            balance[info.from] -= use.bytes;
        if (info.to >= 0)
            balance[info.to] += use.bytes;
    }
    for (const auto& [node, bytes] : balance)
        if (bytes != 0)
            return "node " + std::to_string(node) + " sends " + std::to_string(bytes) + " B more than its links carry";
    return {};
}

/// In every interval from a readiness to a leaving (a delivery): what an NPU sends (receives) wholly inside it fits through all its links.
std::string capacityHolds(const Scenario& scenario, const Logged& run)
{
    const Platform& platform = scenario.structure->platform;
    const Params& params = *scenario.params;
    if (scenario.model == Model::Ideal || switchesWork(scenario) || (params.network && !params.network->occupancy.empty()))
        return {}; // Nothing is shared, switches send for others, or rates are drawn.
    std::map<NodeId, Wide> out;
    std::map<NodeId, Wide> in;
    for (LinkId link = 0; link < platform.linkCount(); ++link) {
        const LinkInfo info = platform.linkInfo(link);
        const std::int64_t rate = platform.bandwidth(link).bytesPerSecond;
        if (info.from >= 0)
            out[info.from] += rate;
        if (info.to >= 0)
            in[info.to] += rate;
    }
    if (params.injection)
        for (auto& [node, rate] : out)
            rate = std::min<Wide>(rate, params.injection->bytesPerSecond);
    if (params.ejection)
        for (auto& [node, rate] : in)
            rate = std::min<Wide>(rate, params.ejection->bytesPerSecond);
    struct Part {
        std::int64_t begin;
        std::int64_t end;
        std::int64_t bytes;
    };
    std::map<NodeId, std::vector<Part>> sent;
    std::map<NodeId, std::vector<Part>> received;
    for (const MessageRecord& message : run.messages) {
        // The budget delays tails, not the leaving of the own link.
        const bool late = params.injection || scenario.model == Model::Flow;
        sent[scenario.structure->placement.nodeOf(message.source)].push_back({message.readyPs, late ? message.donePs : message.leftPs, message.bytes});
        received[scenario.structure->placement.nodeOf(message.target)].push_back({message.readyPs, message.donePs, message.bytes});
    }
    const auto check = [&](std::map<NodeId, std::vector<Part>>& parts, const std::map<NodeId, Wide>& rates) -> std::string {
        for (auto& [node, list] : parts) {
            std::sort(list.begin(), list.end(), [](const Part& a, const Part& b) { return a.end < b.end; });
            std::vector<std::int64_t> begins;
            for (const Part& part : list)
                begins.push_back(part.begin);
            std::sort(begins.begin(), begins.end());
            begins.erase(std::unique(begins.begin(), begins.end()), begins.end());
            for (std::size_t i = 0; i < begins.size(); i += 1 + begins.size() / 8) {
                Wide inside = 0;
                for (const Part& part : list) {
                    inside += part.begin >= begins[i] ? part.bytes : 0;
                    if (part.begin >= begins[i] && inside * kPsPerSecond > rates.at(node) * (part.end - begins[i]))
                        return "node " + std::to_string(node) + ": " + std::to_string(static_cast<std::int64_t>(inside)) + " B from " + std::to_string(begins[i]) + " to "
                            + std::to_string(part.end) + " ps";
                }
            }
        }
        return {};
    };
    const std::string out1 = check(sent, out);
    return out1.empty() ? check(received, in) : out1;
}

std::string timelineHolds(const RunRecord& record)
{
    for (const DimensionUse& use : record.dimensions) {
        for (const std::int64_t busy : use.busy.busyPs())
            if (record.model == Model::Links && busy > use.busy.bucketPs() * use.links)
                return use.name + " is busy for " + std::to_string(busy) + " of " + std::to_string(use.busy.bucketPs()) + " ps on " + std::to_string(use.links) + " links";
        if (use.busy.total() != use.busyPs)
            return use.name + " is busy for " + std::to_string(use.busyPs) + ", over time " + std::to_string(use.busy.total());
        if (record.model != Model::Ideal && use.peakLinkPs > record.finish.ps && record.complete)
            return use.name + " has a link that is busy for longer than the run";
    }
    std::int64_t last = 0;
    for (const RankClass& row : record.classes) {
        const RankTimes& times = row.times;
        last = std::max(last, times.finish.ps);
        for (const SimTime each : {times.exposedComm, times.compute, times.comm, times.host, times.memory})
            if (each.ps < 0 || each.ps > record.finish.ps)
                return "a rank works for " + std::to_string(each.ps) + " ps";
        for (std::size_t t = 0; row.tasks && t < row.tasks->endPs.size(); ++t)
            if (record.complete && (row.tasks->issuePs[t] < 0 || row.tasks->endPs[t] < row.tasks->issuePs[t] || row.tasks->endPs[t] > record.finish.ps))
                return "task " + std::to_string(t) + " from " + std::to_string(row.tasks->issuePs[t]) + " to " + std::to_string(row.tasks->endPs[t]);
    }
    return !record.complete || last == record.finish.ps ? "" : "the last rank ends at " + std::to_string(last);
}

std::string boundsHold(const Scenario& scenario, const RunRecord& record, int& bounds)
{
    for (const CollectiveBoundRow& row : collectiveBounds(scenario, record).rows) {
        ++bounds;
        if (row.best < row.bound)
            return row.op + " by " + row.algorithm + " takes " + std::to_string(row.best.ps) + ", the bound is " + std::to_string(row.bound.ps);
    }
    return {};
}

/// Every engine that takes the design says the same, message by message.
std::string enginesAgree(const Scenario& scenario, const Logged& events, std::map<std::string, int>& taken)
{
    if (scenario.model == Model::Flow || !events.record.complete)
        return {};
    for (const auto& [engine, name, follows] : {std::tuple(EngineChoice::Sweep, "sweep", true), {EngineChoice::Memo, "memo", true}, {EngineChoice::Auto, "auto", true},
                                                {EngineChoice::Symmetry, "symmetry", false}}) {
        const auto other = run(scenario, engine, follows);
        if (!other) {
            if (other.error().code != ErrorCode::Unsupported)
                return std::string(name) + ": " + other.error().text();
            continue;
        }
        ++taken[name];
        RunRecord expected = events.record;
        std::vector<MessageRecord> messages = events.messages;
        if (!follows) { // Tells of the messages of rank 0 only.
            expected.messages = {};
            std::erase_if(messages, [](const MessageRecord& message) { return message.source != 0; });
        }
        const std::string found = difference(other.value().record, expected);
        if (!found.empty())
            return std::string(name) + ": " + found;
        if (other.value().messages.size() != messages.size())
            return std::string(name) + ": " + std::to_string(other.value().messages.size()) + " messages, events " + std::to_string(messages.size());
        for (std::size_t i = 0; i < messages.size(); ++i)
            if (other.value().messages[i].words() != messages[i].words())
                return std::string(name) + ": message " + std::to_string(i);
    }
    return {};
}

} // namespace

class PropertiesMixTest : public QObject {
    Q_OBJECT

private slots:
    void whateverADesignIsMadeOf_data()
    {
        QTest::addColumn<QString>("model");
        QTest::addColumn<bool>("single");
        QTest::addColumn<int>("count");
        QTest::newRow("links") << "links" << false << 2500;
        QTest::newRow("ideal") << "ideal" << false << 900;
        QTest::newRow("flow") << "flow" << false << 900;
        QTest::newRow("links, one collective") << "links" << true << 1200;
        QTest::newRow("ideal, one collective") << "ideal" << true << 400;
    }
    void whateverADesignIsMadeOf()
    {
        QFETCH(QString, model);
        QFETCH(bool, single);
        QFETCH(int, count);
        MixLimits limits;
        limits.model = model.toStdString();
        limits.single = single;
        int refused = 0;
        int incomplete = 0;
        int bounds = 0;
        int failures = 0;
        std::int64_t messages = 0;
        std::map<std::string, int> taken;
        std::map<std::string, int> reasons;
        const int all = cases(count);
        const std::uint64_t first = seeded(0);
        for (int i = 0; i < all && failures < 3; ++i) {
            const std::uint64_t seed = first + static_cast<std::uint64_t>(i);
            const std::string text = mixedDesign(seed, limits);
            const auto scenario = scenarioOf(text);
            if (!scenario) {
                ++refused;
                ++reasons[scenario.error().message];
                continue;
            }
            const auto logged = run(*scenario.value(), EngineChoice::Events);
            std::string found;
            if (!logged) {
                ++reasons[logged.error().message];
                if (logged.error().code != ErrorCode::Unsupported)
                    found = logged.error().text();
                ++refused;
            } else {
                messages += static_cast<std::int64_t>(logged.value().messages.size());
                incomplete += logged.value().record.complete ? 0 : 1;
                if (!logged.value().record.complete && logged.value().record.waits.empty())
                    found = "does not finish and names no wait";
                if (found.empty())
                    found = bytesAreConserved(*scenario.value(), logged.value());
                if (found.empty())
                    found = capacityHolds(*scenario.value(), logged.value());
                if (found.empty())
                    found = timelineHolds(logged.value().record);
                if (found.empty() && logged.value().record.complete)
                    found = boundsHold(*scenario.value(), logged.value().record, bounds);
                if (found.empty())
                    found = enginesAgree(*scenario.value(), logged.value(), taken);
            }
            if (found.empty())
                continue;
            ++failures;
            qWarning("seed %llu: %s\n%s", static_cast<unsigned long long>(seed), found.c_str(), text.c_str());
        }
        std::string engines;
        for (const auto& [name, times] : taken)
            engines += ", " + name + ' ' + std::to_string(times);
        qInfo("%d designs, %d refused, %d that cannot finish, %lld messages, %d bounds%s", all, refused, incomplete, static_cast<long long>(messages), bounds, engines.c_str());
        if (qEnvironmentVariableIsSet("FABRICSCOPE_SHOW"))
            for (const auto& [reason, times] : reasons)
                qInfo("%5d %s", times, reason.c_str());
        QCOMPARE(failures, 0);
        QVERIFY(refused < all / 4);
    }

    /// One collective in one chunk by rings, and directly where every pair has a link of its own: nothing is decided during the run, what happens is the
    /// longest of sums of occupancies and latencies, and none of them grows when all rates double.
    void twiceTheBandwidthIsNeverLater()
    {
        int compared = 0;
        int faster = 0;
        for (const std::uint64_t seed : Seeds(0, 1500)) {
            const std::string text = fixedOrderDesign(seed);
            const auto scenario = scenarioOf(text);
            if (!scenario)
                qFatal("%s\n%s", scenario.error().text().c_str(), text.c_str());
            const auto slow = simulate(*scenario.value());
            const auto fast = simulate(twiceAsFast(*scenario.value()));
            QVERIFY(slow && fast && slow.value().complete && fast.value().complete);
            ++compared;
            faster += fast.value().finish < slow.value().finish ? 1 : 0;
            QVERIFY2(fast.value().finish <= slow.value().finish, (std::to_string(seed) + '\n' + text).c_str());
            for (std::int64_t rank = 0; rank < slow.value().rankCount; ++rank)
                QVERIFY2(finishOf(fast.value(), rank) <= finishOf(slow.value(), rank), (std::to_string(seed) + '\n' + text).c_str());
        }
        QVERIFY(faster > compared / 2); // The others are bound by latencies.
    }

    /// A setting whose value changes nothing in a run that has all there is to change is not used by the model, and that must be said.
    void whatAModelDoesNotUseIsSaid_data()
    {
        QTest::addColumn<QString>("part");
        QTest::addColumn<QString>("one");
        QTest::addColumn<QString>("other");
        const auto add = [](const char* part, const char* one, const char* other) { QTest::addRow("%s: %s", part, one) << part << one << other; };
        add("npu", "memory_bandwidth: 900 GB/s", "memory_bandwidth: 9 GB/s");
        add("npu", "memory: 80 GiB", "memory: 1 MiB");
        add("platform", "budgets: {injection: 40 GB/s}", "budgets: {injection: 4 GB/s}");
        add("platform", "budgets: {ejection: 40 GB/s}", "budgets: {ejection: 4 GB/s}");
        add("platform", "overrides: {links: [{link: \"d0 1>2\", bandwidth: 40 GB/s}]}", "overrides: {links: [{link: \"d0 1>2\", bandwidth: 4 GB/s}]}");
        add("platform", "overrides: {links: [{link: \"d0 1>2\", latency: 40 us}]}", "overrides: {links: [{link: \"d0 1>2\", latency: 4 us}]}");
        add("platform", "overrides: {npus: [{npu: 3, speed: 0.9}]}", "overrides: {npus: [{npu: 3, speed: 0.5}]}");
        add("platform", "overrides: {npus: [{npu: 3, peak: 1 TFLOP/s}]}", "overrides: {npus: [{npu: 3, peak: 2 TFLOP/s}]}");
        add("platform", "overrides: {npus: [{npu: 3, memory_bandwidth: 40 GB/s}]}", "overrides: {npus: [{npu: 3, memory_bandwidth: 4 GB/s}]}");
        add("platform", "overrides: {npus: [{npu: 3, memory: 80 GiB}]}", "overrides: {npus: [{npu: 3, memory: 1 MiB}]}");
        add("model", "endpoint_delay: 1 us", "endpoint_delay: 9 us");
        add("model", "rendezvous: true", "rendezvous: false");
        add("collectives", "window: 1", "window: 2");
        add("collectives", "slots: 1", "slots: 2");
        add("settings", "active_chunks: 1", "active_chunks: 4");
        add("settings", "queues: 1", "queues: 4");
        add("settings", "optimization: baseline", "optimization: localBWAware");
        add("top", "network: {routing: {policy: dimension_order, order: [1, 0]}}", "network: {routing: {policy: dimension_order, order: [0, 1]}}");
        add("top", "network: {protocol: LL}", "network: {protocol: Simple}");
        add("top", "network: {protocols: [{latency: 1 us, slots: 1, slot_size: 10 kB}]}", "network: {protocols: [{latency: 1 us, slots: 8, slot_size: 10 kB}]}");
        add("top", "network: {protocols: [{latency: 1 us, handshake: true}]}", "network: {protocols: [{latency: 1 us}]}");
        add("top", "network: {faults: [{link: \"d0 0>1\", at: 1 us, factor: 1/2}]}", "network: {faults: [{link: \"d0 0>1\", at: 1 us, factor: 1/9}]}");
        add("top", "network: {jitter: {compute: {distribution: uniform, deviation: 0.1}}}", "network: {jitter: {compute: {distribution: uniform, deviation: 0.4}}}");
        add("top", "network: {jitter: {latency: {distribution: uniform, deviation: 0.1}}}", "network: {jitter: {latency: {distribution: uniform, deviation: 0.4}}}");
        add("top", "network: {jitter: {occupancy: {distribution: uniform, deviation: 0.1}}}", "network: {jitter: {occupancy: {distribution: uniform, deviation: 0.4}}}");
        add("top", "compute: {efficiency: {operations: [{share: 0.3}]}}", "compute: {efficiency: {operations: [{share: 0.6}]}}");
        add("top", "compute: {slowdown: {sm_share: 0.1}}", "compute: {slowdown: {sm_share: 0.8}}");
        add("top", "scheduling: {dimensions: themis}", "scheduling: {dimensions: exact}");
        add("top", "scheduling: {inside: smallest_first}", "scheduling: {inside: fifo}");
        add("top", "scheduling: {order: lifo}", "scheduling: {order: fifo}");
        add("top", "scheduling: {units: {compute: 1}}", "scheduling: {units: {compute: 3}}");
        add("top", "scheduling: {units: {communication: 1}}", "scheduling: {units: {communication: 3}}");
        add("top", "scheduling: {streams: 1}", "scheduling: {streams: 3}");
    }
    void whatAModelDoesNotUseIsSaid()
    {
        QFETCH(QString, part);
        QFETCH(QString, one);
        QFETCH(QString, other);
        for (const std::string model : {"links", "ideal", "flow", "astra-unaware", "astra-aware"}) {
            const Shown none = shown(model, {}, {});
            QVERIFY2(!none.result.empty(), none.error.c_str());
            const Shown first = shown(model, part.toStdString(), one.toStdString());
            const Shown second = shown(model, part.toStdString(), other.toStdString());
            if (first.result != second.result || first.result.empty())
                continue; // Used, or refused.
            const bool told = first.told != none.told || second.told != none.told;
            QVERIFY2(told, (model + " does not use it and says nothing").c_str());
        }
    }

    void resultsAreTheSameBytesOnAnyNumberOfThreads()
    {
        MixLimits limits;
        for (const std::uint64_t seed : Seeds(5000, 400)) {
            limits.model = seed % 3 == 0 ? "flow" : seed % 3 == 1 ? "links" : "ideal";
            const auto read = readDesignText(mixedDesign(seed, limits), "mix.yaml");
            if (!read)
                continue;
            const auto design = std::make_shared<const Design>(read.value().design);
            std::string first;
            for (const int threads : {1, 2, 8}) {
                RunDesignOptions options;
                options.threads = threads;
                const auto result = runDesign(design, read.value().diagnostics, options);
                const std::string text = result ? runJson(result.value()->summary, {}, RankRows::All) : result.error().text();
                QVERIFY(!text.empty());
                if (threads == 1)
                    first = text;
                QVERIFY2(text == first, std::to_string(seed).c_str());
            }
        }
    }

private:
    struct Shown {
        std::string result;        ///< All times; empty: refused.
        std::string error;
        std::set<std::string> told;
    };

    /// A run with computations of both kinds, several collectives at once, messages between pairs and accesses to memory.
    static Shown shown(const std::string& model, const std::string& part, const std::string& setting)
    {
        const bool astra = model.starts_with("astra");
        const auto in = [&](const char* name, const std::string& before, const std::string& after) { return part == name ? before + setting + after : std::string(); };
        const std::string dimensions = "{shape: ring, size: 4, bandwidth: 50 GB/s, latency: 500 ns}, {shape: switch, size: 2, bandwidth: 20 GB/s, latency: 700 ns}";
        const std::string text = "fabricscope: 1\nplatform:\n  dimensions: [" + dimensions + "]\n  npu: {peak: 3 TFLOP/s" + in("npu", ", ", "") + (one(setting, "memory_bandwidth") ? "" : ", memory_bandwidth: 100 GB/s")
            + "}\n  remote_memory: {kind: per_npu, latency: 1 us, bandwidth: 10 GB/s}\n" + in("platform", "  ", "\n")
            + "workload:\n  steps:\n    - {load: 1 MiB, name: a, priority: 1}\n    - {compute: " + std::string(astra ? "333 us" : "1 GFLOP, bytes: 1 MB") + ", name: b, after: [], output: 2 MiB, ranks: \"0-6\"}\n    - {compute: 90 us, name: c, after: []}\n"
              "    - {load: 50 kB, name: f, after: []}\n    - {compute: 70 us, after: f, priority: 2}\n    - {compute: 40 us, after: a}\n"
              "    - {collective: all_reduce, size: 3 MiB, name: d, after: a}\n    - {collective: all_reduce, size: 300 kB, name: e, after: c, priority: 3}\n    - {collective: all_gather, size: 2 MiB, after: c}\n"
              "    - {collective: all_reduce, size: 8 B, after: [d, e]}\n"
            + "    - {send: 1 MiB, to: 6, ranks: \"1\", after: []}\n    - {receive: 1 MiB, from: 1, ranks: \"6\", after: []}\n    - {send: 30 kB, to: 6, tag: 1, ranks: \"1\", after: []}\n    - {receive: 30 kB, from: 1, tag: 1, ranks: \"6\", after: []}\n"
            + "collectives: {default: {algorithm: ring, chunks: 8" + in("collectives", ", ", "") + "}" + in("settings", ", ", "") + "}\nmodel: {name: " + model + (astra ? ", roofline: false" : ", roofline: true") + in("model", ", ", "") + "}\n"
            + in("top", "", "\n");
        const auto read = readDesignText(text, "mix.yaml");
        Shown shown;
        if (!read) {
            shown.error = read.error().text();
            return shown;
        }
        for (const Diagnostics& list : {read.value().diagnostics, validate(read.value().design)})
            for (const Diagnostic& entry : list)
                shown.told.insert(entry.message);
        const auto scenario = prepare(read.value().design);
        const auto record = scenario ? simulate(*scenario.value()) : Result<RunRecord>(scenario.error());
        if (!record) {
            shown.error = record.error().text();
            return shown;
        }
        for (const Diagnostics& list : {scenario.value()->diagnostics, record.value().diagnostics})
            for (const Diagnostic& entry : list)
                shown.told.insert(entry.message);
        shown.result = record.value().fingerprint.hex();
        for (const DimensionUse& use : record.value().dimensions)
            shown.result += ' ' + std::to_string(use.busyPs) + ' ' + std::to_string(use.bytes);
        for (const LinkUse& use : record.value().links)
            shown.result += ' ' + std::to_string(use.link) + ' ' + std::to_string(use.bytes);
        return shown;
    }

    static bool one(const std::string& setting, const char* word) { return setting.starts_with(word); }

    static std::string fixedOrderDesign(std::uint64_t seed)
    {
        std::mt19937_64 dice(seed);
        const auto pick = [&dice](int low, int high) { return std::to_string(low + static_cast<int>(dice() % static_cast<unsigned>(high - low + 1))); };
        static const char* const kOps[] = {"all_reduce", "all_gather", "reduce_scatter", "all_to_all"};
        const std::string op = kOps[dice() % 4];
        const bool direct = op == "all_to_all" || dice() % 3 == 0;
        std::string dimensions;
        std::string changed;
        int npus = 1;
        for (std::uint64_t d = 0, count = 1 + dice() % 3; d < count; ++d) {
            static const char* const kShapes[] = {"fully_connected", "ring", "switch"};
            const std::string shape = direct ? "fully_connected" : kShapes[dice() % 3];
            const int size = 2 + static_cast<int>(dice() % 3);
            const std::string rate = pick(1, 200);
            dimensions += (d == 0 ? "" : ", ") + std::string("{shape: ") + shape + ", size: " + std::to_string(size) + ", bandwidth: " + rate + " GB/s, latency: " + pick(0, 2000) + " ns}";
            if (dice() % 2 == 0 && shape != "switch") // NPU 0 to the next one of the dimension.
                changed += (changed.empty() ? "" : ", ") + std::string("{link: \"d") + std::to_string(d) + " 0>" + std::to_string(npus) + "\", bandwidth: " + pick(1, 300) + " GB/s}";
            npus *= size;
        }
        const std::string unit = dice() % 2 == 0 ? " kB" : " B";
        const std::string size = pick(1, 900) + unit;
        const std::string memory = dice() % 2 == 0 ? "  npu: {memory_bandwidth: " + pick(5, 500) + " GB/s}\n" : "";
        return "fabricscope: 1\nplatform:\n  dimensions: [" + dimensions + "]\n" + memory + (changed.empty() ? "" : "  overrides: {links: [" + changed + "]}\n") + "workload:\n  steps:\n    - {compute: "
            + "3 us, ranks: \"0\"}\n    - {collective: " + op + ", size: " + size + "}\ncollectives: {default: {algorithm: " + (direct ? "direct" : "ring") + ", chunks: 1}}\n";
    }

    static Scenario twiceAsFast(const Scenario& scenario)
    {
        Scenario fast = scenario;
        auto params = std::make_shared<Params>(*scenario.params);
        for (Bandwidth& rate : params->linkRate)
            rate.bytesPerSecond *= 2;
        if (params->reducerRate)
            params->reducerRate->bytesPerSecond *= 2;
        fast.costs = std::make_shared<const CostTable>(*params);
        fast.params = std::move(params);
        return fast;
    }

    static SimTime finishOf(const RunRecord& record, std::int64_t rank)
    {
        for (const RankClass& row : record.classes)
            if (row.ranks.contains(rank))
                return row.times.finish;
        return {-1};
    }
};

FABRICSCOPE_TEST(PropertiesMixTest)
#include "tst_properties_mix.moc"
