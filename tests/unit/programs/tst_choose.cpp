#include "core/choose/choose.h"
#include "core/choose/tuner.h"
#include "core/generate/generate.h"
#include "core/report/runjson.h"
#include "core/report/runtext.h"
#include "core/sim/simulate.h"
#include "tests/unit/support/testprogram.h"

#include <QTest>

using namespace fabricscope;

namespace {

Design designOf(const std::string& dimensions, const std::string& size, const std::string& collectives, const std::string& workload = {})
{
    const std::string work = workload.empty() ? "workload: {collective: all_reduce, size: " + size + "}\n" : workload;
    auto loaded = readDesignText("fabricscope: 1\nplatform: {dimensions: [" + dimensions + "]}\n" + work + "collectives: " + collectives + "\n", "design.yaml");
    if (!loaded)
        qFatal("%s", loaded.error().text().c_str());
    return std::move(loaded).value().design;
}

ScenarioPtr prepared(const Design& design)
{
    auto scenario = prepareChosen(design);
    if (!scenario)
        qFatal("%s", scenario.error().text().c_str());
    return scenario.value();
}

std::int64_t finishOf(const Scenario& scenario)
{
    return simulate(scenario).value().finish.ps;
}

const std::string kRing = "{shape: ring, size: 4, bandwidth: 100 GB/s, latency: 500 ns}";
const std::string kSwitch = "{shape: switch, size: 4, bandwidth: 50 GB/s, latency: 1 us}";

} // namespace

class ChooseTest : public QObject {
    Q_OBJECT

private slots:
    void theFastestOfAllThatCanBeNamedRuns_data()
    {
        QTest::addColumn<QString>("size");
        for (const char* size : {"1 KiB", "64 KiB", "1 MiB", "16 MiB"})
            QTest::newRow(size) << size;
    }

    /// Every combination is run by itself, named in a design: the chosen one is as fast as the best.
    void theFastestOfAllThatCanBeNamedRuns()
    {
        QFETCH(const QString, size);
        const std::string both = kRing + ", " + kSwitch;
        const ScenarioPtr chosen = prepared(designOf(both, size.toStdString(), "{default: {algorithm: auto, chunks: 2}}"));
        QCOMPARE(chosen->choices.size(), std::size_t{1});
        const CollectiveChoice& choice = chosen->choices[0];
        QCOMPARE(choice.ranks, 16);
        QVERIFY(choice.group.empty());
        std::int64_t best = INT64_MAX;
        for (const char* first : {"ring", "direct", "halving_doubling"}) {
            for (const char* second : {"ring", "direct", "halving_doubling", "double_binary_tree"}) {
                const std::int64_t time = finishOf(*prepared(designOf(both, size.toStdString(), std::string("{default: {algorithm: [") + first + ", " + second + "], chunks: 2}}")));
                best = std::min(best, time);
                const std::string name = std::string(first) + " x " + second;
                const auto listed = std::find_if(choice.candidates.begin(), choice.candidates.end(), [&](const CandidateTime& each) { return each.name == name; });
                QVERIFY2(listed != choice.candidates.end(), name.c_str());
                QCOMPARE(listed->timePs, time);
            }
        }
        const std::int64_t time = finishOf(*chosen);
        QVERIFY(time <= best);
        QCOMPARE(choice.candidates.front().timePs, time);
        QCOMPARE(choice.candidates.front().name, choice.chosen);
        QVERIFY(std::is_sorted(choice.candidates.begin(), choice.candidates.end(), [](const CandidateTime& a, const CandidateTime& b) {
            return a.timePs >= 0 && (b.timePs < 0 || a.timePs < b.timePs);
        }));
    }

    void nothingIsChosenWithoutAuto()
    {
        for (const char* collectives : {"{default: {chunks: 2}}", "{default: {algorithm: standard}}", "{default: {algorithm: ring}}"})
            QVERIFY(prepared(designOf(kRing, "1 MiB", collectives))->choices.empty());
    }

    void theAnswerDoesNotDependOnTheRun()
    {
        const Design design = designOf(kRing + ", " + kSwitch, "1 MiB", "{default: {algorithm: auto}}");
        const ScenarioPtr first = prepared(design);
        SimulatingChooser chooser(4);
        const ScenarioPtr second = prepare(design, 4, {}, &chooser).value();
        QCOMPARE(first->choices[0].chosen, second->choices[0].chosen);
        QCOMPARE(first->choices[0].candidates.size(), second->choices[0].candidates.size());
        for (std::size_t i = 0; i < first->choices[0].candidates.size(); ++i)
            QCOMPARE(first->choices[0].candidates[i].timePs, second->choices[0].candidates[i].timePs);
    }

    /// Four groups along the switch lie alike, and so do those along the ring: one question each.
    void groupsThatLieAlikeShareAnAnswer()
    {
        const ScenarioPtr scenario = prepared(designOf(kRing + ", " + kSwitch, {}, "{default: {algorithm: auto, chunks: 1}}",
                                                       "workload:\n  groups: [{name: low, dimensions: [0]}, {name: high, dimensions: [1]}]\n"
                                                       "  steps: [{collective: all_reduce, size: 1 MiB, group: low}, {collective: all_reduce, size: 1 MiB, group: high},\n"
                                                       "          {collective: all_reduce, size: 1 MiB, group: low}]\n"));
        QCOMPARE(scenario->choices.size(), std::size_t{2});
        QCOMPARE(scenario->choices[0].group, std::string("low"));
        QCOMPARE(scenario->choices[1].group, std::string("high"));
    }

    void candidatesOfTheDesignAreTried()
    {
        const ScenarioPtr scenario = prepared(designOf(kRing, "1 MiB",
                                                       "{default: {algorithm: auto, chunks: 1, candidates: [{script: \"-- Naive\\ncollective(\\\"all_reduce\\\", {ranks = 4, chunks = 1})\\n"
                                                       "for r = 1, 3 do chunk(0, \\\"input\\\", 0):reduce(chunk(r, \\\"input\\\", 0)) end\\n"
                                                       "for r = 1, 3 do chunk(0, \\\"input\\\", 0):copy(r, \\\"input\\\", 0) end\\n\"}]}}"));
        const auto& candidates = scenario->choices[0].candidates;
        const auto naive = std::find_if(candidates.begin(), candidates.end(), [](const CandidateTime& each) { return each.name == "Naive"; });
        QVERIFY(naive != candidates.end());
        QVERIFY(naive->timePs > candidates.front().timePs);
    }

    void aCandidateThatCannotRunIsAnError()
    {
        const auto scenario = prepareChosen(designOf(kRing, "1 MiB", "{default: {algorithm: auto, candidates: [{script: \"-- Three\\ncollective(\\\"all_reduce\\\", {ranks = 3})\\n\"}]}}"));
        QVERIFY(!scenario);
        QVERIFY2(scenario.error().message.find("the group has 4") != std::string::npos || scenario.error().message.starts_with("V"), scenario.error().text().c_str());
    }

    void whatIsTooLargeIsLeftOutAndSaid()
    {
        const Design design = designOf(kRing, "1 GiB", "{default: {algorithm: auto, chunks: 1}}");
        ChooseLimits limits{1000, 1'000'000, 64}; // 1 GiB over 4 ranks are 24,576 pieces
        limits.piecesExactly = 0;
        SimulatingChooser chooser(1, {}, limits);
        const ScenarioPtr scenario = prepare(design, 1, {}, &chooser).value();
        const CollectiveChoice& choice = scenario->choices[0];
        QCOMPARE(choice.chosen, std::string("ring, both ways")); // The standard one of a ring.
        for (const CandidateTime& each : choice.candidates) {
            QCOMPARE(each.timePs, std::int64_t{-1});
            QVERIFY(!each.reason.empty());
        }
        QVERIFY(choicesText(scenario->choices).find("the standard algorithm") != std::string::npos);
    }

    /// A ring's time grows along a line: what is left out at 1 GiB follows from less. The fastest is simulated as asked.
    void whatIsTooLargeIsTimedAlongALine()
    {
        const std::string both = kRing + ", " + kSwitch;
        SimulatingChooser chooser(1, {}, {1000, 1'000'000, 64});
        const ScenarioPtr scenario = prepare(designOf(both, "1 GiB", "{default: {algorithm: auto, chunks: 1}}"), 1, {}, &chooser).value();
        const CollectiveChoice& choice = scenario->choices[0];
        int estimates = 0;
        std::int64_t best = INT64_MAX;
        for (const std::string first : {"direct", "ring", "halving_doubling"}) {
            for (const std::string second : {"direct", "ring", "halving_doubling"}) {
                const std::int64_t exact = finishOf(*prepared(designOf(both, "1 GiB", "{default: {algorithm: [" + first + ", " + second + "], chunks: 1}}")));
                best = std::min(best, exact);
                const auto found = std::find_if(choice.candidates.begin(), choice.candidates.end(), [&](const CandidateTime& each) { return each.name == first + " x " + second; });
                QVERIFY(found != choice.candidates.end());
                if (found->reason.starts_with("slower than others")) {
                    QVERIFY2(exact > choice.candidates.front().timePs, found->name.c_str());
                    continue;
                }
                QVERIFY2(found->timePs >= 0, found->reason.c_str());
                estimates += found->isEstimate() ? 1 : 0;
                QVERIFY2(std::abs(found->timePs - exact) < exact / 100, found->name.c_str());
            }
        }
        QVERIFY(estimates > 0);
        QVERIFY(!choice.candidates.front().isEstimate());
        QVERIFY(choice.candidates.front().timePs <= best);
        QCOMPARE(choice.candidates.front().timePs, finishOf(*scenario));
    }

    /// 24 blocks of 2 GiB differ by a byte, so that no NPU stands for the others: a size of a few bytes more is tried instead, and the time is the same.
    void sizesThatDoNotCutEquallyAreTriedBesideThem()
    {
        const std::string both = "{shape: fully_connected, size: 4, bandwidth: 100 GB/s, latency: 500 ns}, {shape: switch, size: 6, bandwidth: 50 GB/s, latency: 1 us}";
        const ScenarioPtr chosen = prepared(designOf(both, "2 GiB", "{default: {algorithm: auto}}"));
        const CollectiveChoice& choice = chosen->choices[0];
        std::int64_t best = INT64_MAX;
        int beside = 0;
        for (const std::string first : {"direct", "ring", "halving_doubling"}) {
            for (const std::string second : {"direct", "ring"}) {
                const std::int64_t exact = finishOf(*prepared(designOf(both, "2 GiB", "{default: {algorithm: [" + first + ", " + second + "]}}")));
                best = std::min(best, exact);
                const auto found = std::find_if(choice.candidates.begin(), choice.candidates.end(), [&](const CandidateTime& each) { return each.name == first + " x " + second; });
                QVERIFY(found != choice.candidates.end());
                QVERIFY2(found->timePs >= 0, found->reason.c_str());
                beside += found->reason == "of 64 B more, which cut into equal blocks" ? 1 : 0; // 4 chunks of 24 blocks; 2^31 = 96 * 22369621 + 32
                QVERIFY2(std::abs(found->timePs - exact) < exact / 1'000'000, found->name.c_str());
            }
        }
        QVERIFY(beside > 0);
        QVERIFY(choice.candidates.front().timePs < best + best / 1'000'000);
    }

    void textAndJsonNameEveryCandidate()
    {
        const ScenarioPtr scenario = prepared(designOf(kSwitch, "1 MiB", "{default: {algorithm: auto, chunks: 1}}"));
        JsonWriter json;
        writeChoices(json, scenario->choices);
        for (const CandidateTime& each : scenario->choices[0].candidates)
            QVERIFY(json.text().find('"' + each.name + '"') != std::string::npos);
        const std::string text = choicesText(scenario->choices);
        QVERIFY(text.find("all_reduce of 1 MiB over 4 ranks") != std::string::npos);
        QVERIFY(text.find(scenario->choices[0].chosen + "  (runs)") != std::string::npos);
    }

    void sizesAreReadAsRangesAndLists()
    {
        QCOMPARE(parseSizes("1KiB..8KiB").value(), (std::vector<std::int64_t>{1024, 2048, 4096, 8192}));
        QCOMPARE(parseSizes("3 MiB, 100, 1 KiB").value(), (std::vector<std::int64_t>{100, 1024, 3 << 20}));
        for (const char* bad : {"", "8KiB..1KiB", "1KiB..", "x", "0", "1 KiB,,2 KiB", "1..1000000 TB"})
            QVERIFY2(!parseSizes(bad), bad);
    }

    void rowsOfTheTunerCoverTheSizes()
    {
        const auto made = [](std::int64_t bytes, std::vector<CandidateTime> candidates) {
            return CollectiveChoice{CollectiveOp::AllReduce, {}, 8, bytes, std::move(candidates), {}};
        };
        std::vector<std::int64_t> skipped;
        const auto rows = tunerRows({made(1024, {{"recursive_doubling", 5, {}}, {"double_binary_tree", 6, {}}}), made(2048, {{"ring x ring", 7, {}}}),
                                     made(4096, {{"direct", 1, {}}, {"ring x direct", 2, {}}, {"ring", -1, "too large"}})},
                                    skipped);
        QCOMPARE(rows.size(), std::size_t{2});
        QCOMPARE(rows[0].algorithm, TunerAlgorithm::Tree);
        QCOMPARE(rows[0].minBytes, std::int64_t{1024});
        QCOMPARE(rows[0].maxBytes, std::int64_t{2047});
        QCOMPARE(rows[1].algorithm, TunerAlgorithm::Ring);
        QCOMPARE(rows[1].maxBytes, std::int64_t{4095});
        QCOMPARE(skipped, (std::vector<std::int64_t>{4096}));
    }

    void aSweepDecidesEverySizeByItself()
    {
        const Design design = designOf(kRing + ", " + kSwitch, "1 MiB", "{default: {chunks: 1}}");
        const auto one = tuneSizes(design, {CollectiveOp::AllReduce, {1024, 1 << 20}, 1, {}});
        const auto two = tuneSizes(design, {CollectiveOp::AllReduce, {1024, 1 << 20}, 2, {}});
        QVERIFY(one && two);
        QCOMPARE(one.value().size(), std::size_t{2});
        for (std::size_t i = 0; i < 2; ++i) {
            QCOMPARE(one.value()[i].chosen, two.value()[i].chosen);
            QCOMPARE(one.value()[i].candidates.front().timePs, two.value()[i].candidates.front().timePs);
        }
        QVERIFY(one.value()[0].candidates.front().timePs < one.value()[1].candidates.front().timePs);
    }

    /// The programs of generators are written once for all sizes of a sweep: nothing of an answer may depend on the sizes before.
    void aSweepDecidesAsEverySizeAlone()
    {
        for (const char* const chunks : {"1", "3"}) {
            const Design design = designOf(kRing + ", " + kSwitch, "1 MiB", std::string("{default: {chunks: ") + chunks + "}}");
            for (const CollectiveOp op : {CollectiveOp::AllReduce, CollectiveOp::AllGather, CollectiveOp::AllToAll}) {
                const std::vector<std::int64_t> sizes{1000, 4096, 1 << 20, 100'000'000};
                const auto sweep = tuneSizes(design, {op, sizes, 1, {}});
                QVERIFY(sweep);
                for (std::size_t i = 0; i < sizes.size(); ++i) {
                    const auto alone = tuneSizes(design, {op, {sizes[i]}, 1, {}});
                    QVERIFY(alone);
                    const CollectiveChoice& expected = alone.value().front();
                    const CollectiveChoice& found = sweep.value()[i];
                    QCOMPARE(found.bytes, sizes[i]);
                    QCOMPARE(found.chosen, expected.chosen);
                    QCOMPARE(found.candidates.size(), expected.candidates.size());
                    for (std::size_t c = 0; c < expected.candidates.size(); ++c) {
                        QCOMPARE(found.candidates[c].name, expected.candidates[c].name);
                        QCOMPARE(found.candidates[c].timePs, expected.candidates[c].timePs);
                        QCOMPARE(found.candidates[c].reason, expected.candidates[c].reason);
                    }
                }
            }
        }
    }

    void generatorsWriteTheSameProgramOnce()
    {
        GeneratedPrograms programs;
        GenerateRequest request;
        request.algorithm = "multi_ring";
        request.axes = {8};
        std::stop_source stopped;
        stopped.request_stop();
        request.stop = stopped.get_token();
        QVERIFY(!programs.program(request)); // A request that was stopped says nothing of the next one.
        request.stop = {};
        const auto first = programs.program(request);
        QVERIFY(first);
        QVERIFY(programs.program(request).value() == first.value());
        const auto direct = generateProgram(request);
        QVERIFY(programs.digest(first.value()) == direct.value()->digest());
        QVERIFY(programs.digest(first.value()) == direct.value()->digest());
        QVERIFY(programs.digest(direct.value()) == direct.value()->digest());
        for (const auto& change : {+[](GenerateRequest& other) { other.op = CollectiveOp::AllGather; }, +[](GenerateRequest& other) { other.axes = {4}; },
                                   +[](GenerateRequest& other) { other.chunks = 2; }}) {
            GenerateRequest other = request;
            change(other);
            const auto made = programs.program(other);
            QVERIFY(made);
            QVERIFY(programs.digest(made.value()) == generateProgram(other).value()->digest());
            QVERIFY(made.value() != first.value());
        }
    }
};

FABRICSCOPE_TEST(ChooseTest)
#include "tst_choose.moc"
