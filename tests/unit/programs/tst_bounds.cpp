#include "core/bounds/bounds.h"
#include "tests/unit/support/cases.h"
#include "tests/unit/support/cases/referencegraphs.h"
#include "tests/unit/support/testprogram.h"

#include <QtTest/QtTest>

#include <random>

using namespace fabricscope;
using namespace fabricscope::test;

namespace {

constexpr std::int64_t kGiga = 1'000'000'000;

Quantity rate(double gigabytesPerSecond) { return {gigabytesPerSecond, "GB/s", Measure::Bandwidth}; }
Quantity time(double ns) { return {ns, "ns", Measure::Time}; }

Dimension dimension(Shape shape, std::int32_t size, double gigabytesPerSecond, double ns)
{
    Dimension d;
    d.shape = shape;
    d.size = size;
    d.bandwidth = rate(gigabytesPerSecond);
    d.latency = time(ns);
    return d;
}

Platform make(PlatformSpec spec)
{
    Result<Platform> platform = Platform::create(std::move(spec));
    if (!platform)
        qFatal("%s", platform.error().text().c_str());
    return std::move(platform).value();
}

Platform make(std::vector<Dimension> dimensions)
{
    PlatformSpec spec;
    spec.dimensions = std::move(dimensions);
    return make(std::move(spec));
}

CollectiveBound bound(const Platform& platform, CollectiveOp op, std::int64_t bytes, std::int32_t root = 0)
{
    return collectiveBound(platform, allNpus(platform), op, bytes, root).value();
}

/// The same platform, but so that it is not seen to be alike everywhere: its cuts are then found by max-flow.
Platform searched(const Platform& platform)
{
    PlatformSpec spec = platform.spec();
    LinkOverride same;
    same.link = 0;
    same.latency = platform.dimensions()[platform.linkInfo(0).dimension < 0 ? 0 : static_cast<std::size_t>(platform.linkInfo(0).dimension)].latency;
    spec.linkOverrides.push_back(same);
    return make(spec);
}

/// Bandwidth term by the shard rate, in ps, exact in long double.
bool isRate(const CollectiveBound& found, double gigabytesPerSecond)
{
    const double got = static_cast<double>(found.shardRateNumerator) / static_cast<double>(found.shardRateDenominator) / 1e9;
    return std::abs(got - gigabytesPerSecond) < 1e-9 * gigabytesPerSecond;
}

constexpr CollectiveOp kOps[] = {CollectiveOp::AllReduce, CollectiveOp::AllGather, CollectiveOp::ReduceScatter, CollectiveOp::Broadcast,
                                 CollectiveOp::Reduce,    CollectiveOp::Gather,    CollectiveOp::Scatter};

} // namespace

class BoundsTest : public QObject {
    Q_OBJECT

private slots:
    // manual: synthesis 1, one row each: M = p GB with links of 50 GB/s, so beta M = p / 50 s.
    void tableOfTopologies_data()
    {
        QTest::addColumn<QString>("topology");
        QTest::addColumn<int>("p");
        QTest::addColumn<double>("links"); // of the rank with the fewest: (p-1)/p M beta / links
        QTest::addColumn<int>("diameter"); // in links
        QTest::newRow("one-way ring") << "oneway" << 7 << 1.0 << 6;
        QTest::newRow("ring of 8") << "ring" << 8 << 2.0 << 4;
        QTest::newRow("ring of 9") << "ring" << 9 << 2.0 << 4;
        QTest::newRow("torus 4 x 6") << "torus" << 24 << 4.0 << 5;
        QTest::newRow("mesh 3 x 5") << "mesh2" << 15 << 2.0 << 6;
        QTest::newRow("mesh 2 x 3 x 4") << "mesh3" << 24 << 3.0 << 6;
        QTest::newRow("hypercube of 16") << "hypercube" << 16 << 4.0 << 4;
        QTest::newRow("clique of 6") << "clique" << 6 << 5.0 << 1;
        QTest::newRow("switch of 10") << "switch" << 10 << 1.0 << 2;
    }
    void tableOfTopologies()
    {
        QFETCH(QString, topology);
        QFETCH(int, p);
        QFETCH(double, links);
        QFETCH(int, diameter);
        const Platform platform = named(topology, p);
        QCOMPARE(platform.npuCount(), p);
        for (const CollectiveOp op : {CollectiveOp::AllGather, CollectiveOp::ReduceScatter}) {
            const CollectiveBound found = bound(platform, op, p * kGiga);
            QVERIFY(found.exact);
            QVERIFY(isRate(found, 50 * links / (p - 1)));
            QVERIFY(std::abs(static_cast<double>(found.bandwidthPs) - 1e12 * (p - 1) / 50 / links) <= 1);
            QCOMPARE(found.latencyPs, diameter * 100'000);
            QVERIFY(found.timePs >= found.bandwidthPs + (topology == "switch" ? 200'000 : 100'000));
        }
        const CollectiveBound both = bound(platform, CollectiveOp::AllReduce, p * kGiga);
        QVERIFY(std::abs(static_cast<double>(both.bandwidthPs) - 2e12 * (p - 1) / 50 / links) <= 1 || topology.startsWith("mesh"));
        QVERIFY(both.latencyPs == diameter * 100'000);
    }

    void allToAllOfTable()
    {
        const auto seconds = [](const Platform& platform) {
            return static_cast<double>(bound(platform, CollectiveOp::AllToAll, 1000 * platform.npuCount()).bandwidthPs) / 1e12;
        };
        const auto near = [](double a, double b) { return std::abs(a - b) < 1e-6 * b; };
        const double beta = 1 / 50e9;
        QVERIFY(near(seconds(named("ring", 8)), 8000.0 * 8 * beta / 8));
        QVERIFY(near(seconds(make({dimension(Shape::Ring, 4, 50, 100), dimension(Shape::Ring, 8, 50, 100)})), 32000.0 * 8 * beta / 8));
        QVERIFY(near(seconds(mesh({6, 6}, 50, 100)), 36000.0 * 6 * beta / 4));
        QVERIFY(near(seconds(named("clique", 6)), 6000.0 * beta / 6));
        QVERIFY(near(seconds(named("switch", 10)), 10000.0 * 0.9 * beta));
    }

    void switchesThatReduceHalveAllReduce()
    {
        Dimension d = dimension(Shape::Switch, 8, 50, 100);
        d.offload.emplace();
        d.offload->reduction = rate(400);
        const CollectiveBound found = bound(make({d}), CollectiveOp::AllReduce, 50 * kGiga);
        QCOMPARE(found.bandwidthPs, 1'000'000'000'000);
        QVERIFY(found.exact);
        d.offload.reset();
        QCOMPARE(bound(make({d}), CollectiveOp::AllReduce, 50 * kGiga).bandwidthPs, 1'750'000'000'000);
    }

    // manual: synthesis 6.
    void publishedOptima()
    {
        const auto gathered = [](const Platform& platform) {
            const CollectiveBound found = bound(platform, CollectiveOp::AllGather, kGiga);
            if (!found.exact)
                return 0.0;
            return static_cast<double>(platform.npuCount()) * static_cast<double>(found.shardRateNumerator)
                / static_cast<double>(found.shardRateDenominator) / 1e9;
        };
        const auto near = [](double a, double b) { return std::abs(a - b) < 0.0005; };
        QVERIFY(std::abs(gathered(dgx1(true)) - 171.43) < 0.005);
        QCOMPARE(bound(dgx1(true), CollectiveOp::AllGather, kGiga).bandwidthPs, 5'833'333'333);
        QVERIFY(std::abs(gathered(dgx1(false)) - 91.43) < 0.005);
        QVERIFY(near(gathered(a100(1)), 342.857));
        QVERIFY(near(gathered(a100(2)), 346.667));
        QVERIFY(near(gathered(a100(4)), 266.667));
        QVERIFY(near(gathered(mi250(1)), 342.857));
        QVERIFY(near(gathered(mi250(2)), 354.133));
        QVERIFY(near(gathered(mi250(4)), 341.333));
    }

    // manual: synthesis 7, 1 GB gathered or exchanged.
    void boundsOfTeCclCases()
    {
        const auto us = [](const Platform& platform, CollectiveOp op) { return bound(platform, op, kGiga).bandwidthPs / 1'000'000; };
        QCOMPARE(us(ndv2(2), CollectiveOp::AllGather), 40'000);
        QCOMPARE(us(ndv2(2), CollectiveOp::AllToAll), 320'000);
        QCOMPARE(us(ndv2(4), CollectiveOp::AllGather), 60'000);
        QCOMPARE(us(dgx2Pair(), CollectiveOp::AllGather), 7'750);
        QCOMPARE(us(dgx2Pair(), CollectiveOp::AllToAll), 80'000);
    }

    void namesWhatBinds()
    {
        const std::string chassis = bound(ndv2(2), CollectiveOp::AllGather, kGiga).cut; // either of the two
        QVERIFY(chassis == "gpu0, gpu1, gpu2, gpu3 and 4 more | rest" || chassis == "gpu8, gpu9, gpu10, gpu11 and 4 more | rest");
        const Platform fabric = make({dimension(Shape::FullyConnected, 8, 100, 100), dimension(Shape::Switch, 4, 25, 100)});
        QCOMPARE(bound(fabric, CollectiveOp::AllGather, kGiga).cut, std::string("dimension 1 of every NPU"));
        QCOMPARE(bound(dgx1(true), CollectiveOp::Broadcast, kGiga, 2).shardRateNumerator, 150 * kGiga);
    }

    void closedFormsAreWhatMaxFlowFinds()
    {
        std::mt19937_64 random(seeded(5));
        const Shape shapes[] = {Shape::Ring, Shape::FullyConnected, Shape::Switch};
        for (int round = 0; round < cases(250); ++round) {
            std::vector<Dimension> dimensions;
            std::int32_t npus = 1;
            for (std::size_t d = 0; d < 1 + random() % 4; ++d) {
                const auto size = static_cast<std::int32_t>(1 + random() % 6);
                if (npus * size > 60)
                    break;
                npus *= size;
                const Shape shape = shapes[random() % 3];
                const auto gigabytes = static_cast<double>(1 + random() % 40);
                const double ns = 10.0 * static_cast<double>(1 + random() % 9);
                dimensions.push_back(dimension(shape, size, gigabytes, ns));
            }
            if (npus < 2)
                continue;
            const Platform platform = make(dimensions);
            const Platform other = searched(platform);
            for (const CollectiveOp op : kOps) {
                const CollectiveBound closed = bound(platform, op, npus * kGiga);
                const CollectiveBound flow = bound(other, op, npus * kGiga);
                QVERIFY(closed.exact && flow.exact);
                QCOMPARE(closed.shardRateNumerator, flow.shardRateNumerator);
                QCOMPARE(closed.shardRateDenominator, flow.shardRateDenominator);
                QCOMPARE(closed.bandwidthPs, flow.bandwidthPs);
                QCOMPARE(closed.latencyPs, flow.latencyPs);
                QVERIFY(closed.timePs >= closed.bandwidthPs + (closed.latencyPs > 0 ? 10'000 : 0) && flow.timePs >= closed.timePs);
            }
        }
    }

    void largePlatformsByClosedForm()
    {
        const Platform platform = make({dimension(Shape::Ring, 32, 100, 100), dimension(Shape::Ring, 32, 100, 100), dimension(Shape::Ring, 32, 100, 100),
                                        dimension(Shape::Switch, 32, 25, 1000)});
        const auto npus = static_cast<std::int64_t>(platform.npuCount());
        QCOMPARE(npus, std::int64_t{1} << 20);
        const CollectiveBound found = bound(platform, CollectiveOp::AllGather, npus * 1'000'000);
        // 625 GB/s into each NPU for the shards of all others.
        QCOMPARE(found.bandwidthPs, (npus - 1) * 1'600'000);
        QVERIFY(found.exact);
        QCOMPARE(found.latencyPs, (3 * 16 * 100 + 2 * 1000) * 1000);
        QCOMPARE(found.cut, std::string("dimensions 0, 1, 2, 3 of every NPU"));
    }

    void groupsInALargerFabric()
    {
        const Platform platform = make({dimension(Shape::Ring, 16, 100, 100), dimension(Shape::Switch, 8, 25, 1000)});
        std::vector<NodeId> column; // NPU 3 of every ring
        for (std::int32_t i = 0; i < 8; ++i)
            column.push_back(3 + 16 * i);
        const CollectiveBound own = collectiveBound(platform, column, CollectiveOp::AllGather, 8 * kGiga, 0, BoundScope::Routes).value();
        QCOMPARE(own.bandwidthPs, 7 * 40'000'000'000);
        QVERIFY(own.exact);
        // The other NPUs of its ring could pass data on: 225 GB/s into the rank, 400 GB/s into the ring.
        const CollectiveBound all = collectiveBound(platform, column, CollectiveOp::AllGather, 8 * kGiga).value();
        QVERIFY(isRate(all, 225.0 / 7));
        QVERIFY(all.exact);
        QCOMPARE(all.latencyPs, own.latencyPs);
    }

    void overridesAndRemovalsCount()
    {
        PlatformSpec spec;
        spec.dimensions = {dimension(Shape::Ring, 8, 50, 100)};
        LinkOverride slow;
        slow.link = 6; // NPU 3 to 4
        slow.bandwidth = rate(10);
        spec.linkOverrides.push_back(slow);
        QVERIFY(isRate(bound(make(spec), CollectiveOp::AllGather, kGiga), 60.0 / 7));
        QVERIFY(isRate(bound(make(spec), CollectiveOp::Broadcast, kGiga), 60));
        spec.linkOverrides[0].removed = true;
        spec.linkOverrides[0].bandwidth.reset();
        QVERIFY(isRate(bound(make(spec), CollectiveOp::AllGather, kGiga), 50.0 / 7));
    }

    /// Two NPUs under a switch, twice: a slow link of one pair does not bind the other.
    void slowLinksOutsideAGroupDoNotBindIt()
    {
        PlatformSpec spec;
        spec.dimensions = {dimension(Shape::Switch, 2, 50, 100), dimension(Shape::Ring, 2, 50, 100)};
        LinkOverride slow;
        slow.link = 5; // From the switch down to NPU 2.
        slow.bandwidth = rate(10);
        spec.linkOverrides.push_back(slow);
        const Platform platform = make(spec);
        const auto of = [&](std::vector<NodeId> pair) { return collectiveBound(platform, pair, CollectiveOp::AllGather, kGiga, 0, BoundScope::Routes).value(); };
        QVERIFY(isRate(of({0, 1}), 50));
        QVERIFY(isRate(of({2, 3}), 10));
    }

    void budgetsBindMembersAndNotTransit()
    {
        PlatformSpec spec;
        spec.dimensions = {dimension(Shape::Ring, 8, 50, 100)};
        spec.npu.ejection = rate(70);
        const CollectiveBound gather = bound(make(spec), CollectiveOp::AllGather, 8 * kGiga);
        QVERIFY(isRate(gather, 70.0 / 7));
        QVERIFY(gather.exact);
        // A reduce-scatter leaves over the injection side, which has no budget, and comes in as one shard.
        QVERIFY(isRate(bound(make(spec), CollectiveOp::ReduceScatter, 8 * kGiga), 100.0 / 7));
        spec.npu.injection = rate(30);
        QVERIFY(isRate(bound(make(spec), CollectiveOp::ReduceScatter, 8 * kGiga), 30.0 / 7));
        // Broadcast: 30 GB/s leave the root; nothing else does.
        QVERIFY(isRate(bound(make(spec), CollectiveOp::Broadcast, 8 * kGiga), 30));
    }

    void theRootDecides()
    {
        GraphMaker graph(3, 0);
        graph.bothWays(0, 1, 10);
        graph.bothWays(1, 2, 40);
        const Platform platform = graph.platform();
        QVERIFY(isRate(bound(platform, CollectiveOp::Gather, kGiga, 0), 5));
        QVERIFY(isRate(bound(platform, CollectiveOp::Gather, kGiga, 1), 10));
        QVERIFY(isRate(bound(platform, CollectiveOp::Gather, kGiga, 2), 10));
        QVERIFY(isRate(bound(platform, CollectiveOp::Scatter, kGiga, 0), 5));
        QVERIFY(isRate(bound(platform, CollectiveOp::Broadcast, kGiga, 2), 10));
    }

    /// Two ranks with a link of 10 GB/s and 1 us, and a switch between them with 30 GB/s and twice 2 us. 100 kB: both carry until T, 10 (T - 1) +
    /// 30 (T - 4) = 100 in units of kB and us: 5.75 us. 20 kB are there over the link alone, at 3 us, before the other way has brought anything.
    void everyWayOverACutHasItsOwnLatency()
    {
        GraphMaker graph(2, 1);
        graph.bothWays(0, 1, 10, 1000);
        graph.bothWays(0, 2, 30, 2000);
        graph.bothWays(2, 1, 30, 2000);
        const Platform platform = graph.platform();
        for (const CollectiveOp op : {CollectiveOp::AllGather, CollectiveOp::ReduceScatter, CollectiveOp::Gather, CollectiveOp::Scatter}) {
            QCOMPARE(bound(platform, op, 200'000).timePs, 5'750'000);
            QCOMPARE(bound(platform, op, 200'000).bandwidthPs, 2'500'000);
            QCOMPARE(bound(platform, op, 40'000).timePs, 3'000'000);
        }
        for (const CollectiveOp op : {CollectiveOp::AllReduce, CollectiveOp::Broadcast, CollectiveOp::Reduce})
            QCOMPARE(bound(platform, op, 100'000).timePs, 5'750'000);
    }

    /// The same along dimensions: NPUs of a clique of 4 (3 links of 10 GB/s, 1 us) times a clique of 2 (30 GB/s, 4 us). 7 shards of 10 kB into each:
    /// 30 (T - 1) + 30 (T - 4) = 70: 3.67 us is before 4 us, so 30 (T - 1) = 70: 10 / 3 us. Of 40 kB: 60 T = 280 + 150.
    void dimensionsHaveTheirOwnLatency()
    {
        const Platform platform = make({dimension(Shape::FullyConnected, 4, 10, 1000), dimension(Shape::FullyConnected, 2, 30, 4000)});
        for (const CollectiveOp op : {CollectiveOp::AllGather, CollectiveOp::ReduceScatter}) {
            QCOMPARE(bound(platform, op, 8 * 10'000).timePs, 5'000'000); // from the farthest NPU
            QCOMPARE(bound(platform, op, 8 * 40'000).timePs, 430'000'000 / 60);
            QCOMPARE(bound(searched(platform), op, 8 * 40'000).timePs, 430'000'000 / 60);
        }
    }

    /// 2^20 NPUs with 6 TB/s each are more than can be counted together; what every NPU must send and receive still is.
    void ratesPastAllCountingBindNothing()
    {
        const Platform platform = make({dimension(Shape::Switch, 1 << 20, 6000, 1000)});
        const CollectiveBound found = bound(platform, CollectiveOp::AllReduce, 6'000 * kGiga);
        QCOMPARE(found.bandwidthPs, 1'000'000'000'000);
        const Platform slower = make({dimension(Shape::Switch, 1 << 20, 600, 1000)});
        // 2 (p - 1) / p of M over 600 GB/s.
        QCOMPARE(bound(slower, CollectiveOp::AllReduce, 600 * (std::int64_t{1} << 20)).bandwidthPs, 2 * ((std::int64_t{1} << 20) - 1) * 1000);
    }

    void nothingIsProvenForNothing()
    {
        const Platform platform = named("ring", 8);
        for (const CollectiveOp op : {CollectiveOp::Barrier, CollectiveOp::Custom})
            QCOMPARE(bound(platform, op, kGiga).timePs, 0);
        QCOMPARE(bound(platform, CollectiveOp::AllReduce, 0).timePs, 0);
        QCOMPARE(bound(platform, CollectiveOp::AllGather, 7).timePs, 0); // shards of less than a byte
        QVERIFY(bound(platform, CollectiveOp::AllReduce, 7).timePs > 0);
    }

    void hugeSizesDoNotOverflow()
    {
        const CollectiveBound found = bound(named("switch", 10), CollectiveOp::AllToAll, INT64_MAX / 2);
        QVERIFY(found.bandwidthPs > 0 && found.timePs >= found.bandwidthPs);
    }

    void stopsWhenAsked()
    {
        std::stop_source source;
        source.request_stop();
        const auto cancelled = collectiveBound(dgx1(true), allNpus(dgx1(true)), CollectiveOp::AllGather, kGiga, 0, source.get_token());
        QVERIFY(!cancelled && cancelled.error().code == ErrorCode::Cancelled);
    }

private:
    static Platform named(const QString& topology, std::int32_t p)
    {
        if (topology == "ring")
            return make({dimension(Shape::Ring, p, 50, 100)});
        if (topology == "torus")
            return make({dimension(Shape::Ring, 4, 50, 100), dimension(Shape::Ring, p / 4, 50, 100)});
        if (topology == "clique")
            return make({dimension(Shape::FullyConnected, p, 50, 100)});
        if (topology == "switch")
            return make({dimension(Shape::Switch, p, 50, 100)});
        if (topology == "mesh2")
            return mesh({3, 5}, 50, 100);
        if (topology == "mesh3")
            return mesh({2, 3, 4}, 50, 100);
        if (topology == "hypercube")
            return mesh({2, 2, 2, 2}, 50, 100);
        GraphMaker graph(p, 0);
        for (std::int32_t i = 0; i < p; ++i)
            graph.oneWay(i, (i + 1) % p, 50, 100);
        return graph.platform();
    }
};

FABRICSCOPE_TEST(BoundsTest)
#include "tst_bounds.moc"
