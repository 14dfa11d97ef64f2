#include "tests/unit/support/clirun.h"
#include "sourcedir.h"

#include <QDir>
#include <QRegularExpression>
#include <QSet>
#include <QtTest/QtTest>

using namespace fabricscope::test;

namespace {

QString page(const char* name)
{
    QFile file(QStringLiteral(FABRICSCOPE_SOURCE_DIR "/packaging/man/") + QLatin1String(name));
    return file.open(QIODevice::ReadOnly) ? QString::fromUtf8(file.readAll()).replace(QStringLiteral("\\-"), QStringLiteral("-")) : QString();
}

/// Names of subcommands in a help text.
QStringList commandsIn(const QString& help)
{
    QStringList names;
    bool inside = false;
    for (const QString& line : help.split(QLatin1Char('\n'))) {
        if (line.startsWith(QStringLiteral("Subcommands:")))
            inside = true;
        else if (inside && !line.startsWith(QLatin1Char(' ')))
            break;
        else if (inside && line.startsWith(QStringLiteral("  ")) && line.size() > 2 && line[2] != QLatin1Char(' '))
            names += line.simplified().section(QLatin1Char(' '), 0, 0);
    }
    return names;
}

QSet<QString> optionsIn(const QString& text)
{
    static const QRegularExpression option(QStringLiteral("--[a-z][a-z-]+"));
    QSet<QString> names;
    for (auto match = option.globalMatch(text); match.hasNext();)
        names += match.next().captured();
    return names;
}

} // namespace

class CliManTest : public QObject
{
    Q_OBJECT

private slots:
    void everySubcommandOfTheHelpHasItsSectionInTheManualPage()
    {
        const QString manual = page("fabricscope-cli.1");
        const QStringList commands = commandsIn(QString::fromUtf8(runCli("--help").out));
        QVERIFY(commands.size() >= 9);
        for (const QString& command : commands) {
            const QRegularExpression section(QStringLiteral("^\\.SS \"%1[ \"]").arg(command), QRegularExpression::MultilineOption);
            QVERIFY2(section.match(manual).hasMatch(), qPrintable(command + QStringLiteral(" is missing in packaging/man/fabricscope-cli.1")));
        }
    }

    void everyOptionOfTheHelpIsInTheManualPageAndTheOtherWayRound()
    {
        QString help = QString::fromUtf8(runCli("--help").out);
        for (const QString& command : commandsIn(help))
            help += QString::fromUtf8(runCli(QStringList{command, QStringLiteral("--help")}).out);
        // Only the described ones: text between quotes and examples mentions them too.
        const QSet<QString> described = optionsIn(help);
        const QSet<QString> manual = optionsIn(page("fabricscope-cli.1"));
        QVERIFY(described.size() > 30);
        const QSet<QString> missing = described - manual;
        const QSet<QString> extra = manual - described - QSet<QString>{QStringLiteral("--name")};
        QVERIFY2(missing.isEmpty(), qPrintable(QStringLiteral("not in the manual page: ") + QStringList(missing.values()).join(QLatin1Char(' '))));
        QVERIFY2(extra.isEmpty(), qPrintable(QStringLiteral("only in the manual page: ") + QStringList(extra.values()).join(QLatin1Char(' '))));
    }

    void thePagesCarryTheVersionOfTheBuild()
    {
        const QString version = QString::fromUtf8(runCli("--version").out);
        QVERIFY(QRegularExpression(QStringLiteral("^fabricscope-cli \\d+\\.\\d+\\.\\d+ ")).match(version).hasMatch());
        for (const char* name : {"fabricscope.1", "fabricscope-cli.1"})
            QVERIFY(page(name).contains(QStringLiteral("@PROJECT_VERSION@")));
    }

    void exitCodesOfTheHelpAreThoseOfTheManualPage()
    {
        const QString manual = page("fabricscope-cli.1");
        const QString footer = QString::fromUtf8(runCli("--help").out).section(QStringLiteral("Exit codes:"), 1);
        static const QRegularExpression code(QStringLiteral("(?:^|; ?|\\n)\\s*(\\d+) "));
        int count = 0;
        for (auto match = code.globalMatch(footer); match.hasNext(); ++count)
            QVERIFY2(manual.contains(QStringLiteral("\n.B %1\n").arg(match.next().captured(1))), qPrintable(footer));
        QVERIFY(count >= 8);
    }
};

QTEST_GUILESS_MAIN(CliManTest)
#include "tst_cli_man.moc"
