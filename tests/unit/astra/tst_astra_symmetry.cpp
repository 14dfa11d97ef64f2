#include "core/base/index.h"
#include "core/formats/astra/systemsettings.h"
#include "tests/unit/support/cases.h"
#include "tests/unit/support/cases/astracase.h"
#include "tests/unit/support/testprogram.h"

#include <QTest>

#include <random>
#include <set>

using namespace fabricscope;
using namespace fabricscope::test;

namespace {

/// A machine, a setting and tasks that are the same on every rank; small and round numbers make many events coincide.
AstraCase randomCase(std::mt19937& random)
{
    const auto pick = [&](int from, int to) { return std::uniform_int_distribution<int>(from, to)(random); };
    static const char* const kShapes[] = {"Ring", "FullyConnected", "Switch"};
    const bool aware = pick(0, 1) == 1;
    const int dimensions = pick(1, 3);
    std::string topology;
    std::string bandwidth;
    std::string latency;
    std::string algorithms;
    for (int d = 0; d < dimensions; ++d) {
        const std::string bar = d > 0 ? "|" : "";
        topology += (d > 0 ? " x " : "") + std::string(kShapes[pick(0, aware ? 1 : 2)]) + '(' + std::to_string(pick(2, 5)) + ')';
        bandwidth += bar + std::to_string(25 * pick(1, 4));
        latency += bar + std::to_string(100 * pick(0, 5));
        algorithms += bar + "ring";
    }
    AstraCase run(topology, bandwidth, latency);
    run.model = aware ? Model::AstraAware : Model::AstraUnaware;
    run.useForAll(algorithms);
    run.system.splits = pick(1, 6);
    run.system.activeChunks = pick(1, 4);
    run.system.queuesPerDimension = pick(0, 2) == 0 ? pick(2, 3) : 1;
    run.system.localBandwidthAware = pick(0, 1) == 1;
    run.system.endpointDelayNs = 5 * pick(0, 4);
    run.system.localMemoryGBps = pick(0, 3) == 0 ? 1e9 : 50 * pick(1, 40);
    static const CollectiveOp kOps[] = {CollectiveOp::AllReduce, CollectiveOp::AllGather, CollectiveOp::ReduceScatter, CollectiveOp::AllToAll};
    std::set<AstraCollective> unused;
    for (const CollectiveOp op : kOps)
        unused.insert(*configuredCollective(op));
    RankTasks tasks;
    RankTasks::After after;
    for (int k = pick(1, 3); k > 0; --k) {
        if (pick(0, 1) == 1)
            after = {tasks.compute(pick(1, 30), after)};
        const CollectiveOp op = kOps[pick(0, 3)];
        unused.erase(*configuredCollective(op));
        after = {tasks.collective(op, std::int64_t{1} << pick(4, 20), run.npus(), after)};
        if (pick(0, 1) == 1)
            after.clear();
    }
    for (const AstraCollective kind : unused) { // What no task runs changes nothing.
        for (AstraAlgorithm& use : run.system.implementations[at(kind)])
            use.algorithm = Algorithm::Direct;
    }
    run.ranks = {tasks};
    return run;
}

} // namespace

/// One rank standing for all gives the record of the full event engine, or steps aside.
class AstraSymmetryTest : public QObject {
    Q_OBJECT

private slots:
    void bothEnginesGiveTheSameRecord_data();
    void bothEnginesGiveTheSameRecord();
    void itHandlesLargeMachines();
    void itStepsAsideWhereRanksDiffer();
};

void AstraSymmetryTest::bothEnginesGiveTheSameRecord_data()
{
    QTest::addColumn<int>("seed");
    for (int seed = 0; seed < 40; ++seed)
        QTest::addRow("%d", seed) << seed;
}

void AstraSymmetryTest::bothEnginesGiveTheSameRecord()
{
    QFETCH(int, seed);
    std::mt19937 random(static_cast<std::uint32_t>(seed));
    int symmetric = 0;
    for (int k = 0; k < cases(50); ++k) {
        const AstraCase run = randomCase(random);
        RunOptions events;
        events.engine = EngineChoice::Events;
        const auto all = run.run(events);
        const auto one = run.run();

        QVERIFY(all);
        QVERIFY(one);
        const RunRecord& left = all.value();
        const RunRecord& right = one.value();
        QCOMPARE(left.complete, right.complete);
        QCOMPARE(left.finish.ps, right.finish.ps);
        QCOMPARE(left.fingerprint.hex(), right.fingerprint.hex());
        QCOMPARE(left.finishOrder, right.finishOrder);
        QCOMPARE(left.classes.size(), right.classes.size());
        QCOMPARE(left.classes.front().ranks, right.classes.front().ranks);
        QVERIFY(left.classes.front().times == right.classes.front().times);
        for (std::size_t d = 0; d < left.dimensions.size(); ++d) {
            QCOMPARE(left.dimensions[d].messages, right.dimensions[d].messages);
            QCOMPARE(left.dimensions[d].bytes, right.dimensions[d].bytes);
            QCOMPARE(left.dimensions[d].busyPs, right.dimensions[d].busyPs);
            QCOMPARE(left.dimensions[d].peakLinkPs, right.dimensions[d].peakLinkPs);
            QCOMPARE(left.dimensions[d].busy.busyPs(), right.dimensions[d].busy.busyPs());
        }
        QCOMPARE(left.links.size(), right.links.size());
        for (std::size_t link = 0; link < left.links.size(); ++link) {
            QCOMPARE(left.links[link].link, right.links[link].link);
            QCOMPARE(left.links[link].busyPs, right.links[link].busyPs);
        }
        if (right.engines.front().engine == "symmetry")
            ++symmetric;
    }
    QVERIFY2(symmetric >= cases(5), qPrintable(QString::number(symmetric)));
}

void AstraSymmetryTest::itHandlesLargeMachines()
{
    AstraCase run("Ring(16) x Ring(16) x Ring(16)", "100|50|25", "250|500|1000");
    run.useForAll("ring|ring|ring");
    run.use(CollectiveOp::AllToAll, "direct|direct|direct"); // as designs have it; no task runs one
    run.system.splits = 4;
    run.system.localBandwidthAware = true;
    run.system.localMemoryGBps = 1600;
    run.runCollective(CollectiveOp::AllReduce, 64 << 20);
    for (const Model model : {Model::AstraUnaware, Model::AstraAware}) {
        run.model = model;
        const auto record = run.run();
        QVERIFY(record);
        QCOMPARE(record.value().engines.front().engine, std::string("symmetry"));
        QCOMPARE(record.value().finish.ps, 1'320'980'000);
        QCOMPARE(record.value().rankCount, 4096);
    }
}

void AstraSymmetryTest::itStepsAsideWhereRanksDiffer()
{
    AstraCase run("Ring(8)", "50", "500");
    run.useForAll("doubleBinaryTree");
    run.runCollective(CollectiveOp::AllReduce, 1 << 20);
    const auto tree = run.run();
    QVERIFY(tree);
    QCOMPARE(tree.value().engines.front().engine, std::string("events"));

    RunOptions options;
    options.engine = EngineChoice::Symmetry;
    const auto demanded = run.run(options);
    QVERIFY(!demanded);
    QCOMPARE(demanded.error().code, ErrorCode::Unsupported);

    run.useForAll("ring");
    RankTasks first;
    first.collective(CollectiveOp::AllReduce, 1 << 20, 8, {first.compute(50)});
    RankTasks other;
    other.collective(CollectiveOp::AllReduce, 1 << 20, 8, {other.compute(1)});
    run.ranks.assign(8, other);
    run.ranks[0] = first;
    const auto late = run.run();
    QVERIFY(late);
    QCOMPARE(late.value().engines.front().engine, std::string("events"));
    QCOMPARE(finishPerRank(late.value()), (std::vector<std::int64_t>{128719, 131660, 134601, 137542, 140483, 143424, 146365, 125778}));
}

FABRICSCOPE_TEST(AstraSymmetryTest)
#include "tst_astra_symmetry.moc"
