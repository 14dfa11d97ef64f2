#include "core/scenario/computeparams.h"
#include "core/scenario/lowering.h"
#include "core/sim/simulate.h"
#include "tests/unit/support/cases.h"
#include "tests/unit/support/cases/networkcase.h"
#include "tests/unit/support/testprogram.h"

#include <QtTest/QtTest>

#include <random>

using namespace fabricscope;
using fabricscope::test::simulated;

namespace {

__extension__ using Wide = __int128;

std::string design(const std::string& efficiency, const std::string& steps, const std::string& more = {})
{
    return "fabricscope: 1\nplatform:\n  dimensions: [{shape: ring, size: 2, bandwidth: 50 GB/s, latency: 500 ns}]\n"
           "  npu: {peak: 1 TFLOP/s, memory_bandwidth: 100 GB/s}\n"
           + more + "compute:\n  efficiency:\n" + efficiency + "workload:\n  steps:\n" + steps;
}

Design read(const std::string& text)
{
    auto loaded = readDesignText(text, "test.yaml");
    if (!loaded)
        qFatal("%s", loaded.error().text().c_str());
    return std::move(loaded).value().design;
}

std::string problemOf(const std::string& text)
{
    auto loaded = readDesignText(text, "test.yaml");
    if (!loaded)
        return loaded.error().text();
    std::string found;
    for (const Diagnostic& entry : validate(loaded.value().design))
        found += entry.text() + "\n";
    return found;
}

} // namespace

class ComputeEfficiencyTest : public QObject {
    Q_OBJECT

private slots:
    void stepsOfATableSetTheDuration()
    {
        const std::string table = "    operations: [{up_to: 1 GFLOP, share: 0.25}, {up_to: 10 GFLOP, share: 0.5}, {share: 0.8}]\n";
        // 1 TFLOP/s: 1 GFLOP in 1 ms at the whole peak.
        QCOMPARE(simulated(design(table, "    - {compute: 1 GFLOP}\n")).finish.ps, 4'000'000'000);
        QCOMPARE(simulated(design(table, "    - {compute: 1.000001 GFLOP}\n")).finish.ps, 2'000'002'000);
        QCOMPARE(simulated(design(table, "    - {compute: 10 GFLOP}\n")).finish.ps, 20'000'000'000);
        QCOMPARE(simulated(design(table, "    - {compute: 16 GFLOP}\n")).finish.ps, 20'000'000'000);
    }

    void straightLinesLieBetweenTheEntries()
    {
        const std::string table = "    interpolation: linear\n    operations: [{up_to: 1 GFLOP, share: 0.2}, {up_to: 3 GFLOP, share: 0.6}]\n";
        QCOMPARE(simulated(design(table, "    - {compute: 0.5 GFLOP}\n")).finish.ps, 2'500'000'000);
        QCOMPARE(simulated(design(table, "    - {compute: 2 GFLOP}\n")).finish.ps, 5'000'000'000); // 0.4
        QCOMPARE(simulated(design(table, "    - {compute: 2.5 GFLOP}\n")).finish.ps, 5'000'000'000); // 0.5
        QCOMPARE(simulated(design(table, "    - {compute: 6 GFLOP}\n")).finish.ps, 10'000'000'000);
    }

    void theSlowerBoundCounts()
    {
        const std::string table = "    operations: [{share: 0.5}]\n    bytes: [{up_to: 1 MB, share: 0.1}, {share: 0.9}]\n";
        // 1 MB at 10 GB/s: 100 us; 90 MB at 90 GB/s: 1 ms; 1 GFLOP at half the peak: 2 ms.
        QCOMPARE(simulated(design(table, "    - {compute: 0 FLOP, bytes: 1 MB}\n")).finish.ps, 100'000'000);
        QCOMPARE(simulated(design(table, "    - {compute: 0 FLOP, bytes: 90 MB}\n")).finish.ps, 1'000'000'000);
        QCOMPARE(simulated(design(table, "    - {compute: 1 GFLOP, bytes: 90 MB}\n")).finish.ps, 2'000'000'000);
    }

    void namesChooseTables()
    {
        const std::string table = "    operations: [{share: 0.5}]\n    kinds:\n      - {name: \"*attn*\", operations: [{share: 0.25}]}\n"
                                  "      - {name: \"layer?\", bytes: [{share: 0.1}]}\n      - {name: \"*\", operations: [{share: 0.1}]}\n";
        QCOMPARE(simulated(design(table, "    - {compute: 1 GFLOP, name: l0.attn.q}\n")).finish.ps, 4'000'000'000);
        QCOMPARE(simulated(design(table, "    - {compute: 1 GFLOP, name: layer3}\n")).finish.ps, 2'000'000'000); // its table leaves operations to the general one
        QCOMPARE(simulated(design(table, "    - {compute: 1 GFLOP, name: layer12}\n")).finish.ps, 10'000'000'000);
    }

    void patternsFitAsShellsDo()
    {
        QVERIFY(fitsPattern("", ""));
        QVERIFY(fitsPattern("", "*"));
        QVERIFY(!fitsPattern("", "?"));
        QVERIFY(fitsPattern("abc", "a*c"));
        QVERIFY(fitsPattern("abcabd", "*ab?"));
        QVERIFY(!fitsPattern("abcabd", "*ab"));
        QVERIFY(fitsPattern("aaab", "*a*b"));
        QVERIFY(!fitsPattern("Attn", "attn"));
    }

    void statedTimesAndTheHostAreLeftAlone()
    {
        const std::string table = "    operations: [{share: 0.1}]\n";
        QCOMPARE(simulated(design(table, "    - {compute: 3 us, operations: 1 GFLOP}\n")).finish.ps, 3'000'000);
    }

    void overridesAndSpeedComeOnTop()
    {
        const std::string more = "  overrides: {npus: [{npu: 1, peak: 2 TFLOP/s, speed: 0.5}]}\n";
        const RunRecord record = simulated(design("    operations: [{share: 0.5}]\n", "    - {compute: 1 GFLOP, ranks: 1}\n", more));
        QCOMPARE(record.finish.ps, 2'000'000'000); // 1 ms at half of 2 TFLOP/s, at half the speed
    }

    void tablesKeepTheSymmetry()
    {
        const std::string text = design("    operations: [{up_to: 1 GFLOP, share: 0.3}, {share: 0.7}]\n",
                                        "    - {compute: 3 GFLOP}\n    - {collective: all_reduce, size: 1 MiB}\n    - {compute: 0.1 GFLOP}\n");
        const RunRecord fast = simulated(text);
        QCOMPARE(fast.engines[0].engine, std::string("symmetry"));
        const RunRecord events = simulated(text, EngineChoice::Events);
        QCOMPARE(fast.fingerprint.hex(), events.fingerprint.hex());
    }

    void randomTablesAgreeWithASlowCalculation()
    {
        std::mt19937_64 random(test::seeded(3));
        const auto pick = [&](std::int64_t least, std::int64_t most) { return std::uniform_int_distribution<std::int64_t>(least, most)(random); };
        for (int i = 0; i < test::cases(20'000); ++i) {
            ShareTable table;
            std::int64_t upTo = 0;
            for (std::int64_t n = pick(1, 6); n-- > 0;)
                table.points.push_back({upTo += pick(1, 1 << 20), pick(1, kMillion)});
            const bool linear = pick(0, 1) == 1;
            const std::int64_t amount = pick(0, upTo + 1000);
            std::int64_t share = table.points.back().share;
            for (std::size_t p = table.points.size(); p-- > 0;) {
                const auto& point = table.points[p];
                if (amount > point.upTo)
                    break;
                share = point.share;
                if (!linear || p == 0)
                    continue;
                const auto& before = table.points[p - 1];
                // floor of the line, by searching for the largest integer that is not above it
                const Wide width = point.upTo - before.upTo;
                const Wide line = Wide{before.share} * width + Wide{point.share - before.share} * (amount - before.upTo);
                share = static_cast<std::int64_t>(line / width); // positive
            }
            QCOMPARE(table.of(amount, linear), std::max<std::int64_t>(share, 1));
        }
    }

    void moreWorkNeverTakesLessTimeOnAStraightTableOfEqualShares()
    {
        ShareTable table;
        table.points = {{1000, 300'000}, {2000, 300'000}};
        for (std::int64_t amount = 0; amount < 4000; ++amount)
            QCOMPARE(table.of(amount, amount % 2 == 0), 300'000);
    }

    void designsReadBack()
    {
        const std::string text = design("    interpolation: linear\n    operations: [{up_to: 1 GFLOP, share: 0.3}, {up_to: 8 GFLOP, share: 0.75}]\n"
                                        "    kinds: [{name: \"*x\", bytes: [{share: 0.5}]}]\n",
                                        "    - {compute: 1 GFLOP}\n");
        const Design first = read(text);
        const Design again = read(writeDesign(first));
        QVERIFY(*again.compute == *first.compute);
        QCOMPARE(designHash(again).hex(), designHash(first).hex());
        for (const auto& [path, value] : {std::pair("compute.efficiency.operations.1.share", "0.8"), {"compute.efficiency.interpolation", "steps"}, {"compute.efficiency.kinds.0.name", "y"}})
            QVERIFY2(designHash(readDesignText(text, "test.yaml", {{path, value}}).value().design).hex() != designHash(first).hex(), path);
    }

    void refusalsNameTheLine()
    {
        const std::string steps = "    - {compute: 1 GFLOP}\n";
        QCOMPARE(problemOf(design("    operations: [{share: 0.3}]\n", steps)), std::string());
        QVERIFY(problemOf(design("    operations: [{share: 0}]\n", steps)).find("test.yaml:7") != std::string::npos);
        QVERIFY(problemOf(design("    operations: [{share: 1.5}]\n", steps)).find("not a share") != std::string::npos);
        QVERIFY(problemOf(design("    operations: [{up_to: 2 GFLOP, share: 0.1}, {up_to: 1 GFLOP, share: 0.2}]\n", steps)).find("not larger") != std::string::npos);
        QVERIFY(problemOf(design("    operations: [{share: 0.1}, {up_to: 1 GFLOP, share: 0.2}]\n", steps)).find("only the last entry") != std::string::npos);
        QVERIFY(problemOf(design("    interpolation: linear\n    operations: [{up_to: 1 GFLOP, share: 0.2}, {share: 0.3}]\n", steps)).find("straight lines need an end") != std::string::npos);
        QVERIFY(problemOf(design("    operations: [{up_to: 1 MB, share: 0.2}]\n", steps)).find("up_to") != std::string::npos);
        QVERIFY(problemOf(design("    flops: [{share: 0.2}]\n", steps)).find("flops") != std::string::npos);
    }

    void unusedTablesAreReported()
    {
        const std::string table = "    operations: [{share: 0.3}]\n";
        const std::string steps = "    - {compute: 1 GFLOP}\n";
        QVERIFY(problemOf(design(table, steps, "model: {name: astra-unaware}\n")).find("unused-setting") != std::string::npos);
        QVERIFY(problemOf(design(table, steps, "model: {roofline: false}\n")).find("unused-setting") != std::string::npos);
        // No peak: nothing to take a share of.
        std::string text = design(table, "    - {compute: 1 us}\n");
        const std::string peak = "peak: 1 TFLOP/s, ";
        text.erase(text.find(peak), peak.size());
        auto scenario = prepare(read(text));
        QVERIFY(bool(scenario));
        const Diagnostics& found = scenario.value()->diagnostics;
        QVERIFY(std::any_of(found.begin(), found.end(), [](const Diagnostic& entry) { return entry.rule == "unused-setting"; }));
    }
};

FABRICSCOPE_TEST(ComputeEfficiencyTest)
#include "tst_compute_efficiency.moc"
