#include "tests/unit/support/cases/astracase.h"
#include "tests/unit/support/cases/astraring.h"
#include "tests/unit/support/testprogram.h"

#include <QTest>

#include <algorithm>
#include <atomic>

using namespace fabricscope;
using namespace fabricscope::test;

namespace {

constexpr std::int64_t kMiB = 1 << 20;
constexpr CollectiveOp kAllReduce = CollectiveOp::AllReduce;

/// The base case of the measurements: an all-reduce of 1 MiB on Ring(4) takes 43000 ns.
AstraCase base(const std::string& topology = "Ring(4)")
{
    AstraCase run(topology, topology.find('x') == std::string::npos ? "50" : "50|50", topology.find('x') == std::string::npos ? "500" : "500|500");
    run.useForAll("ring");
    run.system.splits = 4;
    run.system.localMemoryGBps = 1600;
    run.system.peakTflops = 900;
    run.system.roofline = true;
    run.runCollective(kAllReduce, kMiB);
    return run;
}

std::int64_t finishNs(const Result<RunRecord>& record)
{
    return record && record.value().complete ? record.value().finish.ps / kPsPerNs : -1;
}

/// Text of the error, or empty.
std::string refusal(const AstraCase& run)
{
    const auto record = run.run();
    return record ? std::string() : record.error().text();
}

bool contains(const std::string& text, const std::string& part)
{
    return text.find(part) != std::string::npos;
}

const Wait* waitOf(const RunRecord& record, std::int32_t rank)
{
    for (const Wait& wait : record.waits) {
        if (wait.rank == rank)
            return &wait;
    }
    return nullptr;
}

AstraCase perRank(AstraCase run, const std::vector<RankTasks>& ranks)
{
    run.ranks = ranks;
    return run;
}

} // namespace

/// manual: astra 10, and the bad inputs measured with the reference: what it gets silently wrong has a warning, what
/// makes it hang or crash ends with a message.
class AstraBadTest : public QObject {
    Q_OBJECT

private slots:
    void theBaseCaseIsSound();
    void settingsTheReferenceCrashesOnAreRefused_data();
    void settingsTheReferenceCrashesOnAreRefused();
    void oddSettingsKeepTheirNumberWithAWarning_data();
    void oddSettingsKeepTheirNumberWithAWarning();
    void collectivesWithNothingToDoTakeNoTime_data();
    void collectivesWithNothingToDoTakeNoTime();
    void tasksTheReferenceCrashesOnAreRefusedWithRankAndNode_data();
    void tasksTheReferenceCrashesOnAreRefusedWithRankAndNode();
    void disagreeingSizesNameBothRanks();
    void disagreeingKindsNameBothRanks();
    void aRankThatNeverComesIsNamed();
    void aReceiveWithoutSendIsNamed();
    void aSendWithoutReceiveEnds();
    void sizesOfSendAndReceiveMustAgree();
    void collectivesInDifferentOrdersMakeARing();
    void dependenciesInARingAreReported();
    void aQueueDeadlockIsReported();
    void aRendezvousSendWithoutReceiveIsReported();
    void surplusRanksAreIgnoredWithAWarning();
    void aRingOfTwoWithContentionIsComputed();
    void fewerRanksThanNpusAreRefused();
    void stoppingEndsTheRun();
    void progressIsReportedAndGrows();
    void memoryLimitsAreKept();
    void hugeNumbersOfChunksAreRefused();
    void aCustomCollectiveOfAnotherSizeIsRefused();
};

void AstraBadTest::theBaseCaseIsSound()
{
    QCOMPARE(finishNs(base().run()), 43000);
}

void AstraBadTest::settingsTheReferenceCrashesOnAreRefused_data()
{
    QTest::addColumn<int>("which");
    QTest::addColumn<QString>("says");
    int which = 0;
    for (const char* says : {"preferred-dataset-splits", "all-reduce-implementation", "2 algorithms for 1 dimensions", "active-chunks-per-dimension",
                             "num-queues-per-dim", "not a power of two", "doubleBinaryTree over 6 members", "cannot run an all-to-all", "comm_size",
                             "comm_size", "window of 0", "smaller than the machine"})
        QTest::addRow("%s (%d)", says, which) << which << QString::fromLatin1(says), ++which;
}

void AstraBadTest::settingsTheReferenceCrashesOnAreRefused()
{
    QFETCH(int, which);
    QFETCH(QString, says);
    AstraCase run = base(which == 5 || which == 6 ? "Ring(6)" : "Ring(4)");
    switch (which) {
    case 0:
        run.system.splits = 0;
        break;
    case 1:
        run.system.implementations[0].clear();
        break;
    case 2:
        run.useForAll("ring|ring");
        break;
    case 3:
        run.system.activeChunks = 0;
        break;
    case 4:
        run.system.queuesPerDimension = 0;
        break;
    case 5:
        run.useForAll("halvingDoubling");
        break;
    case 6:
        run.useForAll("doubleBinaryTree");
        break;
    case 7:
        run.useForAll("halvingDoubling");
        run.runCollective(CollectiveOp::AllToAll, kMiB);
        break;
    case 8:
        run.runCollective(kAllReduce, std::int64_t{1} << 60);
        break;
    case 9:
        run.runCollective(kAllReduce, -1);
        break;
    case 10:
        run.useForAll("direct0");
        break;
    default:
        run.useForAll("doubleBinaryTree");
        run.groups = {{0, 1}};
        run.ranks.assign(4, {});
        run.ranks[0].collective(kAllReduce, kMiB, 2, {}, 1);
        run.ranks[1].collective(kAllReduce, kMiB, 2, {}, 1);
        break;
    }

    const std::string text = refusal(run);

    QVERIFY2(contains(text, says.toStdString()), text.c_str());
}

void AstraBadTest::oddSettingsKeepTheirNumberWithAWarning_data()
{
    QTest::addColumn<QString>("rule");
    QTest::addColumn<qint64>("ns");
    QTest::addRow("B35 local-mem-bw missing") << "no-local-mem-bw" << qint64{41560};
    QTest::addRow("B95 size no multiple of the splits") << "last-chunk-full" << qint64{53750};
    QTest::addRow("B85 involved_dim shorter than the dimensions") << "" << qint64{24620};
    // Three rings of a 2 x 2 machine: one of two dimensions is listed.
    QTest::addRow("list shorter than the dimensions") << "short-algorithm-list" << qint64{24620};
    QTest::addRow("all-gather by halving-doubling over 6") << "halving-doubling-members" << qint64{107490};
}

void AstraBadTest::oddSettingsKeepTheirNumberWithAWarning()
{
    QFETCH(QString, rule);
    QFETCH(qint64, ns);
    AstraCase run = base();
    const QString name = QString::fromLatin1(QTest::currentDataTag());
    if (rule == QStringLiteral("no-local-mem-bw")) {
        run.system.localMemoryGBps = 0;
        run.system.roofline = false;
    } else if (rule == QStringLiteral("last-chunk-full")) {
        run.runCollective(kAllReduce, 1048579);
    } else if (rule == QStringLiteral("halving-doubling-members")) {
        run = base("Switch(6)");
        run.platform.dimensions[0].bandwidth = astraBandwidth(33.3);
        run.platform.dimensions[0].latency = astraLatency(123.4);
        run.useForAll("halvingDoubling");
        run.runCollective(CollectiveOp::AllGather, 1000003);
    } else {
        run = base("Ring(2) x Ring(2)");
        run.useForAll(rule.isEmpty() ? "ring|ring" : "ring");
        if (rule.isEmpty())
            run.ranks[0].setInvolved(0, 1);
    }
    const auto record = run.run();

    QVERIFY2(record, record ? "" : record.error().text().c_str());
    QCOMPARE(finishNs(record), ns);
    QVERIFY(rule.isEmpty() || hasWarning(record.value(), rule.toStdString()));
}

void AstraBadTest::collectivesWithNothingToDoTakeNoTime_data()
{
    QTest::addColumn<int>("which");
    QTest::addRow("group of one") << 0;
    QTest::addRow("involved_dim all false") << 1;
    QTest::addRow("all-gather of 2 bytes in 4 chunks") << 2;
    QTest::addRow("all-gather of no bytes") << 3;
}

void AstraBadTest::collectivesWithNothingToDoTakeNoTime()
{
    QFETCH(int, which);
    AstraCase run = base();
    run.system.roofline = false;
    RankTasks tasks;
    TaskIndex first = 0;
    if (which == 0) {
        run.groups = {{0}, {1}, {2}, {3}};
        for (FamilyId family = 1; family <= 4; ++family) {
            RankTasks own;
            own.compute(1, {own.collective(kAllReduce, kMiB, 1, {}, family)});
            run.ranks.push_back(own);
        }
        run.ranks.erase(run.ranks.begin());
    } else {
        first = which == 1 ? tasks.collective(kAllReduce, kMiB, 4) : tasks.collective(CollectiveOp::AllGather, which == 2 ? 2 : 0, 4);
        if (which == 1)
            tasks.setInvolved(first, 0);
        tasks.compute(1, {first});
        run.ranks = {tasks};
    }
    const auto record = run.run();

    QVERIFY2(record, record ? "" : record.error().text().c_str());
    QCOMPARE(finishNs(record), 1000);
    QVERIFY(hasWarning(record.value(), "nothing-to-do"));
}

void AstraBadTest::tasksTheReferenceCrashesOnAreRefusedWithRankAndNode_data()
{
    QTest::addColumn<int>("which");
    QTest::addColumn<QString>("says");
    QTest::addRow("remote memory without memory") << 0 << "NO_MEMORY_EXPANSION";
    QTest::addRow("remote memory without rate") << 1 << "remote-mem-bw";
    QTest::addRow("rank of no memory node") << 2 << "memory nodes";
    QTest::addRow("SEND to rank 99") << 3 << "the other rank is 99";
    QTest::addRow("SEND to itself with contention") << 4 << "to itself";
    QTest::addRow("peak-perf missing") << 5 << "peak-perf";
    QTest::addRow("local-mem-bw missing") << 6 << "local-mem-bw";
    QTest::addRow("BARRIER") << 7 << "barrier";
    QTest::addRow("not a member") << 8 << "no member of group";
    QTest::addRow("no num_ops") << 9 << "num_ops";
    QTest::addRow("not loaded custom collective") << 10 << "not loaded";
    QTest::addRow("a duration of 4 million years") << 11 << "104 days";
}

void AstraBadTest::tasksTheReferenceCrashesOnAreRefusedWithRankAndNode()
{
    QFETCH(int, which);
    QFETCH(QString, says);
    AstraCase run = base();
    run.system.roofline = which == 5 || which == 6 || which == 9;
    run.ranks.assign(4, {});
    RankTasks& tasks = run.ranks[2];
    tasks.host(1);
    switch (which) {
    case 0:
    case 1:
    case 2:
        run.memory = {which == 0 ? RemoteMemory::Kind::None : which == 1 ? RemoteMemory::Kind::Pool : RemoteMemory::Kind::PerNode, 100, which == 1 ? 0 : 100, 1, 2};
        tasks.memory(TaskKind::MemoryLoad, kMiB);
        break;
    case 3:
        tasks.send(99, kMiB);
        break;
    case 4:
        run.model = Model::AstraAware;
        tasks.send(2, kMiB);
        break;
    case 5:
    case 6:
        (which == 5 ? run.system.peakTflops : run.system.localMemoryGBps) = 0;
        tasks.operations(1000, 1000);
        break;
    case 7:
        tasks.collective(CollectiveOp::Barrier, 0, 4);
        break;
    case 8:
        run.groups = {{0, 1}};
        tasks.collective(kAllReduce, kMiB, 2, {}, 1);
        break;
    case 9:
        tasks.compute(5);
        break;
    case 10:
        run.system.perNodeCustom[2] = "nowhere";
        tasks.collective(kAllReduce, kMiB, 4);
        break;
    default:
        tasks.compute(std::int64_t{1} << 60);
        break;
    }

    const std::string text = refusal(run);

    QVERIFY2(contains(text, says.toStdString()), text.c_str());
    if (which != 11)
        QVERIFY2(contains(text, "rank 2, node 2"), text.c_str());
}

void AstraBadTest::disagreeingSizesNameBothRanks()
{
    std::vector<RankTasks> ranks(4);
    for (std::size_t rank = 0; rank < 4; ++rank)
        ranks[rank].collective(kAllReduce, rank == 0 ? 2 * kMiB : kMiB, 4);
    const auto record = perRank(base(), ranks).run();

    QVERIFY(record);
    QVERIFY(!record.value().complete);
    QCOMPARE(record.value().waits.size(), std::size_t{4});
    const Wait* wait = waitOf(record.value(), 3);
    QVERIFY(wait);
    QVERIFY2(contains(wait->reason, "2097152") && contains(wait->reason, "1048576"), wait->reason.c_str());
}

void AstraBadTest::disagreeingKindsNameBothRanks()
{
    std::vector<RankTasks> ranks(4);
    for (std::size_t rank = 0; rank < 4; ++rank)
        ranks[rank].collective(rank == 0 ? CollectiveOp::AllGather : kAllReduce, kMiB, 4);
    const auto record = perRank(base(), ranks).run();

    QVERIFY(record);
    QVERIFY(!record.value().complete);
    const Wait* wait = waitOf(record.value(), 0);
    QVERIFY(wait);
    QVERIFY2(contains(wait->reason, "all_gather") && contains(wait->reason, "all_reduce"), wait->reason.c_str());
    QVERIFY(contains(wait->task, "ALL_GATHER"));
}

void AstraBadTest::aRankThatNeverComesIsNamed()
{
    std::vector<RankTasks> ranks(4);
    for (std::size_t rank = 0; rank < 3; ++rank)
        ranks[rank].collective(kAllReduce, kMiB, 4);
    const auto record = perRank(base(), ranks).run();

    QVERIFY(record);
    QVERIFY(!record.value().complete);
    QCOMPARE(record.value().waits.size(), std::size_t{3});
    QCOMPARE(record.value().waits.front().onRanks, std::vector<std::int32_t>{3});
    QVERIFY(contains(record.value().waits.front().reason, "rank 3: it has finished"));
}

void AstraBadTest::aReceiveWithoutSendIsNamed()
{
    AstraCase run = base();
    run.system.roofline = false;
    std::vector<RankTasks> ranks(4);
    for (RankTasks& tasks : ranks)
        tasks.compute(1);
    ranks[1].receive(0, kMiB, 7);
    const auto record = perRank(run, ranks).run();

    QVERIFY(record);
    QVERIFY(!record.value().complete);
    QCOMPARE(record.value().waits.size(), std::size_t{1});
    QCOMPARE(record.value().waits.front().node, std::uint64_t{2});
    QVERIFY2(contains(record.value().waits.front().reason, "SEND from rank 0 with tag 7"), record.value().waits.front().reason.c_str());
    QCOMPARE(finishPerRank(record.value()), (std::vector<std::int64_t>{1000, -1, 1000, 1000}));
}

void AstraBadTest::aSendWithoutReceiveEnds()
{
    std::vector<RankTasks> ranks(4);
    ranks[0].send(1, kMiB);

    QCOMPARE(finishNs(perRank(base(), ranks).run()), 20031);
}

void AstraBadTest::sizesOfSendAndReceiveMustAgree()
{
    std::vector<RankTasks> ranks(4);
    ranks[0].send(1, kMiB);
    ranks[1].receive(0, kMiB + 1);
    const auto record = perRank(base(), ranks).run();

    QVERIFY(record);
    QVERIFY(!record.value().complete);
    QCOMPARE(record.value().waits.front().rank, 1);
}

void AstraBadTest::collectivesInDifferentOrdersMakeARing()
{
    AstraCase run = base();
    run.groups = {{0, 1}, {1, 0}};
    std::vector<RankTasks> ranks(4);
    for (std::size_t rank = 0; rank < 2; ++rank) {
        const FamilyId first = rank == 0 ? 1 : 2;
        const TaskIndex before = ranks[rank].collective(kAllReduce, kMiB, 2, {}, first);
        ranks[rank].collective(kAllReduce, kMiB, 2, {before}, 3 - first);
    }
    const auto record = perRank(run, ranks).run();

    QVERIFY(record);
    QVERIFY(!record.value().complete);
    QCOMPARE(record.value().waits.size(), std::size_t{2});
    QCOMPARE(record.value().waits[0].onRanks, std::vector<std::int32_t>{1});
    QCOMPARE(record.value().waits[1].onRanks, std::vector<std::int32_t>{0});
    QVERIFY2(contains(record.value().waits[0].reason, "in group 2"), record.value().waits[0].reason.c_str());
}

void AstraBadTest::dependenciesInARingAreReported()
{
    std::vector<RankTasks> ranks(4);
    ranks[0].send(1, kMiB, 0, {1});
    ranks[0].send(1, kMiB, 0, {0});
    const auto record = perRank(base(), ranks).run();

    QVERIFY(record);
    QVERIFY(!record.value().complete);
    QCOMPARE(record.value().waits.size(), std::size_t{1});
    QVERIFY2(contains(record.value().waits.front().reason, "node 2"), record.value().waits.front().reason.c_str());
}

void AstraBadTest::aQueueDeadlockIsReported()
{
    // Reduce-scatter and all-gather phases share one queue; ranks that start apart let them wait for each other (issue #370):
    // between ranks 0 and 2 chunk 2 goes up on one side while chunk 0 comes down on the other.
    AstraCase run("Ring(2) x Ring(2) x Ring(2)", "100|50|25", "100|500|1000");
    run.useForAll("ring|ring|ring");
    run.system.localBandwidthAware = true;
    run.system.splits = 4;
    run.system.activeChunks = 2;
    std::vector<RankTasks> ranks(8);
    const std::int64_t startMicros[] = {91, 141, 159, 32, 48, 49, 116, 143};
    for (std::size_t rank = 0; rank < 8; ++rank)
        ranks[rank].collective(kAllReduce, 4 * kMiB, 8, {ranks[rank].compute(startMicros[rank])});
    const auto late = perRank(run, ranks).run();
    run.system.activeChunks = 4;
    const auto enough = perRank(run, ranks).run();

    QVERIFY(late);
    QVERIFY(!late.value().complete);
    const std::vector<Wait>& waits = late.value().waits;
    QCOMPARE(waits.size(), std::size_t{8});
    QCOMPARE(waits[0].onRanks, std::vector<std::int32_t>{waits[1].rank});
    QCOMPARE(waits[1].onRanks, std::vector<std::int32_t>{waits[0].rank});
    QVERIFY2(contains(waits[0].reason, "still queued on rank") && contains(waits[0].reason, "active-chunks-per-dimension"), waits[0].reason.c_str());
    QVERIFY(finishNs(enough) > 0);
}

void AstraBadTest::aRendezvousSendWithoutReceiveIsReported()
{
    AstraCase run = base();
    run.system.rendezvous = true;
    std::vector<RankTasks> ranks(4);
    ranks[0].send(1, kMiB);
    const auto record = perRank(run, ranks).run();

    QVERIFY(record);
    QVERIFY(!record.value().complete);
    QCOMPARE(record.value().waits.front().rank, 0);
    QVERIFY(contains(record.value().waits.front().reason, "RECV on rank 1"));
}

void AstraBadTest::surplusRanksAreIgnoredWithAWarning()
{
    AstraCase run = base();
    run.ranks.assign(8, run.ranks.front());
    const auto record = run.run();

    QCOMPARE(finishNs(record), 43000);
    QCOMPARE(record.value().rankCount, 4);
    QVERIFY(hasWarning(record.value(), "surplus-ranks"));
}

void AstraBadTest::aRingOfTwoWithContentionIsComputed()
{
    AstraCase run("Ring(2)", "50", "500");
    run.model = Model::AstraAware;
    run.useForAll("ring");
    run.runCollective(kAllReduce, kMiB);
    const auto record = run.run();

    // e + 2 (T + e) + R with messages of 512 KiB: 10 + 2 (10265 + 10) + 31455.
    QCOMPARE(finishNs(record), 52015);
    QVERIFY(hasWarning(record.value(), "aware-ring-2"));
}

void AstraBadTest::fewerRanksThanNpusAreRefused()
{
    AstraCase run = base();
    run.ranks.assign(3, run.ranks.front());
    const std::string text = refusal(run);

    QVERIFY2(contains(text, "4 NPUs") && contains(text, "3 ranks"), text.c_str());
}

void AstraBadTest::stoppingEndsTheRun()
{
    AstraCase run = base("Ring(512)");
    run.system.splits = 64;
    std::stop_source source;
    source.request_stop();
    for (const EngineChoice engine : {EngineChoice::Auto, EngineChoice::Events}) {
        RunOptions options;
        options.engine = engine;
        const auto record = run.run(options, source.get_token());
        QVERIFY(!record);
        QCOMPARE(record.error().code, ErrorCode::Cancelled);
    }
}

void AstraBadTest::progressIsReportedAndGrows()
{
    AstraCase run = base("Ring(1024)");
    run.system.splits = 1;
    std::vector<Progress> seen;
    std::stop_source source;
    RunOptions options;
    options.engine = EngineChoice::Events;
    options.progress = [&](const Progress& progress) {
        seen.push_back(progress);
        if (seen.size() == 2)
            source.request_stop();
    };
    const auto record = run.run(options, source.get_token());

    // A fast machine may be done before the second report; what was reported must grow all the same.
    QVERIFY(record || record.error().code == ErrorCode::Cancelled);
    for (std::size_t k = 0; k < seen.size(); ++k) {
        QVERIFY(seen[k].share >= 0 && seen[k].share <= 1); // 0: a machine may stand still before the first message.
        QVERIFY(k == 0 || seen[k].events > seen[k - 1].events);
    }
}

void AstraBadTest::memoryLimitsAreKept()
{
    AstraCase run = base("FullyConnected(512)");
    run.useForAll("direct");
    run.system.splits = 512;
    run.model = Model::AstraAware;
    for (const std::int64_t limit : {std::int64_t{1} << 10, std::int64_t{1} << 24}) {
        RunOptions options;
        options.memoryLimit = limit;
        const auto record = run.run(options);
        QVERIFY(!record);
        QCOMPARE(record.error().code, ErrorCode::MemoryLimit);
    }
}

void AstraBadTest::hugeNumbersOfChunksAreRefused()
{
    AstraCase run = base();
    run.system.splits = std::int64_t{1} << 40;
    run.runCollective(kAllReduce, std::int64_t{1} << 50);
    const auto record = run.run();

    QVERIFY(!record);
    QCOMPARE(record.error().code, ErrorCode::Unsupported);
}

void AstraBadTest::aCustomCollectiveOfAnotherSizeIsRefused()
{
    AstraCase run = base();
    run.system.custom[0] = "chains";
    run.customPrograms = {{"chains", chainedRing(8, 1024, 1)}};
    const std::string text = refusal(run);

    QVERIFY2(contains(text, "for 8 ranks, the group has 4"), text.c_str());
}

FABRICSCOPE_TEST(AstraBadTest)
#include "tst_astra_bad.moc"
