// Making programs for collectives on the command line.
#include "core/base/files/textfile.h"
#include "core/design/design.h"
#include "core/programio/mscclxml.h"
#include "core/programio/programjson.h"
#include "core/scenario/lowering.h"
#include "core/synthesis/methods.h"
#include "tests/unit/support/clirun.h"
#include "tests/unit/support/oracles/planexecutor.h"
#include "tests/unit/support/testprogram.h"

#include <QTemporaryDir>
#include <QtTest>

#include <csignal>

using namespace fabricscope;
using namespace fabricscope::test;
using nlohmann::json;

class CliSynthesizeTest : public QObject {
    Q_OBJECT

private slots:
    void reachesTheStepBoundOfATorus()
    {
        const CliResult result = runCli("synthesize --topology Ring(8)_Ring(8) --bandwidth 50 --latency 500 --size 64MiB --json");

        QCOMPARE(result.exit, 0);
        const json out = jsonOf(result);
        QCOMPARE(out["steps"].get<int>(), 16);
        QCOMPARE(out["planned_ns"].get<double>(), 320500.0); // 16 x (0.5 us + 1 MiB / 50 GiB/s)
        QVERIFY(out["optimal"].get<bool>());
        QCOMPARE(out["transfers"].get<int>(), 64 * 63);
        QCOMPARE(out["verdict"].get<std::string>(), std::string("valid"));
        // Under `links` the latency of a chunk overlaps with the next chunk of the lane at best.
        QVERIFY(out["simulated_ns"].get<double>() > 0);
        QVERIFY(out["simulated_ns"].get<double>() <= 320500.0 * 1.01);
    }

    void printsForPeople()
    {
        const CliResult result = runCli("synthesize --topology Ring(4) --bandwidth 50 --latency 500 --size 4MiB --collective all_reduce");
        QCOMPARE(result.exit, 0);
        for (const char* part : {"collective", "all_reduce, 4194304 B, 1 chunk", "greedy, seed 1", "planned", "bound", "share 100.0 %", "valid", "under links"})
            QVERIFY2(result.out.contains(part), part);
    }

    /// By the rules of the plan chunks stay whole and wait for each other's latency; under links they do not: its bound is not that of the run.
    void theBoundIsNotAboveWhatIsReached()
    {
        for (const char* size : {"1B", "100KB", "64MiB"}) {
            const CliResult result = runCli((std::string("synthesize --topology Ring(8) --bandwidth 50 --latency 500 --chunks 4 --json --size ") + size).c_str());
            QCOMPARE(result.exit, 0);
            const json out = jsonOf(result);
            if (!out["bound_ns"].is_null())
                QVERIFY2(out["bound_ns"].get<double>() <= out["simulated_ns"].get<double>(), size);
            QVERIFY2(out["planned_bound_ns"].get<double>() <= out["planned_ns"].get<double>(), size);
        }
    }

    void aDesignNamesEveryMethodTheCommandHas_data()
    {
        QTest::addColumn<QString>("method");
        for (const std::string_view name : synthesisNames())
            QTest::newRow(std::string(name).c_str()) << QString::fromStdString(std::string(name));
    }
    void aDesignNamesEveryMethodTheCommandHas()
    {
        QFETCH(const QString, method);
        const bool seeded = isSeededSynthesis(method.toStdString());
        const QString file = m_folder.filePath(method + QStringLiteral(".json"));
        // Two kinds of links: methods give programs of their own. A design tries eight seeds unless it says otherwise.
        QStringList arguments = QStringLiteral("synthesize --topology Ring(4)_FullyConnected(2) --bandwidth 50,25 --latency 500 --collective all_reduce --size 1MiB").split(QLatin1Char(' '));
        arguments << QStringLiteral("--method") << method << QStringLiteral("--out") << file;
        if (seeded)
            arguments << QStringLiteral("--tries") << QStringLiteral("8");
        const CliResult made = runCli(arguments);
        QVERIFY2(made.exit == 0, made.err);
        const auto text = readTextFile(file.toStdString(), 1 << 24);
        QVERIFY(text);
        const Result<ProgramPtr> ofCommand = parseProgramJson(text.value(), "made");
        QVERIFY2(ofCommand, ofCommand ? "" : ofCommand.error().text().c_str());

        const std::string name = method.toStdString();
        const auto design = readDesignText("fabricscope: 1\nplatform: {topology: \"Ring(4)_FullyConnected(2)\", bandwidth: [50 GiB/s, 25 GiB/s], latency: 500 ns}\n"
                                           "workload: {collective: all_reduce, size: 1 MiB}\ncollectives: {default: {synthesis: {method: " + name + "}}}\n", "design.yaml");
        QVERIFY2(design, design ? "" : design.error().text().c_str());
        const Result<ScenarioPtr> scenario = prepare(design.value().design);
        QVERIFY2(scenario, scenario ? "" : scenario.error().text().c_str());
        QVERIFY(scenario.value()->structure->instances.front().program->digest() == ofCommand.value()->digest());

        // What a method does not read a design may not say, as in the command.
        const auto seed = readDesignText("fabricscope: 1\nplatform: {topology: \"Ring(4)\", bandwidth: 50 GiB/s, latency: 500 ns}\n"
                                         "workload: {collective: all_reduce, size: 1 MiB}\ncollectives: {default: {synthesis: {method: " + name + ", seed: 2}}}\n", "design.yaml");
        QCOMPARE(static_cast<bool>(seed), seeded);
        QCOMPARE(runCli(arguments + QStringList{QStringLiteral("--seed"), QStringLiteral("2")}).exit == 0, seeded);
    }

    void everyCollectiveIsMade_data()
    {
        QTest::addColumn<QString>("name");
        for (const char* name : {"all_gather", "reduce_scatter", "all_reduce", "all_to_all", "broadcast", "reduce"})
            QTest::newRow(name) << QString::fromUtf8(name);
    }
    void everyCollectiveIsMade()
    {
        QFETCH(QString, name);
        const QString file = m_folder.filePath(name + QStringLiteral(".xml"));
        const CliResult result = runCli(QStringList{QStringLiteral("synthesize"), QStringLiteral("--topology"), QStringLiteral("Ring(3)_Switch(2)"),
                                                    QStringLiteral("--bandwidth"), QStringLiteral("100,25"), QStringLiteral("--latency"), QStringLiteral("500"),
                                                    QStringLiteral("--size"), QStringLiteral("6MiB"), QStringLiteral("--collective"), name,
                                                    QStringLiteral("--out"), file, QStringLiteral("--json")});
        QVERIFY2(result.exit == 0, result.err);
        QVERIFY(jsonOf(result)["simulated_ns"].get<double>() > 0);
        const Result<MscclFile> read = readMsccl(file.toStdString());
        QVERIFY(read && read.value().program);
        QVERIFY(read.value().valid());
    }

    void automaticChunksAreNeverLonger()
    {
        const char* const fabric = "synthesize --topology Ring(2)_FullyConnected(4)_Switch(4) --bandwidth 100,50,18.75 --latency 500 --size 32MiB --json --chunks ";
        const json one = jsonOf(runCli((std::string(fabric) + "1").c_str()));
        const json best = jsonOf(runCli((std::string(fabric) + "auto").c_str()));
        QVERIFY(best["planned_ns"].get<double>() < 0.9 * one["planned_ns"].get<double>());
        QVERIFY(best["chunks"].get<int>() > 1);
    }

    void automaticMethodTakesTheShortest()
    {
        const json best = jsonOf(runCli("synthesize --topology Ring(4) --bandwidth 50 --latency 500 --size 64MiB --collective broadcast --chunks 8 --method auto --json"));
        const json greedy = jsonOf(runCli("synthesize --topology Ring(4) --bandwidth 50 --latency 500 --size 64MiB --collective broadcast --chunks 8 --json"));
        QVERIFY(best["planned_ns"].get<double>() <= greedy["planned_ns"].get<double>());
    }

    void takesThePlatformOfADesign()
    {
        const QString design = m_folder.filePath(QStringLiteral("four.yaml"));
        QVERIFY(writeFile(design, "fabricscope: 1\nname: four\nplatform:\n  dimensions:\n    - {shape: ring, size: 4, bandwidth: 1 GB/s, latency: 0 ns}\n"
                                  "workload:\n  steps:\n    - {collective: all_reduce, size: 4000 B}\nmodel: {name: links}\n"));
        const CliResult result = runCli(QStringList{QStringLiteral("synthesize"), design, QStringLiteral("--size"), QStringLiteral("4000"), QStringLiteral("--json")});
        QVERIFY2(result.exit == 0, result.err);
        QCOMPARE(jsonOf(result)["ranks"].get<int>(), 4);
        QCOMPARE(jsonOf(result)["steps"].get<int>(), 2);
    }

    void refusesWithTheOptionAtFault_data()
    {
        QTest::addColumn<QString>("arguments");
        QTest::addColumn<QString>("message");
        const QString ring = QStringLiteral("--topology Ring(4) --bandwidth 50 --latency 500 --size 4MiB ");
        QTest::newRow("nothing") << "--size 4MiB" << "--topology: give a design or --topology";
        QTest::newRow("collective") << ring + "--collective gather" << "--collective: there is no collective \"gather\"";
        QTest::newRow("method") << ring + "--method magic" << "--method: there is no method \"magic\"";
        QTest::newRow("chunks") << ring + "--chunks 0" << "--chunks: \"0\" is no number of chunks";
        QTest::newRow("tries") << ring + "--tries 0" << "--tries: 0 is no number of tries";
        QTest::newRow("threads") << ring + "--threads 1000" << "--threads: 1000 is no number of threads";
        QTest::newRow("limit") << ring + "--time-limit -1" << "--time-limit: the time limit is negative";
        QTest::newRow("root") << ring + "--collective reduce --root 7" << "root is 7";
        QTest::newRow("out") << ring + "--out program.png" << "--out: cannot tell the format";
        QTest::newRow("size") << "--topology Ring(4) --bandwidth 50 --latency 500 --size 0" << "--size: there is nothing to send";
        QTest::newRow("trees") << ring + "--method trees" << "";
    }
    void refusesWithTheOptionAtFault()
    {
        QFETCH(QString, arguments);
        QFETCH(QString, message);
        const CliResult result = runCli(QStringList{QStringLiteral("synthesize")} + arguments.split(QLatin1Char(' '), Qt::SkipEmptyParts));
        QCOMPARE(result.exit, 2);
        QVERIFY2(QString::fromUtf8(result.err).contains(message), result.err);
        QVERIFY(result.out.isEmpty());
    }

    void interruptGivesTheBestSoFar()
    {
        QProcess process;
        process.start(QString::fromUtf8(kCliPath),
                      QStringLiteral("synthesize --topology FullyConnected(3)_Switch(11) --bandwidth 50,7 --latency 500 --size 33MiB --chunks 5 --tries 100000000 --json")
                          .split(QLatin1Char(' ')));
        QVERIFY(process.waitForStarted());
        // Its bound is out of reach and its tries take days: it runs until it is told to stop.
        process.setReadChannel(QProcess::StandardError);
        QByteArray told;
        while (!told.contains("best"))
            QVERIFY2(process.waitForReadyRead(60'000) && !(told += process.readAllStandardError()).isEmpty(), told.constData());
        ::kill(static_cast<pid_t>(process.processId()), SIGINT);
        QVERIFY(process.waitForFinished(30'000));
        QCOMPARE(process.exitCode(), 4);
        const json out = json::parse(process.readAllStandardOutput().toStdString(), nullptr, false);
        QVERIFY(out["cut_short"].get<bool>());
    }

private:
    QTemporaryDir m_folder;
};

FABRICSCOPE_TEST(CliSynthesizeTest)
#include "tst_cli_synthesize.moc"
