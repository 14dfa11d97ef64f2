// Numbers that others published or measured, through the command line.
#include "tests/unit/support/clirun.h"
#include "tests/unit/support/corpus.h"
#include "tests/unit/support/testprogram.h"

#include <QDir>
#include <QTemporaryDir>
#include <QtTest>
#include <set>

using namespace fabricscope;
using namespace fabricscope::test;
using nlohmann::json;

namespace {

QString text(const std::string& utf8)
{
    return QString::fromStdString(utf8);
}

} // namespace

class TestCliPublished : public QObject {
    Q_OBJECT

private slots:
    void theReferencesOwnNumbersComeOutOnEveryRank_data()
    {
        QTest::addColumn<QString>("folder");
        QTest::addColumn<QString>("network");
        QTest::addColumn<QString>("system");
        QTest::addColumn<QString>("backend");
        QTest::addColumn<qlonglong>("cycles");
        // corpus/chakra/README.md, "Published finish times"; manual: astra 9 for the custom collective.
        const auto row = [](const char* name, const char* folder, const char* network, const char* system, const char* backend, qlonglong cycles) {
            QTest::newRow(name) << QString::fromUtf8(folder) << QString::fromUtf8(network) << QString::fromUtf8(system) << QString::fromUtf8(backend) << cycles;
        };
        row("regression test", "micro_all_reduce_8", "network_rt.yml", "system_rt.json", "unaware", 117780);
        row("documentation", "micro_all_reduce_8", "network_astra.yml", "system_astra.json", "unaware", 64440);
        row("custom collective", "custom_ring_allreduce_8", "network_astra.yml", "system_custom.json", "unaware", 90174);
        row("custom collective, aware", "custom_ring_allreduce_8", "network_astra.yml", "system_custom.json", "aware", 90174);
    }
    void theReferencesOwnNumbersComeOutOnEveryRank()
    {
        FABRICSCOPE_NEEDS_SHARED(shared);
        QFETCH(const QString, folder);
        QFETCH(const QString, network);
        QFETCH(const QString, system);
        QFETCH(const QString, backend);
        QFETCH(const qlonglong, cycles);
        const QDir corpus(text(shared + "/corpus/chakra/") + folder);
        const auto file = [&](const QString& name) { return corpus.absoluteFilePath(name); };

        const CliResult astra = runCli({QStringLiteral("astra"), QStringLiteral("--workload-configuration=") + file(QStringLiteral("workload")),
                                        QStringLiteral("--system-configuration"), file(system), QStringLiteral("--network-configuration=") + file(network),
                                        QStringLiteral("--remote-memory-configuration=") + file(QStringLiteral("memory.json")), QStringLiteral("--backend"), backend});
        QVERIFY2(astra.exit == 0, astra.err);
        const auto lines = finishLines(astra.out);
        QCOMPARE(lines.size(), std::size_t{8});
        std::set<int> ranks;
        for (const auto& [rank, finish] : lines) {
            ranks.insert(rank);
            QCOMPARE(finish, cycles);
        }
        QCOMPARE(ranks.size(), std::size_t{8});
        QVERIFY(astra.out.contains("] [workload] [info] sys[0] finished, " + QByteArray::number(cycles) + " cycles, exposed communication "
                                   + QByteArray::number(cycles) + " cycles.\n"));
        QVERIFY(astra.out.contains("] [statistics] [info] sys[7], Comm time: " + QByteArray::number(cycles) + '\n'));

        const CliResult simulate = runCli({QStringLiteral("simulate"), QStringLiteral("--workload"), file(QStringLiteral("workload")), QStringLiteral("--system"),
                                           file(system), QStringLiteral("--network"), file(network), QStringLiteral("--model"), QStringLiteral("astra-") + backend,
                                           QStringLiteral("--json"), QStringLiteral("--ranks"), QStringLiteral("all")});
        QVERIFY2(simulate.exit == 0, simulate.err);
        const json result = jsonOf(simulate).at("result");
        QCOMPARE(result.at("ranks").size(), std::size_t{8});
        for (const json& row : result.at("ranks"))
            QCOMPARE(row.at("finish_ns"), json(cycles));
    }

    void physicalCasesComeOutExactly()
    {
        FABRICSCOPE_NEEDS_SHARED(shared);
        QFile file(text(shared + "/formats/physical_cases.json"));
        QVERIFY(file.open(QIODevice::ReadOnly));
        const json cases = json::parse(file.readAll().toStdString());
        QCOMPARE(cases.size(), std::size_t{12});
        const auto list = [](const json& values) {
            QStringList parts;
            for (const json& value : values)
                parts << (value.is_string() ? text(value.get<std::string>()) : text(value.dump()));
            return parts.join(QLatin1Char(','));
        };
        for (const json& entry : cases) {
            const bool perNpu = entry.contains("npu_bandwidth_GiBps");
            const CliResult result = runCli(
                {QStringLiteral("collective"), QStringLiteral("--topology"), text(entry.at("topology").get<std::string>()),
                 perNpu ? QStringLiteral("--npu-bandwidth") : QStringLiteral("--bandwidth"), list(entry.at(perNpu ? "npu_bandwidth_GiBps" : "bandwidth_GiBps")),
                 QStringLiteral("--latency"), list(entry.at("latency_ns")), QStringLiteral("--collective"), text(entry.at("collective").get<std::string>()),
                 QStringLiteral("--size"), text(entry.at("size_bytes").dump()), QStringLiteral("--algorithm"), list(entry.at("algorithm")),
                 QStringLiteral("--chunks"), text(entry.at("chunks").dump()), QStringLiteral("--endpoint-delay"), text(entry.at("endpoint_delay_ns").dump()),
                 QStringLiteral("--local-mem-bw"), text(entry.at("local_mem_bw_GBps").dump()), QStringLiteral("--json")});
            const QByteArray id = QByteArray::fromStdString(entry.at("id").get<std::string>());
            QVERIFY2(result.exit == 0, id + ": " + result.err);
            // Both have at most three decimals and are far below 2^53 thousandths, so the nearest doubles are equal.
            QVERIFY2(jsonOf(result).at("result").at("finish_ns") == entry.at("finish_ns"), id + ": " + result.out);
        }
    }

    void workedNumbersComeOut_data()
    {
        QTest::addColumn<QString>("arguments");
        QTest::addColumn<QString>("finish");
        // manual: models 6; the last digit counts the picoseconds each duration is rounded up by.
        const auto row = [](const char* name, const char* arguments, const char* finish) {
            QTest::newRow(name) << QString::fromUtf8(arguments) << QString::fromUtf8(finish);
        };
        row("ring of 8", "--topology Ring(8) --bandwidth 50 --latency 500 --collective all_reduce --size 1MiB --algorithm ring", "41179.698");
        row("ring of 8, 4 chunks", "--topology Ring(8) --bandwidth 50 --latency 500 --collective all_reduce --size 1MiB --algorithm ring --chunks 4", "34679.712");
        row("two levels, 16 chunks",
            "--topology Ring(4)_Switch(8) --bandwidth 100,50 --latency 500,1000 --collective all_reduce --size 64MiB --algorithm ring --chunks 16", "1121781.385");
        row("the same in other units",
            "--topology Ring(4)_Switch(8) --bandwidth 100GiB/s,50GiB/s --latency 0.5us,1us --collective all-reduce --size 67108864 --algorithm ring,ring --chunks 16",
            "1121781.385");
    }
    void workedNumbersComeOut()
    {
        QFETCH(const QString, arguments);
        QFETCH(const QString, finish);

        const CliResult result = runCli((QStringLiteral("collective ") + arguments + QStringLiteral(" --json")).split(QLatin1Char(' ')));

        QVERIFY2(result.exit == 0, result.err);
        QVERIFY2(result.out.contains("\"finish_ns\": " + finish.toUtf8() + ","), result.out);
    }

    void theCollectiveCommandSpeaksTheReferencesModelToo()
    {
        // Base case of reference/astra_sim/README.md: 43000 ns; named by either spelling of the algorithm.
        for (const char* const algorithm : {"ring", "oneRing"}) {
            const CliResult result = runCli({QStringLiteral("collective"), QStringLiteral("--topology"), QStringLiteral("Ring(4)"), QStringLiteral("--bandwidth"),
                                             QStringLiteral("50"), QStringLiteral("--latency"), QStringLiteral("500"), QStringLiteral("--collective"),
                                             QStringLiteral("all_reduce"), QStringLiteral("--size"), QStringLiteral("1MiB"), QStringLiteral("--chunks"),
                                             QStringLiteral("4"), QStringLiteral("--algorithm"), QString::fromUtf8(algorithm), QStringLiteral("--optimization"),
                                             QStringLiteral("localBWAware"), QStringLiteral("--model"), QStringLiteral("astra-unaware"), QStringLiteral("--json")});
            QVERIFY2(result.exit == 0, result.err);
            QCOMPARE(jsonOf(result).at("result").at("finish_ns"), json(43000));
        }
    }
};

FABRICSCOPE_TEST(TestCliPublished)
#include "tst_cli_published.moc"
