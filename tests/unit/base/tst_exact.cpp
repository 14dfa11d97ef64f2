// Optimal small schedules against the published points of DGX-1 and against plain facts.
#include "core/base/index.h"
#include "core/platform/presets.h"
#include "core/synthesis/exact.h"
#include "core/verify/verify.h"
#include "tests/unit/support/cases/dgx1.h"
#include "tests/unit/support/testprogram.h"

#include <QtTest/QtTest>

#include <map>
#include <set>

using namespace fabricscope;
using namespace fabricscope::test;

namespace {

SynthesisGraph dgx1()
{
    return dgx1Graph("DGX-1V", {0, 1, 2, 3, 4, 5, 6, 7});
}

SynthesisGraph ring(std::int32_t ranks, bool bothWays)
{
    SynthesisGraph graph;
    graph.ranks = graph.vertices = ranks;
    for (std::int32_t rank = 0; rank < ranks; ++rank) {
        graph.links.push_back({rank, (rank + 1) % ranks, 1'000'000'000, 1000, {}});
        if (bothWays)
            graph.links.push_back({(rank + 1) % ranks, rank, 1'000'000'000, 1000, {}});
    }
    return graph;
}

/// Plays an all-gather schedule: chunks are there before they are sent, links are not overfull, everybody ends with everything.
void checkAllGather(const SynthesisGraph& graph, const StepsRoundsChunks& point, const ExactSchedule& schedule, std::int64_t unit)
{
    QCOMPARE(schedule.feasible, Feasible::Yes);
    std::int32_t rounds = 0;
    for (const std::int32_t part : schedule.roundsOfStep) {
        QVERIFY(part >= 1);
        rounds += part;
    }
    QCOMPARE(rounds, point.rounds);
    QCOMPARE(static_cast<std::int32_t>(schedule.roundsOfStep.size()), point.steps);
    std::vector<std::set<std::int32_t>> has(static_cast<std::size_t>(graph.ranks));
    for (std::int32_t rank = 0; rank < graph.ranks; ++rank) {
        for (std::int32_t i = 0; i < point.chunks; ++i)
            has[at(rank)].insert(rank * point.chunks + i);
    }
    for (std::int32_t step = 0; step < point.steps; ++step) {
        const auto before = has;
        std::map<std::int32_t, std::int64_t> load;
        for (const ScheduledTransfer& transfer : schedule.transfers) {
            if (transfer.step != step)
                continue;
            const SynthesisGraph::Link& link = graph.links[at(transfer.link)];
            QVERIFY(before[at(link.from)].count(transfer.chunk) == 1);
            QVERIFY(has[at(link.to)].insert(transfer.chunk).second);
            ++load[transfer.link];
        }
        for (const auto& [link, chunks] : load)
            QVERIFY(chunks <= graph.links[at(link)].bytesPerSecond / unit * schedule.roundsOfStep[at(step)]);
    }
    for (const auto& chunks : has)
        QCOMPARE(static_cast<std::int32_t>(chunks.size()), graph.ranks * point.chunks);
}

} // namespace

class TestExact : public QObject {
    Q_OBJECT

private slots:
    void dgx1AllGather_data()
    {
        QTest::addColumn<int>("steps");
        QTest::addColumn<int>("rounds");
        QTest::addColumn<int>("chunks");
        QTest::addColumn<bool>("feasible");
        // manual: synthesis 5, found there with the released solver.
        QTest::newRow("(2,2,1)") << 2 << 2 << 1 << true;
        QTest::newRow("(2,3,2)") << 2 << 3 << 2 << true;
        QTest::newRow("(3,4,3)") << 3 << 4 << 3 << true;
        QTest::newRow("(3,5,4)") << 3 << 5 << 4 << true;
        QTest::newRow("(3,6,5)") << 3 << 6 << 5 << true;
        QTest::newRow("(2,4,3)") << 2 << 4 << 3 << false;
        QTest::newRow("(1,9,1)") << 1 << 9 << 1 << false; // The diameter is 2.
        QTest::newRow("(3,3,3)") << 3 << 3 << 3 << false; // Less than 7/6 rounds per chunk.
    }

    void dgx1AllGather()
    {
        QFETCH(int, steps);
        QFETCH(int, rounds);
        QFETCH(int, chunks);
        QFETCH(bool, feasible);
        const StepsRoundsChunks point{steps, rounds, chunks};
        const ExactSchedule schedule = exactSchedule(dgx1(), CollectiveOp::AllGather, 0, point);
        QCOMPARE(schedule.feasible, feasible ? Feasible::Yes : Feasible::No);
        if (feasible)
            checkAllGather(dgx1(), point, schedule, 25'000'000'000);
    }

    void dgx1Broadcast()
    {
        const auto answer = [](std::int32_t steps, std::int32_t rounds, std::int32_t chunks) {
            return exactSchedule(dgx1(), CollectiveOp::Broadcast, 0, {steps, rounds, chunks}).feasible;
        };
        QCOMPARE(answer(2, 2, 1), Feasible::Yes);
        QCOMPARE(answer(2, 3, 2), Feasible::Yes);
        QCOMPARE(answer(2, 4, 3), Feasible::Yes);
        QCOMPARE(answer(3, 3, 4), Feasible::Yes);
        QCOMPARE(answer(2, 2, 3), Feasible::No);
        QCOMPARE(answer(2, 3, 4), Feasible::No);
        QCOMPARE(answer(2, 5, 6), Feasible::No);
    }

    void rings()
    {
        // One way: n - 1 steps, and no fewer rounds. Both ways: half of the steps; one chunk needs n - 1 receives over 2 links.
        const auto one = paretoSchedules(ring(5, false), CollectiveOp::AllGather, 0, 5, 2);
        QCOMPARE(one.size(), std::size_t{1});
        QCOMPARE(one.front().point, (StepsRoundsChunks{4, 4, 1}));
        QVERIFY(one.front().proven);
        const auto both = paretoSchedules(ring(5, true), CollectiveOp::AllGather, 0, 4, 2);
        QCOMPARE(both.front().point, (StepsRoundsChunks{2, 2, 1}));
        QVERIFY(both.front().proven);
        checkAllGather(ring(5, true), both.front().point, both.front().schedule, 1'000'000'000);
    }

    void everyCollectiveVerifies_data()
    {
        QTest::addColumn<int>("op");
        for (const CollectiveOp op : {CollectiveOp::AllGather, CollectiveOp::ReduceScatter, CollectiveOp::AllReduce, CollectiveOp::Broadcast, CollectiveOp::Reduce,
                                      CollectiveOp::Gather, CollectiveOp::Scatter, CollectiveOp::AllToAll})
            QTest::newRow(std::string(collectiveKey(op)).c_str()) << static_cast<int>(op);
    }

    void everyCollectiveVerifies()
    {
        QFETCH(int, op);
        for (const bool bothWays : {false, true}) {
            for (const std::int32_t ranks : {2, 3, 4}) {
                SynthesisOptions options;
                options.op = static_cast<CollectiveOp>(op);
                options.bytes = 1 << 20;
                options.chunks = 2;
                options.root = ranks - 1;
                const auto made = synthesizeExact(ring(ranks, bothWays && ranks > 2), options);
                QVERIFY2(made, made ? "" : made.error().text().c_str());
                const Verification verification = verify(*made.value().program);
                QVERIFY(verification.valid);
                QCOMPARE(verification.postcondition, Postcondition::Holds);
            }
        }
    }

    void switchIsUnwound()
    {
        const auto platform = Platform::create(presetPlatform("dgx-a100-8").value());
        const auto graph = synthesisGraph(platform.value(), std::vector<NodeId>{0, 1, 2, 3});
        QVERIFY(graph);
        SynthesisOptions options;
        const auto made = synthesizeExact(graph.value(), options);
        QVERIFY2(made, made ? "" : made.error().text().c_str());
        QCOMPARE(made.value().steps, 1);
        QVERIFY(made.value().optimal);
    }

    void refusals()
    {
        SynthesisGraph apart = ring(3, false);
        apart.links.pop_back();
        QVERIFY(!synthesizeExact(apart, {}));
        SynthesisOptions options;
        options.chunks = 50;
        const auto large = synthesizeExact(ring(40, true), options);
        QVERIFY(!large);
        QCOMPARE(large.error().code, ErrorCode::Unsupported);
        SynthesisOptions barrier;
        barrier.op = CollectiveOp::Barrier;
        QVERIFY(!synthesizeExact(ring(3, true), barrier));
    }
};

FABRICSCOPE_TEST(TestExact)
#include "tst_exact.moc"
