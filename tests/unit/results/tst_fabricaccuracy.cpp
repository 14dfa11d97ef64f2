// Section accuracy of a design: what is read and refused, what a result says of it, and which times cannot be told apart.
#include "core/design/accuracyconfig.h"
#include "core/design/file/readdesign.h"
#include "core/report/accuracyfigures.h"
#include "core/report/runjson.h"
#include "core/run/planssection.h"
#include "core/run/rundesign.h"
#include "tests/unit/support/testprogram.h"

#include <QtTest/QtTest>

using namespace fabricscope;

namespace {

std::string withAccuracy(const std::string& accuracy, const std::string& size = "64 MiB")
{
    return "fabricscope: 1\nplatform: {topology: Switch(8), bandwidth: 100 GB/s, latency: 1 us}\nworkload: {collective: all_reduce, size: " + size + "}\n" + accuracy;
}

const std::string kMeasured = "accuracy: {error: 5.5, min_size: 1 MiB, max_size: 512 MiB, min_ranks: 2, max_ranks: 8, source: nccl-tests}\n";

RunResultPtr ranOnFabric(const std::string& text)
{
    auto read = readDesignText(text, "design.yaml");
    if (!read)
        qFatal("%s", read.error().text().c_str());
    auto result = runDesign(std::make_shared<const Design>(std::move(read.value().design)), read.value().diagnostics, {});
    if (!result)
        qFatal("%s", result.error().text().c_str());
    return result.value();
}

bool warns(const RunSummary& summary, const std::string& words)
{
    for (const std::string& text : warningsOf(summary)) {
        if (text.find(words) != std::string::npos)
            return true;
    }
    return false;
}

} // namespace

class FabricAccuracyTest : public QObject {
    Q_OBJECT

private slots:
    void resultsSayHowFarOffTheFabricIs()
    {
        const RunResultPtr measured = ranOnFabric(withAccuracy(kMeasured));
        QCOMPARE(accuracyText(*measured->summary.accuracy), std::string("5.5 % off, measured for 1 MiB to 512 MiB, 2 to 8 ranks (nccl-tests)"));
        QVERIFY(measured->summary.accuracy->outside.empty());
        const std::string json = runJson(measured->summary, measured->cost, RankRows::None);
        QVERIFY2(json.find("\"error_pct\": 5.5") != std::string::npos, json.c_str());
        const RunResultPtr plain = ranOnFabric(withAccuracy(""));
        QCOMPARE(accuracyText(*plain->summary.accuracy), std::string("not measured"));
        // It decides no time, and no hash.
        QCOMPARE(measured->record().finish.ps, plain->record().finish.ps);
        QCOMPARE(measured->summary.designHash, plain->summary.designHash);
    }

    void whatWasNotMeasuredIsAWarning()
    {
        QVERIFY(!warns(ranOnFabric(withAccuracy(kMeasured))->summary, "measured"));
        QVERIFY(warns(ranOnFabric(withAccuracy(kMeasured, "1 GiB"))->summary, "a collective of 1 GiB, larger than any that was measured"));
        QVERIFY(warns(ranOnFabric(withAccuracy(kMeasured, "4 KiB"))->summary, "a collective of 4 KiB, smaller than any that was measured"));
        QVERIFY(warns(ranOnFabric(withAccuracy("accuracy: {error: 5, max_ranks: 4}\n"))->summary, "a group of 8 ranks, larger than any that was measured"));
        QVERIFY(warns(ranOnFabric(withAccuracy("accuracy: {error: 5, min_ranks: 16}\n"))->summary, "a group of 8 ranks, smaller than any that was measured"));
        QVERIFY(!warns(ranOnFabric(withAccuracy("accuracy: {error: 5}\n", "1 GiB"))->summary, "measured"));
    }

    void whatIsReadIsWrittenAgain()
    {
        const auto read = readDesignText(withAccuracy(kMeasured), "design.yaml");
        QVERIFY(read);
        const auto again = readDesignText(writeDesign(read.value().design), "again.yaml");
        QVERIFY2(again, again ? "" : again.error().text().c_str());
        QVERIFY(*again.value().design.accuracy == *read.value().design.accuracy);
        for (const char* const wrong : {"accuracy: {}\n", "accuracy: {error: -1}\n", "accuracy: {error: much}\n", "accuracy: {error: 5, min_size: 2 MiB, max_size: 1 MiB}\n", "accuracy: {error: 5, min_ranks: 8, max_ranks: 2}\n", "accuracy: {error: 5, ranks: 8}\n"}) {
            const auto refused = readDesignText(withAccuracy(wrong), "design.yaml");
            QVERIFY2(!refused || !validate(refused.value().design).empty(), wrong);
        }
    }

    /// 100 and 101.2 us are 1.2 % apart.
    void timesCloserThanTheErrorCannotBeToldApart()
    {
        QCOMPARE(notDistinguishable({100'000'000}, {101'200'000}, 7), std::string("not distinguishable (1.2 % apart, error 7 %)"));
        QCOMPARE(notDistinguishable({101'200'000}, {100'000'000}, 7), std::string("not distinguishable (1.2 % apart, error 7 %)"));
        QCOMPARE(notDistinguishable({100'000'000}, {108'000'000}, 7), std::string());
        QCOMPARE(notDistinguishable({100'000'000}, {100'000'000}, std::nullopt), std::string());
        AccuracyFigures a, b;
        a.errorPct = 3;
        b.errorPct = 7;
        QVERIFY(errorOfBoth(a, b) == 7.0);
        b.errorPct.reset();
        QVERIFY(!errorOfBoth(a, b));
        QVERIFY(!errorOfBoth(a, std::nullopt));
    }

    void runsThatNeverEndAreNotCompared()
    {
        const RunResultPtr run = ranOnFabric(withAccuracy(kMeasured));
        QCOMPARE(notDistinguishable(run->summary, run->summary), std::string("not distinguishable (0 % apart, error 5.5 %)"));
        RunSummary stuck = run->summary;
        auto record = std::make_shared<RunRecord>(*stuck.record);
        record->complete = false;
        stuck.record = record;
        QCOMPARE(notDistinguishable(run->summary, stuck), std::string());
    }

    /// Simulated steps are compared with simulated ones only.
    void plansAsFastAsTheFirstAreNamed()
    {
        const auto plan = [](std::int64_t ps, bool simulated) {
            SearchedPlan one;
            one.parts.computing = ps;
            if (simulated)
                one.simulated = SimTime{ps};
            return one;
        };
        const std::vector<SearchedPlan> plans{plan(100'000, true), plan(101'200, true), plan(100'500, false), plan(108'000, true), plan(103'000, true)};
        QCOMPARE(plansLikeFirst(plans, 7), (std::vector<std::size_t>{1, 4}));
        QCOMPARE(plansLikeFirstText(plans, 7), std::string("the steps of plans 1, 2 and 5 are not distinguishable (at most 3 % apart, error 7 %)"));
        QCOMPARE(plansLikeFirstText(plans, 2), std::string("the steps of plans 1 and 2 are not distinguishable (1.2 % apart, error 2 %)"));
        QCOMPARE(plansLikeFirstText(plans, 1), std::string());
        QCOMPARE(plansLikeFirstText(plans, std::nullopt), std::string());
        QCOMPARE(plansLikeFirstText({}, 7), std::string());
    }
};

FABRICSCOPE_TEST(FabricAccuracyTest)
#include "tst_fabricaccuracy.moc"
