// What a person at a terminal sees besides the result: a line of progress, nothing of it elsewhere, and only errors when quiet. And inputs through "-".
#include "sourcedir.h"
#include "tests/unit/support/clirun.h"
#include "tests/unit/support/testprogram.h"

#include <QDir>
#include <QRegularExpression>
#include <QStandardPaths>
#include <QTemporaryDir>
#include <QtTest>

using namespace fabricscope;
using namespace fabricscope::test;

namespace {

const char* const kText = "fabricscope: 1\nplatform: {topology: Ring(4), bandwidth: 50 GB/s, latency: 1 us}\nworkload: {collective: all_reduce, size: 1 MiB}\n";
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
        // The shell that script(1) asks must become the command, whatever shell it is: Ctrl+C would end it first, with a code of its own.
        environment.insert(QStringLiteral("SHELL"), QStringLiteral("/bin/sh"));
        process.setProcessEnvironment(environment);
        process.start(QStringLiteral("script"), {QStringLiteral("-qec"), QStringLiteral("exec ") + QString::fromUtf8(kCliPath) + QLatin1Char(' ') + command, QStringLiteral("/dev/null")});
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

CliResult withInput(const QStringList& arguments, const QByteArray& input, const QString& folder = {})
{
    QProcess process;
    process.setWorkingDirectory(folder);
    process.start(QString::fromUtf8(kCliPath), arguments);
    process.write(input);
    process.closeWriteChannel();
    CliResult result;
    if (process.waitForFinished(60'000) && process.exitStatus() == QProcess::NormalExit)
        result.exit = process.exitCode();
    result.out = process.readAllStandardOutput();
    result.err = process.readAllStandardError();
    return result;
}

QStringList wordsIn(const char* line)
{
    return QString::fromUtf8(line).remove(QLatin1Char('\'')).split(QLatin1Char(' '));
}

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
        QVERIFY2(terminal.shows(QRegularExpression(QStringLiteral("\\r\\x1b\\[Ksimulating  \\d+ %  \\d+\\.\\d [kMG] events/s  [\\d.]+ (s|min|h) left"))), terminal.shown.constData());
        QCOMPARE(terminal.interrupt(), 4);
        // The line is taken away, and nothing is coloured.
        QVERIFY2(terminal.shown.contains("\r\x1b[Kcancelled"), terminal.shown.constData());
        QVERIFY(!QString::fromUtf8(terminal.shown).contains(QRegularExpression(QStringLiteral("\\x1b\\[[0-9;]*m"))));
    }

    void searchesShowHowFarTheyAre_data()
    {
        QTest::addColumn<QString>("command");
        QTest::addColumn<QString>("line");
        const QString examples = QStringLiteral(FABRICSCOPE_SOURCE_DIR) + QStringLiteral("/resources/examples/");
        QTest::newRow("plans") << QStringLiteral("plan search ") + examples + QStringLiteral("plan/gpt3-175b.yaml --threads 1") << QStringLiteral("(estimating plans|looking for what would change the winner|simulating plans)  \\d+ %  [\\d.]+ (ms|s|min) left");
        QTest::newRow("sizes") << QStringLiteral("tune --topology 'Switch(509)' --collective all_to_all --bandwidth 50 --latency 500 --threads 1") << QStringLiteral("trying sizes  \\d+ %  [\\d.]+ (ms|s|min) left");
        QTest::newRow("schedules") << QStringLiteral("transform ") + examples + QStringLiteral("transform/lamb.yaml --tune") << QStringLiteral("searching schedules  [\\d.]+k? ?programs/s");
        QTest::newRow("placements") << QStringLiteral("place --table ") + examples + QStringLiteral("place/bert.yaml --devices 32,64") << QStringLiteral("placing  \\d+ %");
    }
    void searchesShowHowFarTheyAre()
    {
        QFETCH(const QString, command);
        QFETCH(const QString, line);
        AtTerminal terminal(command);
        QVERIFY2(terminal.shows(QRegularExpression(QStringLiteral("\\r\\x1b\\[K") + line)), terminal.shown.constData());
        QCOMPARE(terminal.interrupt(), 4);
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

    void aMinusIsStandardInput_data()
    {
        QTest::addColumn<QString>("line");
        for (const char* const line : {"simulate - --json", "explain - --json", "fabric - --json", "step - --json", "tune - --collective all_reduce --sizes 1MiB --json", "lint - --json", "compare - other.yaml --json"})
            QTest::newRow(line) << QString::fromUtf8(line);
    }
    void aMinusIsStandardInput()
    {
        QFETCH(const QString, line);
        const QTemporaryDir folder;
        for (const char* const name : {"in.yaml", "other.yaml"})
            QVERIFY(writeFile(folder.filePath(QString::fromUtf8(name)), kText));
        const CliResult piped = withInput(line.split(QLatin1Char(' ')), kText, folder.path());
        const CliResult named = runCli(QString(line).replace(QLatin1String(" - "), QLatin1String(" in.yaml ")).split(QLatin1Char(' ')), folder.path());
        QCOMPARE(named.exit, 0);
        QVERIFY2(piped.exit == 0, piped.err.constData());
        // Names of files are part of some results.
        const auto comparable = [](const CliResult& result) {
            nlohmann::json answer = jsonOf(result);
            answer.erase("run");
            return answer;
        };
        QVERIFY2(comparable(piped) == comparable(named), piped.out.constData());
    }

    void errorsOfStandardInputHaveTheirLine()
    {
        const CliResult refused = withInput({QStringLiteral("simulate"), QStringLiteral("-"), QStringLiteral("--json")}, "fabricscope: 1\nplatform: {topology: Rong(4), bandwidth: 50 GB/s}\n");
        QCOMPARE(refused.exit, 2);
        const nlohmann::json error = errorOf(refused);
        QVERIFY2(error.is_object() && error["file"] == "-" && error["line"] == 2, refused.out.constData());
        const CliResult empty = withInput({QStringLiteral("simulate"), QStringLiteral("-")}, QByteArray());
        QCOMPARE(empty.exit, 2);
    }

    void aMinusIsStandardOutputToo()
    {
        const CliResult both = withInput({QStringLiteral("simulate"), QStringLiteral("-"), QStringLiteral("--save"), QStringLiteral("-")}, kText);
        QCOMPARE(both.exit, 0);
        const QTemporaryDir folder;
        QVERIFY2(both.out.contains("fabricscope_run"), both.out.constData());
        // And on to the next command.
        const CliResult report = withInput({QStringLiteral("report"), QStringLiteral("-"), QStringLiteral("--json")}, both.out);
        QVERIFY2(report.exit == 0, report.err.constData());
        QVERIFY(jsonOf(report)["result"]["finish_ns"].is_number());
        // Nothing is waited for where only the output is named so.
        QProcess process;
        process.start(QString::fromUtf8(kCliPath), wordsIn("fabric --line npu/torus\t2x2 --out -").replaceInStrings(QStringLiteral("\t"), QStringLiteral(" ")));
        QVERIFY(process.waitForFinished(60'000));
        QVERIFY(process.readAllStandardOutput().contains("fabricscope: 1"));
    }
};

FABRICSCOPE_TEST(CliTerminalTest)
#include "tst_cli_terminal.moc"
