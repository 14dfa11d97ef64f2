// collective --sizes: rows of what single runs say, in the columns of nccl-tests.
#include "tests/unit/support/clirun.h"
#include "tests/unit/support/testprogram.h"

#include <QtTest>

using namespace fabricscope;
using namespace fabricscope::test;

namespace {

QStringList ring(const char* collective, const QStringList& more)
{
    return QStringList{"collective", "--topology", "Ring(8)", "--bandwidth", "50GB/s", "--latency", "500", "--algorithm", "ring", "--collective", QString::fromLatin1(collective)} + more;
}

} // namespace

class CliSizesTest : public QObject
{
    Q_OBJECT

private slots:
    /// As nccl-tests defines them: bytes by time, and that times what of each byte a ring sends over a link. GB are 10^9 bytes.
    void ratesAreThoseOfNcclTests_data()
    {
        QTest::addColumn<double>("factor");
        QTest::newRow("all_reduce") << 2.0 * 7 / 8;
        QTest::newRow("all_gather") << 7.0 / 8;
        QTest::newRow("reduce_scatter") << 7.0 / 8;
        QTest::newRow("all_to_all") << 7.0 / 8;
        QTest::newRow("broadcast") << 1.0;
    }

    void ratesAreThoseOfNcclTests()
    {
        QFETCH(double, factor);
        const char* const op = QTest::currentDataTag();
        const nlohmann::json swept = jsonOf(runCli(ring(op, {"--sizes", "1KiB,3000 B,1GiB", "--json"})));
        QVERIFY(swept.is_object());
        QCOMPARE(swept["result"]["ranks"].get<int>(), 8);
        const nlohmann::json& rows = swept["result"]["sizes"];
        QCOMPARE(rows.size(), std::size_t{3});
        const double bytes[] = {1024, 3000, 1073741824};
        for (std::size_t i = 0; i < 3; ++i) {
            QCOMPARE(rows[i]["bytes"].get<double>(), bytes[i]);
            const nlohmann::json one = jsonOf(runCli(ring(op, {"--size", QString::number(bytes[i], 'f', 0) + "B", "--json"})));
            const double ns = one["result"]["finish_ns"].get<double>();
            QCOMPARE(rows[i]["time_ns"].get<double>(), ns);
            QVERIFY(qAbs(rows[i]["algbw_gb_per_s"].get<double>() - bytes[i] / ns) < 2e-6);
            QVERIFY(qAbs(rows[i]["busbw_gb_per_s"].get<double>() - factor * bytes[i] / ns) < 2e-6);
            QCOMPARE(rows[i].value("bound_ns", -1.0), one["result"].value("lower_bound_ns", -1.0));
        }
    }

    /// 14 steps of 500 ns and an eighth of the bytes over 50 GB/s.
    void theColumnsAreThoseOfALog()
    {
        const CliResult result = runCli(ring("all_reduce", {"--sizes", "1MiB..4MiB"}));
        QCOMPARE(result.exit, 0);
        QList<QStringList> rows;
        for (const QByteArray& line : result.out.split('\n')) {
            if (!line.isEmpty() && !line.startsWith('#'))
                rows.append(QString::fromLatin1(line).split(QLatin1Char(' '), Qt::SkipEmptyParts));
        }
        QCOMPARE(rows.size(), 3);
        for (int i = 0; i < 3; ++i) {
            const double bytes = 1048576 << i;
            const double us = 14 * (0.5 + bytes / 8 / 50e3);
            QCOMPARE(rows[i].size(), 13);
            QCOMPARE(rows[i].mid(0, 5), QStringList({QString::number(bytes, 'f', 0), QString::number(bytes / 4, 'f', 0), "float", "sum", "-1"}));
            QCOMPARE(rows[i][5], QString::number(us, 'f', 2));
            QCOMPARE(rows[i][6], QString::number(bytes / us / 1e3, 'f', 2));
            QCOMPARE(rows[i][7], QString::number(bytes / us / 1e3 * 1.75, 'f', 2));
            QCOMPARE(rows[i].mid(5, 4), rows[i].mid(9, 4));
        }
        QVERIFY(result.out.contains("# Avg bus bandwidth    : "));
    }

    /// 32 MiB of 8 ranks are 1 Mi floats for each, as a log of all_gather_perf, reduce_scatter_perf or alltoall_perf says.
    void partsAreCountedByRank()
    {
        for (const auto& [op, reduced] : {std::pair{"all_gather", "none"}, {"reduce_scatter", "sum"}, {"all_to_all", "none"}}) {
            const CliResult result = runCli(ring(op, {"--sizes", "32MiB"}));
            QCOMPARE(result.exit, 0);
            const QString row = QString::fromLatin1(result.out.split('\n').at(5)).simplified();
            QVERIFY2(row.startsWith(QStringLiteral("33554432 1048576 float %1 -1 ").arg(QString::fromLatin1(reduced))), qPrintable(row));
        }
    }

    void oneOfBothIsWanted()
    {
        const CliResult none = runCli(ring("all_reduce", {}));
        QCOMPARE(none.exit, 2);
        QVERIFY2(none.err.contains("--size: no size is given"), none.err.constData());
        const CliResult both = runCli(ring("all_reduce", {"--size", "1MiB", "--sizes", "1MiB,2MiB"}));
        QCOMPARE(both.exit, 2);
        QVERIFY2(both.err.contains("--size is not used with --sizes"), both.err.constData());
        const CliResult bad = runCli(ring("all_reduce", {"--sizes", "1MiB,x"}));
        QCOMPARE(bad.exit, 2);
        QVERIFY2(bad.err.contains("--sizes: \"x\""), bad.err.constData());
    }
};

FABRICSCOPE_TEST(CliSizesTest)
#include "tst_cli_sizes.moc"
