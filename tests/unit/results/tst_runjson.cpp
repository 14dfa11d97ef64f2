#include "core/report/runjson.h"
#include "tests/unit/support/runs.h"
#include "tests/unit/support/testprogram.h"

#include <QtTest>
#include <nlohmann/json.hpp>

using namespace fabricscope;
using nlohmann::json;

class TestRunJson : public QObject {
    Q_OBJECT

private slots:
    void textsAreEscaped_data()
    {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<QByteArray>("expected");
        QTest::newRow("plain") << QByteArray("ring") << QByteArray("\"ring\"");
        QTest::newRow("quote and backslash") << QByteArray("a\"b\\c") << QByteArray("\"a\\\"b\\\\c\"");
        QTest::newRow("line end and tab") << QByteArray("a\nb\tc") << QByteArray("\"a\\nb\\tc\"");
        QTest::newRow("control character") << QByteArray("\x01") << QByteArray("\"\\u0001\"");
        QTest::newRow("two, three and four bytes") << QByteArray("\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80") << QByteArray("\"\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80\"");
        QTest::newRow("not UTF-8") << QByteArray("a\xFFz") << QByteArray("\"a\xEF\xBF\xBDz\"");
        QTest::newRow("overlong") << QByteArray("\xC0\x80") << QByteArray("\"\xEF\xBF\xBD\xEF\xBF\xBD\"");
        QTest::newRow("cut short") << QByteArray("\xE2\x82") << QByteArray("\"\xEF\xBF\xBD\xEF\xBF\xBD\"");
    }
    void textsAreEscaped()
    {
        QFETCH(const QByteArray, text);
        QFETCH(const QByteArray, expected);
        QCOMPARE(QByteArray::fromStdString(jsonString({text.data(), static_cast<std::size_t>(text.size())})), expected);
    }

    void sharesAreRoundedFromIntegers()
    {
        QCOMPARE(shareText(1, 4), std::string("0.250000"));
        QCOMPARE(shareText(2, 3), std::string("0.666667"));
        QCOMPARE(shareText(0, 0), std::string("0"));
        QCOMPARE(shareText(7, 2, 1), std::string("3.500000"));
        // 2^62 * 8 does not fit in 64 bits.
        QCOMPARE(shareText(std::int64_t{1} << 62, 8, std::int64_t{1} << 62), std::string("0.125000"));
    }

    void theResultHasTheKeysOfTheContract()
    {
        const json document = json::parse(runJson(test::smallRun(), {2'500'000, 1 << 20, "host", 2}, RankRows::Classes));

        QCOMPARE(document.at("schema"), json(1));
        QCOMPARE(document.size(), std::size_t{3});
        const json& result = document.at("result");
        QCOMPARE(result.at("model"), json("links"));
        QCOMPARE(result.at("version"), json("physical/1"));
        QCOMPARE(result.at("design_hash"), json("00112233445566778899aabbccddeeff"));
        QCOMPARE(result.at("fingerprint"), json("fedcba98765432100123456789abcdef"));
        QCOMPARE(result.at("warnings"), json::array({"system.json, boost-mode: unknown key, ignored"}));
        QCOMPARE(result.at("assumptions"), json::array({"endpoint delay = 0 ns (default)", "pieces of 256 KiB"}));
        QCOMPARE(result.at("dimensions").at(0).at("link_bandwidth"), json("50 GiB/s"));
        QCOMPARE(result.at("dimensions").at(0).at("npu_bandwidth"), json("100 GiB/s"));
        QCOMPARE(result.at("dimensions").at(0).at("busy_share"), json(0.25));
        QCOMPARE(result.at("dimensions").at(0).at("peak_link_share"), json(0.5));
        QVERIFY(!result.contains("complete"));
        QVERIFY(!result.contains("events"));
        const json& run = document.at("run");
        QCOMPARE(run.at("engines").at(0).at("engine"), json("events"));
        QCOMPARE(run.at("events"), json(1234));
        QCOMPARE(run.at("wall_s"), json(2.5));
        QCOMPARE(run.at("peak_rss_bytes"), json(1 << 20));
        QCOMPARE(run.at("host"), json("host"));
        QCOMPARE(run.at("threads"), json(2));
    }

    void timesAreWrittenDigitByDigit()
    {
        RunSummary summary = test::smallRun();
        auto record = std::make_shared<RunRecord>(*summary.record);
        record->finish = {9'007'199'254'740'993'001}; // no double holds it
        summary.record = record;

        const std::string text = runJson(summary, {}, RankRows::Classes);

        QVERIFY(text.find("\"finish_ns\": 9007199254740993.001,") != std::string::npos);
        QVERIFY(text.find("\"lower_bound_ns\": 40000,") != std::string::npos);
        QVERIFY(text.find("\"compute_ns\": 1.5,") != std::string::npos);
    }

    void rowsAreClassesRanksOrNothing()
    {
        const auto ranks = [](RankRows rows) {
            const json result = json::parse(runJson(test::smallRun(), {}, rows)).at("result");
            return result.contains("ranks") ? result.at("ranks") : json();
        };
        const json classes = ranks(RankRows::Classes);
        QCOMPARE(classes.size(), std::size_t{2});
        QCOMPARE(classes.at(0).at("ranks"), json("0-3,6"));
        QCOMPARE(classes.at(1).at("job"), json(1));
        QVERIFY(!classes.at(0).contains("rank"));

        const json all = ranks(RankRows::All);
        QCOMPARE(all.size(), std::size_t{7});
        for (std::size_t rank = 0; rank < 7; ++rank)
            QCOMPARE(all.at(rank).at("rank"), json(rank));
        QCOMPARE(all.at(4).at("finish_ns"), json(40000));
        QCOMPARE(all.at(6).at("finish_ns"), json(41179.698));

        QVERIFY(ranks(RankRows::None).is_null());
    }

    void ranksWithTheSameTimesAreOneRow()
    {
        RunSummary summary = test::smallRun();
        auto record = std::make_shared<RunRecord>(*summary.record);
        // Split the first class in an unsorted way, as if their tasks had other ids.
        RankClass part = record->classes[0];
        part.ranks = RankSet::parse("1,3").value();
        record->classes[0].ranks = RankSet::parse("0,2,6").value();
        record->classes.push_back(part);
        summary.record = record;

        const json ranks = json::parse(runJson(summary, {}, RankRows::Classes)).at("result").at("ranks");

        QCOMPARE(ranks.size(), std::size_t{2});
        QCOMPARE(ranks.at(0).at("ranks"), json("0-3,6"));
        QCOMPARE(ranks.at(1).at("ranks"), json("4-5"));
    }

    void aRunThatCannotFinishNamesItsWaits()
    {
        const json result = json::parse(runJson(test::stuckRun(), {}, RankRows::Classes)).at("result");

        QVERIFY(result.at("finish_ns").is_null());
        QCOMPARE(result.at("complete"), json(false));
        QCOMPARE(result.at("waits").size(), std::size_t{2});
        QCOMPARE(result.at("waits").at(0).at("on_ranks"), json::array({1}));
        QCOMPARE(result.at("waits").at(1).at("node"), json(18446744073709551615ULL));
        QVERIFY(result.at("ranks").at(0).at("finish_ns").is_null());
    }

    void equalResultsGiveEqualBytesWhateverTheRunCost()
    {
        JsonWriter first;
        JsonWriter second;
        writeResult(first, test::smallRun(), RankRows::All);
        writeResult(second, test::smallRun(), RankRows::All);
        QCOMPARE(first.text(), second.text());

        const std::string fast = runJson(test::smallRun(), {1, 2, "a", 1}, RankRows::All);
        const std::string slow = runJson(test::smallRun(), {900'000'000, 9, "b", 64}, RankRows::All);
        const std::string end = "\"run\":";
        QCOMPARE(fast.substr(0, fast.find(end)), slow.substr(0, slow.find(end)));
        QVERIFY(fast != slow);
    }
};

FABRICSCOPE_TEST(TestRunJson)
#include "tst_runjson.moc"
