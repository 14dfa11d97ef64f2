// Every command that README and manual pages print runs, with the numbers printed beside it; the reference design names every key and choice.
#include "core/design/design.h"
#include "core/sim/simulate.h"
#include "sourcedir.h"
#include "support/clirun.h"
#include "support/tracefiles.h"

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
    void write(const char* name, const char* text) const
    {
        QFile file(m_folder.filePath(name));
        if (file.open(QIODevice::WriteOnly))
            file.write(text);
    }

    QTemporaryDir m_folder;
};

/// The lines of ```sh blocks that call the program, and calls between single backquotes that have an argument.
QStringList commandsOf(const QString& markdown)
{
    QStringList commands;
    static const QRegularExpression block("```sh\\n(.*?)```", QRegularExpression::DotMatchesEverythingOption);
    static const QRegularExpression comment("\\s+#.*$");
    for (auto match = block.globalMatch(markdown); match.hasNext();) {
        for (QString line : match.next().captured(1).replace("\\\n", " ").split('\n')) {
            if (line.startsWith("fabricscope-cli "))
                commands.push_back(line.remove(comment).simplified());
        }
    }
    static const QRegularExpression inlined("(?<!`)`(fabricscope-cli [^`]*)`(?!`)");
    for (auto match = inlined.globalMatch(markdown); match.hasNext();) {
        const QString command = match.next().captured(1).simplified();
        // A name of a command alone, as in "`fabricscope-cli convert` turns ...", is no call.
        if (command.count(' ') > 1 || command.endsWith(" presets"))
            commands.push_back(command);
    }
    return commands;
}

} // namespace

class CliPrintedTest : public QObject {
    Q_OBJECT

private slots:
    void everyCommandOfTheReadmeRuns()
    {
        const QStringList commands = commandsOf(sourceText("README.md"));
        QVERIFY2(commands.size() >= 15, qPrintable(commands.join('\n')));
        const Desk desk;
        for (const QString& command : commands) {
            const CliResult result = desk.run(command);
            QVERIFY2(result.exit == 0, qPrintable(command + "\nexit " + QString::number(result.exit) + '\n' + QString::fromUtf8(result.err)));
        }
    }

    void theReadmePrintsTheNumbersOfItsCollective()
    {
        const QString readme = sourceText("README.md");
        const QStringList commands = commandsOf(readme).filter(" collective ");
        QVERIFY(!commands.isEmpty());
        const Desk desk;
        const CliResult result = desk.run(commands.first());
        const CliResult whole = desk.run(QString(commands.first()).replace("--chunks 16", "--chunks 1"));
        for (const auto& [text, number] : {std::pair{result.out, "1121781.385 ns"}, {result.out, "548875 ns"}, {whole.out, "1515375 ns"}}) {
            QVERIFY2(readme.contains(number), number);
            QVERIFY2(text.contains(number), text.constData());
        }
    }

    void theReadmePrintsTheResultOfItsExample()
    {
        const QString readme = sourceText("README.md");
        const Desk desk;
        const CliResult result = desk.run("fabricscope-cli simulate resources/examples/two-level-hgx.yaml");
        const QString out = QString::fromUtf8(result.out);
        for (const QString& line : readme.mid(readme.indexOf("Step time")).section("```", 0, 0).split('\n', Qt::SkipEmptyParts))
            QVERIFY2(out.contains(line.trimmed()), qPrintable(line + "\nis not in\n" + out));
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
        static const QRegularExpression word("\"([a-z_]+)\"");
        int keys = 0;
        QStringList missing;
        const QDir folder(QStringLiteral(FABRICSCOPE_SOURCE_DIR "/core/design"));
        for (const QString& name : folder.entryList({"*reader.cpp", "*section.cpp", "fabricfiles.cpp", "fabricoverlay.cpp"})) {
            const QString source = sourceText("core/design/" + name);
            for (auto match = reader.globalMatch(source); match.hasNext();) {
                for (auto key = word.globalMatch(match.next().captured(1)); key.hasNext();) {
                    const QString text = key.next().captured(1);
                    ++keys;
                    if (!reference.contains(QRegularExpression("\\b" + text + ":")))
                        missing.push_back(text + " of " + name);
                }
            }
        }
        QVERIFY2(missing.isEmpty(), qPrintable(missing.join(", ")));
        QVERIFY2(keys > 80, qPrintable(QString::number(keys)));
    }

    void theReferenceDesignNamesEveryModelAndCollective()
    {
        const QString reference = sourceText("resources/examples/reference.yaml");
        for (const Model model : {Model::Links, Model::Ideal, Model::Flow, Model::AstraUnaware, Model::AstraAware})
            QVERIFY2(reference.contains(QString::fromUtf8(modelName(model).data(), static_cast<qsizetype>(modelName(model).size()))), std::string(modelName(model)).c_str());
        for (const CollectiveOp op : kDesignCollectives)
            QVERIFY2(reference.contains(QString::fromStdString(std::string(collectiveKey(op)))), std::string(collectiveKey(op)).c_str());
    }
};

QTEST_GUILESS_MAIN(CliPrintedTest)
#include "tst_cli_heavy_printed.moc"
