// The table of subsets on the command line.
#include "tests/unit/support/clirun.h"
#include "sourcedir.h"
#include "tests/unit/support/testprogram.h"

#include <QtTest>

using namespace fabricscope::test;

class TestCliSubsets : public QObject {
    Q_OBJECT

private slots:
    void dgx1()
    {
        const CliResult result = runCli({QStringLiteral("subsets"), QStringLiteral(FABRICSCOPE_SOURCE_DIR "/resources/examples/dgx1-trees.yaml"), QStringLiteral("--json")});
        QVERIFY2(result.exit == 0, result.err);
        const nlohmann::json rows = jsonOf(result)["result"]["subsets"];
        QCOMPARE(rows.size(), std::size_t{46});
        const nlohmann::json whole = rows.back();
        QCOMPARE(whole["npus"].size(), std::size_t{8});
        QCOMPARE(whole["rings"].get<int>(), 6);
        QCOMPARE(whole["tree_broadcast_bytes_per_s"].get<std::int64_t>(), 150'000'000'000);
        QCOMPARE(whole["tree_all_reduce_bytes_per_s"].get<std::int64_t>(), 85'714'285'714); // 24/7 of 25 GB/s.
        QCOMPARE(whole["all_reduce_speed_up"].get<double>(), 1.0);
    }

    void refusals()
    {
        const CliResult missing = runCli({QStringLiteral("subsets"), QStringLiteral("nowhere.yaml")});
        QCOMPARE(missing.exit, 2);
        const CliResult rate = runCli({QStringLiteral("subsets"), QStringLiteral(FABRICSCOPE_SOURCE_DIR "/resources/examples/dgx1-trees.yaml"), QStringLiteral("--fallback"), QStringLiteral("fast")});
        QCOMPARE(rate.exit, 2);
        QVERIFY2(rate.err.contains("--fallback"), rate.err);
    }
};

FABRICSCOPE_TEST(TestCliSubsets)
#include "tst_cli_subsets.moc"
