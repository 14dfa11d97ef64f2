// Ranks of plans that stand for others (graphrun.h): messages from task to task, tasks that differ by stage. The answer is that of the event engine in every field.
#include "tests/unit/support/cases/networkcase.h"

#include "core/base/index.h"
#include "core/sim/simulate.h"
#include "core/sim/symmetry/graphclasses.h"
#include "tests/unit/support/cases.h"
#include "tests/unit/support/cases/symmetriccase.h"
#include "tests/unit/support/draw.h"
#include "tests/unit/support/testprogram.h"

#include <QtTest/QtTest>

#include <array>
#include <string>
#include <vector>

using namespace fabricscope;
using namespace fabricscope::test;

namespace {

struct PlanCase {
    std::string head;     ///< Up to the keys of the platform.
    std::string workload;
    std::string design(const std::string& inPlatform = {}, const std::string& more = {}) const { return head + inPlatform + workload + more; }
};

/// Dimensions of so many NPUs in all, mostly of two or four each.
std::string dimensionsOf(int ranks, Draw& draw)
{
    std::string text = "  dimensions: [";
    for (bool first = true; first || ranks > 1; first = false) {
        int size = draw.oneIn(3) ? ranks : draw.oneIn(2) ? 4 : 2;
        if (ranks % size != 0)
            size = ranks;
        text += std::string(first ? "" : ", ") + "{shape: " + draw.of(std::array{"ring", "switch", "switch", "fully_connected"}) + ", size: " + std::to_string(size) + ", bandwidth: "
            + draw.of(std::array{"50 GB/s", "50 GB/s", "400 GB/s"}) + ", latency: " + draw.of(std::array{"500 ns", "500 ns", "2 us"}) + '}';
        ranks /= size;
    }
    return text + "]\n";
}

/// A model spread by a mix of all ways over dimensions or a pod.
PlanCase planCase(std::uint64_t seed)
{
    Draw draw(seed);
    const std::array sizes{1, 1, 2, 2, 4};
    const bool pod = draw.oneIn(8);
    const int d = sizes[at(draw.below(5))];
    const int p = pod ? 2 : sizes[at(draw.below(5))];
    const int c = draw.oneIn(3) ? sizes[at(draw.below(5))] : 1;
    const int t = pod ? 32 / (p * d * c) : sizes[at(draw.below(5))];
    const int ranks = d * p * c * t;
    std::vector<std::pair<std::string, int>> axes;
    for (const auto& [name, size] : {std::pair<std::string, int>{"dp", d}, {"pp", p}, {"cp", c}, {"tp", t}}) {
        if (size > 1 || (name == "dp" && ranks == 1))
            axes.insert(axes.begin() + draw.below(static_cast<int>(axes.size()) + 1), {name, size});
    }
    std::string names;
    std::string shape;
    for (const auto& [name, size] : axes) {
        names += (names.empty() ? "" : ", ") + name;
        shape += (shape.empty() ? "" : ", ") + std::to_string(size);
    }
    PlanCase made;
    made.head = "fabricscope: 1\nplatform:\n" + (pod ? std::string("  topology: \"Switch(4, 450 GB/s, 1 us) x4 / rails 8p 400G 1us x2 / spine 1:1\"\n") : dimensionsOf(ranks, draw)) + "  npu: {peak: 100 TFLOP/s, memory_bandwidth: "
        + draw.of(std::array{"3 TB/s", "200 GB/s"}) + "}\n";
    const int batches = 2 * p * (1 + draw.below(2));
    const int heads = 8 * std::max(1, c * t / 8);
    std::string text = "workload:\n  model:\n    family: transformer\n    transformer: {layers: " + std::to_string(2 * p + draw.below(2)) + ", hidden: " + std::to_string(8 * heads) + ", heads: " + std::to_string(heads) + ", vocab: "
        + (draw.oneIn(3) ? "1024" : "4096") + ", seq: 128";
    if (d > 1 && draw.oneIn(4))
        text += ", moe: {experts: " + std::to_string(2 * d) + ", top_k: 1, expert_ff: 128}";
    const bool experts = text.ends_with('}');
    text += "}\n    train: {global_batch: " + std::to_string(d * batches) + ", micro_batch: 1}\n  plan:\n    mesh: {axes: [" + names + "], shape: [" + shape + "]" + (draw.oneIn(3) ? ", order: column_major" : "") + "}\n";
    if (d > 1)
        text += "    data: {zero: " + std::to_string(draw.below(4)) + ", bucket_mb: " + draw.of(std::array{"0.1", "1", "0.0371"}) + "}\n";
    if (t > 1)
        text += std::string("    tensor: {sequence_parallel: ") + (draw.oneIn(2) ? "true" : "false") + "}\n";
    if (p > 1)
        text += "    pipeline: {schedule: " + draw.of(std::array{"1f1b", "1f1b", "gpipe", "zb_h1", "zb_v", "dualpipe_v"}) + "}\n";
    if (c > 1)
        text += std::string("    context: {kind: ") + (draw.oneIn(3) ? "ulysses" : "ring") + "}\n";
    if (experts)
        text += "    expert: {inside: dp}\n";
    text += std::string("    recompute: ") + draw.of(std::array{"none", "selective", "full"}) + "\n";
    text += "collectives:\n  default: {chunks: " + std::to_string(1 + draw.below(2)) + ", algorithm: " + draw.of(std::array{"standard", "ring", "direct", "halving_doubling"}) + "}\n  rules:\n    - {op: all_to_all, algorithm: "
        + draw.of(std::array{"ring", "direct"}) + "}\n";
    if (draw.oneIn(6))
        text += "model: {name: ideal}\n";
    made.workload = text;
    return made;
}

RunRecord runWith(const Scenario& scenario, EngineChoice engine, const std::string& text)
{
    RunOptions options;
    options.engine = engine;
    Result<RunRecord> record = simulate(scenario, options);
    if (!record)
        qFatal("%s\n%s", record.error().text().c_str(), text.c_str());
    return std::move(record).value();
}

bool isFolded(const RunRecord& record)
{
    return record.engines.front().engine == "symmetry";
}

/// Empty, or where the engines differ. `wholes`: collectives were answered as wholes, so that ranks that stand for others took fewer events than their share.
std::string differenceOf(const std::string& text, bool& folded, bool* wholes = nullptr)
{
    const Scenario scenario = scenarioOf(text);
    const RunRecord answer = runWith(scenario, EngineChoice::Auto, text);
    folded = isFolded(answer);
    const RunRecord all = runWith(scenario, EngineChoice::Events, text);
    if (wholes && folded) {
        const Result<Folding> folding = foldGraph(scenario);
        *wholes = folding && answer.events * folding.value().copies < all.events / 10 * 9;
    }
    return difference(answer, all);
}

/// Two stages of so many ranks each on one switch, without a model; `copies` along dp.
std::string stagesOf(int copies, const std::string& more = {})
{
    return "fabricscope: 1\nplatform:\n  dimensions: [{shape: switch, size: " + std::to_string(2 * copies) + ", bandwidth: 50 GB/s, latency: 1 us}]\n" + more
        + "workload:\n  plan:\n    mesh: {axes: [dp, pp], shape: [" + std::to_string(copies)
        + ", 2]}\n    pipeline: {schedule: 1f1b, micro_batches: 2, send: 50 MB, times: [{forward: 1 ms, backward: 2 ms}, {forward: 1 ms, backward: 2 ms}]}\n";
}

} // namespace

class TestSymmetryPlans : public QObject {
    Q_OBJECT

private slots:
    void plansEqualTheEventEngine()
    {
        int taken = 0;
        int shortened = 0;
        int tried = 0;
        for (const std::uint64_t seed : Seeds(1, 80)) {
            const std::string text = planCase(seed).design();
            bool folded = false;
            bool wholes = false;
            const std::string found = differenceOf(text, folded, &wholes);
            QVERIFY2(found.empty(), (found + '\n' + text).c_str());
            taken += folded ? 1 : 0;
            shortened += wholes ? 1 : 0;
            ++tried;
        }
        qInfo("%d of %d folded, %d with collectives as wholes", taken, tried, shortened);
        QVERIFY(taken > cases(40));
        QVERIFY(shortened > cases(20));
    }

    /// One link or NPU that differs, other places of ranks: what is still folded is as exact.
    void groupsThatLeaveRanksOutEqualTheEventEngine_data()
    {
        QTest::addColumn<QByteArray>("design");
        QByteArray star("fabricscope: 1\nplatform:\n  nodes: [");
        QByteArray links;
        for (int npu = 0; npu < 16; ++npu) {
            const QByteArray name = "g" + QByteArray::number(npu);
            star += "{name: " + name + "}, ";
            links += "    - {between: [" + name + ", sw], bandwidth: 50 GB/s, latency: 500 ns}\n";
        }
        QTest::newRow("pairs below a switch") << star + "{name: sw, kind: switch}]\n  links:\n" + links
                + "workload:\n  groups: [{name: pair, lists: [[0, 3], [1, 2], [5, 4], [7, 10]]}]\n  steps: [{collective: all_reduce, size: 8 MiB, group: pair}]\n";
        // Links of both rings are alike, and are counted apart.
        QTest::newRow("pairs along two rings") << QByteArray("fabricscope: 1\nplatform:\n  dimensions:\n    - {shape: ring, size: 4, bandwidth: 50 GB/s, latency: 500 ns}\n    - {shape: ring, size: 4, bandwidth: 50 GB/s, latency: 500 ns}\n"
                "workload:\n  groups: [{name: g, lists: [[0,1],[4,5],[2,6],[3,7],[8,9],[12,13],[10,14],[11,15]]}]\n  steps: [{collective: all_reduce, size: 1 MiB, group: g}]\n");
    }
    void groupsThatLeaveRanksOutEqualTheEventEngine()
    {
        QFETCH(QByteArray, design);
        bool folded = false;
        const std::string found = differenceOf(design.toStdString(), folded);
        QVERIFY2(found.empty(), found.c_str());
    }

    void plansWithADifferenceEqualTheEventEngine()
    {
        int tried = 0;
        for (const std::uint64_t seed : Seeds(5'000, 25)) {
            const PlanCase made = planCase(seed);
            const Scenario scenario = scenarioOf(made.design());
            const RunRecord alike = runWith(scenario, EngineChoice::Auto, made.design());
            if (!isFolded(alike) || alike.links.empty())
                continue;
            ++tried;
            Draw draw(seed + 1'000'000);
            const Platform& platform = scenario.structure->platform;
            const std::string link = platform.linkName(alike.links[at(draw.below(static_cast<int>(alike.links.size())))].link);
            const int npu = draw.below(platform.npuCount());
            const std::string name = platform.isExplicit() ? platform.spec().nodes[at(npu)].name : std::to_string(npu);
            for (const std::string& text : {made.design("  overrides: {links: [{link: \"" + link + "\", bandwidth: 3 GB/s}]}\n"), made.design("  overrides: {links: [{link: \"" + link + "\", latency: 7 us}]}\n"),
                                            made.design("  overrides: {npus: [{npu: " + name + ", speed: 0.5}]}\n")}) {
                bool folded = false;
                const std::string found = differenceOf(text, folded);
                QVERIFY2(found.empty(), (found + '\n' + text).c_str());
            }
        }
        QVERIFY(tried > cases(9));
    }

    /// 50 MB take 1 ms and twice 1 us up and down the switch. The second stage begins after F and a send and is never idle; its last gradient goes back for the
    /// last backward pass of the first: 1 + 1.002 + 2 (1 + 2) + 1.002 + 2 = 11.004 ms.
    void howManyStandForAll()
    {
        for (const int copies : {1, 3, 8}) {
            const Scenario scenario = scenarioOf(stagesOf(copies));
            const RunRecord record = runWith(scenario, EngineChoice::Auto, stagesOf(copies));
            QCOMPARE(record.finish.ps, std::int64_t{11'004'000'000});
            QCOMPARE(isFolded(record), copies > 1);
            QCOMPARE(static_cast<int>(record.classes.size()), 2);
            QCOMPARE(record.engines.front().messages, std::int64_t{4} * copies); // Each micro-batch there and back.
            if (copies > 1)
                QCOMPARE(foldGraph(scenario).value().copies, copies);
        }
    }

    void aLinkOrNpuThatDiffersIsRefused()
    {
        for (const char* const override : {"  overrides: {links: [{link: \"d0 2>switch\", bandwidth: 49 GB/s}]}\n", "  overrides: {npus: [{npu: 5, speed: 0.5}]}\n"}) {
            const std::string text = stagesOf(4, override);
            const Scenario scenario = scenarioOf(text);
            QVERIFY(!foldGraph(scenario));
            QVERIFY(!isFolded(runWith(scenario, EngineChoice::Auto, text)));
            RunOptions options;
            options.engine = EngineChoice::Symmetry;
            QVERIFY(simulate(scenario, options).error().code == ErrorCode::Unsupported);
        }
    }
};

FABRICSCOPE_TEST(TestSymmetryPlans)
#include "tst_symmetry_plans.moc"
