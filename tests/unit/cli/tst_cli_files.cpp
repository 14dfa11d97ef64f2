// A pipe nobody writes to, or a device without end, wherever a file can be named: refused at once, in words.
#include "tests/unit/support/clirun.h"
#include "tests/unit/support/testprogram.h"

#include <QTemporaryDir>
#include <QtTest>
#include <sys/stat.h>

using namespace fabricscope;
using namespace fabricscope::test;

class TestCliFiles : public QObject {
    Q_OBJECT

private:
    QTemporaryDir m_folder;
    void write(const char* name, const QByteArray& text) { QVERIFY(writeFile(m_folder.filePath(QString::fromUtf8(name)), text)); }

private slots:
    void initTestCase()
    {
        for (const char* const name : {"p", "p.lua", "p.xml", "p.json", "q.0.et", "q.1.et", "q.2.et", "q.3.et", "j.0.json", "j.1.json", "j.2.json", "j.3.json"})
            QCOMPARE(::mkfifo(m_folder.filePath(QString::fromUtf8(name)).toUtf8().constData(), 0600), 0);
        write("net.yml", "topology: [ Ring ]\nnpus_count: [ 4 ]\nbandwidth: [ 50.0 ]\nlatency: [ 500.0 ]\n");
        write("sys.json", "{\"endpoint-delay\": 10}\n");
        write("mem.json", "{\"memory-type\": \"NO_MEMORY_EXPANSION\"}");
        write("custom.json", "{\"all-reduce-implementation-custom\": [\"q\"]}\n");
        write("nodes.json", "{\"per-node-custom-implementation\": \"p\", \"all-reduce-implementation-custom\": [\"x\"]}\n");
        for (int rank = 0; rank < 4; ++rank)
            write(("t." + std::to_string(rank) + ".et").c_str(), traceBytes({collectiveNode(1, 0, 1 << 20)}));
    }

    void everyFieldThatNamesAFileRefusesAPipe_data()
    {
        QTest::addColumn<QByteArray>("design");

        const QByteArray ring = "platform:\n  dimensions: [{shape: ring, size: 4, bandwidth: 50 GB/s, latency: 1 us}]\n";
        const QByteArray steps = "workload: {steps: [{collective: all_reduce, size: 1 MiB}]}\n";
        const auto row = [](const char* name, const QByteArray& text) { QTest::newRow(name) << text; };
        row("platform of ASTRA-sim", "platform: {file: p, kind: astra-sim}\n" + steps);
        row("platform of InfraGraph", "platform: {file: p, kind: infragraph}\n" + steps);
        row("platform of NCCL", "platform: {file: p, kind: nccl}\n" + steps);
        row("endless device", "platform: {file: /dev/zero, kind: astra-sim}\n" + steps);
        row("remote memory", ring + "  remote_memory: {file: p}\n" + steps);
        row("system", ring + steps + "collectives: {system: p}\n");
        row("traces", ring + "workload: {trace: q}\n");
        row("traces in JSON", ring + "workload: {trace: j}\n");
        row("prefix of traces", ring + "workload: {trace: p}\n");
        row("communicator groups", ring + "workload: {trace: t, comm_groups: p}\n");
        row("program", ring + steps + "collectives: {default: {program: p}}\n");
        row("program in XML", ring + steps + "collectives: {default: {program: p.xml}}\n");
        row("program in JSON", ring + steps + "collectives: {default: {program: p.json}}\n");
        row("script", ring + steps + "collectives: {default: {script: p.lua}}\n");
    }
    void everyFieldThatNamesAFileRefusesAPipe()
    {
        QFETCH(QByteArray, design);
        write("design.yaml", "fabricscope: 1\n" + design);
        const CliResult result = runCli({QStringLiteral("simulate"), QStringLiteral("design.yaml")}, m_folder.path());
        QCOMPARE(result.exit, 2);
        const bool device = design.contains("/dev/zero");
        QVERIFY2(result.err.contains(device ? "is a device (expected a regular file)" : "is a pipe (expected a regular file)"), result.err.constData());
        QCOMPARE(result.out, QByteArray());
    }

    void everyArgumentThatNamesAFileRefusesAPipe_data()
    {
        QTest::addColumn<QString>("arguments");
        for (const char* const arguments : {"simulate p", "lint p", "lint q", "verify p", "verify p.xml", "verify p.json", "verify p.lua", "convert p x.json", "convert q.0.et x.et", "report p", "step p",
                 "step p.xml", "step p.lua", "subsets p", "compare p --models links,ideal", "program --script p.lua", "simulate /dev/zero", "step /dev/zero", "lint /dev/zero", "report /dev/zero",
                 "simulate --network p --system sys.json --workload t", "simulate --network net.yml --system p --workload t", "simulate --network net.yml --system sys.json --memory p --workload t",
                 "simulate --network net.yml --system sys.json --comm-group p --workload t", "simulate --network net.yml --system sys.json --workload q",
                 "simulate --network net.yml --system custom.json --workload t --model astra-unaware", "simulate --network net.yml --system nodes.json --workload t --model astra-unaware",
                 "astra --workload-configuration=q --system-configuration=sys.json --network-configuration=net.yml --remote-memory-configuration=mem.json",
                 "collective --topology Ring(4) --bandwidth 50 --latency 500 --collective all_reduce --size 1MiB --program p"})
            QTest::newRow(arguments) << QString::fromUtf8(arguments);
    }
    void everyArgumentThatNamesAFileRefusesAPipe()
    {
        QFETCH(QString, arguments);
        const CliResult result = runCli(arguments.split(QLatin1Char(' ')), m_folder.path());
        QCOMPARE(result.exit, 2);
        QVERIFY2(result.err.contains("(expected a regular file)"), result.err.constData());
    }
};

FABRICSCOPE_TEST(TestCliFiles)
#include "tst_cli_files.moc"
