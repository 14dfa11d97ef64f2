// Double binary trees below one switch, followed by classes of ranks with the same history (treeclasses.h): the answer is that of the event engine in every
// field, and whatever tells one NPU from the others falls to it.
#include "tests/unit/support/cases/networkcase.h"

#include "core/base/index.h"
#include "core/program/phaserules.h"
#include "core/program/treerule.h"
#include "core/sim/simulate.h"
#include "tests/unit/support/cases.h"
#include "tests/unit/support/draw.h"
#include "tests/unit/support/cases/symmetriccase.h"
#include "tests/unit/support/testprogram.h"

#include <QtTest/QtTest>

#include <algorithm>
#include <array>

using namespace fabricscope;
using namespace fabricscope::test;

namespace {

/// What a design has beside the tree.
struct More {
    std::string platform;    ///< Keys.
    std::string steps;       ///< Instead of the one collective.
    std::string collectives; ///< Keys of the default.
    std::string sections;
};

/// An all-reduce by a tree on one switch; equal and round numbers that make ties, and odd ones. `plain`: at least four ranks, and a message in every tree.
std::string designOf(std::uint64_t seed, bool plain = false, const More& more = {})
{
    Draw draw(seed);
    const std::int64_t n = draw.oneIn(4) ? std::int64_t{1} << draw.from(plain ? 2 : 1, 8) : draw.from(plain ? 4 : 2, 300);
    const std::int64_t chunks = draw.from(1, draw.oneIn(2) ? 4 : 20);
    const std::int64_t bytes = draw.oneIn(3) ? chunks * draw.from(1, 40) * 65'536 : (draw.oneIn(4) && !plain ? draw.from(1, 60) : draw.from(1000, 9'000'000));
    std::string text = "fabricscope: 1\nplatform:\n  topology: \"Switch(" + std::to_string(n) + ")\"\n  bandwidth: ["
                       + draw.of(std::array{"100 GB/s", "50 GiB/s", "1 GB/s", "7.3 GB/s", "900 GB/s"}) + "]\n  latency: ["
                       + draw.of(std::array{"250 ns", "1 us", "0 ns", "13 ns", "200 us"}) + "]\n" + more.platform;
    if (draw.oneIn(3))
        text += "  npu: {memory_bandwidth: " + draw.of(std::array{"60 GB/s", "300 GB/s", "3 TB/s", "11 GB/s"}) + "}\n";
    if (more.steps.empty())
        text += "workload:\n  collective: all_reduce\n  size: " + std::to_string(bytes) + " B\n";
    else
        text += more.steps;
    text += "collectives:\n  default: {algorithm: double_binary_tree, chunks: " + std::to_string(chunks) + more.collectives + "}\n";
    text += draw.oneIn(6) ? "model: {name: ideal" : "model: {name: links";
    if (draw.oneIn(3))
        text += ", version: physical/" + draw.of(std::array{"1", "2"});
    if (draw.oneIn(4))
        text += ", endpoint_delay: " + draw.of(std::array{"10 ns", "1 us", "3 us"});
    text += "}\n";
    return text + more.sections;
}

Result<RunRecord> runWith(const std::string& text, EngineChoice engine)
{
    RunOptions options;
    options.engine = engine;
    return simulate(scenarioOf(text), options);
}

RunRecord recordOf(const std::string& text, EngineChoice engine = EngineChoice::Auto)
{
    Result<RunRecord> record = runWith(text, engine);
    if (!record)
        qFatal("%s\n%s", record.error().text().c_str(), text.c_str());
    return std::move(record).value();
}

/// The busy time of the part is that of the whole run in every bucket that ends before the cut. Empty: it is.
std::string busyDifference(const BusyPyramid& part, const BusyPyramid& whole, std::int64_t cutPs)
{
    const std::int64_t times = whole.bucketPs() / part.bucketPs();
    for (std::size_t bucket = 0; static_cast<std::int64_t>(bucket + 1) * whole.bucketPs() <= cutPs && bucket < whole.busyPs().size(); ++bucket) {
        std::int64_t busy = 0;
        for (std::size_t i = bucket * static_cast<std::size_t>(times); i < (bucket + 1) * static_cast<std::size_t>(times) && i < part.busyPs().size(); ++i)
            busy += part.busyPs()[i];
        if (busy != whole.busyPs()[bucket])
            return "bucket " + std::to_string(bucket) + ": " + std::to_string(busy) + " instead of " + std::to_string(whole.busyPs()[bucket]);
    }
    return {};
}

bool isFollowedByClasses(const RunRecord& record)
{
    return record.engines.front().engine == "symmetry";
}

std::string treeOf(int ranks, const std::string& size, int chunks)
{
    return "fabricscope: 1\nplatform: {topology: Switch(" + std::to_string(ranks) + "), bandwidth: [100 GB/s], latency: [250 ns]}\nworkload: {collective: all_reduce, size: " + size
           + "}\ncollectives: {default: {algorithm: double_binary_tree, chunks: " + std::to_string(chunks) + "}}\n";
}

} // namespace

class TestSymmetryTrees : public QObject {
    Q_OBJECT

private slots:
    void treesEqualTheEventEngine()
    {
        int taken = 0;
        for (const std::uint64_t seed : Seeds(1, 400)) {
            const std::string text = designOf(seed);
            const RunRecord answer = recordOf(text);
            const RunRecord truth = recordOf(text, EngineChoice::Events);
            const std::string found = difference(answer, truth);
            QVERIFY2(found.empty(), (std::to_string(seed) + ": " + found + '\n' + text).c_str());
            QCOMPARE(answer.engines.front().messages, truth.engines.front().messages);
            taken += isFollowedByClasses(answer) ? 1 : 0;
        }
        QVERIFY2(taken > cases(330), std::to_string(taken).c_str()); // All but chunks of different sizes under ideal.
    }

    /// So many chunks that there are always messages on all ways.
    void manyChunksEqualTheEventEngine()
    {
        for (const std::uint64_t seed : Seeds(130'000, 40)) {
            Draw draw(seed);
            const std::int64_t chunks = draw.from(21, 300);
            const std::int64_t bytes = draw.oneIn(2) ? chunks * draw.from(1, 9) * 16'384 : draw.from(chunks * 1000, chunks * 200'000);
            const std::string text = "fabricscope: 1\nplatform: {topology: Switch(" + std::to_string(draw.from(3, 70)) + "), bandwidth: ["
                                     + draw.of(std::array{"100 GB/s", "1 GB/s", "7.3 GB/s"}) + "], latency: [" + draw.of(std::array{"250 ns", "0 ns", "13 us"})
                                     + "]}\nworkload: {collective: all_reduce, size: " + std::to_string(bytes)
                                     + " B}\ncollectives: {default: {algorithm: double_binary_tree, chunks: " + std::to_string(chunks) + "}}\n";
            const RunRecord answer = recordOf(text, EngineChoice::Symmetry);
            const std::string found = difference(answer, recordOf(text, EngineChoice::Events));
            QVERIFY2(found.empty(), (std::to_string(seed) + ": " + found + '\n' + text).c_str());
        }
    }

    void aLongRunShowsConsistentParts_data() { longRuns(); }

    void aLongRunShowsConsistentParts()
    {
        QFETCH(QString, model);
        std::vector<RunRecord> parts;
        std::vector<Progress> told;
        Result<RunRecord> whole = Error{};
        RunOptions options;
        options.engine = EngineChoice::Symmetry;
        options.partial = [&](RunRecord part) { parts.push_back(std::move(part)); };
        options.progress = [&](const Progress& progress) { told.push_back(progress); };
        std::string text;
        // How long a run takes depends on the machine: more work until it shows itself twice.
        for (int chunks = 128; chunks < 20'000 && (parts.size() < 2 || told.size() < 2); chunks *= 2) {
            parts.clear();
            told.clear();
            text = longTree(model, chunks);
            whole = simulate(scenarioOf(text), options);
            QVERIFY(whole);
        }
        QVERIFY2(parts.size() >= 2, "the run was too short to show parts");
        const RunRecord& end = whole.value();
        QVERIFY(end.complete && !end.cutAt);
        const DimensionUse* before = nullptr;
        for (const RunRecord& part : parts) {
            QVERIFY(part.cutAt && !part.complete && part.waits.empty());
            QCOMPARE(part.finish.ps, part.cutAt->ps);
            QVERIFY(part.finish < end.finish);
            const DimensionUse& use = part.dimensions.front();
            QCOMPARE(use.busy.total(), use.busyPs);
            // As much, where nothing was sent between two parts or only latencies are left at the end.
            QVERIFY(use.busyPs >= (before ? before->busyPs : 0) && use.busyPs <= end.dimensions.front().busyPs);
            QVERIFY(use.peakLinkPs <= part.cutAt->ps);
            before = &use;
            if (model == "links") // Under ideal the bucket around the cut is in proportion.
                QCOMPARE(busyDifference(use.busy, end.dimensions.front().busy, part.cutAt->ps), std::string());
            std::int64_t ranks = 0;
            for (const RankClass& each : part.classes) {
                ranks += each.ranks.count();
                QCOMPARE(each.times.finished, each.tasks->endPs.front() >= 0);
                QVERIFY(each.times.finished || each.times.finish == *part.cutAt);
                const auto same = [&](const RankClass& other) { return other.ranks.contains(each.ranks.intervals().front().first); };
                const RankClass& then = *std::find_if(end.classes.begin(), end.classes.end(), same);
                QVERIFY(each.times.finished ? each.times == then.times : then.times.finish >= *part.cutAt);
            }
            QCOMPARE(ranks, std::int64_t{end.rankCount});
        }
        QVERIFY(before->busyPs > 0);
        for (std::size_t i = 1; i < told.size(); ++i)
            QVERIFY(told[i].share >= told[i - 1].share && told[i].events > told[i - 1].events && told[i].simulated > told[i - 1].simulated);
        QVERIFY(told.back().share <= 1 && told.back().simulated <= end.finish);
        // Looking on has changed nothing.
        const RunRecord unseen = recordOf(text, EngineChoice::Symmetry);
        QCOMPARE(difference(end, unseen), std::string());
        QCOMPARE(end.events, unseen.events);
    }

    void aStoppedRunHandsOutItsLastPart_data() { longRuns(); }

    void aStoppedRunHandsOutItsLastPart()
    {
        QFETCH(QString, model);
        std::vector<RunRecord> parts;
        Result<RunRecord> record = Error{};
        for (int chunks = 128; chunks < 20'000 && parts.empty(); chunks *= 2) {
            std::stop_source stop;
            RunOptions options;
            options.engine = EngineChoice::Symmetry;
            options.partial = [&](RunRecord part) { parts.push_back(std::move(part)); };
            options.progress = [&](const Progress&) { stop.request_stop(); };
            record = simulate(scenarioOf(longTree(model, chunks)), options, stop.get_token());
        }
        QVERIFY(!record);
        QCOMPARE(record.error().code, ErrorCode::Cancelled);
        // Two, on a machine so loaded that the first progress came when a part was due.
        QVERIFY2(parts.size() == 1 || parts.size() == 2, std::to_string(parts.size()).c_str());
        QVERIFY(parts.back().cutAt && parts.back().cutAt->ps > 0);
    }

    void aRunThatIsStoppedBeforeSaysSo()
    {
        std::stop_source stop;
        stop.request_stop();
        RunOptions options;
        options.engine = EngineChoice::Symmetry;
        const Result<RunRecord> record = simulate(scenarioOf(treeOf(100, "1 MiB", 4)), options, stop.get_token());
        QVERIFY(!record);
        QCOMPARE(record.error().code, ErrorCode::Cancelled);
    }

    /// Six neighbours and three numbers of four bytes for each rank are certain to be needed, and a message on its way takes some bytes too.
    void theLimitOfMemoryHolds()
    {
        const Scenario few = scenarioOf(treeOf(4000, "64 MiB", 4));
        const Scenario many = scenarioOf(treeOf(100, "64 MiB", 1000));
        RunOptions options;
        options.engine = EngineChoice::Symmetry;
        for (const Scenario* const scenario : {&few, &many}) {
            options.memoryLimit = scenario == &few ? 4000 * 9 * 4 : 2 * 1000 * 16; // At the leaves all chunks of a tree wait at first.
            const Result<RunRecord> record = simulate(*scenario, options);
            QVERIFY(!record);
            QCOMPARE(record.error().code, ErrorCode::MemoryLimit);
            options.memoryLimit = std::int64_t{1} << 30;
            const Result<RunRecord> fits = simulate(*scenario, options);
            QVERIFY(fits);
            options.memoryLimit = 0;
            QCOMPARE(difference(fits.value(), simulate(*scenario, options).value()), std::string());
        }
    }

    /// Without busy time over the run and times of tasks, as sweeps of designs ask for it.
    void whatIsNotAskedForIsLeftOut()
    {
        for (const std::uint64_t seed : Seeds(30'000, 20)) {
            const Scenario scenario = scenarioOf(designOf(seed));
            RunOptions options;
            options.busyOverTime = options.taskTimes = false;
            const Result<RunRecord> answer = simulate(scenario, options);
            options.engine = EngineChoice::Events;
            Result<RunRecord> truth = simulate(scenario, options);
            QVERIFY(answer && truth);
            QVERIFY(answer.value().dimensions.front().busy.busyPs().empty() || !isFollowedByClasses(answer.value()));
            truth.value().dimensions.front().busy = answer.value().dimensions.front().busy; // It keeps the last interval of every link.
            QCOMPARE(difference(answer.value(), truth.value()), std::string());
        }
    }

    /// Each of these is on one rank or link, or asks for more than a tree that is alone.
    void whatDiffersFallsToTheEventEngine()
    {
        const std::string two = "workload: {steps: [{collective: all_reduce, size: 1 MiB}, {collective: all_reduce, size: 3 MB, after: []}]}\n";
        const std::string late = "workload: {steps: [{compute: 5 us, ranks: \"1\"}, {collective: all_reduce, size: 1 MiB}]}\n";
        const std::string most = "workload: {groups: [{name: most, lists: [[0, 1, 2]]}], steps: [{collective: all_reduce, size: 1 MiB, group: most}]}\n";
        const std::string turned = "workload: {groups: [{name: two, lists: [[2, 1], [3, 0]]}], steps: [{collective: all_reduce, size: 1 MiB, group: two}]}\n";
        const std::array<More, 12> differences{{{"  overrides: {npus: [{npu: 2, removed: true}]}\n", {}, {}, {}},
                                               {"  overrides: {links: [{link: \"d0 2>switch\", bandwidth: 500 MB/s}]}\n", {}, {}, {}},
                                               {"  overrides: {links: [{link: \"d0 switch>3\", latency: 7 us}]}\n", {}, {}, {}},
                                               {"  overrides: {npus: [{npu: 1, speed: 0.5}]}\n", {}, {}, {}},
                                               {"  overrides: {npus: [{npu: 2, memory_bandwidth: 9 GB/s}]}\n", {}, {}, {}},
                                               {"  budgets: {injection: 40 GB/s}\n", {}, {}, {}},
                                               {{}, two, {}, {}},
                                               {{}, late, {}, {}},
                                               {{}, most, {}, {}},
                                               {{}, {}, ", window: 1", {}},
                                               {{}, {}, {}, "network: {seed: 3, jitter: {latency: {distribution: lognormal, deviation: 0.1}}}\n"},
                                               {{}, turned, {}, {}}}};
        for (const std::uint64_t seed : Seeds(60'000, 8)) {
            for (const More& more : differences) {
                if (&more == &differences.back() && designOf(seed, true).find("Switch(4)") == std::string::npos)
                    continue; // The groups are for four.
                const std::string text = designOf(seed, true, more);
                const RunRecord answer = recordOf(text);
                const std::string found = difference(answer, recordOf(text, EngineChoice::Events));
                QVERIFY2(found.empty(), (found + '\n' + text).c_str());
                QVERIFY2(!isFollowedByClasses(answer), text.c_str());
                const Result<RunRecord> forced = runWith(text, EngineChoice::Symmetry);
                QVERIFY(!forced && forced.error().code == ErrorCode::Unsupported);
            }
        }
    }

    /// Ring and FullyConnected, and trees inside of several dimensions.
    void otherFabricsFallToTheEventEngine()
    {
        for (const char* const topology : {"Ring(12)", "FullyConnected(9)", "Switch(4)_Switch(6)", "Ring(4)_Switch(7)"}) {
            const std::string text = std::string("fabricscope: 1\nplatform: {topology: ") + topology + ", bandwidth: [50 GB/s, 50 GB/s], latency: [500 ns, 500 ns]}\n";
            const bool one = std::string(topology).find('_') == std::string::npos;
            const std::string all = (one ? std::string("fabricscope: 1\nplatform: {topology: ") + topology + ", bandwidth: [50 GB/s], latency: [500 ns]}\n" : text)
                                    + "workload: {collective: all_reduce, size: 3 MB}\ncollectives: {default: {algorithm: " + (one ? "" : "[ring, ") + "double_binary_tree"
                                    + (one ? "" : "]") + ", chunks: 3}}\n";
            const RunRecord answer = recordOf(all);
            QVERIFY(!isFollowedByClasses(answer));
            QCOMPARE(difference(answer, recordOf(all, EngineChoice::Events)), std::string());
        }
    }

    /// Two ranks, one chunk of 8,000,000 bytes: in each tree half of them up, then down, on links of their own: 2 (2 L + 4,000,000 / B).
    void theClosedFormOfTwoRanks()
    {
        const RunRecord record = recordOf(treeOf(2, "8 MB", 1), EngineChoice::Symmetry);
        QCOMPARE(record.finish.ps, std::int64_t{2} * (2 * 250'000 + 40'000'000));
        QCOMPARE(record.engines.front().messages, std::int64_t{4});
        QCOMPARE(record.dimensions.front().bytes, std::int64_t{2} * 4 * 4'000'000); // Over two links each.
        QCOMPARE(record.classes.size(), std::size_t{1});
    }

    /// The trees of the rules, place by place: what is sent up and down is what the table says of each position.
    void placesAreThoseOfTheRules()
    {
        PhaseTemplate phase;
        phase.kind = PhaseKind::AllReduce;
        phase.algorithm = Algorithm::DoubleBinaryTree;
        for (std::int32_t n = 2; n < 140; ++n) {
            const PhaseRules rules(phase, n);
            const std::array trees{treePlaces(0, n), treePlaces(1, n)};
            const std::int32_t deepest = std::max_element(trees[0].begin(), trees[0].end(), [](const TreePlace& a, const TreePlace& b) { return a.depth < b.depth; })->depth;
            for (std::int32_t r = 0; r < n; ++r) {
                int expected = 0;
                for (const auto& tree : trees) {
                    const TreePlace& place = tree[at(r)];
                    expected += (place.parent >= 0 ? 1 : 0) + (place.children[0] >= 0 ? 1 : 0) + (place.children[1] >= 0 ? 1 : 0);
                }
                QCOMPARE(rules.sendCount(r), expected);
                for (std::int32_t index = 0; index < rules.sendCount(r); ++index) {
                    const PhaseRules::Message message = rules.send(r, index, 1000);
                    const TreePlace& place = trees[at(message.slot % 2)][at(r)];
                    if (message.reduces) {
                        QCOMPARE(message.peer, place.parent);
                        QCOMPARE(message.slot / 2, place.ordinal);
                        QCOMPARE(message.step, deepest - place.depth);
                    } else {
                        QCOMPARE(message.peer, place.children[at(message.slot / 2)]);
                        QCOMPARE(message.step, deepest + place.depth);
                    }
                }
            }
        }
    }

    /// Sixteen times as many ranks are not twice as much to follow: classes grow with the square of the depth. Every rank alone would be some 16 times as much.
    void classesGrowWithTheSquareOfTheDepth()
    {
        const RunRecord some = recordOf(treeOf(4096, "64 MiB", 4), EngineChoice::Symmetry);
        const RunRecord more = recordOf(treeOf(65'536, "64 MiB", 4), EngineChoice::Symmetry);
        QCOMPARE(more.engines.front().messages, std::int64_t{4} * 4 * 65'535);
        QVERIFY2(more.events < 2 * some.events, (std::to_string(some.events) + ", " + std::to_string(more.events)).c_str());
    }

private:
    static void longRuns()
    {
        QTest::addColumn<QString>("model");
        QTest::newRow("links") << "links";
        QTest::newRow("ideal") << "ideal";
    }
    static std::string longTree(const QString& model, int chunks)
    {
        return treeOf(3001, std::to_string(chunks) + " MiB", chunks) + "model: {name: " + model.toStdString() + "}\n";
    }
};

FABRICSCOPE_TEST(TestSymmetryTrees)
#include "tst_symmetry_trees.moc"
