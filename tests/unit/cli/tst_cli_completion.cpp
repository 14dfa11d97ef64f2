// Completion: scripts that shells accept, with every command and option of the help, and a bash that completes.
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

/// Commands as a help lists them, in its last block.
QStringList commandsOfHelp(const QStringList& command)
{
    const QString help = QString::fromUtf8(runCli(command + QStringList{QStringLiteral("--help")}).out);
    static const QRegularExpression row(QStringLiteral("^  ([a-z]+) "), QRegularExpression::MultilineOption);
    QStringList names;
    const QString list = help.section(QStringLiteral("Subcommands:\n"), 1);
    for (auto match = row.globalMatch(list); match.hasNext();)
        names << match.next().captured(1);
    return names;
}

QStringList optionsOfHelp(const QStringList& command)
{
    const QString help = QString::fromUtf8(runCli(command + QStringList{QStringLiteral("--help")}).out);
    static const QRegularExpression row(QStringLiteral("^  ((?:-[a-z],)?--[a-z-]+(?:,--[a-z-]+)*)"), QRegularExpression::MultilineOption);
    QStringList names;
    for (auto match = row.globalMatch(help); match.hasNext();)
        names += match.next().captured(1).split(QLatin1Char(','));
    return names;
}

} // namespace

class CliCompletionTest : public QObject {
    Q_OBJECT

private:
    QTemporaryDir m_folder;

    QString script(const char* shell) const { return m_folder.filePath(QString::fromUtf8(shell)); }

    /// What bash offers for the last of the words.
    QStringList offered(const QStringList& words) const
    {
        QProcess bash;
        bash.start(QStringLiteral("bash"), QStringList{QStringLiteral("-c"), QStringLiteral("source \"$0\"; COMP_WORDS=(fabricscope-cli \"$@\"); COMP_CWORD=$#; _fabricscope_cli; printf '%s\\n' \"${COMPREPLY[@]}\""), script("bash")} + words);
        if (!bash.waitForFinished() || bash.exitCode() != 0)
            return {QStringLiteral("bash failed: ") + QString::fromUtf8(bash.readAllStandardError())};
        return QString::fromUtf8(bash.readAllStandardOutput()).split(QLatin1Char('\n'), Qt::SkipEmptyParts);
    }

private slots:
    void initTestCase()
    {
        for (const char* const shell : {"bash", "zsh", "fish"}) {
            const CliResult printed = runCli({QStringLiteral("completion"), QString::fromUtf8(shell)});
            QCOMPARE(printed.exit, 0);
            QVERIFY(writeFile(script(shell), printed.out));
        }
    }

    void shellsAcceptTheirScripts_data()
    {
        QTest::addColumn<QString>("shell");
        for (const char* const shell : {"bash", "zsh", "fish"})
            QTest::newRow(shell) << QString::fromUtf8(shell);
    }
    void shellsAcceptTheirScripts()
    {
        QFETCH(const QString, shell);
        if (QStandardPaths::findExecutable(shell).isEmpty())
            QSKIP("this shell is not installed");
        QProcess process;
        process.start(shell, {QStringLiteral("-n"), script(shell.toUtf8().constData())});
        QVERIFY(process.waitForFinished());
        const QByteArray said = process.readAllStandardError();
        QVERIFY2(process.exitCode() == 0 && said.isEmpty(), said.constData());
    }

    void bashOffersEveryCommandAndOption()
    {
        const QStringList commands = commandsOfHelp({});
        QVERIFY(commands.size() >= 29);
        QStringList missing;
        const auto compare = [&](const QStringList& words, const QString& begin, const QStringList& wanted) {
            const QStringList found = offered(words + QStringList{begin});
            for (const QString& word : wanted) {
                if (!found.contains(word))
                    missing << words.join(QLatin1Char(' ')) + QLatin1Char(' ') + word;
            }
        };
        compare({}, QString(), commands);
        for (const QString& command : commands) {
            // The options of the former are ASTRA-sim's, which another parser reads; the latter prints the help of the program.
            if (command == QLatin1String("astra") || command == QLatin1String("help"))
                continue;
            compare({command}, QStringLiteral("-"), optionsOfHelp({command}));
            const QStringList parts = commandsOfHelp({command});
            compare({command}, QString(), parts);
            for (const QString& part : parts)
                compare({command, part}, QStringLiteral("--"), optionsOfHelp({command, part}).filter(QStringLiteral("--")));
        }
        QVERIFY2(missing.isEmpty(), qPrintable(missing.join(QLatin1Char('\n'))));
    }

    void bashOffersWhatBeginsSo()
    {
        QCOMPARE(offered({QStringLiteral("sim")}), QStringList{QStringLiteral("simulate")});
        QCOMPARE(offered({QStringLiteral("model"), QStringLiteral("sh")}), QStringList{QStringLiteral("show")});
        QCOMPARE(offered({QStringLiteral("simulate"), QStringLiteral("a.yaml"), QStringLiteral("--ctrl")}), QStringList{QStringLiteral("--ctrl-deps")});
        QCOMPARE(offered({QStringLiteral("model"), QStringLiteral("show"), QStringLiteral("x"), QStringLiteral("--predict")}), QStringList{QStringLiteral("--predict-layers")});
        QCOMPARE(offered({QStringLiteral("simulate"), QStringLiteral("no")}), QStringList());
    }

    void everyShellKnowsWhatBashKnows()
    {
        for (const char* const shell : {"zsh", "fish"}) {
            QFile file(script(shell));
            QVERIFY(file.open(QIODevice::ReadOnly));
            const QString text = QString::fromUtf8(file.readAll());
            for (const QString& command : commandsOfHelp({})) {
                const QString row = QByteArray(shell) == "zsh" ? QStringLiteral(" '%1:").arg(command) : QStringLiteral(" -a %1 -d ").arg(command);
                QVERIFY2(text.contains(row), qPrintable(QString::fromUtf8(shell) + QLatin1Char(' ') + row));
            }
            QVERIFY(text.contains(QByteArray(shell) == "zsh" ? QStringLiteral("'--ctrl-deps:Control dependencies of a trace") : QStringLiteral(" -l ctrl-deps -r -d 'Control dependencies of a trace")));
        }
    }

    /// As a user at a terminal: what stands on the line after the key.
    void aTerminalCompletes()
    {
        if (QStandardPaths::findExecutable(QStringLiteral("script")).isEmpty())
            QSKIP("script(1) is not installed");
        QProcess terminal;
        QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
        environment.insert(QStringLiteral("TERM"), QStringLiteral("xterm"));
        environment.insert(QStringLiteral("INPUTRC"), QStringLiteral("/dev/null"));
        terminal.setProcessEnvironment(environment);
        terminal.start(QStringLiteral("script"), {QStringLiteral("-qec"), QStringLiteral("bash --norc --noprofile -i"), QStringLiteral("/dev/null")});
        QByteArray shown;
        const auto appears = [&](const QByteArray& text) {
            return waitUntil(terminal, [&] {
                shown += terminal.readAllStandardOutput();
                return shown.contains(text);
            });
        };
        terminal.write("source '" + script("bash").toUtf8() + "' && echo rea''dy\n");
        QVERIFY2(appears("ready"), shown.constData());
        terminal.write("fabricscope-cli simu\t");
        QVERIFY2(appears("fabricscope-cli simulate "), shown.constData());
        terminal.write("--ctrl\t");
        QVERIFY2(appears("--ctrl-deps "), shown.constData());
        terminal.kill();
        terminal.waitForFinished();
    }

    void anotherShellIsRefused()
    {
        const CliResult refused = runCli("completion tcsh");
        QCOMPARE(refused.exit, 2);
        QVERIFY2(refused.err.contains("bash, zsh or fish") && refused.out.isEmpty(), refused.err.constData());
    }
};

FABRICSCOPE_TEST(CliCompletionTest)
#include "tst_cli_completion.moc"
