// Groups and custom collectives of the models of ASTRA-sim: which dimensions and sizes count, in which order.
#include "tests/unit/astra/smallruns.h"
#include "tests/unit/support/testprogram.h"

using namespace fabricscope;
using namespace fabricscope::test;

class AstraGroupsTest : public QObject {
    Q_OBJECT

private slots:
    void aFifthDimensionIsLeftOut();
    void customCollectivesIgnoreSizesAndChunks();
    void aNodesOwnCustomCollectiveWins();
    void aCustomCollectiveOfAGroupIsNumberedInSortedOrder();
    void dimensionUseCountsHopsAndBytes();
    void aFullGroupKeepsTheDimensionsAndIgnoresItsOrder();
    void aSizeThatDoesNotDivideIsNamed_data();
    void aSizeThatDoesNotDivideIsNamed();
};

void AstraGroupsTest::aFifthDimensionIsLeftOut()
{
    AstraCase four("Ring(2) x Ring(2) x Ring(2) x Ring(2)", "50|50|50|50", "500|500|500|500");
    four.useForAll("ring|ring|ring|ring");
    four.system.localBandwidthAware = true;
    four.runCollective(CollectiveOp::AllReduce, kMiB);
    AstraCase five("Ring(2) x Ring(2) x Ring(2) x Ring(2) x Ring(2)", "50|50|50|50|50", "500|500|500|500|500");
    five.useForAll("ring|ring|ring|ring|ring");
    five.system.localBandwidthAware = true;
    five.runCollective(CollectiveOp::AllReduce, kMiB);

    QCOMPARE(common(four), 99740);
    QCOMPARE(common(five), 99740);
    QVERIFY(hasWarning(five.run().value(), "fifth-dimension"));
}

void AstraGroupsTest::customCollectivesIgnoreSizesAndChunks()
{
    AstraCase run = ring(8, Model::AstraAware);
    run.system.custom[0] = "chains";
    run.system.splits = 0;
    run.system.implementations = {};
    run.customPrograms = {{"chains", chainedRing(8, 131072, 7)}};
    run.runCollective(CollectiveOp::AllReduce, 12345);

    QCOMPARE(common(run), 90174);
}

void AstraGroupsTest::aNodesOwnCustomCollectiveWins()
{
    AstraCase run = ring(8);
    run.system.perNodeCustom[1] = "chains";
    run.customPrograms = {{"chains", chainedRing(8, 131072, 7)}};
    RankTasks tasks;
    tasks.collective(CollectiveOp::AllReduce, kMiB, 8, {tasks.collective(CollectiveOp::AllReduce, kMiB, 8)});
    run.ranks = {tasks};

    QCOMPARE(common(run), 90174 + 96365);
}

void AstraGroupsTest::aCustomCollectiveOfAGroupIsNumberedInSortedOrder()
{
    // Group [2, 0]: file 0 is for rank 0, file 1 for rank 2, while peer numbers follow the list: peer 1 is rank 0, peer 0 is
    // rank 2. So every rank talks to itself, over no hop: two sends of floor(2441.4) ns and one computation.
    AstraCase run = ring(4);
    run.groups = {{2, 0}};
    run.system.custom[0] = "chains";
    run.customPrograms = {{"chains", chainedRing(2, 131072, 7)}};
    run.ranks.assign(4, {});
    run.ranks[0].collective(CollectiveOp::AllReduce, kMiB, 2, {}, 1);
    run.ranks[2].collective(CollectiveOp::AllReduce, kMiB, 2, {}, 1);
    QCOMPARE(finish(run), (Times{2 * 2441 + 7000, 0, 2 * 2441 + 7000, 0}));

    // In sorted order they talk to each other, over two hops.
    run.groups = {{0, 2}};
    QCOMPARE(finish(run), (Times{2 * 3441 + 7000, 0, 2 * 3441 + 7000, 0}));
}

void AstraGroupsTest::dimensionUseCountsHopsAndBytes()
{
    AstraCase run = ring(8, Model::AstraAware);
    run.runCollective(CollectiveOp::AllReduce, kMiB);
    const auto record = run.run();

    // 8 ranks send 14 messages of 128 KiB over one link each; a link is busy floor(2441.4) ns per message.
    QVERIFY(record);
    const DimensionUse& use = record.value().dimensions.front();
    QCOMPARE(use.links, 16);
    QCOMPARE(use.messages, 8 * 14);
    QCOMPARE(use.bytes, 8 * 14 * 131072);
    QCOMPARE(use.busyPs, 8 * 14 * 2441'000LL);
    QCOMPARE(use.peakLinkPs, 14 * 2441'000LL);
    QCOMPARE(use.busy.total(), use.busyPs);
    QCOMPARE(record.value().links.size(), std::size_t{8});
    QVERIFY(record.value().allLinks);
}

void AstraGroupsTest::aFullGroupKeepsTheDimensionsAndIgnoresItsOrder()
{
    AstraCase run("FullyConnected(4) x Switch(2)", "50|50", "500|500");
    run.useForAll("direct|direct");
    run.system.endpointDelayNs = 20;
    run.runCollective(CollectiveOp::AllReduce, kMiB);
    const std::int64_t world = common(run);
    run.groups = {{7, 1, 2, 3, 4, 5, 6, 0}};
    RankTasks tasks;
    tasks.collective(CollectiveOp::AllReduce, kMiB, 8, {}, 1);
    run.ranks = {tasks};

    QVERIFY(world > 0);
    QCOMPARE(common(run), world);
}

/// The reference drops or adds bytes; a warning says so.
void AstraGroupsTest::aSizeThatDoesNotDivideIsNamed_data()
{
    QTest::addColumn<QString>("algorithm");
    QTest::addColumn<int>("bytes");
    QTest::addColumn<QString>("rule");
    QTest::addRow("ring") << "ring" << 4001 << "remainder-dropped";
    QTest::addRow("ring, even") << "ring" << 4000 << "";
    QTest::addRow("tree: whole vectors") << "doubleBinaryTree" << 4001 << "";
    QTest::addRow("fewer bytes than NPUs") << "ring" << 3 << "chunks-raised";
    QTest::addRow("messages of nothing") << "halvingDoubling" << 4 << "empty-messages";
}

void AstraGroupsTest::aSizeThatDoesNotDivideIsNamed()
{
    QFETCH(QString, algorithm);
    QFETCH(int, bytes);
    QFETCH(QString, rule);
    AstraCase run("Ring(4)", "50", "500");
    run.useForAll(algorithm.toStdString());
    run.runCollective(CollectiveOp::AllReduce, bytes);

    const auto record = run.run();

    QVERIFY2(record, record ? "" : record.error().text().c_str());
    for (const char* known : {"remainder-dropped", "chunks-raised", "empty-messages"})
        QCOMPARE(hasWarning(record.value(), known), rule == known);
}

FABRICSCOPE_TEST(AstraGroupsTest)
#include "tst_astra_groups.moc"
