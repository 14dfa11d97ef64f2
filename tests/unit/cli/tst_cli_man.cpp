#include "tests/unit/support/clirun.h"
#include "sourcedir.h"
#include "tests/unit/support/testprogram.h"

#include <QDir>
#include <QDirIterator>
#include <QHash>
#include <QRegularExpression>
#include <QSet>
#include <QTemporaryDir>
#include <QtTest/QtTest>
#include <unistd.h>

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

QString manualSource(const QString& name)
{
    QFile file(QStringLiteral(FABRICSCOPE_SOURCE_DIR "/") + name);
    return file.open(QIODevice::ReadOnly) ? QString::fromUtf8(file.readAll()) : QString();
}

/// Of resources/manual, by topic: the numbers of its sections, in order.
QHash<QString, QStringList> sectionsOfTheManual()
{
    QHash<QString, QStringList> sections;
    static const QRegularExpression heading(QStringLiteral("^(?:## (\\d+)\\.|### (\\d+\\.\\d+)) \\S"), QRegularExpression::MultilineOption);
    static const QRegularExpression block(QStringLiteral("```.*?```"), QRegularExpression::DotMatchesEverythingOption);
    for (const QString& name : QDir(QStringLiteral(FABRICSCOPE_SOURCE_DIR "/resources/manual")).entryList({QStringLiteral("*.md")})) {
        QStringList& numbers = sections[QString(name).remove(QRegularExpression(QStringLiteral("^\\d+-|\\.md$")))];
        for (auto match = heading.globalMatch(manualSource(QStringLiteral("resources/manual/") + name).remove(block)); match.hasNext();) {
            const auto found = match.next();
            numbers += found.captured(1) + found.captured(2);
        }
    }
    return sections;
}

/// Names of files under the folders of our sources that may cite the manual.
QStringList sourceFiles()
{
    const QDir root(QStringLiteral(FABRICSCOPE_SOURCE_DIR));
    QStringList names;
    for (const char* folder : {"app", "core", "widgets", "tests", "packaging", "resources"}) {
        QDirIterator files(root.filePath(QLatin1String(folder)), {QStringLiteral("*.h"), QStringLiteral("*.cpp"), QStringLiteral("*.cmake"), QStringLiteral("*.txt"), QStringLiteral("*.lua")},
                           QDir::Files, QDirIterator::Subdirectories);
        while (files.hasNext())
            names += root.relativeFilePath(files.next());
    }
    names.sort();
    return names;
}

/// "manual: models 3.2", "manual: models 3.2 and 4": topic and number of every citation, also where a comment breaks the line.
QList<std::pair<QString, QString>> citationsIn(QString text)
{
    static const QRegularExpression broken(QStringLiteral("\\n\\s*(?:///?<?|#)? *"));
    static const QRegularExpression citation(QStringLiteral("manual: ([a-z]+)((?:(?: |, | and )\\d+(?:\\.\\d+)?)+)"));
    static const QRegularExpression number(QStringLiteral("\\d+(?:\\.\\d+)?"));
    QList<std::pair<QString, QString>> found;
    text.replace(broken, QStringLiteral(" "));
    for (auto match = citation.globalMatch(text); match.hasNext();) {
        const auto one = match.next();
        for (auto numbers = number.globalMatch(one.captured(2)); numbers.hasNext();)
            found.append({one.captured(1), numbers.next().captured()});
    }
    return found;
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
    /// What the section FILES says, sentence by sentence.
    void theRulesForFilesHold()
    {
        const QString manual = page("fabricscope-cli.1").section(QStringLiteral(".SH FILES"), 1).section(QStringLiteral(".SH "), 0, 0);
        for (const char* word : {"/dev/stdin", "/dev/stdout", "symbolic link", "hard links", "apostrophe"})
            QVERIFY2(manual.contains(QLatin1String(word)), word);
        QTemporaryDir folder;
        const QDir in(folder.path());
        const auto run = [&](const QString& arguments) { return runCli(arguments.split(QLatin1Char(' ')), folder.path()); };
        const auto content = [&](const char* name) {
            QFile file(in.filePath(QLatin1String(name)));
            return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray("unreadable");
        };
        QVERIFY(writeFile(in.filePath(QStringLiteral("d.yaml")), "fabricscope: 1\nplatform: {topology: Ring(4), bandwidth: 50 GB/s, latency: 500 ns}\n"
                                                                 "workload: {steps: [{compute: 1 us, name: \"=1+1\"}, {collective: all_reduce, size: 1 MiB}]}\n"));

        const CliResult nothing = run(QStringLiteral("simulate -"));
        QVERIFY2(nothing.exit == 2 && nothing.err.startsWith("error: -: "), nothing.err.constData());
        const CliResult streamed = run(QStringLiteral("simulate d.yaml --save -"));
        QCOMPARE(streamed.exit, 0);
        QVERIFY(!jsonOf(streamed).is_discarded());
        QCOMPARE(run(QStringLiteral("simulate d.yaml --json --save -")).exit, 2);
        QCOMPARE(run(QStringLiteral("simulate d.yaml --timeline -")).exit, 2);

        QVERIFY(writeFile(in.filePath(QStringLiteral("target")), "old") && QFile::link(QStringLiteral("target"), in.filePath(QStringLiteral("way"))));
        QCOMPARE(run(QStringLiteral("simulate d.yaml --save way")).exit, 0);
        QVERIFY(QFileInfo(in.filePath(QStringLiteral("way"))).isSymLink() && content("target").contains("fabricscope_run"));
        QVERIFY(QFile::link(QStringLiteral("b"), in.filePath(QStringLiteral("a"))) && QFile::link(QStringLiteral("a"), in.filePath(QStringLiteral("b"))));
        QVERIFY(run(QStringLiteral("simulate d.yaml --save a")).exit != 0);
        QVERIFY(writeFile(in.filePath(QStringLiteral("one")), "old"));
        QCOMPARE(::link(in.filePath(QStringLiteral("one")).toLocal8Bit().constData(), in.filePath(QStringLiteral("two")).toLocal8Bit().constData()), 0);
        QCOMPARE(run(QStringLiteral("simulate d.yaml --save two")).exit, 0);
        QCOMPARE(content("one"), QByteArray("old"));
        QVERIFY(content("two").contains("fabricscope_run"));
        QCOMPARE(run(QStringLiteral("simulate d.yaml --save ./d.yaml")).exit, 2);

        QCOMPARE(run(QStringLiteral("simulate d.yaml --timeline t.csv")).exit, 0);
        QVERIFY2(content("t.csv").contains("'=1+1") && !content("t.csv").contains(",=1+1"), content("t.csv"));
    }

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
        for (const QString& command : commandsIn(help)) {
            const QString own = QString::fromUtf8(runCli(QStringList{command, QStringLiteral("--help")}).out);
            help += own;
            for (const QString& inner : commandsIn(own))
                help += QString::fromUtf8(runCli(QStringList{command, inner, QStringLiteral("--help")}).out);
        }
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

    void sectionsOfTheManualAreNumberedInOrder()
    {
        const auto sections = sectionsOfTheManual();
        QVERIFY(sections.size() >= 10);
        for (auto topic = sections.begin(); topic != sections.end(); ++topic) {
            QVERIFY2(!topic->isEmpty(), qPrintable(topic.key()));
            int major = 0;
            int minor = 0;
            for (const QString& number : *topic) {
                if (number.contains(QLatin1Char('.')))
                    QCOMPARE(topic.key() + number, QStringLiteral("%1%2.%3").arg(topic.key()).arg(major).arg(++minor));
                else
                    QCOMPARE(topic.key() + number, QStringLiteral("%1%2").arg(topic.key()).arg(++major));
                if (!number.contains(QLatin1Char('.')))
                    minor = 0;
            }
        }
    }

    void everySectionOfTheManualThatIsCitedIsThere()
    {
        const auto sections = sectionsOfTheManual();
        QStringList missing;
        for (const QString& name : sourceFiles()) {
            for (const auto& [topic, number] : citationsIn(manualSource(name))) {
                if (!sections.value(topic).contains(number))
                    missing += name + QStringLiteral(": ") + topic + QLatin1Char(' ') + number;
            }
        }
        // The topics refer to each other without the word.
        const QRegularExpression reference(QStringLiteral("\\b(%1) (\\d+(?:\\.\\d+)?)").arg(QStringList(sections.keys()).join(QLatin1Char('|'))));
        int references = 0;
        const QDir folder(QStringLiteral(FABRICSCOPE_SOURCE_DIR "/resources/manual"));
        for (const QString& name : folder.entryList({QStringLiteral("*.md")})) {
            for (auto match = reference.globalMatch(manualSource(QStringLiteral("resources/manual/") + name)); match.hasNext(); ++references) {
                const auto found = match.next();
                if (!sections.value(found.captured(1)).contains(found.captured(2)))
                    missing += name + QStringLiteral(": ") + found.captured();
            }
        }
        QVERIFY2(missing.isEmpty(), qPrintable(missing.join(QLatin1Char('\n'))));
        QVERIFY2(references >= 15, qPrintable(QString::number(references)));
    }

    void noCommentCitesADocumentThatIsNotInTheRepository()
    {
        // Names of documents, and numbers of sections without the topic. Files that tests read have other endings.
        static const QRegularExpression outside(QStringLiteral(
            "(?:///?|#).*(?:\\b(?!README|CONTRIBUTING|CHANGELOG|NEWS)[A-Za-z_0-9]+\\.md\\b|\\b[a-z]+_semantics\\b|\\bastra_sim_inputs\\b|[Vv]isual design|format description"
            "|\\b[Ss]ections? \\d)"));
        static const QRegularExpression ours(QStringLiteral("tst_cli_man\\.cpp$"));
        QStringList found;
        int citations = 0;
        for (const QString& name : sourceFiles()) {
            const QString text = manualSource(name);
            citations += static_cast<int>(citationsIn(text).size());
            int number = 0;
            for (const QString& line : text.split(QLatin1Char('\n'))) {
                ++number;
                if (outside.match(line).hasMatch() && !ours.match(name).hasMatch())
                    found += QStringLiteral("%1:%2: %3").arg(name).arg(number).arg(line.trimmed());
            }
        }
        QVERIFY2(found.isEmpty(), qPrintable(found.join(QLatin1Char('\n'))));
        // As many as took the place of such citations; fewer mean that the form above is no longer seen.
        QVERIFY2(citations >= 150, qPrintable(QString::number(citations)));
    }

    void theProgramPrintsTheManual()
    {
        const auto sections = sectionsOfTheManual();
        const CliResult list = runCli("manual");
        QCOMPARE(list.exit, 0);
        const QStringList lines = QString::fromUtf8(list.out).split(QLatin1Char('\n'), Qt::SkipEmptyParts);
        QCOMPARE(lines.size(), sections.size());
        // In order of reading, which is that of the files.
        const QStringList files = QDir(QStringLiteral(FABRICSCOPE_SOURCE_DIR "/resources/manual")).entryList({QStringLiteral("*.md")}, QDir::Files, QDir::Name);
        for (qsizetype i = 0; i < lines.size(); ++i) {
            const QString topic = lines[i].section(QLatin1Char(' '), 0, 0);
            QVERIFY2(files[i].endsWith(QLatin1Char('-') + topic + QStringLiteral(".md")), qPrintable(lines[i] + files[i]));
            const CliResult printed = runCli(QStringList{QStringLiteral("manual"), topic});
            QCOMPARE(printed.exit, 0);
            QCOMPARE(QString::fromUtf8(printed.out), manualSource(QStringLiteral("resources/manual/") + files[i]));
        }
    }

    void theProgramPrintsOneSectionOfTheManual()
    {
        const QByteArray minor = runCli("manual models 3.2").out;
        QVERIFY2(minor.startsWith("### 3.2 Links on the way\n") && minor.count("\n#") == 0, minor.constData());
        const QByteArray major = runCli("manual models 3").out;
        QVERIFY2(major.startsWith("## 3. A message\n") && major.contains(minor) && major.contains("### 3.6") && !major.contains("## 4"), major.constData());
        // The last of a topic ends with it.
        QVERIFY(manualSource(QStringLiteral("resources/manual/02-models.md")).endsWith(QString::fromUtf8(runCli("manual models 7").out)));
    }

    void aTopicOrSectionThatIsNotThereIsRefusedWithTheNearest()
    {
        const CliResult topic = runCli("manual modles");
        QCOMPARE(topic.exit, 2);
        QVERIFY2(topic.out.isEmpty() && topic.err.contains("no topic \"modles\", did you mean \"models\"?") && topic.err.contains("tour, models, astra"), topic.err.constData());
        const CliResult far = runCli("manual xyzzy");
        QCOMPARE(far.exit, 2);
        QVERIFY2(!far.err.contains("did you mean") && far.err.contains("expected tour, models"), far.err.constData());
        const CliResult section = runCli("manual models 3.9");
        QCOMPARE(section.exit, 2);
        QVERIFY2(section.err.contains("no section \"3.9\"") && section.err.contains("3.7, 3.8, 4"), section.err.constData());
    }

    void theReadmeIsTwoScreensAndNamesEveryTopic()
    {
        const QString readme = manualSource(QStringLiteral("README.md"));
        QVERIFY2(readme.size() <= 9000, qPrintable(QString::number(readme.size())));
        for (const QString& name : QDir(QStringLiteral(FABRICSCOPE_SOURCE_DIR "/resources/manual")).entryList({QStringLiteral("*.md")}))
            QVERIFY2(readme.contains(QStringLiteral("](resources/manual/%1)").arg(name)), qPrintable(name));
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

FABRICSCOPE_TEST(CliManTest)
#include "tst_cli_man.moc"
