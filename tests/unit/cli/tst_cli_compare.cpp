// fabricscope-cli compare: two models of one design taken apart, and two designs side by side.
#include "tests/unit/support/clirun.h"
#include "tests/unit/support/testprogram.h"

#include <QTemporaryDir>
#include <QtTest>

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
        for (const char* const row : {"endpoint delay per message ", "-140 ns", "chunk rounding ", "sharing of links (phantom bandwidth) ", "the rest ", "-0.014 ns",
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

    void wrongUsageIsRefused_data()
    {
        QTest::addColumn<QString>("arguments");
        QTest::addColumn<QByteArray>("says");
        QTest::newRow("one design, no model") << "compare a.yaml" << QByteArray("a second design");
        QTest::newRow("unknown model") << "compare a.yaml --models links,quick" << QByteArray("\"quick\"");
        QTest::newRow("three models") << "compare a.yaml --models links,ideal,astra-unaware" << QByteArray("3 models");
        QTest::newRow("two designs, two models") << "compare a.yaml b.yaml --models links,ideal" << QByteArray("one model");
        QTest::newRow("missing file") << "compare a.yaml nowhere.yaml" << QByteArray("nowhere.yaml");
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
