// Ctrl+C at any moment: exit code 4 and no file, or all was done before; nothing else stays behind.
#include "deaddisk.h"
#include "tests/unit/support/clirun.h"
#include "tests/unit/support/testprogram.h"

#include <QDir>
#include <QProcess>
#include <QTemporaryDir>
#include <QtTest/QtTest>

#include <csignal>
#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace fabricscope;
using namespace fabricscope::test;

namespace {

constexpr int kPatience = 60'000; // ms

/// 64 ranks, `steps` all-reduces: long enough to be met at work, and a timeline of several MB.
QByteArray longDesign(int steps)
{
    return "fabricscope: 1\nname: long\nplatform:\n  dimensions:\n    - {shape: ring, size: 64, bandwidth: 50 GB/s, latency: 500 ns}\n"
           "workload:\n  steps:\n    - repeat: "
        + QByteArray::number(steps)
        + "\n      steps:\n        - {collective: all_reduce, size: 1 MiB}\n        - {compute: 3 us}\n";
}

/// A file of which reading alone takes long (a second), whatever it is for; below the 4 MiB above which a script is refused unread.
QByteArray longFile()
{
    QByteArray text = "fabricscope: 1\n";
    for (int i = 0; i < 180'000; ++i)
        text += "key" + QByteArray::number(i) + ": [1, 2, 3]\n";
    return text;
}

QStringList namesIn(const QString& folder)
{
    return QDir(folder).entryList(QDir::Files | QDir::Hidden | QDir::System);
}

bool hasEnded(QProcess& process)
{
    return process.state() == QProcess::NotRunning || process.waitForFinished(kPatience);
}

void start(QProcess& process, const QString& folder, const QStringList& arguments)
{
    process.setWorkingDirectory(folder);
    process.start(QString::fromUtf8(kCliPath), arguments);
}

void signal(const QProcess& process, int number)
{
    ::kill(static_cast<pid_t>(process.processId()), number);
}

/// Nothing of a result: with --json that it was stopped.
bool saysNothingButStopped(const QByteArray& printed, const QStringList& arguments)
{
    if (!arguments.contains(QStringLiteral("--json")))
        return printed.isEmpty();
    return printed.startsWith("{\"schema\":1,\"error\":{\"code\":4,") && printed.count('\n') == 1;
}

} // namespace

class CliStopTest : public QObject {
    Q_OBJECT
private slots:
    void everyCommandStopsAndLeavesNothing_data()
    {
        QTest::addColumn<QStringList>("arguments");
        QTest::addColumn<int>("number");
        QTest::addColumn<bool>("anyFile");
        const auto row = [](const char* name, const char* arguments, int number = SIGINT, bool anyFile = false) {
            QTest::newRow(name) << QString::fromUtf8(arguments).split(QLatin1Char(' ')) << number << anyFile;
        };
        for (const char* const command : {"plan huge.yaml", "shard huge.yaml --run", "transform huge.yaml --tune", "place huge.yaml", "model show huge.yaml", "case huge.yaml"})
            row(command, command, SIGINT, true);
        row("simulate", "simulate huge.yaml --save out.run --timeline out.json --et traces --report out.html");
        row("SIGTERM", "simulate huge.yaml --save out.run", SIGTERM);
        row("SIGHUP", "simulate huge.yaml --save out.run", SIGHUP);
        row("seeds", "simulate huge.yaml --seeds 1000 --save out.run");
        row("report", "report huge.yaml --out out.html");
        row("report beside another", "report huge.yaml --compare huge.yaml --out out.html");
        row("explain", "explain huge.yaml --json");
        row("compare", "compare huge.yaml --models astra-unaware,links --json");
        row("compare designs", "compare huge.yaml huge.yaml --json");
        row("generate", "generate huge.yaml --out out");
        row("step", "step huge.yaml --json");
        row("synthesize", "synthesize --topology Ring(64)_Ring(64) --bandwidth 50,50 --latency 500,500 --size 64MiB --out out.json");
        row("forest", "synthesize --topology Ring(16)_Ring(16) --bandwidth 50,50 --latency 500,500 --size 64MiB --method forest --out out.json");
        row("tune", "tune --topology Ring(64)_Ring(64) --bandwidth 50,50 --latency 500,500 --collective all_reduce --out out.csv");
        row("fabric", "fabric --line npu/expander\t65536,54,1"); // Just within what is wired: a minute.
        row("program", "program --algorithm ring --op all_reduce --axes 1024 --out out.json");
    }
    void everyCommandStopsAndLeavesNothing()
    {
        QFETCH(QStringList, arguments);
        QFETCH(int, number);
        QFETCH(bool, anyFile);
        const QTemporaryDir folder;
        QVERIFY(writeFile(folder.filePath(QStringLiteral("huge.yaml")), anyFile ? longFile() : longDesign(200'000)));
        QProcess process;
        start(process, folder.path(), arguments);
        QVERIFY(process.waitForStarted());
        QVERIFY(waitUntil(process, [&] { return takesInterrupts(process); }));
        signal(process, number);
        QVERIFY(hasEnded(process));
        QCOMPARE(process.exitStatus(), QProcess::NormalExit);
        const QByteArray said = process.readAllStandardError();
        QVERIFY2(process.exitCode() == 4, said);
        QVERIFY2(said.contains("stopping; a second Ctrl+C ends at once"), said);
        QVERIFY2(said.contains("cancelled"), said);
        const QByteArray printed = process.readAllStandardOutput();
        QVERIFY2(saysNothingButStopped(printed, arguments), printed);
        QCOMPARE(namesIn(folder.path()), QStringList{QStringLiteral("huge.yaml")});
    }

    void fittingOfFabricsStops_data()
    {
        QTest::addColumn<QStringList>("arguments");
        for (const char* const command : {"calibrate rows.csv --out out.yaml", "validate --kind collectives --rows rows.csv --json", "validate --kind collectives --rows rows.csv --fabric hgx-h100-8"})
            QTest::newRow(command) << QString::fromUtf8(command).split(QLatin1Char(' '));
    }
    void fittingOfFabricsStops()
    {
        QFETCH(QStringList, arguments);
        const QTemporaryDir folder;
        // Sizes that are all different: each is simulated, on so many GPUs that all together take minutes.
        QByteArray rows = "gpus,nodes,collective,bytes,time_us\n";
        for (int i = 0; i < 4000; ++i)
            rows += "8,1,all_to_all," + QByteArray::number(qint64{8} << 30 | i * 4096) + ",1000\n";
        QVERIFY(writeFile(folder.filePath(QStringLiteral("rows.csv")), rows));
        QProcess process;
        start(process, folder.path(), arguments);
        QVERIFY(process.waitForStarted());
        QVERIFY(waitUntil(process, [&] { return takesInterrupts(process); }));
        signal(process, SIGINT);
        QVERIFY(hasEnded(process));
        const QByteArray said = process.readAllStandardError();
        QVERIFY2(process.exitCode() == 4, said);
        const QByteArray printed = process.readAllStandardOutput();
        QVERIFY2(saysNothingButStopped(printed, arguments), printed);
        QCOMPARE(namesIn(folder.path()), QStringList{QStringLiteral("rows.csv")});
    }

    /// It waits for the end of standard input, which hears nothing: it is ended from outside, and answers all the same.
    void whatIsEndedFromOutsideAnswersToo()
    {
        const QTemporaryDir folder;
        QProcess process;
        start(process, folder.path(), {QStringLiteral("plan"), QStringLiteral("-"), QStringLiteral("--json")});
        QVERIFY(process.waitForStarted());
        QVERIFY(waitUntil(process, [&] { return takesInterrupts(process); }));
        signal(process, SIGINT);
        QVERIFY(hasEnded(process));
        QCOMPARE(process.exitCode(), 4);
        QCOMPARE(process.readAllStandardOutput(), QByteArray("{\"schema\":1,\"error\":{\"code\":4,\"file\":null,\"line\":null,\"field\":null,\"message\":\"stopped\",\"expected\":null}}\n"));
    }

    void aSecondSignalEndsItToo()
    {
        const QTemporaryDir folder;
        QVERIFY(writeFile(folder.filePath(QStringLiteral("huge.yaml")), longDesign(200'000)));
        QProcess process;
        start(process, folder.path(), {QStringLiteral("simulate"), QStringLiteral("huge.yaml"), QStringLiteral("--save"), QStringLiteral("out.run")});
        QVERIFY(process.waitForStarted());
        QVERIFY(waitUntil(process, [&] { return takesInterrupts(process); }));
        signal(process, SIGINT);
        signal(process, SIGTERM);
        QVERIFY(hasEnded(process));
        QCOMPARE(process.exitStatus(), QProcess::NormalExit);
        QCOMPARE(process.exitCode(), 4);
        QCOMPARE(namesIn(folder.path()), QStringList{QStringLiteral("huge.yaml")});
    }

    /// The moment: so many temporary files beside the design, the last with so many bytes.
    void whileFilesAreWrittenAllAreCompleteOrNone_data()
    {
        QTest::addColumn<int>("files");
        QTest::addColumn<qint64>("bytes");
        for (const int files : {1, 2, 3}) {
            for (const qint64 bytes : {0, 1, 1'000'000})
                QTest::addRow("%d files, %lld B", files, static_cast<long long>(bytes)) << files << bytes;
        }
    }
    void whileFilesAreWrittenAllAreCompleteOrNone()
    {
        QFETCH(int, files);
        QFETCH(qint64, bytes);
        const QTemporaryDir folder;
        QVERIFY(writeFile(folder.filePath(QStringLiteral("d.yaml")), longDesign(400)));
        QProcess process;
        start(process, folder.path(),
              QStringLiteral("simulate d.yaml --ranks all --json --save out.run --timeline out.csv --report out.html").split(QLatin1Char(' ')));
        QVERIFY(process.waitForStarted());
        const QDir inside(folder.path());
        const bool met = waitUntil(process, [&] {
            const QFileInfoList found = inside.entryInfoList({QStringLiteral("out.*")}, QDir::Files, QDir::Time);
            return found.size() >= files && found.front().size() >= bytes;
        });
        if (met)
            signal(process, SIGINT);
        QVERIFY(hasEnded(process));
        QCOMPARE(process.exitStatus(), QProcess::NormalExit);
        const QByteArray out = process.readAllStandardOutput();
        if (process.exitCode() == 4) {
            QCOMPARE(namesIn(folder.path()), QStringList{QStringLiteral("d.yaml")});
            return;
        }
        QCOMPARE(process.exitCode(), 0);
        QCOMPARE(namesIn(folder.path()),
                 (QStringList{QStringLiteral("d.yaml"), QStringLiteral("out.csv"), QStringLiteral("out.html"), QStringLiteral("out.run")}));
        QVERIFY(!nlohmann::json::parse(out.toStdString(), nullptr, false).is_discarded());
        QFile page(folder.filePath(QStringLiteral("out.html")));
        QVERIFY(page.open(QIODevice::ReadOnly) && page.readAll().trimmed().endsWith("</html>"));
    }

    /// Nobody can leave such a disk but by a second signal: while a folder is flushed all files have their names, while a file is, none.
    void aSecondSignalLeavesADeadDisk_data()
    {
        QTest::addColumn<QString>("dead");
        QTest::addColumn<QString>("reached");
        QTest::addColumn<int>("exit");
        QTest::addColumn<bool>("named");
        QTest::newRow("folder") << QStringLiteral("folder") << QStringLiteral("fsync") << 5 << true;
        QTest::newRow("file") << QStringLiteral("file") << QStringLiteral("unlink") << 4 << false;
    }
    void aSecondSignalLeavesADeadDisk()
    {
        QFETCH(QString, dead);
        QFETCH(QString, reached);
        QFETCH(int, exit);
        QFETCH(bool, named);
        const QTemporaryDir folder;
        const QTemporaryDir marks;
        QVERIFY(writeFile(folder.filePath(QStringLiteral("d.yaml")), longDesign(2)));
        QProcess process;
        QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
        environment.insert(QStringLiteral("LD_PRELOAD"), QString::fromUtf8(kDeadDisk));
        environment.insert(QStringLiteral("FABRICSCOPE_DEAD"), dead);
        environment.insert(QStringLiteral("FABRICSCOPE_DEAD_MARK"), marks.filePath(QStringLiteral("mark")));
        process.setProcessEnvironment(environment);
        start(process, folder.path(), QStringLiteral("simulate d.yaml --save out.run").split(QLatin1Char(' ')));
        QVERIFY(process.waitForStarted());
        const auto marked = [&](const QString& name) { return QFile::exists(marks.filePath(QStringLiteral("mark.") + name)); };
        QVERIFY(waitUntil(process, [&] { return marked(QStringLiteral("fsync")); }));
        signal(process, SIGINT);
        QByteArray said;
        QVERIFY(waitUntil(process, [&] {
            said += process.readAllStandardError();
            return said.contains("a second Ctrl+C ends at once") && marked(reached);
        }));
        QCOMPARE(process.state(), QProcess::Running);
        signal(process, SIGINT);
        const bool ended = hasEnded(process);
        if (!ended)
            process.kill();
        QVERIFY(ended);
        QCOMPARE(process.exitStatus(), QProcess::NormalExit);
        QCOMPARE(process.exitCode(), exit);
        QCOMPARE(namesIn(folder.path()).contains(QStringLiteral("out.run")), named);
        said += process.readAllStandardError();
        QVERIFY2(said.contains(named ? "the output files are complete" : "temporary files may be left"), said);
    }

    void nobodyReadsTheResult()
    {
        const QTemporaryDir folder;
        QVERIFY(writeFile(folder.filePath(QStringLiteral("d.yaml")), longDesign(2)));
        const QString pipe = folder.filePath(QStringLiteral("pipe"));
        QCOMPARE(::mkfifo(pipe.toUtf8().constData(), 0600), 0);
        // Open at both ends and never read: the program waits in the middle of its result.
        const int reader = ::open(pipe.toUtf8().constData(), O_RDWR | O_NONBLOCK | O_CLOEXEC);
        QVERIFY(reader >= 0);
        const int capacity = ::fcntl(reader, F_SETPIPE_SZ, 4096);
        QVERIFY(capacity > 0);
        QProcess process;
        process.setStandardOutputFile(pipe);
        start(process, folder.path(), QStringLiteral("simulate d.yaml --ranks all --json --save out.run").split(QLatin1Char(' ')));
        QVERIFY(process.waitForStarted());
        QVERIFY(waitUntil(process, [&] {
            int waiting = 0;
            return ::ioctl(reader, FIONREAD, &waiting) == 0 && waiting >= capacity;
        }));
        signal(process, SIGINT);
        QVERIFY(hasEnded(process));
        ::close(reader);
        QCOMPARE(process.exitStatus(), QProcess::NormalExit);
        QCOMPARE(process.exitCode(), 4);
        QCOMPARE(namesIn(folder.path()), (QStringList{QStringLiteral("d.yaml"), QStringLiteral("pipe")}));
    }
};

FABRICSCOPE_TEST(CliStopTest)
#include "tst_cli_stop.moc"
