// Every command that README, manual and manual pages print runs and prints what they say; the reference design names every key and choice.
#include "core/design/design.h"
#include "core/program/nativerule.h"
#include "core/sim/simulate.h"
#include "sourcedir.h"
#include "tests/unit/support/cases/tracefiles.h"
#include "tests/unit/support/clirun.h"
#include "tests/unit/support/testprogram.h"

#include <QDir>
#include <QRegularExpression>
#include <QTemporaryDir>
#include <QtTest/QtTest>

using namespace fabricscope;
using namespace fabricscope::test;

namespace {

QString sourceText(const QString& name)
{
    QFile file(QStringLiteral(FABRICSCOPE_SOURCE_DIR "/") + name);
    return file.open(QIODevice::ReadOnly) ? QString::fromUtf8(file.readAll()) : QString();
}

/// A folder with the inputs that the printed commands speak of, the program under its name, and the resources.
class Desk {
public:
    Desk()
    {
        QDir folder(m_folder.path());
        folder.mkdir("traces");
        folder.mkdir("bin");
        QFile::link(QString::fromUtf8(kCliPath), m_folder.filePath("bin/fabricscope-cli"));
        QFile::link(QStringLiteral(FABRICSCOPE_SOURCE_DIR "/resources"), m_folder.filePath("resources"));
        for (int rank = 0; rank < 4; ++rank) {
            for (const char* prefix : {"traces/allreduce", "traces/step"}) {
                auto writer = EtWriter::create(m_folder.filePath(QStringLiteral("%1.%2.et").arg(prefix).arg(rank)).toStdString(), {"0.0.4", {}});
                (void)writer.value().add(compNode(1, 3));
                (void)writer.value().add(collNode(2, EtCommType::AllReduce, 1 << 20, {1}));
                (void)writer.value().finish();
            }
        }
        write("network.yml", "topology: [ Ring ]\nnpus_count: [ 4 ]\nbandwidth: [ 50.0 ]\nlatency: [ 500.0 ]\n");
        write("system.json", "{\"scheduling-policy\": \"LIFO\", \"endpoint-delay\": 10, \"active-chunks-per-dimension\": 1, \"preferred-dataset-splits\": 4, \"all-reduce-implementation\": [\"ring\"],"
                             " \"all-gather-implementation\": [\"ring\"], \"reduce-scatter-implementation\": [\"ring\"], \"all-to-all-implementation\": [\"ring\"], \"collective-optimization\": \"localBWAware\","
                             " \"local-mem-bw\": 1600}");
        write("memory.json", "{\"memory-type\": \"NO_MEMORY_EXPANSION\"}");
        write("A.yaml", "fabricscope: 1\nplatform: {topology: Ring(4), bandwidth: 50 GB/s, latency: 1 us}\nworkload: {collective: all_reduce, size: 1 MiB}\n");
        write("B.yaml", "fabricscope: 1\nplatform: {topology: Ring(4), bandwidth: 100 GB/s, latency: 1 us}\nworkload: {collective: all_reduce, size: 1 MiB}\n");
        write("fabric.yaml", "fabricscope: 1\nplatform: {topology: Ring(4), bandwidth: 50 GB/s, latency: 1 us}\nworkload: {collective: all_reduce, size: 1 MiB}\n");
        run("fabricscope-cli simulate A.yaml --save run.json");
    }

    void write(const char* name, const char* text) const
    {
        QFile file(m_folder.filePath(name));
        if (file.open(QIODevice::WriteOnly))
            file.write(text);
    }

    CliResult run(const QString& command) const
    {
        QProcess process;
        QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
        environment.insert("PATH", m_folder.filePath("bin") + ':' + environment.value("PATH"));
        process.setProcessEnvironment(environment);
        process.setWorkingDirectory(m_folder.path());
        process.start("bash", {"-c", command});
        CliResult result;
        if (!process.waitForFinished(300'000))
            return result;
        result.exit = process.exitCode();
        result.out = process.readAllStandardOutput();
        result.err = process.readAllStandardError();
        return result;
    }

private:
    QTemporaryDir m_folder;
};

/// A command as a document prints it, and what it says comes out.
struct Printed {
    QString command;
    int exit = 0;
    QStringList lines; ///< In this order, among others.
};

/// What a reader of a document does from top to bottom: ```yaml blocks that begin with "# save as NAME" are files, the lines of ```sh blocks that call
/// the program are run, so are the "$ " lines of ```console blocks, which print the lines below them and end with the code of a "# exit N" behind
/// them, and at last the calls between single backquotes that have an argument.
QList<Printed> commandsOf(const QString& markdown, const Desk& desk)
{
    QList<Printed> commands;
    static const QRegularExpression block("```(sh|console|yaml)\\n(.*?)```", QRegularExpression::DotMatchesEverythingOption);
    static const QRegularExpression comment("\\s+#.*$");
    static const QRegularExpression saved("^# save as ([a-z]+\\.yaml)");
    static const QRegularExpression exits("# exit (\\d+)$");
    for (auto match = block.globalMatch(markdown); match.hasNext();) {
        const auto found = match.next();
        QString text = found.captured(2);
        if (found.captured(1) == "yaml") {
            if (const auto name = saved.match(text); name.hasMatch())
                desk.write(name.captured(1).toUtf8().constData(), text.toUtf8().constData());
            continue;
        }
        for (QString line : text.replace("\\\n", " ").split('\n', Qt::SkipEmptyParts)) {
            const bool console = found.captured(1) == "console";
            if (console ? line.startsWith("$ ") : line.startsWith("fabricscope-cli "))
                commands.push_back({QString(line).mid(console ? 2 : 0).remove(comment).simplified(), exits.match(line).captured(1).toInt(), {}});
            else if (console && !commands.isEmpty())
                commands.back().lines.push_back(line.trimmed());
        }
    }
    static const QRegularExpression inlined("(?<!`)`(fabricscope-cli [^`]*)`(?!`)");
    for (auto match = inlined.globalMatch(markdown); match.hasNext();) {
        const QString command = match.next().captured(1).simplified();
        // A name of a command alone, as in "`fabricscope-cli convert` turns ...", is no call.
        if (command.count(' ') > 1 || command.endsWith(" presets"))
            commands.push_back({command, 0, {}});
    }
    return commands;
}

/// Empty when every line stands in `text`, in this order.
QString missingLine(const QString& text, const QStringList& lines)
{
    qsizetype at = 0;
    for (const QString& line : lines) {
        const qsizetype found = text.indexOf(line, at);
        if (found < 0)
            return line;
        at = found + line.size();
    }
    return {};
}

} // namespace

class CliPrintedTest : public QObject {
    Q_OBJECT

private slots:
    void everyPrintedCommandRunsAndPrintsWhatItSays_data()
    {
        QTest::addColumn<QString>("document");
        QTest::addColumn<int>("least");
        // README and the topics that are made of commands have this many at least, so that none gets lost with the form of a block.
        QTest::newRow("README.md") << "README.md" << 13;
        const QHash<QString, int> least{{"01-tour.md", 22}, {"02-models.md", 19}, {"05-collectives.md", 7}};
        const QStringList topics = QDir(QStringLiteral(FABRICSCOPE_SOURCE_DIR "/resources/manual")).entryList({"*.md"});
        QVERIFY(topics.size() >= 10);
        for (const QString& topic : topics)
            QTest::newRow(topic.toUtf8().constData()) << "resources/manual/" + topic << least.value(topic);
    }
    void everyPrintedCommandRunsAndPrintsWhatItSays()
    {
        QFETCH(const QString, document);
        QFETCH(const int, least);
        const Desk desk;
        const QList<Printed> commands = commandsOf(sourceText(document), desk);
        QVERIFY2(commands.size() >= least, qPrintable(QString::number(commands.size())));
        for (const Printed& printed : commands) {
            const CliResult result = desk.run(printed.command);
            const QString text = QString::fromUtf8(result.out + result.err);
            QVERIFY2(result.exit == printed.exit, qPrintable(printed.command + "\nexit " + QString::number(result.exit) + '\n' + text));
            const QString missing = missingLine(text, printed.lines);
            QVERIFY2(missing.isEmpty(), qPrintable(printed.command + "\ndoes not print\n" + missing + "\nbut\n" + text));
        }
    }

    void everyExampleOfTheManualPageRuns()
    {
        QString page = sourceText("packaging/man/fabricscope-cli.1");
        page = page.mid(page.indexOf(".SH EXAMPLES"));
        page.replace("\\-", "-").replace("\\(dq", "\"");
        const Desk desk;
        int ran = 0;
        for (const QString& line : page.split('\n')) {
            if (!line.startsWith(".B fabricscope-cli "))
                continue;
            ++ran;
            const CliResult result = desk.run(line.mid(3));
            QVERIFY2(result.exit == 0, qPrintable(line + '\n' + QString::fromUtf8(result.err)));
        }
        QVERIFY(ran >= 3);
    }

    void theReferenceDesignNamesEveryKeyThatIsRead()
    {
        const QString reference = sourceText("resources/examples/reference.yaml");
        static const QRegularExpression reader("MapReader(?:\\s+\\w+)?\\([^;]*?\\{((?:\\s*\"[a-z_]+\",?)+)\\s*\\}");
        static const QRegularExpression row("\\b[a-z]+Field\\(\\s*(\"[a-z_]+\")");
        static const QRegularExpression word("\"([a-z_]+)\"");
        int keys = 0;
        int rows = 0;
        QStringList missing;
        const QDir folder(QStringLiteral(FABRICSCOPE_SOURCE_DIR "/core/design/file"));
        for (const QString& name : folder.entryList({"*reader.cpp", "*section.cpp", "*fields.cpp", "fabricfiles.cpp", "fabricoverlay.cpp"})) {
            const QString source = sourceText("core/design/file/" + name);
            const auto look = [&](const QRegularExpression& form, int& count) {
                for (auto match = form.globalMatch(source); match.hasNext();) {
                    for (auto key = word.globalMatch(match.next().captured(1)); key.hasNext();) {
                        const QString text = key.next().captured(1);
                        ++count;
                        if (!reference.contains(QRegularExpression("\\b" + text + ":")))
                            missing.push_back(text + " of " + name);
                    }
                }
            };
            look(reader, keys);
            look(row, rows);
        }
        QVERIFY2(missing.isEmpty(), qPrintable(missing.join(", ")));
        QVERIFY2(keys == 0 && rows > 125, qPrintable(QStringLiteral("%1 by hand, %2 in rows").arg(keys).arg(rows)));
    }

    void theReferenceDesignNamesEveryModelCollectiveAndAlgorithm()
    {
        const QString reference = sourceText("resources/examples/reference.yaml");
        for (const ModelTraits& model : kModelRows)
            QVERIFY2(reference.contains(QString::fromUtf8(model.name.data(), static_cast<qsizetype>(model.name.size()))), std::string(model.name).c_str());
        for (const NativeRule* const rule : nativeRules())
            QVERIFY2(reference.contains(QString::fromUtf8(rule->key.data(), static_cast<qsizetype>(rule->key.size()))), std::string(rule->key).c_str());
        for (const CollectiveOp op : kDesignCollectives)
            QVERIFY2(reference.contains(QString::fromStdString(std::string(collectiveKey(op)))), std::string(collectiveKey(op)).c_str());
    }
};

FABRICSCOPE_TEST(CliPrintedTest)
#include "tst_cli_heavy_printed.moc"
