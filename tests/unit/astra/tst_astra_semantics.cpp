#include "tests/unit/astra/smallruns.h"
#include "tests/unit/support/testprogram.h"

using namespace fabricscope;
using namespace fabricscope::test;

/// Every number of the semantics document that is not in the golden table, and its rules.
class AstraSemanticsTest : public QObject {
    Q_OBJECT

private slots:
    void aMessageIsChargedPerHopWithoutContention();
    void aMessageIsStoredAndForwardedWithContention();
    void severalSendersShareTheLastLinkOnlyWithContention();
    void aCornerToCornerMessageIsChargedInTheLowestDimensionOnly();
    void aReceivePostedLateEndsWhenPosted();
    void rendezvousAddsAControlMessage();
    void rendezvousSlowsEveryMessageOfACollective();
    void queuesAndActiveChunksGiveTheWorkedExample_data();
    void queuesAndActiveChunksGiveTheWorkedExample();
    void closedFormsHoldForEverySize_data();
    void closedFormsHoldForEverySize();
    void theTreeEndsLevelByLevel();
    void treesTakeTurnsOverChunks();
    void memoryAndCommunicationShareASlot();
    void twoAllReducesTakeTwiceOne();
    void remoteMemoryIsServedInTurn();
    void rooflineTakesTheSlowerOfMemoryAndPeak();
    void rooflineStatisticsAreTheReferences();
    void overlapAndExposedCommunicationAreTheReferences();
    void replayTakesRecordedDurationsOnly();
    void zeroTimeNodesDoNotStopARank();
    void readyNodesAreIssuedInAscendingOrder();
    void hostWorkRunsBesideTheNpu();
    void endpointDelayIsPaidPerMessage();
    void injectionScaleNeedsTheKey();
    void shippedExamplesGiveTheirNumbers();
    void equalRunsGiveEqualRecords();
};

void AstraSemanticsTest::aMessageIsChargedPerHopWithoutContention()
{
    QCOMPARE(finish(message(ring(4), 1, 131072)), (Times{2941, 2941, 0, 0}));
    QCOMPARE(finish(message(ring(4), 1, kMiB)), (Times{20031, 20031, 0, 0}));
    QCOMPARE(finish(message(ring(4), 2, kMiB)), (Times{20531, 0, 20531, 0}));
    QCOMPARE(finish(message(shaped("Switch(4)"), 1, 131072)), (Times{3441, 3441, 0, 0}));
    QCOMPARE(finish(message(shaped("FullyConnected(4)"), 2, 131072)), (Times{2941, 0, 2941, 0}));
}

void AstraSemanticsTest::aMessageIsStoredAndForwardedWithContention()
{
    QCOMPARE(finish(message(ring(4, Model::AstraAware), 2, kMiB)), (Times{40062, 0, 40062, 0}));
    QCOMPARE(finish(message(shaped("Switch(4)", Model::AstraAware), 2, kMiB)), (Times{40062, 0, 40062, 0}));
    QCOMPARE(finish(message(shaped("FullyConnected(4)", Model::AstraAware), 3, kMiB)), (Times{20031, 0, 0, 20031}));
}

void AstraSemanticsTest::severalSendersShareTheLastLinkOnlyWithContention()
{
    QCOMPARE(finish(sendersTo3("Ring(4)", Model::AstraAware)), (Times{20031, 40062, 20031, 40062}));
    QCOMPARE(finish(sendersTo3("Switch(4)", Model::AstraAware)), (Times{40062, 59593, 79124, 79124}));
    QCOMPARE(finish(sendersTo3("Ring(4)", Model::AstraUnaware)), (Times{20031, 20531, 20031, 20531}));
    QCOMPARE(finish(sendersTo3("Switch(4)", Model::AstraUnaware)), (Times{20531, 20531, 20531, 20531}));
}

void AstraSemanticsTest::aCornerToCornerMessageIsChargedInTheLowestDimensionOnly()
{
    AstraCase run("Ring(4) x Ring(4)", "50|1", "500|9000");
    const Times times = finish(message(run, 5, kMiB));
    QCOMPARE(times[0], 20031);

    // With contention both dimensions are crossed: the second link takes floor(9000 + 2^20 10^9 / 2^30) = 985562.
    run.model = Model::AstraAware;
    QCOMPARE(finish(message(run, 5, kMiB))[0], 20031 + 985562);
}

void AstraSemanticsTest::aReceivePostedLateEndsWhenPosted()
{
    AstraCase run = ring(4);
    run.ranks.assign(4, {});
    run.ranks[0].send(2, kMiB);
    run.ranks[2].receive(0, kMiB, 0, {run.ranks[2].compute(100)});

    QCOMPARE(finish(run), (Times{20531, 0, 100000, 0}));
}

void AstraSemanticsTest::rendezvousAddsAControlMessage()
{
    AstraCase run = message(ring(4), 2, kMiB);
    run.system.rendezvous = true;
    QCOMPARE(finish(run)[2], 21683);

    run.model = Model::AstraAware;
    QCOMPARE(finish(run)[2], 41366);
}

void AstraSemanticsTest::rendezvousSlowsEveryMessageOfACollective()
{
    // All ranks alike: every message waits for a control message of 652 ns that its receiver sends at the same instant.
    AstraCase run = ring(8);
    run.runCollective(CollectiveOp::AllGather, kMiB);
    run.system.rendezvous = true;

    QCOMPARE(common(run), 10 + 7 * (transfer(8192, 1) + transfer(kMiB, 1) + 10));
}

void AstraSemanticsTest::queuesAndActiveChunksGiveTheWorkedExample_data()
{
    QTest::addColumn<int>("active");
    QTest::addColumn<int>("queues");
    QTest::addColumn<qint64>("ns");
    const qint64 expected[3][3] = {{992036, 982671, 545923}, {545923, 982671, 545923}, {327549, 545923, 545923}};
    const int counts[] = {1, 2, 4};
    for (int a = 0; a < 3; ++a) {
        for (int q = 0; q < 3; ++q)
            QTest::addRow("active %d, queues %d", counts[a], counts[q]) << counts[a] << counts[q] << expected[a][q];
    }
}

void AstraSemanticsTest::queuesAndActiveChunksGiveTheWorkedExample()
{
    QFETCH(int, active);
    QFETCH(int, queues);
    QFETCH(qint64, ns);
    AstraCase run("Ring(4) x Ring(4)", "100|50", "100|500");
    run.useForAll("ring|ring");
    run.system.localBandwidthAware = true;
    run.system.splits = 4;
    run.system.activeChunks = active;
    run.system.queuesPerDimension = queues;
    run.runCollective(CollectiveOp::AllReduce, 16 * kMiB);

    QCOMPARE(common(run), ns);
}

void AstraSemanticsTest::closedFormsHoldForEverySize_data()
{
    QTest::addColumn<int>("size");
    for (const int size : {2, 3, 4, 5, 8, 12, 16})
        QTest::addRow("%d NPUs", size) << size;
}

void AstraSemanticsTest::closedFormsHoldForEverySize()
{
    QFETCH(int, size);
    const std::int64_t n = size;
    const std::int64_t e = 10;
    const std::int64_t x = kMiB / n;
    const std::string fc = "FullyConnected(" + std::to_string(size) + ')';
    const std::int64_t part = transfer(x, 1);
    const std::int64_t whole = transfer(kMiB, 1);

    QCOMPARE(common(collective(fc, "ring", CollectiveOp::AllReduce)), e + 2 * (n - 1) * (part + e) + (n - 1) * reduction(x));
    QCOMPARE(common(collective(fc, "ring", CollectiveOp::ReduceScatter)), e + (n - 1) * (part + e + reduction(x)));
    QCOMPARE(common(collective(fc, "ring", CollectiveOp::AllGather)), e + (n - 1) * (whole + e));
    QCOMPARE(common(collective(fc, "ring", CollectiveOp::AllToAll)), e + n * (n - 1) / 2 * (part + e));
    QCOMPARE(common(collective(fc, "direct", CollectiveOp::AllReduce)), 3 * e + 2 * part + reduction(x));
    QCOMPARE(common(collective(fc, "direct", CollectiveOp::ReduceScatter)), 2 * e + part + reduction(x));
    QCOMPARE(common(collective(fc, "direct", CollectiveOp::AllGather)), 2 * e + whole);
    QCOMPARE(common(collective(fc, "direct", CollectiveOp::AllToAll)), 2 * e + part);

    if ((size & (size - 1)) != 0)
        return;
    std::int64_t up = 0;
    std::int64_t reductions = 0;
    std::int64_t down = 0;
    for (std::int64_t half = 2; half <= n; half *= 2) {
        up += transfer(kMiB / half, 1) + e;
        reductions += half > 2 ? reduction(kMiB / half) : 0;
        down += transfer(kMiB * half / 2, 1) + e;
    }
    QCOMPARE(common(collective(fc, "halvingDoubling", CollectiveOp::AllReduce)), e + 2 * up + reductions);
    QCOMPARE(common(collective(fc, "halvingDoubling", CollectiveOp::ReduceScatter)), e + up + reductions);
    QCOMPARE(common(collective(fc, "halvingDoubling", CollectiveOp::AllGather)), e + down);
    std::int64_t levels = 0;
    while ((std::int64_t{1} << levels) < n)
        ++levels;
    QCOMPARE(finish(collective(fc, "doubleBinaryTree", CollectiveOp::AllReduce))[0],
             2 * e + 2 * levels * whole + (2 * levels - 1) * (e + reduction(kMiB)));
}

void AstraSemanticsTest::theTreeEndsLevelByLevel()
{
    QCOMPARE(finish(collective("FullyConnected(8)", "doubleBinaryTree", CollectiveOp::AllReduce)),
             (Times{434821, 414780, 434821, 331826, 434821, 414780, 434821, 248872}));
}

void AstraSemanticsTest::treesTakeTurnsOverChunks()
{
    // Two collectives of one chunk: the second takes the other tree, where rank 0 is the root and rank 7 a leaf.
    AstraCase run = shaped("FullyConnected(8)");
    run.useForAll("doubleBinaryTree");
    RankTasks tasks;
    tasks.collective(CollectiveOp::AllReduce, kMiB, 8, {tasks.collective(CollectiveOp::AllReduce, kMiB, 8)});
    run.ranks = {tasks};

    const Times times = finish(run);

    QVERIFY(!times.empty());
    QVERIFY(times[0] < times[7]);
}

void AstraSemanticsTest::memoryAndCommunicationShareASlot()
{
    AstraCase run = ring(4);
    run.memory = {RemoteMemory::Kind::PerNpu, 1000, 100, 0, 0};
    RankTasks tasks;
    tasks.memory(TaskKind::MemoryLoad, kMiB);
    tasks.collective(CollectiveOp::AllGather, kMiB, 4);
    run.ranks = {tasks};

    QCOMPARE(common(run), 71618);
}

void AstraSemanticsTest::twoAllReducesTakeTwiceOne()
{
    AstraCase run = ring(8);
    RankTasks tasks;
    tasks.collective(CollectiveOp::AllReduce, kMiB, 8);
    tasks.collective(CollectiveOp::AllReduce, kMiB, 8);
    run.ranks = {tasks};

    QCOMPARE(common(run), 2 * 96365);
}

void AstraSemanticsTest::remoteMemoryIsServedInTurn()
{
    QCOMPARE(finish(pool(RemoteMemory::Kind::PerNpu)), (Times{11485, 11485, 11485, 11485}));
    QCOMPARE(finish(pool(RemoteMemory::Kind::Pool)), (Times{11485, 22970, 34455, 45940}));
    QCOMPARE(finish(pool(RemoteMemory::Kind::PerNode)), (Times{11485, 22970, 11485, 22970}));
}

void AstraSemanticsTest::rooflineTakesTheSlowerOfMemoryAndPeak()
{
    QCOMPARE(common(roofline({{1'000'000'000'000, 1'000'000'000}})), 1111111);
    QCOMPARE(common(roofline({{1'000'000'000, 1'000'000'000}})), 625000);
    QCOMPARE(common(roofline({{1'000'000, 1000}})), 1);
    QCOMPARE(common(roofline({{1, 1}})), 0);
}

void AstraSemanticsTest::rooflineStatisticsAreTheReferences()
{
    const auto record = roofline({{1'000'000'000'000, 1'000'000'000}, {1'000'000'000, 1'000'000'000}}).run();

    QVERIFY(record);
    const RankTimes times = timesOf(record.value(), 0);
    QCOMPARE(times.finish.ps, 1'736'111'000);
    QCOMPARE(QString::number(100 * times.computeBoundShare, 'f', 3), QStringLiteral("64.000"));
    QCOMPARE(QString::number(100 * times.computeUtilisation, 'f', 3), QStringLiteral("64.064"));
    QCOMPARE(QString::number(100 * times.memoryUtilisation, 'f', 3), QStringLiteral("72.000"));
    QCOMPARE(QString::number(times.operationIntensity, 'f', 3), QStringLiteral("640.360"));
}

void AstraSemanticsTest::overlapAndExposedCommunicationAreTheReferences()
{
    AstraCase run = ring(8);
    RankTasks beside;
    beside.collective(CollectiveOp::AllReduce, kMiB, 8);
    beside.compute(30, {1, 0});
    run.ranks = {};
    RankTasks tasks;
    const TaskIndex reduced = tasks.collective(CollectiveOp::AllReduce, kMiB, 8);
    const TaskIndex first = tasks.compute(20);
    tasks.compute(30, {reduced, first});
    run.ranks = {tasks};
    auto record = run.run();
    QVERIFY(record);
    RankTimes times = timesOf(record.value(), 0);
    QCOMPARE(times.finish.ps, 126'365'000);
    QCOMPARE(times.exposedComm.ps, 76'365'000);
    QCOMPARE(times.compute.ps, 50'000'000);
    QCOMPARE(times.comm.ps, 96'365'000);

    RankTasks chain;
    chain.compute(30, {chain.collective(CollectiveOp::AllReduce, kMiB, 8, {chain.compute(10)})});
    run.ranks = {chain};
    record = run.run();
    QVERIFY(record);
    times = timesOf(record.value(), 3);
    QCOMPARE(times.finish.ps, 136'365'000);
    QCOMPARE(times.exposedComm.ps, 96'365'000);
}

void AstraSemanticsTest::replayTakesRecordedDurationsOnly()
{
    AstraCase run = ring(4);
    run.system.replayOnly = true;
    run.system.roofline = true;
    RankTasks tasks;
    const TaskIndex sent = tasks.send(1, kMiB);
    tasks.compute(20, {tasks.collective(CollectiveOp::AllReduce, kMiB, 4, {sent})});
    run.ranks = {tasks};
    const auto record = run.run();

    // The send and the collective have no recorded duration and take 1 ns each; all of it counts as NPU work.
    QVERIFY(record);
    QCOMPARE(timesOf(record.value(), 0).finish.ps, 20'002'000);
    QCOMPARE(timesOf(record.value(), 0).exposedComm.ps, 0);
}

void AstraSemanticsTest::zeroTimeNodesDoNotStopARank()
{
    AstraCase run = ring(4);
    RankTasks tasks;
    const TaskIndex first = tasks.nothing(TaskKind::Metadata);
    const TaskIndex second = tasks.nothing(TaskKind::Invalid, {first});
    tasks.collective(CollectiveOp::AllGather, kMiB, 4, {second});
    run.ranks = {tasks};
    const auto record = run.run();

    QVERIFY(record);
    QVERIFY(record.value().complete);
    QCOMPARE(record.value().finish.ps, 60'133'000);
    QVERIFY(hasWarning(record.value(), "invalid-node"));
}

void AstraSemanticsTest::readyNodesAreIssuedInAscendingOrder()
{
    // Both wait for the same slot; the lower id goes first although it became ready later in the list of dependencies.
    AstraCase run = ring(4);
    RankTasks tasks;
    tasks.compute(1);
    tasks.compute(5, {0});
    tasks.compute(7, {0});
    run.ranks = {tasks};
    const auto record = run.run();

    QVERIFY(record);
    const TaskTimes& times = *record.value().classes.front().tasks;
    QCOMPARE(times.issuePs, (Times{0, 1'000'000, 6'000'000}));
    QCOMPARE(times.endPs, (Times{1'000'000, 6'000'000, 13'000'000}));
}

void AstraSemanticsTest::hostWorkRunsBesideTheNpu()
{
    AstraCase run = ring(4);
    RankTasks tasks;
    tasks.host(50);
    tasks.compute(20);
    run.ranks = {tasks};
    const auto record = run.run();

    QVERIFY(record);
    const RankTimes times = timesOf(record.value(), 0);
    QCOMPARE(times.finish.ps, 50'000'000);
    QCOMPARE(times.exposedComm.ps, 30'000'000);
    QCOMPARE(times.host.ps, 50'000'000);
    QCOMPARE(times.comm.ps, 0);
}

void AstraSemanticsTest::endpointDelayIsPaidPerMessage()
{
    AstraCase run = ring(8, Model::AstraAware);
    run.runCollective(CollectiveOp::AllReduce, kMiB);
    for (const auto& [delay, ns] : {std::pair{0, 96215}, {10, 96365}, {20, 96515}, {100, 97715}}) {
        run.system.endpointDelayNs = delay;
        QCOMPARE(common(run), ns);
    }
}

void AstraSemanticsTest::injectionScaleNeedsTheKey()
{
    AstraCase run = ring(8);
    run.runCollective(CollectiveOp::AllReduce, kMiB);
    run.system.injectionScale = 2;
    QCOMPARE(common(run), 96365);
    run.system.endpointDelayGiven = true;
    QCOMPARE(common(run), 96515);
}

void AstraSemanticsTest::shippedExamplesGiveTheirNumbers()
{
    const std::tuple<std::int32_t, CollectiveOp, std::int64_t> expected[] = {
        {8, CollectiveOp::AllReduce, 64440},     {16, CollectiveOp::AllReduce, 99640}, {16, CollectiveOp::AllGather, 323560},
        {4, CollectiveOp::ReduceScatter, 22240}, {8, CollectiveOp::AllToAll, 125480},
    };
    for (const Model model : {Model::AstraUnaware, Model::AstraAware}) {
        for (const auto& [size, op, ns] : expected) {
            AstraCase run = ring(size, model);
            run.system.splits = 4;
            run.system.localMemoryGBps = 1600;
            run.runCollective(op, kMiB);
            QCOMPARE(common(run), ns);
        }
    }
    AstraCase hgx("Switch(8)", "400", "936.25");
    hgx.model = Model::AstraAware;
    hgx.useForAll("ring");
    hgx.system.splits = 4;
    hgx.system.activeChunks = 2;
    hgx.system.localBandwidthAware = true;
    hgx.system.localMemoryGBps = 3350;
    hgx.runCollective(CollectiveOp::AllReduce, kMiB);
    QCOMPARE(common(hgx), 57426);
}

void AstraSemanticsTest::equalRunsGiveEqualRecords()
{
    AstraCase run("Switch(8) x Ring(4)", "100|50", "500|1000");
    run.model = Model::AstraAware;
    run.useForAll("halvingDoubling|ring");
    run.system.splits = 4;
    run.system.activeChunks = 4;
    run.runCollective(CollectiveOp::AllReduce, 16 * kMiB);
    const auto first = run.run();
    const auto second = run.run();
    run.system.endpointDelayNs = 11;
    const auto other = run.run();

    QCOMPARE(first.value().fingerprint.hex(), second.value().fingerprint.hex());
    QCOMPARE(first.value().finishOrder, second.value().finishOrder);
    QCOMPARE(first.value().events, second.value().events);
    QVERIFY(first.value().fingerprint != other.value().fingerprint);
}

FABRICSCOPE_TEST(AstraSemanticsTest)
#include "tst_astra_semantics.moc"
