#include "core/design/steps/steps.h"
#include "tests/unit/support/testprogram.h"

#include <QtTest/QtTest>

using namespace fabricscope;

namespace {

Quantity ns(double value) { return {value, "ns", Measure::Time}; }
Quantity gbps(double value) { return {value, "GB/s", Measure::Bandwidth}; }

Platform machine(std::vector<std::int32_t> sizes)
{
    PlatformSpec spec;
    for (const std::int32_t size : sizes)
        spec.dimensions.push_back({Shape::Switch, size, gbps(50), false, ns(500)});
    auto platform = Platform::create(std::move(spec));
    if (!platform)
        qFatal("%s", platform.error().text().c_str());
    return std::move(platform).value();
}

/// The workload section of a design, as it would be read from a file.
StepsWorkload stepsOf(const std::string& workload)
{
    const std::string text = "fabricscope: 1\nplatform: {dimensions: [{shape: ring, size: 4, bandwidth: 1 GB/s, latency: 1 ns}]}\nworkload:\n" + workload;
    auto loaded = readDesignText(text, "test.yaml");
    if (!loaded)
        qFatal("%s", loaded.error().text().c_str());
    return std::get<StepsWorkload>(*loaded.value().design.workload);
}

Result<WorkloadPtr> build(const std::string& workload, const Platform& platform)
{
    return workloadFromSteps(stepsOf(workload), platform, Placement::identity(platform.npuCount()));
}

WorkloadPtr built(const std::string& workload, const Platform& platform)
{
    auto result = build(workload, platform);
    if (!result)
        qFatal("%s", result.error().text().c_str());
    return result.value();
}

/// "name<-deps" of every task of a rank.
std::string shape(const Workload& workload, std::int32_t rank)
{
    const RankGraph& graph = workload.graph(rank);
    std::string text;
    for (TaskIndex task = 0; task < graph.size(); ++task) {
        text += (text.empty() ? "" : " ") + std::string(graph.name(task)) + "<-";
        for (const TaskIndex dependency : graph.dependencies(task))
            text += std::to_string(dependency) + ",";
    }
    return text;
}

} // namespace

class StepsTest : public QObject {
    Q_OBJECT

private slots:
    void stepsFollowEachOtherUnlessTold()
    {
        const auto workload = built("  steps:\n"
                                    "    - {compute: 1 us, name: a}\n"
                                    "    - {collective: all_reduce, size: 1 MiB, name: g}\n"
                                    "    - {compute: 2 us, name: b, after: a}\n"
                                    "    - {compute: 3 us, name: c, after: []}\n"
                                    "    - {compute: 4 us, name: d, after: [b, g, b]}\n",
                                    machine({4}));

        QCOMPARE(shape(*workload, 2), std::string("a<- g<-0, b<-0, c<- d<-1,2,"));
    }

    void aRepeatNamesTheRoundBefore()
    {
        // Each layer's gradient is reduced while the layer before it is computed: the backward chain never waits for the reductions.
        const auto workload = built("  steps:\n"
                                    "    - {compute: 1 us, name: forward}\n"
                                    "    - repeat: 3\n"
                                    "      steps:\n"
                                    "        - {compute: 1 us, name: backward, after: [forward, backward]}\n"
                                    "        - {collective: all_reduce, size: 1 MiB, name: gradient, after: backward}\n"
                                    "    - {compute: 1 us, name: update, after: [backward, gradient]}\n",
                                    machine({4}));

        QCOMPARE(shape(*workload, 0),
                 std::string("forward<- backward<-0, gradient<-1, backward<-0,1, gradient<-3, backward<-0,3, gradient<-5, update<-5,6,"));
    }

    void quantitiesBecomeIntegers()
    {
        const auto workload = built("  steps:\n"
                                    "    - {compute: 1.5 us}\n"
                                    "    - {compute: 2 TFLOP, bytes: 1.5 GB}\n"
                                    "    - {compute: 250 ns, operations: 3 GFLOP}\n"
                                    "    - {collective: all_gather, size: 1 MiB}\n"
                                    "    - {collective: all_to_all, size: 0 B}\n"
                                    "    - {load: 4 KiB}\n"
                                    "    - {store: 8 KiB}\n",
                                    machine({4}));
        const RankGraph& graph = workload->graph(0);

        QCOMPARE(graph.size(), 7);
        QCOMPARE(graph.durationPs, (std::vector<std::int64_t>{1'500'000, -1, 250'000, -1, -1, -1, -1}));
        QCOMPARE(graph.durationUs, (std::vector<std::int64_t>{1, 0, 0, 0, 0, 0, 0}));
        QCOMPARE(graph.operations, (std::vector<std::int64_t>{0, 2'000'000'000'000, 3'000'000'000, 0, 0, 0, 0}));
        QCOMPARE(graph.bytes, (std::vector<std::int64_t>{0, 1'500'000'000, 0, 1 << 20, 0, 4096, 8192}));
        QVERIFY(graph.kind == (std::vector<TaskKind>{TaskKind::Compute, TaskKind::Compute, TaskKind::Compute, TaskKind::Collective, TaskKind::Collective,
                                                     TaskKind::MemoryLoad, TaskKind::MemoryStore}));
        QVERIFY(graph.has(1, TaskFlag::kHasOperations) && graph.has(1, TaskFlag::kHasBytes));
        QVERIFY(!graph.has(0, TaskFlag::kHasOperations) && !graph.has(0, TaskFlag::kHasBytes));
        QCOMPARE(graph.op[3], CollectiveOp::AllGather);
        QCOMPARE(std::string(graph.name(4)), std::string("all_to_all"));
    }

    void ranksThatRunTheSameShareAGraph()
    {
        const auto workload = built("  steps:\n"
                                    "    - {compute: 1 us, name: all}\n"
                                    "    - {compute: 1 us, name: ends, ranks: \"0,7\"}\n"
                                    "    - {compute: 1 us, name: low, ranks: 0-3, after: ends}\n"
                                    "    - {compute: 1 us, name: last}\n",
                                    machine({8}));

        // By hand: 0 runs all; 1-3 no ends; 4-6 neither; 7 no low. A label a rank never ran binds nothing there.
        QCOMPARE(workload->graphs.size(), std::size_t{4});
        QCOMPARE(workload->graphOfRank[1], workload->graphOfRank[3]);
        QCOMPARE(workload->graphOfRank[4], workload->graphOfRank[6]);
        QCOMPARE(shape(*workload, 0), std::string("all<- ends<-0, low<-1, last<-2,"));
        QCOMPARE(shape(*workload, 2), std::string("all<- low<- last<-1,"));
        QCOMPARE(shape(*workload, 5), std::string("all<- last<-0,"));
        QCOMPARE(shape(*workload, 7), std::string("all<- ends<-0, last<-1,"));
    }

    void aMillionEqualRanksTakeNothingEach()
    {
        const auto workload = built("  groups:\n"
                                    "    - {name: tensor, dimensions: [0]}\n"
                                    "    - {name: data, dimensions: [1, 2]}\n"
                                    "  steps:\n"
                                    "    - {collective: all_reduce, size: 1 MiB, group: tensor}\n"
                                    "    - {collective: all_reduce, size: 1 MiB, group: data}\n",
                                    machine({64, 128, 128}));

        QCOMPARE(workload->rankCount, 1 << 20);
        QCOMPARE(workload->graphs.size(), std::size_t{1});
        QVERIFY(workload->graphOfRank.empty());
        QCOMPARE(workload->families.size(), std::size_t{3});
        QVERIFY(workload->families[2].isStrided());
        QCOMPARE(workload->families[1].groupSize(0), std::int64_t{64});
        QCOMPARE(workload->families[2].groupSize(0), std::int64_t{16384});
        // Rank 5 + 64 (2 + 128 * 3): position 2 + 128 * 3 in the data-parallel group of its place 5.
        QCOMPARE(workload->families[2].membership(5 + 64 * (2 + 128 * 3)).position, std::int64_t{2 + 128 * 3});
        QCOMPARE(workload->families[2].membership(5 + 64 * (2 + 128 * 3)).group, std::int64_t{5});
    }

    void groupsByStridesAndLists()
    {
        const auto workload = built("  groups:\n"
                                    "    - {name: odd, axes: [{size: 4, stride: 2}]}\n"
                                    "    - {name: pair, lists: [[7, 0], [1, 2, 3]]}\n"
                                    "  steps:\n"
                                    "    - {collective: all_reduce, size: 1 MiB, group: odd}\n"
                                    "    - {collective: all_to_all, size: 1 MiB, group: pair}\n"
                                    "    - {collective: all_reduce, size: 1 MiB, group: world}\n",
                                    machine({8}));

        QCOMPARE(workload->families[1].membership(5).position, std::int64_t{2});
        QCOMPARE(workload->families[2].member(0, 0), std::int64_t{7});
        // Only members of a listed group run its collective.
        QCOMPARE(workload->graph(0).size(), 3);
        QCOMPARE(workload->graph(4).size(), 2);
        QCOMPARE(workload->graph(0).family, (std::vector<FamilyId>{1, 2, 0}));
    }

    void messagesToNeighboursShareAGraph()
    {
        const auto workload = built("  steps:\n"
                                    "    - {send: 1 MiB, to: +4, tag: 7, ranks: 0-11}\n"
                                    "    - {receive: 1 MiB, from: -4, tag: 7, ranks: 4-15}\n",
                                    machine({4, 4}));

        // First, middle and last stage.
        QCOMPARE(workload->graphs.size(), std::size_t{3});
        QCOMPARE(workload->graph(2).peerRank(0, 2), 6);
        QCOMPARE(workload->graph(5).peerRank(1, 5), 1);
        QCOMPARE(workload->graph(5).tag[1], 7u);
        QCOMPARE(workload->graph(15).kind[0], TaskKind::Receive);
        QCOMPARE(workload->graph(15).peerRank(0, 15), 11);
    }

    void absoluteAndRelativePeersTogether()
    {
        const auto workload = built("  steps:\n"
                                    "    - {send: 1 KiB, to: 0, ranks: 1-3}\n"
                                    "    - {send: 1 KiB, to: -1, ranks: 1-3}\n",
                                    machine({4}));

        for (std::int32_t rank = 1; rank < 4; ++rank) {
            QCOMPARE(workload->graph(rank).peerRank(0, rank), 0);
            QCOMPARE(workload->graph(rank).peerRank(1, rank), rank - 1);
        }
        QCOMPARE(workload->graph(0).size(), 0);
    }

    void refusals_data()
    {
        QTest::addColumn<QString>("steps");
        QTest::addColumn<QString>("says");
        const auto row = [](const char* name, const char* steps, const char* says) { QTest::newRow(name) << QString(steps) << QString(says); };
        row("no such label", "  steps:\n    - {compute: 1 us, after: x}\n", "test.yaml:5:7, workload.steps[0]: no step is called \"x\"");
        row("later label", "  steps:\n    - {compute: 1 us, after: x}\n    - {compute: 1 us, name: x}\n", "comes later");
        row("own label", "  steps:\n    - {compute: 1 us, after: x, name: x}\n", "comes later");
        row("label twice", "  steps:\n    - {compute: 1 us, name: x}\n    - {compute: 1 us, name: x}\n", "test.yaml:6:7, workload.steps[1]: a second step");
        row("no such group", "  steps:\n    - {collective: all_reduce, size: 1 B, group: x}\n", "there is no group \"x\"");
        row("group twice", "  groups: [{name: g, dimensions: [0]}, {name: g, dimensions: [0]}]\n  steps:\n    - {compute: 1 us}\n", "a second group");
        row("group called world", "  groups: [{name: world, dimensions: [0]}]\n  steps:\n    - {compute: 1 us}\n", "cannot be called \"world\"");
        row("no such dimension", "  groups: [{name: g, dimensions: [2]}]\n  steps:\n    - {compute: 1 us}\n", "there is no dimension 2");
        row("dimension twice", "  groups: [{name: g, dimensions: [0, 0]}]\n  steps:\n    - {compute: 1 us}\n", "listed twice");
        row("axes that do not tile", "  groups: [{name: g, axes: [{size: 3}]}]\n  steps:\n    - {compute: 1 us}\n", "group \"g\"");
        row("rank outside", "  steps:\n    - {compute: 1 us, ranks: 0-99}\n", "there is no rank 99");
        row("not a member", "  groups: [{name: g, lists: [[0, 1]]}]\n  steps:\n    - {collective: all_reduce, size: 1 B, group: g, ranks: 0-2}\n", "rank 2 is in no group of \"g\"");
        row("peer below", "  steps:\n    - {receive: 1 B, from: -1}\n", "rank 0 has no rank \"-1\"");
        row("peer above", "  steps:\n    - {send: 1 B, to: +3}\n", "rank 15 has no rank \"+3\"");
        row("absolute peer outside", "  steps:\n    - {send: 1 B, to: 16, ranks: 0}\n", "has no rank \"16\"");
        row("to itself", "  steps:\n    - {send: 1 B, to: 3}\n", "rank 3 would send to itself");
        row("too many tasks", "  steps:\n    - repeat: 100000\n      steps:\n        - repeat: 100000\n          steps:\n            - {compute: 1 us}\n", "more than 10000000 tasks");
        row("longer than the clock", "  steps:\n    - {compute: 9.1e6 s}\n", "at most 100 days");
        row("too large", "  steps:\n    - {load: 1 EiB}\n", "at most 64 PiB");
        row("nothing to do", "  steps: []\n", "there are no steps");
    }
    void refusals()
    {
        QFETCH(QString, steps);
        QFETCH(QString, says);

        const auto result = build(steps.toStdString(), machine({4, 4}));

        QVERIFY(!result);
        QVERIFY2(result.error().text().find(says.toStdString()) != std::string::npos, result.error().text().c_str());
    }

    void groupsAlongDimensionsFollowThePlacement()
    {
        // Rank r of the job is on NPU 2 r of 4 x 4: of each row of four NPUs those at 0 and 2, ranks 2 k and 2 k + 1.
        const Platform platform = machine({4, 4});
        auto placement = Placement::create({{"job", 8, 0, 2, {}}}, platform.npuCount());
        GroupSpec spec;
        spec.name = "g";
        spec.dimensions = {0};

        const auto family = groupFamily(spec, platform, placement.value());
        QVERIFY(family);
        QCOMPARE(family.value().groupCount(), std::int64_t{4});
        for (std::int64_t rank = 0; rank < 8; ++rank) {
            QCOMPARE(family.value().membership(rank).group, rank / 2);
            QCOMPARE(family.value().membership(rank).position, rank % 2);
            QCOMPARE(family.value().membership(rank).size, std::int64_t{2});
        }
        QVERIFY(groupFamily(spec, platform, Placement::identity(8)));
    }

    void oneCollectiveIsOneTaskPerRank()
    {
        const auto workload = workloadFromCollective({CollectiveOp::AllReduce, {64, "MiB", Measure::Size}}, 32);

        QVERIFY(workload);
        QCOMPARE(workload.value()->graphs.size(), std::size_t{1});
        QCOMPARE(workload.value()->graph(31).size(), 1);
        QCOMPARE(workload.value()->graph(31).bytes[0], std::int64_t{64} << 20);
        QCOMPARE(workload.value()->graph(31).family[0], 0);
        QVERIFY(workload.value()->families[0].isWorld());
    }
};

FABRICSCOPE_TEST(StepsTest)
#include "tst_steps.moc"
