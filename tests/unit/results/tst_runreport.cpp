#include "core/report/html.h"
#include "core/report/runtext.h"
#include "core/report/timeline.h"
#include "tests/unit/support/runs.h"
#include "tests/unit/support/testprogram.h"

#include <QXmlStreamReader>
#include <QtTest>
#include <nlohmann/json.hpp>
#include <set>

using namespace fabricscope;
using nlohmann::json;

namespace {

/// compute (0 to 1.5 ns), two collectives that overlap, and one task that was never issued.
Workload fourTasks()
{
    auto graph = std::make_shared<RankGraph>();
    graph->kind = {TaskKind::Compute, TaskKind::Collective, TaskKind::Send, TaskKind::MemoryLoad};
    graph->flags = {0, 0, 0, 0};
    graph->sourceId = {10, 11, 12, 13};
    graph->names = "gemmgrad, \"x\"sendload";
    graph->nameEnd = {4, 13, 17, 21};
    graph->durationUs = {0, 0, 0, 0};
    graph->operations = {0, 0, 0, 0};
    graph->bytes = {0, 1048576, 64, 8};
    graph->op = {CollectiveOp::AllReduce, CollectiveOp::ReduceScatter, CollectiveOp::AllReduce, CollectiveOp::AllReduce};
    graph->family = {0, 0, 0, 0};
    graph->peer = {0, 0, 1, 0};
    graph->tag = {0, 0, 0, 0};
    graph->involved = {0, 0, 0, 0};
    graph->dependBegin = {0, 0, 0, 0, 0};
    Workload workload;
    workload.rankCount = 7;
    workload.graphs = {graph};
    return workload;
}

bool contains(const std::string& text, const std::string& part)
{
    return text.find(part) != std::string::npos;
}

} // namespace

class TestRunReport : public QObject {
    Q_OBJECT

private slots:
    void theTextSaysWhatMatters()
    {
        const std::string text = runText(test::smallRun(), {2'500, 3 << 20, "host", 1}, RankRows::Classes);

        QVERIFY(contains(text, "41.18 us  (41179.698 ns)"));
        QVERIFY(contains(text, "links physical/1"));
        QVERIFY(contains(text, "50 GiB/s  100 GiB/s"));
        QVERIFY(contains(text, "25.0 %"));
        QVERIFY(contains(text, "50.0 %"));
        QVERIFY(contains(text, "boost-mode: unknown key, ignored"));
        QVERIFY(contains(text, "endpoint delay = 0 ns (default)"));
        QVERIFY(contains(text, "events 100.0 %; 1234 events in 2.5 ms, 3 MiB"));
        // The slowest class comes first.
        QVERIFY(text.find("ranks 0-3,6") < text.find("ranks 4-5"));
    }

    void theTextCanListEveryRankOrNone()
    {
        const std::string all = runText(test::smallRun(), {}, RankRows::All);
        QVERIFY(all.find("rank 0 ") < all.find("rank 6 "));
        QVERIFY(contains(all, "rank 5 "));
        QVERIFY(!contains(runText(test::smallRun(), {}, RankRows::None), "ranks 0-3,6"));
    }

    void theTextOfAStuckRunSaysWhoWaitsForWhom()
    {
        const std::string text = runText(test::stuckRun(), {}, RankRows::Classes);
        QVERIFY(contains(text, "never ends: 2 ranks wait"));
        QVERIFY(contains(text, "rank 0, node 4, ALL_REDUCE 'grad': rank 1 has not entered"));
    }

    void bothSizesOfACollectiveAreShown()
    {
        RunSummary summary = test::smallRun();
        summary.collective = CollectiveSize{"all_gather", 1048576, 8};
        QVERIFY(contains(runText(summary, {}, RankRows::None), "1 MiB (1048576 B) on the large side, 128 KiB (131072 B) per rank's shard"));
    }

    void percentagesAreRoundedHalfUp()
    {
        QCOMPARE(percentText(1, 1, 8), std::string("12.5 %"));
        QCOMPARE(percentText(1, 3, 1), std::string("33.3 %"));
        QCOMPARE(percentText(9995, 1, 10000), std::string("100.0 %"));
        QCOMPARE(percentText(5, 0, 0), std::string("0.0 %"));
    }

    void theTimelineHoldsEveryIssuedTaskExactly()
    {
        const Workload workload = fourTasks();
        const RunSummary summary = test::smallRun();

        const std::string text = timelineTrace(*summary.record, workload, RankRows::Classes);
        const json document = json::parse(text);

        QVERIFY(contains(text, "\"ts\": 0.0015, \"dur\": 41.178,"));
        std::vector<json> slices;
        for (const json& event : document.at("traceEvents")) {
            if (event.at("ph") == "X" && event.at("pid") == 0)
                slices.push_back(event);
        }
        QCOMPARE(slices.size(), std::size_t{3});
        QCOMPARE(slices[0].at("name"), json("gemm"));
        QCOMPARE(slices[0].at("tid"), json(0));
        QCOMPARE(slices[1].at("cat"), json("reduce_scatter"));
        QCOMPARE(slices[1].at("args").at("bytes"), json(1048576));
        // Slices that overlap are on different threads, else viewers draw them wrong.
        QCOMPARE(slices[2].at("cat"), json("send"));
        QVERIFY(slices[1].at("tid") != slices[2].at("tid"));
    }

    void theTimelineOfEveryRankHasEveryRank()
    {
        const json document = json::parse(timelineTrace(*test::smallRun().record, fourTasks(), RankRows::All));
        std::set<int> pids;
        for (const json& event : document.at("traceEvents")) {
            if (event.at("ph") == "X")
                pids.insert(event.at("pid").get<int>());
        }
        QCOMPARE(pids, (std::set<int>{0, 1, 2, 3, 4, 5, 6}));
    }

    void theTimelineAsATableQuotesNames()
    {
        const std::string text = timelineCsv(*test::smallRun().record, fourTasks(), RankRows::Classes);
        const std::string expected = "ranks,kind,node,name,issue_ns,end_ns,bytes\n"
                                     "\"0-3,6\",compute,10,gemm,0,1.5,0\n"
                                     "\"0-3,6\",reduce_scatter,11,\"grad, \"\"x\"\"\",1.5,41179.5,1048576\n"
                                     "\"0-3,6\",send,12,send,1.5,2.5,64\n";
        QVERIFY2(text.starts_with(expected), text.c_str());
    }

    void onlyKnownEndingsAreWritten()
    {
        QVERIFY(checkTimelineName("a.json"));
        QVERIFY(checkTimelineName("a.csv"));
        QCOMPARE(checkTimelineName("a.png").error().code, ErrorCode::Usage);
        QVERIFY(checkReportName("a.html"));
        QVERIFY(contains(checkReportName("a.pdf").error().text(), "desktop program"));
        QCOMPARE(checkReportName("a.docx").error().code, ErrorCode::Usage);
    }

    void theReportIsOneWellFormedPage()
    {
        RunSummary summary = test::smallRun();
        summary.name = "<b>Ring & \"seven\"</b>";
        std::string page = reportHtml(summary);

        QVERIFY(contains(page, "&lt;b&gt;Ring &amp; &quot;seven&quot;&lt;/b&gt;"));
        QVERIFY(!contains(page, "<script"));
        QVERIFY(!contains(page, "http"));
        // The page is XML as well, so a strict reader can check its nesting.
        QXmlStreamReader reader(QByteArray::fromStdString(page));
        while (!reader.atEnd())
            reader.readNext();
        QVERIFY2(!reader.hasError(), qPrintable(reader.errorString()));
    }

    void sharesAreThoseOfTheRecord()
    {
        const std::string page = reportHtml(test::smallRun());
        // Every link is busy a quarter of the run, the busiest half of it; 41178.000 of 41179.698 ns are exposed.
        QVERIFY(contains(page, "<td class=\"n\">25.0\xE2\x80\xAF%</td><td class=\"n\">50.0\xE2\x80\xAF%</td>"));
        QVERIFY(contains(page, "<td class=\"n\">41.178</td><td class=\"n\">100.0\xE2\x80\xAF%</td>"));
    }

    void equalRunsGiveEqualPages()
    {
        QCOMPARE(reportHtml(test::smallRun()), reportHtml(test::smallRun()));
    }

    void theReportOfAStuckRunNamesItsWaits()
    {
        const std::string page = reportHtml(test::stuckRun());
        QVERIFY(contains(page, "cannot finish"));
        QVERIFY(contains(page, "Rank 1, RECV: rank 0 has not sent"));
    }
};

FABRICSCOPE_TEST(TestRunReport)
#include "tst_runreport.moc"
