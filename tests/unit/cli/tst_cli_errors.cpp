// What fails under --json says so as JSON, where the result would stand; without it, standard output stays empty.
#include "tests/unit/support/clirun.h"
#include "tests/unit/support/testprogram.h"

#include <QTemporaryDir>
#include <QtTest>

using namespace fabricscope;
using namespace fabricscope::test;

namespace {

const nlohmann::json kNone; ///< null

bool write(const QTemporaryDir& folder, const char* name, const QByteArray& content)
{
    QFile file(folder.filePath(QString::fromLatin1(name)));
    return file.open(QIODevice::WriteOnly) && file.write(content) == content.size();
}

} // namespace

class CliErrorsTest : public QObject
{
    Q_OBJECT

private slots:
    void aFieldOfAFileIsNamedWithItsLine()
    {
        const QTemporaryDir folder;
        QVERIFY(write(folder, "bad.yaml", "fabricscope: 1\nplatform:\n  dimensions:\n    - {shape: Rong, size: 4, bandwidth: 50 GB/s}\nworkload: {collective: all_reduce, size: 1 MiB}\n"));
        const CliResult result = runCli({"simulate", "bad.yaml", "--json"}, folder.path());
        QCOMPARE(result.exit, 2);
        const nlohmann::json error = errorOf(result);
        QVERIFY2(error.is_object(), result.out.constData());
        QCOMPARE(error["code"].get<int>(), 2);
        QCOMPARE(error["file"].get<std::string>(), std::string("bad.yaml"));
        QCOMPARE(error["line"].get<int>(), 4);
        QCOMPARE(error["field"].get<std::string>(), std::string("platform.dimensions[0].shape"));
        QVERIFY(error["expected"].get<std::string>().find("fully_connected") != std::string::npos);
        QVERIFY(!error["message"].get<std::string>().empty());
        // The message for people is the same.
        QVERIFY(result.err.contains(QByteArray::fromStdString(error["message"].get<std::string>())));
    }

    /// An algorithm that the collective does not have is told at the line that chooses it, with its name.
    void anAlgorithmIsRefusedWhereItIsChosen_data()
    {
        QTest::addColumn<QString>("op");
        QTest::addColumn<QString>("settings");
        QTest::addColumn<QString>("message");
        QTest::addColumn<QString>("field");
        QTest::newRow("of dimensions") << "broadcast" << "collectives: {default: {algorithm: halving_doubling}}" << "halving_doubling cannot do broadcast" << "collectives.default";
        QTest::newRow("below the last dimension") << "all_reduce" << "collectives: {default: {algorithm: double_binary_tree}}" << "double_binary_tree cannot do all_reduce in dimension 0 of 2" << "collectives.default";
        QTest::newRow("of a group") << "all_reduce" << "collectives: {rules: [{op: all_reduce, algorithm: swing}]}" << "swing: an axis of 3" << "collectives.rules[0]";
        QTest::newRow("of a model") << "broadcast" << "model: {name: flow}" << "the flow model knows no broadcasts" << "model";
    }
    void anAlgorithmIsRefusedWhereItIsChosen()
    {
        QFETCH(QString, op);
        QFETCH(QString, settings);
        QFETCH(QString, message);
        QFETCH(QString, field);
        const QTemporaryDir folder;
        QVERIFY(write(folder, "d.yaml", QStringLiteral("fabricscope: 1\nplatform: {topology: Ring(3)_Switch(4), bandwidth: 50 GB/s, latency: 1 us}\nworkload: {collective: %1, size: 1 MiB}\n%2\n").arg(op, settings).toUtf8()));
        const CliResult result = runCli({"simulate", "d.yaml", "--json"}, folder.path());
        QCOMPARE(result.exit, 2);
        const nlohmann::json error = errorOf(result);
        QVERIFY2(error.is_object(), result.out.constData());
        QCOMPARE(error["file"].get<std::string>(), std::string("d.yaml"));
        QCOMPARE(error["line"].get<int>(), 4);
        QCOMPARE(QString::fromStdString(error["field"].get<std::string>()), field);
        QVERIFY2(QString::fromStdString(error["message"].get<std::string>()).startsWith(message), result.out.constData());
    }

    void whatIsNotKnownIsNull()
    {
        const CliResult result = runCli({"simulate", "missing.yaml", "--json"});
        QCOMPARE(result.exit, 2);
        const nlohmann::json error = errorOf(result);
        QVERIFY2(error.is_object(), result.out.constData());
        QCOMPARE(error["file"].get<std::string>(), std::string("missing.yaml"));
        for (const char* key : {"line", "field", "expected"})
            QVERIFY2(error.contains(key) && error[key] == kNone, key);
    }

    /// What a design takes as it is says so, rather than what else it might have been.
    void aScheduleInGoalIsNotConverted()
    {
        const QTemporaryDir folder;
        QVERIFY(write(folder, "step.goal", "num_ranks 2\nrank 0 {\nl1: send 8b to 1 tag 0\n}\nrank 1 {\nl1: recv 8b from 0 tag 0\n}\n"));
        const CliResult result = runCli({"convert", "step.goal", "step.et"}, folder.path());
        QCOMPARE(result.exit, 2);
        QVERIFY2(result.err.contains("workload: {trace: step.goal}"), result.err.constData());
        QVERIFY(!QFile::exists(folder.filePath("step.et")));
        QVERIFY(write(folder, "d.yaml", "fabricscope: 1\nplatform: {topology: Switch(2), bandwidth: 50 GB/s, latency: 1 us}\nworkload: {trace: step.goal}\n"));
        QCOMPARE(runCli({"simulate", "d.yaml"}, folder.path()).exit, 0);
    }

    void theCommandLineIsAnInputToo_data()
    {
        QTest::addColumn<QStringList>("arguments");
        QTest::addColumn<QString>("field");
        QTest::addColumn<QString>("message");
        QTest::addColumn<QString>("expected");
        QTest::newRow("command") << QStringList{"simulat", "--json"} << QString() << QStringLiteral("there is no command \"simulat\"; fabricscope-cli help lists them") << QString();
        QTest::newRow("no command") << QStringList{"--json"} << QString() << QStringLiteral("the command is missing") << QStringLiteral("one of those that fabricscope-cli help lists");
        QTest::newRow("unknown option") << QStringList{"presets", "--jsno", "--json"} << QStringLiteral("--jsno") << QStringLiteral("there is no such option") << QString();
        QTest::newRow("misspelt option") << QStringList{"simulate", "a.yaml", "--treads", "4", "--json"} << QStringLiteral("--treads") << QStringLiteral("there is no such option, did you mean \"--threads\"?") << QString();
        QTest::newRow("unknown option with a value") << QStringList{"program", "list", "--nothing=3", "--json"} << QStringLiteral("--nothing") << QStringLiteral("there is no such option") << QString();
        QTest::newRow("unknown option before its value") << QStringList{"lint", "x", "--far", "away", "--json"} << QStringLiteral("--far") << QStringLiteral("there is no such option") << QString();
        QTest::newRow("argument too many") << QStringList{"simulate", "a.yaml", "b.yaml", "--json"} << QStringLiteral("b.yaml") << QStringLiteral("one argument more than simulate takes") << QString();
        QTest::newRow("missing option") << QStringList{"collective", "--json"} << QStringLiteral("--topology") << QStringLiteral("the option is missing") << QStringLiteral("--topology TEXT");
        QTest::newRow("missing argument") << QStringList{"report", "--json"} << QStringLiteral("INPUT") << QStringLiteral("the argument is missing") << QStringLiteral("A run (simulate --save), or a design file");
        QTest::newRow("missing value") << QStringList{"presets", "--json", "--memory-limit"} << QStringLiteral("--memory-limit") << QStringLiteral("its value is missing") << QStringLiteral("--memory-limit TEXT");
        QTest::newRow("no number") << QStringList{"simulate", "a.yaml", "--seed", "-1", "--json"} << QStringLiteral("--seed") << QStringLiteral("\"-1\"") << QStringLiteral("a whole number from 0 to 18446744073709551615");
        QTest::newRow("out of range") << QStringList{"plan", "search", "a.yaml", "--top", "0", "--json"} << QStringLiteral("--top") << QStringLiteral("\"0\"") << QStringLiteral("a whole number from 1 to 10000");
        QTest::newRow("below zero") << QStringList{"step", "a.yaml", "--chunk", "-1", "--json"} << QStringLiteral("--chunk") << QStringLiteral("\"-1\"") << QStringLiteral("0 or more");
        QTest::newRow("empty") << QStringList{"simulate", "a.yaml", "--save", "", "--json"} << QStringLiteral("--save") << QStringLiteral("the value is empty") << QString();
        QTest::newRow("one of two") << QStringList{"verify", "x", "--in-place", "--out-of-place", "--json"} << QStringLiteral("--in-place") << QStringLiteral("not used with --out-of-place") << QStringLiteral("one of the two");
        QTest::newRow("value") << QStringList{"collective", "--topology", "Ring(0)", "--bandwidth", "50", "--latency", "500", "--collective", "all_reduce", "--size", "1MiB", "--json"}
                               << QStringLiteral("--topology") << QString() << QString();
    }

    void theCommandLineIsAnInputToo()
    {
        QFETCH(QStringList, arguments);
        QFETCH(QString, field);
        QFETCH(QString, message);
        QFETCH(QString, expected);
        const CliResult result = runCli(arguments);
        QCOMPARE(result.exit, 2);
        const nlohmann::json error = errorOf(result);
        QVERIFY2(error.is_object(), result.out.constData());
        QCOMPARE(error["code"].get<int>(), 2);
        if (!field.isEmpty())
            QCOMPARE(error["field"].get<std::string>(), field.toStdString());
        if (!message.isEmpty())
            QCOMPARE(error["message"].get<std::string>(), message.toStdString());
        if (!expected.isEmpty())
            QCOMPARE(error["expected"].get<std::string>(), expected.toStdString());
    }

    void aTraceIsNamedWithItsOffset()
    {
        const QTemporaryDir folder;
        QVERIFY(write(folder, "cut.0.et", QByteArray("\x05", 1)));
        const CliResult result = runCli({"convert", "cut.0.et", "out.json", "--json"}, folder.path());
        const CliResult lint = runCli({"lint", "cut", "--json"}, folder.path());
        QVERIFY(result.exit == 2 && lint.exit != 0);
        const nlohmann::json error = errorOf(result);
        // A command without --json refuses the option, as JSON.
        QVERIFY2(error.is_object(), result.out.constData());
        QVERIFY2(jsonOf(lint).is_object(), lint.out.constData());
    }

    void whatCannotBeWrittenIsCodeFive()
    {
        const QTemporaryDir folder;
        const QString file = folder.filePath(QStringLiteral("none/run.fsrun"));
        const CliResult result = runCli({"collective", "--topology", "Ring(4)", "--bandwidth", "50", "--latency", "500", "--collective", "all_reduce", "--size", "1MiB", "--json", "--save", file});
        QCOMPARE(result.exit, 5);
        const nlohmann::json error = errorOf(result);
        QVERIFY2(error.is_object(), result.out.constData());
        QCOMPARE(error["code"].get<int>(), 5);
        QCOMPARE(error["file"].get<std::string>(), file.toStdString());
    }

    void overTheMemoryLimitIsCodeSix()
    {
        const CliResult result = runCli({"collective", "--topology", "Switch(4096)", "--bandwidth", "50", "--latency", "500", "--collective", "all_to_all", "--algorithm", "direct", "--size", "1GiB", "--engine", "events",
                                         "--memory-limit", "64 MiB", "--json"});
        QCOMPARE(result.exit, 6);
        const nlohmann::json error = errorOf(result);
        QVERIFY2(error.is_object(), result.out.constData());
        QCOMPARE(error["code"].get<int>(), 6);
    }

    void withoutTheOptionNothingIsPrinted()
    {
        const CliResult result = runCli({"simulate", "missing.yaml"});
        QCOMPARE(result.exit, 2);
        QVERIFY(result.out.isEmpty());
        QCOMPARE(result.err, QByteArray("error: missing.yaml: file not found\n"));
    }
};

FABRICSCOPE_TEST(CliErrorsTest)
#include "tst_cli_errors.moc"
