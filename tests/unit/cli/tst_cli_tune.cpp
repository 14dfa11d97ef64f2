#include "tests/unit/support/clirun.h"
#include "tests/unit/support/testprogram.h"

#include <QTemporaryDir>
#include <QTest>

using namespace fabricscope::test;

class CliTuneTest : public QObject {
    Q_OBJECT

private slots:
    void writesNcclsTableAndAllTimes()
    {
        const QTemporaryDir folder;
        const CliResult run = runCli(QStringLiteral("tune --topology Ring(4) --bandwidth 50 --latency 500 --collective all_reduce --sizes 1KiB..4KiB --out tuner.csv --json")
                                         .split(QLatin1Char(' ')), folder.path());
        QCOMPARE(run.exit, 0);
        const nlohmann::json json = jsonOf(run);
        QCOMPARE(json["schema"].get<int>(), 1);
        QCOMPARE(json["choices"].size(), std::size_t{3});
        for (const auto& choice : json["choices"]) {
            QCOMPARE(choice["ranks"].get<int>(), 4);
            QCOMPARE(choice["candidates"][0]["name"], choice["chosen"]);
            QVERIFY(choice["candidates"].size() >= 3);
        }
        QFile table(folder.filePath(QStringLiteral("tuner.csv")));
        QVERIFY(table.open(QIODevice::ReadOnly));
        const QByteArray text = table.readAll();
        QVERIFY(text.startsWith("# nobody measured this fabric") && run.err.contains("nobody measured this fabric"));
        QVERIFY(text.contains("allreduce,1024,"));
        QVERIFY(text.contains(",4096,"));
    }

    void takesADesignToo()
    {
        const QTemporaryDir folder;
        QFile design(folder.filePath(QStringLiteral("pod.yaml")));
        QVERIFY(design.open(QIODevice::WriteOnly));
        design.write("fabricscope: 1\nplatform: {dimensions: [{shape: switch, size: 4, bandwidth: 50 GB/s, latency: 1 us}]}\nworkload: {collective: all_gather, size: 1 MiB}\n");
        design.close();
        const CliResult run = runCli(QStringList{QStringLiteral("tune"), QStringLiteral("pod.yaml"), QStringLiteral("--collective"), QStringLiteral("all_reduce"), QStringLiteral("--sizes"),
                                                 QStringLiteral("64 KiB, 1 MiB")}, folder.path());
        QCOMPARE(run.exit, 0);
        QVERIFY(run.out.contains("64 KiB") && run.out.contains("1 MiB"));
    }

    // Templates may cut one dimension into several axes (2 x 2 x 2): every engine that tries them must see the same group.
    void triesWhatCutsADimensionIntoAxes()
    {
        const CliResult run = runCli("tune --topology Switch(8) --bandwidth 50 --latency 1000 --collective all_reduce --sizes 1KiB..64MiB --json");
        QVERIFY2(run.exit == 0, run.err);
        QCOMPARE(jsonOf(run)["choices"].size(), std::size_t{17});
        QVERIFY2(run.out.contains("blueconnect") || run.out.contains("torus_bucket"), run.out.left(400));
    }

    void saysWhatItNeeds()
    {
        QCOMPARE(runCli("tune --collective all_reduce").exit, 2);
        QCOMPARE(runCli("tune --topology Ring(4) --bandwidth 50 --latency 500 --collective all_reduce --sizes 4KiB..1KiB").exit, 2);
        QCOMPARE(runCli("tune --topology Ring(4) --bandwidth 50 --latency 500 --collective all_reduce --sizes 1KiB --model astra-unaware").exit, 2);
        QCOMPARE(runCli("tune --topology Ring(4) --bandwidth 50 --latency 500 --collective all_reduce --sizes 1KiB --out /nowhere/x.csv").exit, 5);
    }

    void collectiveTakesAutoAndGenerators()
    {
        const CliResult chosen = runCli("collective --topology Switch(4) --bandwidth 50 --latency 500 --collective all_reduce --size 64KiB --algorithm auto --json");
        QCOMPARE(chosen.exit, 0);
        const nlohmann::json result = jsonOf(chosen)["result"];
        QCOMPARE(result["choices"].size(), std::size_t{1});
        const auto& best = result["choices"][0]["candidates"][0];
        QCOMPARE(best["time_ns"].get<double>(), result["finish_ns"].get<double>());
        const std::string key = "recursive_doubling";
        const CliResult one = runCli("collective --topology Switch(4) --bandwidth 50 --latency 500 --collective all_reduce --size 64KiB --algorithm recursive_doubling --json");
        QVERIFY2(one.exit == 0, one.err.constData());
        for (const auto& each : result["choices"][0]["candidates"]) {
            if (each["name"].get<std::string>() == key)
                QCOMPARE(each["time_ns"].get<double>(), jsonOf(one)["result"]["finish_ns"].get<double>());
        }
        QVERIFY(!jsonOf(one)["result"].contains("choices"));
        QCOMPARE(runCli("collective --topology Switch(4) --bandwidth 50 --latency 500 --collective all_reduce --size 64KiB --program nowhere.xml").exit, 2);
    }
};

FABRICSCOPE_TEST(CliTuneTest)
#include "tst_cli_tune.moc"
