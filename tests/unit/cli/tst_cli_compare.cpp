// fabricscope-cli compare: two models of one design taken apart, and two designs side by side.
#include "tests/unit/support/clirun.h"
#include "tests/unit/support/testprogram.h"

#include <QTemporaryDir>
#include <QtTest>

#include <cmath>
#include <map>

using namespace fabricscope::test;
using nlohmann::json;

namespace {

/// 1 MiB all-reduce over a ring of eight, one chunk; bandwidth in GiB/s as in the worked numbers.
QByteArray ring(const char* bandwidth, const char* more = "")
{
    return QByteArray("fabricscope: 1\nname: ring\nplatform:\n  dimensions:\n    - {shape: ring, size: 8, bandwidth: ") + bandwidth
        + " GiB/s, latency: 500 ns}\n  npu: {memory_bandwidth: 1600 GB/s}\n"
          "workload:\n  steps:\n    - {collective: all_reduce, size: 1 MiB}\n"
          "collectives: {default: {algorithm: ring, chunks: 1}}\nmodel: {name: links, endpoint_delay: 10 ns}\n" + more;
}

void longestLine(const QByteArray& text, int columns)
{
    for (const QByteArray& line : text.split('\n'))
        QVERIFY2(line.size() <= columns, line);
}

} // namespace

class TestCliCompare : public QObject {
    Q_OBJECT

private slots:
    void initTestCase()
    {
        QVERIFY(writeFile(m_folder.filePath("a.yaml"), ring("50")));
        QVERIFY(writeFile(m_folder.filePath("b.yaml"), ring("100")));
    }

    /// 41.3 and 24.2 us: 70 % apart.
    void timesWithinTheErrorOfTheirFabricAreSaidToBe()
    {
        QVERIFY(writeFile(m_folder.filePath("rough-a.yaml"), ring("50", "accuracy: {error: 5}\n")));
        QVERIFY(writeFile(m_folder.filePath("rough-b.yaml"), ring("100", "accuracy: {error: 80}\n")));
        const CliResult text = run("compare rough-a.yaml rough-b.yaml");
        QVERIFY2(text.exit == 0, text.err);
        QVERIFY2(text.out.contains("A and B are not distinguishable (") && text.out.contains(" % apart, error 80 %)."), text.out);
        QVERIFY(json::parse(run("compare rough-a.yaml rough-b.yaml --json").out.toStdString())["result"]["waterfalls"][0]["not_distinguishable"] == true);
        QVERIFY(json::parse(run("compare rough-a.yaml b.yaml --json").out.toStdString())["result"]["waterfalls"][0]["not_distinguishable"] == false);
    }

    void twoModelsAreTakenApartInOrder()
    {
        const CliResult result = run("compare a.yaml --models links,astra-unaware");
        QVERIFY2(result.exit == 0, result.err);
        longestLine(result.out, 100);
        // 14 (10 + 500 + 2441.407) against 10 + 14 (2941 + 10) + 7 * 243.
        QVERIFY2(result.out.contains("(41319.698 ns)"), result.out);
        QVERIFY(result.out.contains("(43025 ns)"));
        QVERIFY(result.out.contains("From links to astra-unaware, one rule switched after the other, in this order:"));
        qsizetype at = 0;
        for (const char* const row : {"endpoint delay per message ", "-140 ns", "chunk rounding ", "sharing of links (phantom bandwidth) ", "rounding down ", "-0.014 ns",
                                      "whole nanoseconds ", "-5.684 ns", "dimensions not paid ", "+1701 ns", "+150 ns", "sum ", "+1705.302 ns", "What the rules say"}) {
            const qsizetype found = result.out.indexOf(row, at);
            QVERIFY2(found >= at, row);
            at = found;
        }
    }

    void oneModelMeansFromTheDesignsOwn()
    {
        const CliResult result = run("compare a.yaml --model astra-unaware");
        QCOMPARE(result.exit, 0);
        QCOMPARE(result.out, run("compare a.yaml --models links,astra-unaware").out);
    }

    void jsonItemsAddUp()
    {
        const CliResult result = run("compare a.yaml --models astra-unaware,links --json");
        QCOMPARE(result.exit, 0);
        const json all = jsonOf(result);
        QCOMPARE(all["schema"].get<int>(), 1);
        const json& made = all["result"];
        QCOMPARE(made["from_model"].get<std::string>(), std::string("astra-unaware"));
        QCOMPARE(made["a"]["finish_ns"].get<double>(), 43025.0);
        QCOMPARE(made["b"]["finish_ns"].get<double>(), 41319.698);
        QCOMPARE(made["difference_ns"].get<double>(), -1705.302);
        double sum = 0;
        json at = made["a"]["finish_ns"];
        for (const json& item : made["items"]) {
            QCOMPARE(item["from_ns"], at);
            at = item["to_ns"];
            sum += item["delta_ns"].get<double>();
        }
        QCOMPARE(at, made["b"]["finish_ns"]);
        QVERIFY(std::abs(sum - made["difference_ns"].get<double>()) < 1e-9);
        QVERIFY(all["run"]["a"].contains("wall_s"));
        QCOMPARE(made["a"]["ranks"].size(), std::size_t{1});
    }

    void twoDesignsStandSideBySide()
    {
        const CliResult result = run("compare a.yaml b.yaml");
        QVERIFY2(result.exit == 0, result.err);
        longestLine(result.out, 100);
        QVERIFY2(result.out.contains("41319.698 ns"), result.out);
        // 14 (10 + 500 + 1220.704)
        QVERIFY(result.out.contains("24229.856 ns"));
        QVERIFY2(result.out.contains("platform.dimensions[0].bandwidth: 50 GiB/s -> 100 GiB/s"), result.out);
        QVERIFY(result.out.contains("-41.4 %"));
        QCOMPARE(result.out.count(" -> "), 1);
        QVERIFY(run("compare a.yaml a.yaml").out.contains("The designs do not differ in any field."));
    }

    void twoDesignsAsJson()
    {
        const json all = jsonOf(run("compare a.yaml b.yaml --json --models astra-unaware"));
        QCOMPARE(all["result"]["a"]["model"].get<std::string>(), std::string("astra-unaware"));
        QCOMPARE(all["result"]["b"]["model"].get<std::string>(), std::string("astra-unaware"));
        // T = floor(1720.70): 10 + 14 (1720 + 10) + 1701.
        QCOMPARE(all["result"]["b"]["finish_ns"].get<int>(), 25931);
        QCOMPARE(all["result"]["difference_ns"].get<int>(), 25931 - 43025);
        QCOMPARE(all["result"]["classes"][0]["ranks"].get<std::string>(), std::string("0-7"));
        QCOMPARE(all["result"]["fields"].size(), std::size_t{1});
        QCOMPARE(all["result"]["dimensions"].size(), std::size_t{1});
    }

    void theWaterfallOfTwoDesignsAddsUp()
    {
        // 14 (e + L + x / B): 10 + 500 + 2441.407 to 0 + 650 + 1220.704, one after the other.
        QByteArray text = ring("100");
        text.replace("latency: 500 ns", "latency: 650 ns").replace("endpoint_delay: 10 ns", "endpoint_delay: 0 ns");
        QVERIFY(writeFile(m_folder.filePath("c.yaml"), text));
        const CliResult result = run("compare a.yaml c.yaml");
        QVERIFY2(result.exit == 0, result.err);
        longestLine(result.out, 100);
        qsizetype at = result.out.indexOf("From A to B, one difference carried over after the other:");
        QVERIFY2(at > 0, result.out);
        for (const char* const row : {"41319.698 ns", "platform.dimensions[0].bandwidth", "-17089.842 ns", "24229.856 ns", "platform.dimensions[0].latency", "+2100 ns",
                                      "26329.856 ns", "model.endpoint_delay", "-140 ns", "26189.856 ns", "B, sum", "-15129.842 ns"}) {
            const qsizetype found = result.out.indexOf(row, at);
            QVERIFY2(found >= at, row);
            at = found;
        }
        const json made = jsonOf(run("compare a.yaml c.yaml --json"))["result"];
        QCOMPARE(made["baseline"].get<std::string>(), std::string("a"));
        QCOMPARE(made["waterfalls"].size(), std::size_t{1});
        const json& items = made["waterfalls"][0]["items"];
        QCOMPARE(items.size(), std::size_t{3});
        QCOMPARE(items[1]["field"].get<std::string>(), std::string("platform.dimensions[0].latency"));
        QCOMPARE(items[1]["old"].get<std::string>(), std::string("500 ns"));
        QCOMPARE(items[1]["new"].get<std::string>(), std::string("650 ns"));
        QCOMPARE(items[1]["delta_ns"].get<int>(), 2100);
        QCOMPARE(items[2]["to_ns"], made["b"]["finish_ns"]);
        std::int64_t parts = 0;
        for (const json& row : made["columns"])
            parts += row["part"].get<bool>() ? std::llround(row["difference_b"].get<double>() * 1000) : 0;
        QCOMPARE(parts, std::int64_t{-15'129'842});
    }

    void fourDesignsStandSideBySide()
    {
        QVERIFY(writeFile(m_folder.filePath("c.yaml"), ring("25")));
        QVERIFY(writeFile(m_folder.filePath("d.yaml"), ring("100").replace("1 MiB", "2 MiB")));
        const CliResult result = run("compare a.yaml b.yaml c.yaml d.yaml --baseline 2");
        QVERIFY2(result.exit == 0, result.err);
        longestLine(result.out, 100);
        QVERIFY2(result.out.contains("ring (b.yaml) (baseline)"), result.out);
        QVERIFY(result.out.contains("B and D run different workloads."));
        QVERIFY(!result.out.contains("different models"));
        QVERIFY(result.out.contains("From B to A,") && result.out.contains("From B to C,") && result.out.contains("From B to D,") && !result.out.contains("From A to"));
        const json made = jsonOf(run("compare a.yaml b.yaml c.yaml d.yaml --baseline 2 --json"))["result"];
        QCOMPARE(made["baseline"].get<std::string>(), std::string("b"));
        for (const auto& [key, file] : std::map<const char*, const char*>{{"a", "a.yaml"}, {"b", "b.yaml"}, {"c", "c.yaml"}, {"d", "d.yaml"}}) {
            // Against separate runs.
            const json alone = jsonOf(run(QStringLiteral("simulate %1 --json").arg(QLatin1String(file))))["result"];
            QCOMPARE(made[key]["finish_ns"], alone["finish_ns"]);
            QCOMPARE(made[key]["fingerprint"], alone["fingerprint"]);
            for (const json& row : made["columns"]) {
                if (row["key"] == "step")
                    QCOMPARE(row[key], alone["finish_ns"]);
            }
        }
        QCOMPARE(made["waterfalls"].size(), std::size_t{3});
        QCOMPARE(made["waterfalls"][2]["other_workload"].get<bool>(), true);
        QCOMPARE(made["waterfalls"][2]["items"][0]["field"].get<std::string>(), std::string("workload.steps[0].size"));
        QCOMPARE(made["fields"][0]["c"].get<std::string>(), std::string("25 GiB/s"));
        QCOMPARE(made["fields"][0]["b"].get<std::string>(), made["fields"][0]["d"].get<std::string>());
    }

    void theBaselineOfTwoMayBeTheSecond()
    {
        const CliResult result = run("compare a.yaml b.yaml --baseline 2");
        QVERIFY2(result.exit == 0, result.err);
        QVERIFY2(result.out.contains("From B to A,") && result.out.contains("+17089.842 ns"), result.out);
    }

    void wrongUsageIsRefused_data()
    {
        QTest::addColumn<QString>("arguments");
        QTest::addColumn<QByteArray>("says");
        QTest::newRow("one design, no model") << "compare a.yaml" << QByteArray("a second design");
        QTest::newRow("unknown model") << "compare a.yaml --models links,quick" << QByteArray("\"quick\"");
        QTest::newRow("three models") << "compare a.yaml --models links,ideal,astra-unaware" << QByteArray("3 models");
        QTest::newRow("two designs, two models") << "compare a.yaml b.yaml --models links,ideal" << QByteArray("one model");
        QTest::newRow("missing file") << "compare a.yaml nowhere.yaml" << QByteArray("nowhere.yaml");
        QTest::newRow("a baseline that is not there") << "compare a.yaml b.yaml --baseline 3" << QByteArray("1 to 2");
        QTest::newRow("one design, a baseline") << "compare a.yaml --models links,ideal --baseline 1" << QByteArray("--baseline");
        QTest::newRow("five designs") << "compare a.yaml b.yaml a.yaml b.yaml a.yaml" << QByteArray("DESIGN");
        QTest::newRow("no design") << "compare" << QByteArray("DESIGN");
    }

    void wrongUsageIsRefused()
    {
        QFETCH(QString, arguments);
        QFETCH(QByteArray, says);
        const CliResult result = run(arguments);
        QCOMPARE(result.exit, 2);
        QVERIFY2(result.err.contains(says), result.err);
        QCOMPARE(result.out, QByteArray());
    }

    void aModelThatRefusesTheDesignSaysWhy()
    {
        QByteArray text = ring("50");
        text.replace("  npu: {memory_bandwidth: 1600 GB/s}\n", "  npu: {memory_bandwidth: 1600 GB/s}\n  overrides: {links: [{link: \"d0 1>2\", bandwidth: 1 GB/s}]}\n");
        QVERIFY(writeFile(m_folder.filePath("slow.yaml"), text));
        const CliResult result = run("compare slow.yaml --models links,astra-unaware");
        QCOMPARE(result.exit, 2);
        QVERIFY2(result.err.contains("under astra-unaware: ") && result.err.contains("link"), result.err);
        QCOMPARE(run("compare slow.yaml --models links,ideal").exit, 0);
    }

    void warningsCountWhenAskedTo()
    {
        QByteArray text = ring("50");
        text.replace("  npu: {memory_bandwidth: 1600 GB/s}\n", "");
        QVERIFY(writeFile(m_folder.filePath("free.yaml"), text));
        const CliResult calm = run("compare free.yaml --models links,ideal");
        QCOMPARE(calm.exit, 0);
        QVERIFY2(calm.err.contains("warning: links: ") && calm.err.contains("reductions"), calm.err);
        QCOMPARE(run("compare free.yaml --models links,ideal --strict").exit, 1);
    }

    void tracesAreTakenApartToo()
    {
        for (int rank = 0; rank < 8; ++rank)
            QVERIFY(writeFile(m_folder.filePath(QStringLiteral("t.%1.et").arg(rank)), traceBytes({collectiveNode(1, 0, 1 << 20), collectiveNode(2, 7, 3'000'000)})));
        QByteArray text = ring("50");
        text.replace("  steps:\n    - {collective: all_reduce, size: 1 MiB}\n", "  trace: t\n");
        QVERIFY(writeFile(m_folder.filePath("trace.yaml"), text));
        const json all = jsonOf(run("compare trace.yaml --models links,astra-aware --json"));
        QVERIFY(all.contains("result"));
        const json& made = all["result"];
        json at = made["a"]["finish_ns"];
        int worth = 0;
        for (const json& item : made["items"]) {
            QCOMPARE(item["from_ns"], at);
            at = item["to_ns"];
            worth += item["delta_ns"] != 0 ? 1 : 0;
        }
        QCOMPARE(at, made["b"]["finish_ns"]);
        QVERIFY(worth > 3);
    }

private:
    CliResult run(const QString& arguments) { return runCli(arguments.split(QLatin1Char(' '), Qt::SkipEmptyParts), m_folder.path()); }

    QTemporaryDir m_folder;
};

FABRICSCOPE_TEST(TestCliCompare)
#include "tst_cli_compare.moc"
