// Greedy synthesis: as short as the released TACOS synthesiser on its measured cases, valid on random graphs, the same on any threads.
#include "core/base/index.h"
#include "core/synthesis/greedy.h"
#include "tests/unit/support/cases.h"
#include "tests/unit/support/cases/randomgraph.h"
#include "tests/unit/support/cases/tacoscase.h"
#include "tests/unit/support/oracles/planexecutor.h"
#include "tests/unit/support/testprogram.h"

#include <QtTest/QtTest>

#include <chrono>
#include <set>
#include <thread>

using namespace fabricscope;
using namespace fabricscope::test;

namespace {

constexpr CollectiveOp kOps[] = {CollectiveOp::AllGather, CollectiveOp::ReduceScatter, CollectiveOp::AllReduce,
                                 CollectiveOp::AllToAll,  CollectiveOp::Broadcast,     CollectiveOp::Reduce};

Synthesis made(const SynthesisGraph& graph, const SynthesisOptions& options)
{
    Result<Synthesis> result = synthesizeGreedy(graph, options);
    if (!result)
        qFatal("%s", result.error().text().c_str());
    return result.value();
}

/// A ring of `ranks` with links of 1 GB/s and no latency, one or both ways.
SynthesisGraph ring(std::int32_t ranks, bool bothWays)
{
    SynthesisGraph graph;
    graph.ranks = ranks;
    graph.vertices = ranks;
    for (std::int32_t rank = 0; rank < ranks; ++rank) {
        graph.links.push_back({rank, (rank + 1) % ranks, 1'000'000'000, 0, {}});
        if (bothWays)
            graph.links.push_back({(rank + 1) % ranks, rank, 1'000'000'000, 0, {}});
    }
    return graph;
}

QByteArray problemsOf(const SynthesisGraph& graph, const Synthesis& synthesis, std::int64_t bytes, std::uint32_t seed)
{
    std::string problem = checkSchedule(*synthesis.program, graph, bytes, synthesis.plannedPs);
    for (const bool inPlace : {false, true}) {
        if (problem.empty() && (inPlace ? synthesis.program->inPlace : synthesis.program->outOfPlace))
            problem = runProgram(*synthesis.program, inPlace, seed);
    }
    return QByteArray::fromStdString(problem);
}

} // namespace

class GreedyTest : public QObject {
    Q_OBJECT

private slots:
    void isNeverLongerThanTacos_data()
    {
        QTest::addColumn<int>("row");
        const std::vector<TacosCase> cases = tacosCases();
        QVERIFY(cases.size() > 70);
        for (std::size_t i = 0; i < cases.size(); ++i) {
            if (cases[i].npus <= 128 && cases[i].npus * cases[i].npus * cases[i].chunks <= 20'000)
                QTest::newRow(cases[i].name.c_str()) << static_cast<int>(i);
        }
    }
    void isNeverLongerThanTacos()
    {
        QFETCH(int, row);
        const TacosCase test = tacosCases()[at(row)];
        const SynthesisGraph graph = tacosGraph(test);
        QCOMPARE(static_cast<int>(graph.links.size()), test.links);
        SynthesisOptions options;
        options.bytes = test.chunkBytes * test.npus * test.chunks;
        options.chunks = test.chunks;

        const Synthesis synthesis = made(graph, options);

        // The table has four decimals; we round every transfer up to whole ps.
        QVERIFY2(static_cast<double>(synthesis.plannedPs) * 1e-6 <= test.bestUs * (1 + 1e-6) + 1e-4, QByteArray::number(static_cast<double>(synthesis.plannedPs) * 1e-6));
        QVERIFY(static_cast<double>(synthesis.boundPs) * 1e-6 >= std::max(test.bandwidthBoundUs, test.hopBoundUs) * (1 - 1e-6) - 1e-4);
        QVERIFY(synthesis.boundPs <= synthesis.plannedPs);
        if (test.stepBound > 0) {
            QCOMPARE(synthesis.steps, test.stepBound);
            QVERIFY(synthesis.optimal);
        }
        QCOMPARE(synthesis.program->asExplicit().size(), static_cast<std::uint32_t>(2 * test.npus * (test.npus - 1) * test.chunks + test.npus));
        QCOMPARE(problemsOf(graph, synthesis, options.bytes, 7), QByteArray());
    }

    /// With the chunks of the table whole, the rfs cases cannot be a tenth shorter: the bound that counts the wait for the slow links says
    /// so, and it is met. Cut finer they are.
    void ringCliqueSwitchIsATenthShorterInFinerChunks()
    {
        int seen = 0;
        for (const TacosCase& test : tacosCases()) {
            if (test.kind != "rfs" || test.chunks != 1 || test.npus < 32 || test.npus > 128)
                continue;
            ++seen;
            const SynthesisGraph graph = tacosGraph(test);
            SynthesisOptions options;
            options.bytes = test.chunkBytes * test.npus;
            const Synthesis whole = made(graph, options);
            QVERIFY2(whole.optimal, test.name.c_str());
            QVERIFY(static_cast<double>(whole.boundPs) * 1e-6 > 0.9 * test.bestUs);
            options.chunks = 4;
            const Synthesis finer = made(graph, options);
            QVERIFY2(static_cast<double>(finer.plannedPs) * 1e-6 < 0.9 * test.bestUs, test.name.c_str());
        }
        QCOMPARE(seen, 3);
    }

    void worksOnRandomGraphs()
    {
        std::mt19937 random(seeded(20261122));
        for (int round = 0; round < cases(120); ++round) {
            const SynthesisGraph graph = randomGraph(random, 2 + static_cast<std::int32_t>(random() % 9));
            SynthesisOptions options;
            options.op = kOps[random() % std::size(kOps)];
            options.chunks = 1 + static_cast<std::int32_t>(random() % 3);
            options.bytes = 1 + static_cast<std::int64_t>(random() % 50'000'000);
            options.root = static_cast<std::int32_t>(random() % static_cast<std::uint32_t>(graph.ranks));
            options.seed = static_cast<std::uint64_t>(random());

            const Synthesis synthesis = made(graph, options);

            const QByteArray what = QByteArray::number(round) + ' ' + QByteArray::fromStdString(std::string(collectiveKey(options.op)));
            QVERIFY2(synthesis.boundPs <= synthesis.plannedPs, what);
            const QByteArray problem = problemsOf(graph, synthesis, options.bytes, static_cast<std::uint32_t>(round));
            QVERIFY2(problem.isEmpty(), what + ": " + problem);
        }
    }

    void boundHoldsForEveryScheduleOfTinyGraphs()
    {
        // All-gather of one chunk on a ring of three with one direction: two steps, whatever is done.
        SynthesisOptions options;
        options.bytes = 3'000'000;
        const Synthesis synthesis = made(ring(3, false), options);
        QCOMPARE(synthesis.boundPs, 2'000'000'000);
        QCOMPARE(synthesis.plannedPs, 2'000'000'000);
        QCOMPARE(synthesis.steps, 2);
        QVERIFY(synthesis.optimal);
    }

    void reductionsAreAsLongAsTheirReversals()
    {
        for (const TacosCase& test : tacosCases()) {
            if (test.npus > 36)
                continue;
            SynthesisOptions options;
            options.bytes = test.chunkBytes * test.npus * test.chunks;
            options.chunks = test.chunks;
            const SynthesisGraph graph = tacosGraph(test);
            const std::int64_t gather = made(graph, options).boundPs;
            options.op = CollectiveOp::ReduceScatter;
            const std::int64_t scatter = made(graph, options).plannedPs;
            options.op = CollectiveOp::AllReduce;
            const std::int64_t both = made(graph, options).plannedPs;
            QVERIFY(scatter >= gather || test.kind == "uring");
            QVERIFY(both >= 2 * gather);
            if (test.stepBound > 0)
                QCOMPARE(both, 2 * gather);
        }
    }

    void allToAllOfRingsMeetsTheLoadOfTheirLinks()
    {
        // n ranks, both ways, n odd: (n^2 - 1) / 8 chunks on every link.
        for (const std::int32_t ranks : {3, 5, 7, 9}) {
            SynthesisOptions options;
            options.op = CollectiveOp::AllToAll;
            options.bytes = ranks * 1'000'000;
            const Synthesis synthesis = made(ring(ranks, true), options);
            QCOMPARE(synthesis.boundPs / 1'000'000'000 + (synthesis.boundPs % 1'000'000'000 != 0 ? 1 : 0), (ranks * ranks - 1) / 8);
            QCOMPARE(synthesis.plannedPs, std::int64_t{(ranks * ranks - 1) / 8} * 1'000'000'000);
        }
    }

    void broadcastFillsAChain()
    {
        // Pipelined along a one-way ring: chunks + ranks - 2 steps.
        SynthesisOptions options;
        options.op = CollectiveOp::Broadcast;
        options.bytes = 10'000'000;
        options.chunks = 10;
        options.root = 2;
        const Synthesis synthesis = made(ring(6, false), options);
        QCOMPARE(synthesis.steps, 14);
        QCOMPARE(synthesis.plannedPs, 14'000'000'000);
        QVERIFY(synthesis.optimal);
    }

    void switchesAreUnwound()
    {
        SynthesisGraph graph;
        graph.ranks = 4;
        graph.vertices = 5;
        for (std::int32_t rank = 0; rank < 4; ++rank) {
            graph.links.push_back({rank, 4, 3'000'000'000, 100, {2 * rank}});
            graph.links.push_back({4, rank, 3'000'000'000, 100, {2 * rank + 1}});
        }
        SynthesisOptions options;
        options.bytes = 4'000'000;
        const Synthesis synthesis = made(graph, options);
        QCOMPARE(synthesis.plannedPs, 1'000'000'200); // 1 MB at a third of 3 GB/s, two latencies.
        const ExplicitBody& body = synthesis.program->asExplicit();
        QCOMPARE(body.routes.size(), 12u);
        for (std::uint32_t op = 0; op < body.size(); ++op)
            QCOMPARE(body.routeOf(op) >= 0, body.kind[op] == OpKind::Send);
        QCOMPARE(runProgram(*synthesis.program, true, 1), std::string());
    }

    void isTheSameOnAnyThreads()
    {
        std::mt19937 random(seeded(5));
        for (int round = 0; round < 6; ++round) {
            const SynthesisGraph graph = randomGraph(random, 8);
            SynthesisOptions options;
            options.op = kOps[round];
            options.chunks = 2;
            options.tries = 3;
            options.seed = 40;
            const Synthesis one = made(graph, options);
            options.threads = 4;
            const Synthesis four = made(graph, options);
            QCOMPARE(four.plannedPs, one.plannedPs);
            QCOMPARE(four.seed, one.seed);
            QVERIFY(four.program->digest() == one.program->digest());
            QVERIFY(one.seed >= 40 && one.seed < 43);
        }
    }

    void moreTriesAreNeverWorse()
    {
        std::mt19937 random(seeded(6));
        for (int round = 0; round < cases(10); ++round) {
            const SynthesisGraph graph = randomGraph(random, 10);
            SynthesisOptions options;
            options.chunks = 3;
            const std::int64_t one = made(graph, options).plannedPs;
            options.tries = 4;
            QVERIFY(made(graph, options).plannedPs <= one);
        }
    }

    void stopsWhenAsked()
    {
        std::stop_source source;
        source.request_stop();
        SynthesisOptions options;
        options.stop = source.get_token();
        const Result<Synthesis> result = synthesizeGreedy(ring(4, true), options);
        QVERIFY(!result);
        QVERIFY(result.error().code == ErrorCode::Cancelled);
    }

    void givesTheBestSoFarWhenStopped()
    {
        std::mt19937 random(seeded(7));
        const SynthesisGraph graph = randomGraph(random, 24);
        std::stop_source source;
        SynthesisOptions options;
        options.chunks = 4;
        options.tries = 100'000;
        options.stop = source.get_token();
        int calls = 0;
        options.progress = [&](const SynthesisProgress& progress) {
            QVERIFY(progress.share >= 0 && progress.share <= 1);
            if (++calls == 5)
                source.request_stop();
        };
        const Synthesis synthesis = made(graph, options);
        QVERIFY(synthesis.cutShort || synthesis.optimal);
        QCOMPARE(problemsOf(graph, synthesis, options.bytes, 1), QByteArray());
    }

    void keepsTheTimeLimit()
    {
        std::mt19937 random(seeded(8));
        const SynthesisGraph graph = randomGraph(random, 24);
        SynthesisOptions options;
        options.chunks = 4;
        options.tries = 1'000'000;
        options.timeLimitSeconds = 0.3;
        const Synthesis synthesis = made(graph, options);
        QVERIFY(synthesis.cutShort || synthesis.optimal);
    }

    void refusesWhatItCannotDo_data()
    {
        QTest::addColumn<int>("kind");
        QTest::addColumn<QString>("message");
        QTest::newRow("gather") << 0 << "greedy synthesis does not make gather (expected";
        QTest::newRow("chunks") << 1 << "chunks is 0 (expected at least 1)";
        QTest::newRow("bytes") << 2 << "size is 0 bytes (expected at least 1)";
        QTest::newRow("root") << 3 << "root is 4 (expected 0 to 3)";
        QTest::newRow("link") << 4 << "link 0 > 9 is not usable";
        QTest::newRow("stranded") << 5 << "rank 2 and rank 0 cannot reach each other both ways";
        QTest::newRow("one") << 6 << "a graph of 1 ranks has nothing to exchange";
        QTest::newRow("many") << 7 << "the program would have 23999988000 transfers";
    }
    void refusesWhatItCannotDo()
    {
        QFETCH(int, kind);
        QFETCH(QString, message);
        SynthesisGraph graph = ring(4, true);
        SynthesisOptions options;
        switch (kind) {
        case 0: options.op = CollectiveOp::Gather; break;
        case 1: options.chunks = 0; break;
        case 2: options.bytes = 0; break;
        case 3: options.op = CollectiveOp::Reduce; options.root = 4; break;
        case 4: graph.links.push_back({0, 9, 1, 0, {}}); break;
        case 5: std::erase_if(graph.links, [](const SynthesisGraph::Link& link) { return link.to == 2; }); break;
        case 6: graph = {}; graph.ranks = 1; graph.vertices = 1; break;
        case 7: options.chunks = 2'000'000'000 - 1'000; break;
        }
        const Result<Synthesis> result = synthesizeGreedy(graph, options);
        QVERIFY(!result);
        QVERIFY2(QString::fromStdString(result.error().text()).startsWith(message), result.error().text().c_str());
    }
};

FABRICSCOPE_TEST(GreedyTest)
#include "tst_greedy.moc"
