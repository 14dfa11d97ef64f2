// What a person at a terminal sees besides the result: a line of progress, nothing of it elsewhere, and only errors when quiet.
#include "tests/unit/support/clirun.h"
#include "tests/unit/support/testprogram.h"

#include <QRegularExpression>
#include <QStandardPaths>
#include <QTemporaryDir>
#include <QtTest>

using namespace fabricscope;
using namespace fabricscope::test;

namespace {

/// Two warnings.
const char* const kWarned = "fabricscope: 1\nplatform: {topology: Ring(4), bandwidth: 50 GB/s, latency: 1 us}\nmodel: {name: ideal}\nnetwork: {protocol: LL}\nworkload: {collective: all_reduce, size: 1 MiB}\n";
/// Takes minutes.
const char* const kLong = "collective --topology 'Ring(512)' --bandwidth 50 --latency 500 --collective all_reduce --size 1GiB --algorithm ring --chunks 256 --engine events";

/// A command at a terminal of its own.
class AtTerminal {
public:
    explicit AtTerminal(const QString& command, const QString& kind = QStringLiteral("xterm"))
    {
        QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
        environment.insert(QStringLiteral("TERM"), kind);
        environment.insert(QStringLiteral("NO_COLOR"), QStringLiteral("1"));
        process.setProcessEnvironment(environment);
        process.start(QStringLiteral("script"), {QStringLiteral("-qec"), QString::fromUtf8(kCliPath) + QLatin1Char(' ') + command, QStringLiteral("/dev/null")});
    }
    ~AtTerminal()
    {
        process.kill();
        process.waitForFinished();
    }
    bool shows(const QRegularExpression& text)
    {
        return waitUntil(process, [&] {
            read();
            return text.match(QString::fromUtf8(shown)).hasMatch();
        });
    }
    /// The key Ctrl+C; the exit code.
    int interrupt()
    {
        process.write("\x03");
        return end();
    }
    int end()
    {
        process.waitForFinished(60'000);
        read();
        return process.exitCode();
    }

    QProcess process;
    QByteArray shown;

private:
    void read() { shown += process.readAllStandardOutput(); }
};

} // namespace

class CliTerminalTest : public QObject {
    Q_OBJECT

private slots:
    void initTestCase()
    {
        if (QStandardPaths::findExecutable(QStringLiteral("script")).isEmpty())
            QSKIP("script(1) is not installed");
    }

    void aTerminalShowsHowFarARunIs()
    {
        AtTerminal terminal(QString::fromUtf8(kLong));
        // Phase, share, rate and, once the share says something, the time left.
        QVERIFY2(terminal.shows(QRegularExpression(QStringLiteral("\\r\\x1b\\[Ksimulating  \\d+ %  \\d+\\.\\d [kMG] events/s  \\d+ (s|min|h) left"))), terminal.shown.constData());
        QCOMPARE(terminal.interrupt(), 4);
        // The line is taken away, and nothing is coloured.
        QVERIFY2(terminal.shown.contains("\r\x1b[Kcancelled"), terminal.shown.constData());
        QVERIFY(!QString::fromUtf8(terminal.shown).contains(QRegularExpression(QStringLiteral("\\x1b\\[[0-9;]*m"))));
    }

    void noLineWhereItCannotBeTakenAwayOrNobodyWantsIt_data()
    {
        QTest::addColumn<QString>("more");
        QTest::addColumn<QString>("kind");
        QTest::newRow("quiet") << QStringLiteral(" --quiet") << QStringLiteral("xterm");
        QTest::newRow("dumb") << QString() << QStringLiteral("dumb");
        QTest::newRow("messages elsewhere") << QStringLiteral(" 2>/dev/null") << QStringLiteral("xterm");
    }
    void noLineWhereItCannotBeTakenAwayOrNobodyWantsIt()
    {
        QFETCH(const QString, more);
        QFETCH(const QString, kind);
        // Another terminal beside it that does show one: by then this one would have, too.
        AtTerminal silent(QString::fromUtf8(kLong) + more, kind);
        AtTerminal other(QString::fromUtf8(kLong));
        QVERIFY(other.shows(QRegularExpression(QStringLiteral("simulating  \\d+ %.* left"))));
        QCOMPARE(silent.interrupt(), 4);
        QVERIFY2(!silent.shown.contains("simulating"), silent.shown.constData());
    }

    void quietSaysErrorsOnly()
    {
        const QTemporaryDir folder;
        QVERIFY(writeFile(folder.filePath(QStringLiteral("w.yaml")), kWarned));
        const CliResult usual = runCli({QStringLiteral("simulate"), QStringLiteral("w.yaml"), QStringLiteral("--json")}, folder.path());
        const CliResult quiet = runCli({QStringLiteral("simulate"), QStringLiteral("w.yaml"), QStringLiteral("--json"), QStringLiteral("--quiet")}, folder.path());
        QVERIFY(usual.err.contains("warning: "));
        QCOMPARE(quiet.err, QByteArray());
        QVERIFY(jsonOf(quiet)["result"] == jsonOf(usual)["result"]);
        const CliResult failed = runCli({QStringLiteral("simulate"), QStringLiteral("none.yaml"), QStringLiteral("--quiet")}, folder.path());
        QCOMPARE(failed.exit, 2);
        QCOMPARE(failed.err, QByteArray("error: none.yaml: file not found\n"));
        QCOMPARE(runCli({QStringLiteral("model"), QStringLiteral("list"), QStringLiteral("--quiet")}).exit, 0);
    }
};

FABRICSCOPE_TEST(CliTerminalTest)
#include "tst_cli_terminal.moc"
