#include "core/scenario/lowering.h"
#include "core/sim/common/remotememory.h"
#include "core/sim/simulate.h"
#include "tests/unit/support/cases.h"
#include "tests/unit/support/cases/networkcase.h"
#include "tests/unit/support/testprogram.h"

#include <QtTest/QtTest>

#include <algorithm>
#include <map>
#include <random>

using namespace fabricscope;
using fabricscope::test::simulated;

namespace {

constexpr std::int64_t kPiece = 1000; ///< Bytes; the rates below make whole picoseconds of it.

Quantity rate(double gbps) { return {gbps, "GB/s", Measure::Bandwidth}; }
Quantity ps(std::int64_t time) { return {static_cast<double>(time), "ps", Measure::Time}; }
Quantity bytes(std::int64_t size) { return {static_cast<double>(size), "B", Measure::Size}; }

struct Figures {
    std::int32_t perNode = 4;
    std::int32_t inCount = 1;
    std::int32_t outCount = 1;
    std::int32_t groups = 1;
    double inRate = 100;
    double outRate = 100;
    double groupRate = 100;
    std::int64_t inLatency = 10'000;
    std::int64_t outLatency = 20'000;
    std::int64_t groupLatency = 50'000;
    MemoryPool::Spread spread = MemoryPool::Spread::Striped;
    std::int64_t piece = kPiece;
};

RemoteMemory poolOf(const Figures& f)
{
    RemoteMemory memory;
    memory.kind = RemoteMemory::Kind::Hierarchical;
    memory.npusPerNode = f.perNode;
    MemoryPool pool;
    pool.spread = f.spread;
    pool.inNode = {f.inCount, rate(f.inRate), ps(f.inLatency)};
    pool.outNode = {f.outCount, rate(f.outRate), ps(f.outLatency)};
    pool.groups = {f.groups, rate(f.groupRate), ps(f.groupLatency)};
    pool.piece = bytes(f.piece);
    memory.pool = pool;
    return memory;
}

struct Access {
    std::int64_t at = 0;
    NodeId npu = 0;
    std::int64_t bytes = 0;
    bool store = false;
    std::vector<NodeId> targets;
};

/// Ends of every access at every target; runs the pool as an engine does.
std::vector<std::vector<std::int64_t>> run(RemotePool& pool, const std::vector<Access>& accesses)
{
    std::vector<std::vector<std::int64_t>> ends;
    std::multimap<std::int64_t, RemotePool::Later> queue;
    std::multimap<std::int64_t, std::size_t> starts;
    for (std::size_t i = 0; i < accesses.size(); ++i) {
        ends.emplace_back(std::max<std::size_t>(accesses[i].targets.size(), 1), -1);
        starts.emplace(accesses[i].at, i);
    }
    while (!queue.empty() || !starts.empty()) {
        std::int64_t now = INT64_MAX;
        if (!queue.empty())
            now = std::min(now, queue.begin()->first);
        if (!starts.empty())
            now = std::min(now, starts.begin()->first);
        while (!queue.empty() && queue.begin()->first == now) {
            const RemotePool::Later next = queue.begin()->second;
            queue.erase(queue.begin());
            RemotePool::Done done{};
            if (pool.take(next.object, next.detail, done))
                ends[static_cast<std::size_t>(done.tag)][static_cast<std::size_t>(done.target)] = now;
        }
        while (!starts.empty() && starts.begin()->first == now) {
            const std::size_t i = starts.begin()->second;
            starts.erase(starts.begin());
            const Access& access = accesses[i];
            pool.begin(now, access.store, access.npu, access.bytes, access.targets.empty() ? std::vector<NodeId>{access.npu} : access.targets, static_cast<std::int64_t>(i));
        }
        if (pool.hasWork())
            pool.serve(now);
        for (const RemotePool::Later& later : pool.later()) {
            if (later.time <= now)
                qFatal("an event of the pool is not later");
            queue.emplace(later.time, later);
        }
        pool.later().clear();
    }
    return ends;
}

std::vector<std::vector<std::int64_t>> run(const Figures& figures, const std::vector<Access>& accesses, bool ideal = false)
{
    RemotePool pool(poolOf(figures), 256 * 1024, ideal);
    return run(pool, accesses);
}

/// Time of a size at a rate in GB/s, ps, rounded up: 1 GB/s is one byte per ns.
std::int64_t time(std::int64_t size, double gbps)
{
    const auto perSecond = static_cast<std::int64_t>(gbps * 1e9);
    __extension__ using Wide = __int128;
    return static_cast<std::int64_t>((Wide{size} * 1'000'000'000'000 + perSecond - 1) / perSecond);
}

std::string design(const std::string& steps, const std::string& model = "links", int npus = 8)
{
    return "fabricscope: 1\nplatform:\n  dimensions: [{shape: switch, size: " + std::to_string(npus)
           + ", bandwidth: 50 GB/s, latency: 500 ns}]\n"
             "  npu: {peak: 1 TFLOP/s, memory_bandwidth: 1 TB/s}\n"
             "  remote_memory:\n    kind: hierarchical\n    npus_per_node: 4\n    in_node: {count: 1, bandwidth: 100 GB/s, latency: 10 ns}\n"
             "    out_node: {count: 2, bandwidth: 50 GB/s, latency: 20 ns}\n    groups: {count: 4, bandwidth: 50 GB/s, latency: 50 ns}\n    piece: 1 KB\n"
             "model: {name: "
           + model + "}\nworkload:\n  groups: [{name: half, axes: [{size: 4, stride: 1}]}]\n  steps:\n" + steps;
}

std::string problemOf(const std::string& text)
{
    auto loaded = readDesignText(text, "test.yaml");
    if (!loaded)
        return loaded.error().text();
    for (const Diagnostic& found : validate(loaded.value().design)) {
        if (found.severity == Severity::Error)
            return found.text();
    }
    return {};
}

/// The slowest of the three resources, as one access alone meets them.
std::int64_t unloaded(const Figures& f, std::int64_t size)
{
    const bool home = f.spread == MemoryPool::Spread::Home;
    const std::int64_t slowest = std::max({time(size, f.inRate * (home ? 1 : f.inCount)), time(size, f.outRate * (home ? 1 : f.outCount)), time(size, f.groupRate * (home ? 1 : f.groups))});
    return f.inLatency + f.outLatency + f.groupLatency + slowest;
}

Figures randomFigures(std::mt19937_64& random)
{
    const auto pick = [&](std::int64_t least, std::int64_t most) { return std::uniform_int_distribution<std::int64_t>(least, most)(random); };
    Figures f;
    f.perNode = static_cast<std::int32_t>(pick(1, 4));
    f.inCount = static_cast<std::int32_t>(pick(1, 3));
    f.outCount = static_cast<std::int32_t>(pick(1, 4));
    f.groups = static_cast<std::int32_t>(pick(1, 5));
    f.inRate = static_cast<double>(pick(1, 200));
    f.outRate = static_cast<double>(pick(1, 200));
    f.groupRate = static_cast<double>(pick(1, 200));
    f.inLatency = pick(1, 1000);
    f.outLatency = pick(1, 1000);
    f.groupLatency = pick(1, 1000);
    f.piece = pick(100, 3000);
    f.spread = pick(0, 1) ? MemoryPool::Spread::Home : MemoryPool::Spread::Striped;
    return f;
}

} // namespace

class MemoryRemoteTest : public QObject {
    Q_OBJECT

private slots:
    void oneAccessTakesItsLatenciesAndTheSlowestResource()
    {
        std::mt19937_64 random(test::seeded(1));
        for (int i = 0; i < test::cases(3000); ++i) {
            const Figures f = randomFigures(random);
            const std::int64_t size = std::uniform_int_distribution<std::int64_t>(1, 20'000)(random);
            for (const bool store : {false, true}) {
                for (const bool ideal : {false, true}) {
                    const auto ends = run(f, {{1000, 3, size, store, {}}}, ideal);
                    QCOMPARE(ends[0][0], 1000 + unloaded(f, size));
                }
            }
        }
    }

    void loadsOfOneInstantShareTheGroupsPieceByPiece()
    {
        // One group of 100 GB/s behind faster switches: a piece of 1000 B is served in 10 ns. With m pieces each, load i of n gets the last one
        // as number (m - 1) n + i.
        Figures f;
        f.inRate = f.outRate = 400;
        for (std::int64_t n = 1; n <= 6; ++n) {
            std::vector<Access> loads;
            for (std::int64_t i = 0; i < n; ++i)
                loads.push_back({0, static_cast<NodeId>(4 * i), 5 * kPiece, false, {}}); // each in a node of its own
            const auto ends = run(f, loads);
            for (std::int64_t i = 0; i < n; ++i)
                QCOMPARE(ends[static_cast<std::size_t>(i)][0], 80'000 + (4 * n + i + 1) * 10'000);
        }
    }

    void loadsOfOneNodeShareItsPort()
    {
        // Eight groups make 800 GB/s, the port to a node has 100: n loads of NPUs of the node take n times as long, of different nodes they do not meet.
        Figures f;
        f.groups = 8;
        f.inRate = 400;
        std::vector<Access> same;
        std::vector<Access> apart;
        for (NodeId i = 0; i < 4; ++i) {
            same.push_back({0, i, 8 * kPiece, false, {}});
            apart.push_back({0, 4 * i, 8 * kPiece, false, {}});
        }
        std::vector<std::int64_t> ends;
        for (const auto& end : run(f, same))
            ends.push_back(end[0]);
        // The last piece to cross is served after all 32 pieces of 10 ns, the first of which came 50 ns after the start.
        QCOMPARE(*std::max_element(ends.begin(), ends.end()), 80'000 + 32 * 10'000);
        ends.clear();
        for (const auto& end : run(f, apart))
            ends.push_back(end[0]);
        // Their pieces leave the groups in turn, one in 1.25 ns, and then have a port each: the last load starts three pieces late.
        QCOMPARE(*std::min_element(ends.begin(), ends.end()), 80'000 + 8 * 10'000);
        QCOMPARE(*std::max_element(ends.begin(), ends.end()), 80'000 + 8 * 10'000 + 3 * 1250);
    }

    void homesOfDifferentGroupsDoNotMeet()
    {
        Figures f;
        f.groups = 2;
        f.outCount = 2;
        f.inRate = 400;
        f.outRate = 400;
        f.spread = MemoryPool::Spread::Home;
        // NPU 0 and 2 live in group 0, NPU 1 in group 1.
        const auto apart = run(f, {{0, 0, 10 * kPiece, false, {}}, {0, 1, 10 * kPiece, false, {}}});
        QCOMPARE(apart[0][0], 80'000 + 100'000);
        QCOMPARE(apart[1][0], 80'000 + 100'000);
        const auto together = run(f, {{0, 0, 10 * kPiece, false, {}}, {0, 2, 10 * kPiece, false, {}}});
        QCOMPARE(together[0][0], 80'000 + 190'000);
        QCOMPARE(together[1][0], 80'000 + 200'000);
    }

    void loadsAndStoresShareTheGroupsOnly()
    {
        // Ports of the two ways are apart; the one group serves both, so the one that ends last ends when both are served.
        Figures f;
        f.inRate = f.outRate = 100;
        const auto ends = run(f, {{0, 0, 10 * kPiece, false, {}}, {0, 1, 10 * kPiece, true, {}}});
        const std::int64_t last = std::max(ends[0][0], ends[1][0]);
        QVERIFY(last >= 50'000 + 200'000);
        QVERIFY(last <= 80'000 + 200'000 + 30'000);
        f.groupRate = 200;
        const auto easy = run(f, {{0, 0, 10 * kPiece, false, {}}, {0, 1, 10 * kPiece, true, {}}});
        QVERIFY(std::max(easy[0][0], easy[1][0]) <= 80'000 + 100'000 + 2 * 5'000);
    }

    void aGatherReadsEveryShardOnce()
    {
        // Four members of one node, 4 shards of 10 pieces. The group reads 40 pieces of 10 ns in turn; the port to the node and those to the NPUs keep up.
        Figures f;
        f.outRate = f.inRate = 100;
        std::vector<Access> shards;
        for (NodeId i = 0; i < 4; ++i)
            shards.push_back({0, i, 10 * kPiece, false, {0, 1, 2, 3}});
        RemotePool pool(poolOf(f), 1, false);
        const auto ends = run(pool, shards);
        for (std::size_t shard = 0; shard < 4; ++shard) {
            for (std::size_t target = 0; target < 4; ++target)
                QCOMPARE(ends[shard][target], 80'000 + (36 + static_cast<std::int64_t>(shard) + 1) * 10'000);
        }
        // Without gathering every member reads everything: four times as much.
        std::vector<Access> loads;
        for (NodeId i = 0; i < 4; ++i)
            loads.push_back({0, i, 40 * kPiece, false, {}});
        const auto alone = run(f, loads);
        QCOMPARE(alone[3][0], 80'000 + 160 * 10'000);
    }

    void aGatherOverTwoNodesUsesEachPortOnce()
    {
        Figures f;
        f.perNode = 2;
        f.groupRate = 400; // 2.5 ns a piece
        f.outRate = 100;   // 10 ns
        f.inRate = 50;     // 20 ns
        const auto ends = run(f, {{0, 0, 10 * kPiece, false, {0, 1, 2, 3}}});
        for (const std::int64_t end : ends[0])
            QCOMPARE(end, 80'000 + 200'000); // the slowest resource, met once by every target
    }

    void accessesAreLimitedByEveryResource()
    {
        // Random accesses: nothing ends before its unloaded time, nor before the bytes that crossed each resource since the start could cross it.
        std::mt19937_64 random(test::seeded(7));
        const auto pick = [&](std::int64_t least, std::int64_t most) { return std::uniform_int_distribution<std::int64_t>(least, most)(random); };
        for (int i = 0; i < test::cases(3000); ++i) {
            const Figures f = randomFigures(random);
            std::vector<Access> accesses;
            std::int64_t read = 0;
            for (std::int64_t n = pick(1, 8); n-- > 0;)
                accesses.push_back({pick(0, 2) * pick(0, 100'000), static_cast<NodeId>(pick(0, 7)), pick(1, 20'000), pick(0, 3) == 0, {}});
            RemotePool pool(poolOf(f), 1, false);
            const auto ends = run(pool, accesses);
            std::map<std::pair<bool, NodeId>, std::vector<std::size_t>> byNpu;
            std::int64_t written = 0;
            for (std::size_t a = 0; a < accesses.size(); ++a) {
                QVERIFY2(ends[a][0] >= accesses[a].at + unloaded(f, accesses[a].bytes), qPrintable(QString::number(i)));
                (accesses[a].store ? written : read) += accesses[a].bytes;
                byNpu[{accesses[a].store, accesses[a].npu}].push_back(a);
            }
            const double ports = f.spread == MemoryPool::Spread::Home ? 1 : f.inCount;
            std::int64_t lastEnd = 0;
            for (const auto& [who, list] : byNpu) {
                std::int64_t total = 0;
                std::int64_t first = INT64_MAX;
                std::int64_t last = 0;
                for (const std::size_t a : list) {
                    total += accesses[a].bytes;
                    first = std::min(first, accesses[a].at);
                    last = std::max(last, ends[a][0]);
                }
                QVERIFY(last - first >= time(total, f.inRate * ports));
                lastEnd = std::max(lastEnd, last);
            }
            QVERIFY(lastEnd >= time(read + written, f.groupRate * f.groups));
        }
    }

    void moreBandwidthAtTheBottleneckIsNeverSlower()
    {
        // All start together, so that a faster group only moves every service to an earlier instant.
        std::mt19937_64 random(test::seeded(11));
        const auto pick = [&](std::int64_t least, std::int64_t most) { return std::uniform_int_distribution<std::int64_t>(least, most)(random); };
        for (int i = 0; i < test::cases(2000); ++i) {
            Figures f = randomFigures(random);
            f.spread = MemoryPool::Spread::Striped;
            f.inRate = f.outRate = 5000; // the groups decide
            std::vector<Access> loads;
            for (std::int64_t n = pick(1, 6); n-- > 0;)
                loads.push_back({0, static_cast<NodeId>(pick(0, 7)), pick(1, 20'000), false, {}});
            const auto slow = run(f, loads);
            f.groupRate *= 2;
            const auto fast = run(f, loads);
            for (std::size_t a = 0; a < loads.size(); ++a)
                QVERIFY2(fast[a][0] <= slow[a][0], qPrintable(QString::number(i)));
        }
    }

    void stepsLoadAndStore()
    {
        // All 8 ranks load 10 KB: the groups (200 GB/s) need 5 ns a piece, 80 pieces; a port to a node (100 GB/s) 10 ns, 40 pieces; so 400 ns and the latencies.
        const RunRecord record = simulated(design("    - {load: 10 KB}\n"));
        QVERIFY(record.complete);
        // The node of the first rank gets its first piece at once; the other's first piece leaves the groups after four pieces of the first node's ranks.
        QCOMPARE(record.finish.ps, 80'000 + 400'000 + 20'000);
        QCOMPARE(record.engines[0].engine, std::string("events"));
        const RunRecord ideal = simulated(design("    - {load: 10 KB}\n", "ideal"));
        QCOMPARE(ideal.finish.ps, 80'000 + 100'000);
        const RunRecord stored = simulated(design("    - {store: 10 KB, ranks: 2}\n"));
        QCOMPARE(stored.finish.ps, 80'000 + 100'000);
        QCOMPARE(simulated(design("    - {load: 0 B}\n")).finish.ps, 0);
    }

    void stepsGather()
    {
        // Two groups of four ranks, each gathers 40 KB: 80 pieces of 5 ns at the groups, 40 of 10 ns at each node's port and NPU's port.
        const RunRecord record = simulated(design("    - {load: 40 KB, gather: half}\n"));
        QVERIFY(record.complete);
        QCOMPARE(record.finish.ps, 80'000 + 400'000 + 20'000);
        // A member that comes late delays the others by its own shard only, and all wait for it.
        const RunRecord late = simulated(design("    - {compute: 1 us, ranks: 3}\n    - {load: 40 KB, gather: half}\n"));
        QCOMPARE(late.finish.ps, 1'000'000 + 80'000 + 100'000);
        QCOMPARE(late.classes.front().times.finish.ps, late.finish.ps);
        // Ideal: a shard of 10 KB, unloaded.
        QCOMPARE(simulated(design("    - {load: 40 KB, gather: half}\n", "ideal")).finish.ps, 80'000 + 100'000);
    }

    void aGatherThatMissesAMemberIsReported()
    {
        const RunRecord record = simulated(design("    - {load: 40 KB, gather: half, ranks: 0-2}\n"));
        QVERIFY(!record.complete);
        QVERIFY(!record.waits.empty());
        QVERIFY(record.waits.front().reason.find("rank 3 has not loaded") != std::string::npos);
    }

    void theSameOnEveryRun()
    {
        const std::string text = design("    - {load: 33 KB}\n    - {store: 7 KB, ranks: 1-5}\n    - {load: 21 KB, gather: half}\n");
        QCOMPARE(simulated(text).fingerprint.hex(), simulated(text, EngineChoice::Events).fingerprint.hex());
    }

    void designsReadBack()
    {
        const std::string text = design("    - {load: 40 KB, gather: half}\n    - {load: 1 KB, gather: world}\n");
        const Design read = readDesignText(text, "test.yaml").value().design;
        const Design again = readDesignText(writeDesign(read), "test.yaml").value().design;
        QVERIFY(again.remoteMemory == read.remoteMemory);
        QCOMPARE(again.remoteMemory.pool->outNode.count, 2);
        QCOMPARE(designHash(again).hex(), designHash(read).hex());
        Design other = read;
        other.remoteMemory.pool->groups.count = 5;
        QVERIFY(designHash(other).hex() != designHash(read).hex());
        other = read;
        other.remoteMemory.pool->spread = MemoryPool::Spread::Home;
        QVERIFY(designHash(other).hex() != designHash(read).hex());
    }

    void refusalsSayWhy()
    {
        const std::string good = design("    - {load: 40 KB, gather: half}\n");
        QCOMPARE(problemOf(good), std::string());
        const auto with = [&](const std::string& old, const std::string& fresh) {
            std::string text = good;
            const std::size_t at = text.find(old);
            if (at == std::string::npos)
                qFatal("%s is not there", old.c_str());
            return problemOf(text.replace(at, old.size(), fresh));
        };
        QVERIFY(with("model: {name: links}", "model: {name: astra-unaware}").find("astra-* models have no hierarchical pools") != std::string::npos);
        QVERIFY(with("    npus_per_node: 4\n", "").find("npus_per_node") != std::string::npos);
        QVERIFY(with("    groups: {count: 4, bandwidth: 50 GB/s, latency: 50 ns}\n", "").find("groups") != std::string::npos);
        QVERIFY(with("count: 4, bandwidth: 50 GB/s", "count: 0, bandwidth: 50 GB/s").find("test.yaml:10") != std::string::npos);
        QVERIFY(with("piece: 1 KB", "piece: 0 B").find("pieces") != std::string::npos);
        QVERIFY(with("gather: half", "gather: quarter").find("no group \"quarter\"") != std::string::npos);
        QVERIFY(with("kind: hierarchical", "kind: pool").find("known") != std::string::npos);
        const std::string plain = "fabricscope: 1\nplatform: {dimensions: [{shape: ring, size: 4, bandwidth: 1 GB/s, latency: 1 ns}], remote_memory: {kind: pool, bandwidth: 1 GB/s}}\n"
                                  "workload: {steps: [{load: 1 KB, gather: world}]}\n";
        QVERIFY(problemOf(plain).find("only the switches of a hierarchical pool gather") != std::string::npos);
    }
};

FABRICSCOPE_TEST(MemoryRemoteTest)
#include "tst_memory_remote.moc"
