// Every search that works on several threads gives what it gives on one. Run under the thread sanitizer.
#include "core/choose/choose.h"
#include "core/choose/tuner.h"
#include "core/design/design.h"
#include "core/planner/best/searchedplans.h"
#include "core/run/plansimulation.h"
#include "core/run/seeds.h"
#include "core/scenario/designplan.h"
#include "core/scenario/lowering.h"
#include "core/synthesis/greedy.h"
#include "tests/unit/support/apart.h"
#include "tests/unit/support/testprogram.h"

#include <QtTest/QtTest>

#include <numeric>
#include <vector>

using namespace fabricscope;

namespace {

const std::string kRings = "fabricscope: 1\nplatform:\n  dimensions:\n    - {shape: ring, size: 4, bandwidth: 50 GB/s, latency: 500 ns}\n"
                           "    - {shape: ring, size: 4, bandwidth: 25 GB/s, latency: 1 us}\n";

Design designOf(const std::string& text)
{
    auto loaded = readDesignText(text, "d.yaml");
    if (!loaded)
        qFatal("%s", loaded.error().text().c_str());
    return std::move(loaded.value().design);
}

std::string textOf(const std::vector<CollectiveChoice>& choices)
{
    std::string text;
    for (const CollectiveChoice& choice : choices) {
        text += choice.chosen + " of " + std::to_string(choice.bytes) + '\n';
        for (const CandidateTime& candidate : choice.candidates)
            text += candidate.name + ' ' + std::to_string(candidate.timePs) + ' ' + candidate.reason + '\n';
    }
    return text;
}

std::string textOf(const PlanSearchResult& result)
{
    std::string text = std::to_string(result.counts.estimated) + " of " + std::to_string(result.counts.considered) + '\n';
    for (const SearchedPlan& plan : result.plans)
        text += std::to_string(plan.parts.step()) + ' ' + std::to_string(plan.memory) + ' ' + std::to_string(plan.simulated ? plan.simulated->ps : -1) + ' ' + plan.problem + '\n';
    return text;
}

} // namespace

class ThreadsSearchesTest : public QObject {
    Q_OBJECT

private slots:
    void candidatesOfAuto()
    {
        const Design design = designOf(kRings + "workload: {collective: all_reduce, size: 1 MiB}\ncollectives: {default: {algorithm: auto}}\n");
        const auto one = prepareChosen(design);
        QVERIFY2(one, one ? "" : one.error().text().c_str());
        const std::string expected = textOf(one.value()->choices);
        QVERIFY(expected.size() > 100);
        const auto four = test::apart([&] { return prepareChosen(design, 4); });
        QVERIFY(four);
        QCOMPARE(textOf(four.value()->choices), expected);
    }

    /// The sizes share what generators wrote and what was folded.
    void sizesOfASweep()
    {
        const Design design = designOf(kRings + "workload: {collective: all_reduce, size: 1 MiB}\ncollectives: {default: {algorithm: auto}}\n");
        TuneRequest request;
        request.sizes = {1 << 10, 1 << 14, 1 << 18, 1 << 20};
        const auto one = tuneSizes(design, request);
        QVERIFY2(one, one ? "" : one.error().text().c_str());
        request.threads = 4;
        const auto four = test::apart([&] { return tuneSizes(design, request); });
        QVERIFY(four);
        QCOMPARE(textOf(four.value()), textOf(one.value()));
    }

    void triesOfASynthesis_data()
    {
        QTest::addColumn<QByteArray>("platform");
        QTest::addColumn<int>("op");
        // Nothing maps its links on each other.
        const QByteArray plain = "fabricscope: 1\nplatform:\n  nodes: [{name: a}, {name: b}, {name: c}, {name: d}]\n  links:\n    - {between: [a, b], bandwidth: 25 GB/s, latency: 1 us}\n"
                                 "    - {between: [b, c], bandwidth: 50 GB/s, latency: 1 us}\n    - {between: [b, d], bandwidth: 10 GB/s, latency: 1 us}\n    - {between: [c, d], bandwidth: 5 GB/s, latency: 1 us}\n";
        QTest::newRow("with translations") << QByteArray::fromStdString(kRings) << static_cast<int>(CollectiveOp::AllGather);
        QTest::newRow("without") << plain << static_cast<int>(CollectiveOp::AllGather);
        QTest::newRow("relayed") << plain << static_cast<int>(CollectiveOp::AllToAll);
    }
    void triesOfASynthesis()
    {
        QFETCH(QByteArray, platform);
        QFETCH(int, op);
        const auto made = Platform::create(*designOf(platform.toStdString() + "workload: {collective: all_gather, size: 1 MiB}\n").platform);
        QVERIFY(made);
        std::vector<NodeId> members(static_cast<std::size_t>(made.value().npuCount()));
        std::iota(members.begin(), members.end(), 0);
        const auto graph = synthesisGraph(made.value(), members);
        QVERIFY(graph);
        SynthesisOptions options;
        options.op = static_cast<CollectiveOp>(op);
        options.chunks = 3;
        options.tries = 8;
        options.seed = 40;
        const auto one = synthesizeGreedy(graph.value(), options);
        QVERIFY2(one, one ? "" : one.error().text().c_str());
        options.threads = 4;
        int told = 0;
        options.progress = [&told](const SynthesisProgress&) { ++told; }; // One call at a time: no lock.
        const auto four = test::apart([&] { return synthesizeGreedy(graph.value(), options); });
        QVERIFY(four);
        QCOMPARE(four.value().plannedPs, one.value().plannedPs);
        QCOMPARE(four.value().seed, one.value().seed);
        QVERIFY(four.value().program->digest() == one.value().program->digest());
        QVERIFY(told > 0);
    }

    void plansOfAModel()
    {
        const Design design = designOf("fabricscope: 1\nplatform:\n  npu: {peak: 1 TFLOP/s, memory_bandwidth: 100 GB/s, memory: 48 MiB}\n  dimensions: [{shape: switch, size: 4, bandwidth: 50 GB/s, latency: 1 us}]\n"
                                       "workload:\n  model:\n    transformer: {layers: 2, hidden: 256, heads: 4, vocab: 1024, seq: 128}\n    train: {global_batch: 8, micro_batch: 1}\n"
                                       "  plan: {mesh: {axes: [dp], shape: [4]}, framework: 0 B}\n");
        const auto platform = Platform::create(*design.platform);
        QVERIFY(platform);
        const PlanNpu npu = planNpuOf(design, platform.value());
        const PlannedWorkload& planned = std::get<PlannedWorkload>(*design.workload);
        PlanSearchSpec search;
        search.top = 6;
        std::string expected;
        for (const int threads : {1, 4}) {
            PlanSearchOptions options;
            options.threads = threads;
            auto found = test::apart([&] { return searchPlans(*planned.model, *planned.plan, 4, npu, search, options); });
            QVERIFY2(found, found ? "" : found.error().text().c_str());
            QCOMPARE(found.value().plans.size(), std::size_t{6});
            std::size_t told = 0;
            QVERIFY(test::apart([&] { return simulatePlans(design, *planned.model, search, 6, options, found.value(), [&told](std::size_t, std::size_t) { ++told; }); })); // One at a time: no lock.
            QCOMPARE(told, std::size_t{7}); // The six, and the plan of the design beside them.
            if (threads == 1)
                expected = textOf(found.value());
            QCOMPARE(textOf(found.value()), expected);
        }
    }

    void seedsOfAScenario()
    {
        const auto scenario = prepare(designOf(kRings + "workload: {collective: all_reduce, size: 1 MiB}\nnetwork: {seed: 5, jitter: {latency: {distribution: exponential, deviation: 1}}}\n"));
        QVERIFY2(scenario, scenario ? "" : scenario.error().text().c_str());
        const auto one = simulateSeeds(*scenario.value(), {}, 5, 12, 1);
        QVERIFY2(one, one ? "" : one.error().text().c_str());
        const auto four = test::apart([&] { return simulateSeeds(*scenario.value(), {}, 5, 12, 4); });
        QVERIFY(four);
        QCOMPARE(four.value().finishPs, one.value().finishPs);
        QVERIFY(one.value().finishPs.front() != one.value().finishPs.back());
    }
};

FABRICSCOPE_TEST(ThreadsSearchesTest)
#include "tst_threads_searches.moc"
