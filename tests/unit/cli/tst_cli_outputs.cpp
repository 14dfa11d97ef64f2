// No output of a command replaces what the run reads or what it writes besides, however it is spelled; and what cannot be written is said.
#include "tests/unit/support/clirun.h"
#include "tests/unit/support/testprogram.h"

#include <QDir>
#include <QTemporaryDir>
#include <QtTest>
#include <csignal>
#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

extern char** environ; // NOLINT(readability-redundant-declaration): POSIX leaves it to the program

using namespace fabricscope;
using namespace fabricscope::test;

namespace {

QStringList words(const QString& text)
{
    return text.split(QLatin1Char(' '), Qt::SkipEmptyParts);
}

/// Every kind of file that a run reads.
bool writeInputs(const QString& folder)
{
    const QDir in(folder);
    bool good = writeFile(in.filePath(QStringLiteral("net.yml")), "topology: [ Ring ]\nnpus_count: [ 4 ]\nbandwidth: [ 50.0 ]\nlatency: [ 500.0 ]\n")
        && writeFile(in.filePath(QStringLiteral("sys.json")),
                     "{\"endpoint-delay\": 10, \"active-chunks-per-dimension\": 1, \"preferred-dataset-splits\": 4, \"collective-optimization\": \"localBWAware\",\n"
                     "\"local-mem-bw\": 1600, \"all-reduce-implementation\": [\"ring\"], \"reduce-scatter-implementation\": [\"ring\"]}\n")
        && writeFile(in.filePath(QStringLiteral("mem.json")), "{\"memory-type\": \"NO_MEMORY_EXPANSION\"}")
        && writeFile(in.filePath(QStringLiteral("groups.json")), "{\"1\": [0, 1, 2, 3]}")
        && writeFile(in.filePath(QStringLiteral("ring.lua")),
                     "collective('all_reduce', {ranks = 4, chunks = 4})\nfor s = 1, 3 do for c = 0, 3 do\nchunk((c + s) % 4, 'input', c):reduce(chunk((c + s - 1) % 4, 'input', c))\nend end\n"
                     "for s = 0, 2 do for c = 0, 3 do\nchunk((c + s + 3) % 4, 'input', c):copy((c + s) % 4)\nend end\n")
        && writeFile(in.filePath(QStringLiteral("small.yaml")),
                     "fabricscope: 1\nplatform: {topology: Ring(4), bandwidth: 50 GB/s, latency: 500 ns}\nworkload: {collective: all_reduce, size: 1 MiB}\n")
        && writeFile(in.filePath(QStringLiteral("d.yaml")),
                     "fabricscope: 1\nplatform: {file: net.yml, kind: astra-sim, remote_memory: {file: mem.json}}\n"
                     "workload: {trace: t, comm_groups: groups.json}\ncollectives: {default: {script: ring.lua}}\n");
    for (int rank = 0; rank < 4; ++rank)
        good = good && writeFile(in.filePath(QStringLiteral("t.%1.et").arg(rank)), traceBytes({collectiveNode(1, 0, 1 << 20)}));
    good = good && runCli(words(QStringLiteral("program --script ring.lua --out ring.xml --et graph --size 1MiB")), folder).exit == 0
        && runCli(words(QStringLiteral("simulate d.yaml --save d.run")), folder).exit == 0;
    return good;
}

QMap<QString, QByteArray> contentOf(const QString& folder)
{
    QMap<QString, QByteArray> files;
    for (const QString& name : QDir(folder).entryList(QDir::Files | QDir::Hidden | QDir::System)) {
        QFile file(QDir(folder).filePath(name));
        files[name] = file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray("unreadable");
    }
    return files;
}

const char* const kAstraRun = "simulate --network net.yml --system sys.json --memory mem.json --comm-group groups.json --workload t";

/// Runs "COMMAND > /dev/null" and so on in a shell.
CliResult shell(const QString& script, const QString& folder)
{
    return runCli({QStringLiteral("-c"), script}, folder, QStringLiteral("bash"));
}

QString cli()
{
    return QString::fromUtf8(kCliPath) + QLatin1Char(' ');
}

} // namespace

class TestCliOutputs : public QObject {
    Q_OBJECT

private slots:
    void initTestCase();
    void noOutputReplacesAnInput_data();
    void noOutputReplacesAnInput();
    void noTwoOutputsAreOneFile_data();
    void noTwoOutputsAreOneFile();
    void otherFilesAndDevicesAreTaken();
    void anOutputMayTakeThePlaceOfTheResult();
    void standardOutputTakesOneFile_data();
    void standardOutputTakesOneFile();
    void whatCannotBeWrittenEndsWithFive_data();
    void whatCannotBeWrittenEndsWithFive();
    void aReaderThatLeftIsNoSignal();

private:
    QTemporaryDir m_inputs;
};

void TestCliOutputs::initTestCase()
{
    QVERIFY(writeInputs(m_inputs.path()));
}

void TestCliOutputs::noOutputReplacesAnInput_data()
{
    QTest::addColumn<QString>("command"); // %1: the output.
    QTest::addColumn<QString>("option");
    QTest::addColumn<QString>("ending");
    QTest::addColumn<QString>("input");

    struct Output {
        const char* option;
        const char* ending;
    };
    const auto add = [](const QString& command, const QString& option, const QString& ending, const QString& input) {
        QTest::newRow(qPrintable(command.section(QLatin1Char(' '), 0, 1) + QLatin1Char(' ') + option + QStringLiteral(" onto ") + input)) << command << option << ending << input;
    };
    for (const Output& output : {Output{"--save", ".run"}, {"--timeline", ".csv"}, {"--timeline", ".json"}, {"--report", ".html"}, {"--report", ".pdf"}}) {
        const QString option = QString::fromUtf8(output.option);
        for (const char* input : {"d.yaml", "net.yml", "mem.json", "groups.json", "ring.lua", "t.0.et", "t.3.et"})
            add(QStringLiteral("simulate d.yaml ") + option + QStringLiteral(" %1"), option, QString::fromUtf8(output.ending), QString::fromUtf8(input));
        for (const char* input : {"net.yml", "sys.json", "mem.json", "groups.json", "t.2.et"})
            add(QString::fromUtf8(kAstraRun) + QLatin1Char(' ') + option + QStringLiteral(" %1"), option, QString::fromUtf8(output.ending), QString::fromUtf8(input));
        for (const char* program : {"ring.lua", "ring.xml", "graph"})
            add(QStringLiteral("collective --topology Ring(4) --bandwidth 50 --latency 500 --collective all_reduce --size 1MiB --program ") + QString::fromUtf8(program) + QLatin1Char(' ') + option + QStringLiteral(" %1"), option,
                QString::fromUtf8(output.ending), program == QByteArray("graph") ? QStringLiteral("graph.1.et") : QString::fromUtf8(program));
    }
    for (const char* ending : {".html", ".pdf"}) {
        for (const char* input : {"d.run", "d.yaml", "net.yml", "t.1.et", "ring.lua"})
            add(QStringLiteral("report d.run --out %1"), QStringLiteral("--out"), QString::fromUtf8(ending), QString::fromUtf8(input));
        for (const char* input : {"d.yaml", "net.yml", "t.1.et"})
            add(QStringLiteral("report d.yaml --out %1"), QStringLiteral("--out"), QString::fromUtf8(ending), QString::fromUtf8(input));
    }
    add(QStringLiteral("tune small.yaml --collective all_reduce --sizes 1KiB --out %1"), QStringLiteral("--out"), {}, QStringLiteral("small.yaml"));
    add(QStringLiteral("synthesize small.yaml --size 1MiB --out %1"), QStringLiteral("--out"), QStringLiteral(".xml"), QStringLiteral("small.yaml"));
    add(QStringLiteral("synthesize small.yaml --size 1MiB --out %1"), QStringLiteral("--out"), QStringLiteral(".json"), QStringLiteral("small.yaml"));
    add(QStringLiteral("program --script ring.lua --out %1"), QStringLiteral("--out"), QStringLiteral(".xml"), QStringLiteral("ring.lua"));
    add(QStringLiteral("program --script ring.lua --draw %1"), QStringLiteral("--draw"), QStringLiteral(".svg"), QStringLiteral("ring.lua"));
    add(QStringLiteral("convert t.0.et %1"), QStringLiteral("OUT"), QStringLiteral(".json"), QStringLiteral("t.0.et"));
    add(QStringLiteral("convert t.0.et %1"), QStringLiteral("OUT"), QStringLiteral(".et"), QStringLiteral("t.0.et"));
    add(QStringLiteral("convert ring.xml %1"), QStringLiteral("OUT"), QStringLiteral(".xml"), QStringLiteral("ring.xml"));
    add(QStringLiteral("convert graph %1"), QStringLiteral("OUT"), QStringLiteral(".xml"), QStringLiteral("graph.3.et"));
    add(QStringLiteral("convert net.yml %1"), QStringLiteral("OUT"), QStringLiteral(".yaml"), QStringLiteral("net.yml"));
    add(QStringLiteral("convert d.yaml %1"), QStringLiteral("OUT"), QStringLiteral(".yaml"), QStringLiteral("net.yml"));
}

void TestCliOutputs::noOutputReplacesAnInput()
{
    QFETCH(QString, command);
    QFETCH(QString, option);
    QFETCH(QString, ending);
    QFETCH(QString, input);
    const QDir folder(m_inputs.path());
    const QString link = QStringLiteral("link") + ending;
    const QString hard = QStringLiteral("hard") + ending;
    const QByteArray target = folder.filePath(input).toUtf8();
    QFile::remove(folder.filePath(link)); // Of a row that failed.
    QFile::remove(folder.filePath(hard));
    QCOMPARE(::symlink(target.constData(), folder.filePath(link).toUtf8().constData()), 0);
    QCOMPARE(::link(target.constData(), folder.filePath(hard).toUtf8().constData()), 0);
    const auto before = contentOf(m_inputs.path());

    QStringList outputs{link, hard};
    if (input.endsWith(ending)) {
        outputs << input << QStringLiteral("../") + folder.dirName() + QStringLiteral("/./") + input;
    }
    for (const QString& output : outputs) {
        const CliResult result = runCli(words(command.arg(output)), m_inputs.path());
        const QByteArray said = output.toUtf8() + ": " + result.err + result.out;
        QVERIFY2(result.exit == 2, said.constData());
        QVERIFY2(result.err.contains(option.toUtf8()), said.constData());
        QVERIFY2(result.err.contains(output.toUtf8()) && (output == input || result.err.contains(input.toUtf8())), said.constData());
        QVERIFY2(result.out.isEmpty(), said.constData());
    }
    const auto after = contentOf(m_inputs.path());
    QVERIFY(QFile::remove(folder.filePath(link)) && QFile::remove(folder.filePath(hard)));
    QCOMPARE(after, before);
}

void TestCliOutputs::noTwoOutputsAreOneFile_data()
{
    QTest::addColumn<QString>("command");
    QTest::addColumn<QString>("one");
    QTest::addColumn<QString>("other");
    const QString simulate = QStringLiteral("simulate small.yaml ");
    QTest::newRow("run and timeline") << simulate + QStringLiteral("--save new.json --timeline new.json") << "--save" << "--timeline";
    QTest::newRow("run and timeline, spelled otherwise") << simulate + QStringLiteral("--save new.json --timeline ./new.json") << "--save" << "--timeline";
    QTest::newRow("run and groups of traces") << simulate + QStringLiteral("--save new.json --et new") << "--save" << "--et";
    QTest::newRow("timeline and a trace") << simulate + QStringLiteral("--timeline new.3.json --et new") << "--timeline" << "--et";
    QTest::newRow("run and report") << simulate + QStringLiteral("--save new.html --report new.html") << "--save" << "--report";
    QTest::newRow("report and a link to nothing yet") << simulate + QStringLiteral("--save new.run --report dangling.html") << "--save" << "--report";
    QTest::newRow("program and picture") << "program --algorithm ring --axes 4 --out new.json --draw new.json" << "--out" << "--draw";
    QTest::newRow("program and a graph") << "program --algorithm ring --axes 4 --out g.2.json --et g" << "--out" << "--et";
    QTest::newRow("picture and a graph of a folder") << "program --algorithm ring --axes 4 --draw program.0.et --et ." << "--draw" << "--et";
    QTest::newRow("script and graphs") << "program --script x.1.et --algorithm ring --axes 4 --et x" << "--et" << "--script";
    QTest::newRow("graphs and traces") << "convert ring.xml linked --to et" << "OUT" << "ring.xml";
}

void TestCliOutputs::noTwoOutputsAreOneFile()
{
    QFETCH(QString, command);
    QFETCH(QString, one);
    QFETCH(QString, other);
    QTemporaryDir folder;
    const QDir in(folder.path());
    QVERIFY(QFile::copy(m_inputs.filePath(QStringLiteral("small.yaml")), in.filePath(QStringLiteral("small.yaml"))));
    QVERIFY(QFile::copy(m_inputs.filePath(QStringLiteral("ring.xml")), in.filePath(QStringLiteral("ring.xml"))));
    QVERIFY(QFile::copy(m_inputs.filePath(QStringLiteral("ring.lua")), in.filePath(QStringLiteral("x.1.et"))));
    QCOMPARE(::symlink("new.run", in.filePath(QStringLiteral("dangling.html")).toUtf8().constData()), 0);
    QCOMPARE(::symlink("ring.xml", in.filePath(QStringLiteral("linked.3.et")).toUtf8().constData()), 0);
    if (command.contains(QStringLiteral("--script")))
        command.remove(QStringLiteral("--algorithm ring --axes 4 "));
    const auto before = contentOf(folder.path());
    const CliResult result = runCli(words(command), folder.path());
    QVERIFY2(result.exit == 2, result.err.constData());
    QVERIFY2(result.err.contains(one.toUtf8()) && result.err.contains(other.toUtf8()), result.err.constData());
    QCOMPARE(contentOf(folder.path()), before);
}

void TestCliOutputs::otherFilesAndDevicesAreTaken()
{
    // The same commands with files of their own; a link to a file that is no input is followed and stays.
    const QDir folder(m_inputs.path());
    QVERIFY(writeFile(folder.filePath(QStringLiteral("old.run")), "old"));
    QCOMPARE(::symlink("old.run", folder.filePath(QStringLiteral("alias.run")).toUtf8().constData()), 0);
    QCOMPARE(runCli(words(QStringLiteral("simulate d.yaml --save alias.run --timeline a.csv --report a.html")), m_inputs.path()).exit, 0);
    QVERIFY(QFileInfo(folder.filePath(QStringLiteral("alias.run"))).isSymLink());
    QVERIFY(contentOf(m_inputs.path())[QStringLiteral("old.run")].startsWith('{'));
    QCOMPARE(runCli(words(QStringLiteral("program --script ring.lua --out a.xml --draw a.svg --et other")), m_inputs.path()).exit, 0);
    QCOMPARE(runCli(words(QStringLiteral("program --script ring.lua --out a.xml --draw a.svg --et other")), m_inputs.path()).exit, 0); // Over its own.
    QCOMPARE(runCli(words(QStringLiteral("report d.run --out b.html")), m_inputs.path()).exit, 0);
    QVERIFY(contentOf(m_inputs.path())[QStringLiteral("b.html")].startsWith("<!DOCTYPE html>"));
    QCOMPARE(runCli(words(QStringLiteral("simulate small.yaml --save /dev/null")), m_inputs.path()).exit, 0);
    QCOMPARE(shell(cli() + QStringLiteral("simulate small.yaml --save /dev/null > /dev/null"), m_inputs.path()).exit, 0);
}

void TestCliOutputs::anOutputMayTakeThePlaceOfTheResult()
{
    for (const char* name : {"-", "/dev/stdout", "/dev/fd/1"}) {
        const CliResult saved = runCli({QStringLiteral("simulate"), QStringLiteral("small.yaml"), QStringLiteral("--save"), QString::fromUtf8(name)}, m_inputs.path());
        QCOMPARE(saved.exit, 0);
        QVERIFY2(!jsonOf(saved).is_discarded() && jsonOf(saved).is_object(), saved.out.constData()); // The run and nothing else.
        const CliResult both = runCli({QStringLiteral("simulate"), QStringLiteral("small.yaml"), QStringLiteral("--json"), QStringLiteral("--save"), QString::fromUtf8(name)}, m_inputs.path());
        QCOMPARE(both.exit, 2);
        QVERIFY(both.err.contains("--save") && both.err.contains("--json"));
    }
    // Into a file by way of the shell: the file the shell opened, not another under its name.
    QCOMPARE(shell(cli() + QStringLiteral("simulate small.yaml --save /dev/stdout > piped.run"), m_inputs.path()).exit, 0);
    QCOMPARE(runCli(words(QStringLiteral("report piped.run")), m_inputs.path()).exit, 0);
    const CliResult same = shell(cli() + QStringLiteral("simulate small.yaml --save same.run > same.run"), m_inputs.path());
    QCOMPARE(same.exit, 2);
    QVERIFY(same.err.contains("--save") || same.err.contains("standard output"));
    const CliResult appended = shell(cli() + QStringLiteral("simulate small.yaml >> small.yaml"), m_inputs.path());
    QCOMPARE(appended.exit, 2);
    QVERIFY(appended.err.contains("standard output") && appended.err.contains("small.yaml"));
    QCOMPARE(runCli(words(QStringLiteral("simulate small.yaml")), m_inputs.path()).exit, 0);
    // A pipe with a name is written through and stays.
    const CliResult pipe = shell(QStringLiteral("mkfifo p && (cat p > got & ") + cli() + QStringLiteral("simulate small.yaml --save p > /dev/null; e=$?; wait; test -p p && exit $e)"), m_inputs.path());
    QCOMPARE(pipe.exit, 0);
    QCOMPARE(runCli(words(QStringLiteral("report got")), m_inputs.path()).exit, 0);
    QVERIFY(QFile::remove(m_inputs.filePath(QStringLiteral("p"))));
}

void TestCliOutputs::standardOutputTakesOneFile_data()
{
    QTest::addColumn<QString>("command");
    QTest::addColumn<QByteArray>("begins"); // Empty: refused.
    QTest::newRow("a platform") << QStringLiteral("convert small.yaml -") << QByteArray("device_type");
    QTest::newRow("a trace") << QStringLiteral("convert t.0.et -") << QByteArray("{");
    QTest::newRow("a program") << QStringLiteral("program --script ring.lua --out -") << QByteArray("{");
    QTest::newRow("a report") << QStringLiteral("report d.run --out -") << QByteArray("<!DOCTYPE html>");
    QTest::newRow("graphs of a program") << QStringLiteral("program --script ring.lua --et -") << QByteArray();
    QTest::newRow("traces of a plan") << QStringLiteral("generate stages.yaml --out -") << QByteArray();
}

void TestCliOutputs::standardOutputTakesOneFile()
{
    QFETCH(QString, command);
    QFETCH(QByteArray, begins);
    QVERIFY(writeFile(m_inputs.filePath(QStringLiteral("stages.yaml")),
                      "fabricscope: 1\nplatform: {topology: Ring(2), bandwidth: 50 GB/s, latency: 1 us}\nworkload: {plan: {mesh: {axes: [pp], shape: [2]}, "
                      "pipeline: {schedule: gpipe, micro_batches: 2, times: [{forward: 1 ms, backward: 2 ms}, {forward: 1 ms, backward: 2 ms}]}}}\n"));
    const CliResult done = runCli(words(command), m_inputs.path());
    QCOMPARE(done.exit, begins.isEmpty() ? 2 : 0);
    QVERIFY2(begins.isEmpty() ? done.out.isEmpty() && done.err.contains("several files") : done.out.contains(begins), (done.out + done.err).constData());
    QVERIFY(QDir(m_inputs.path()).entryList({QStringLiteral("-*")}).isEmpty());
}

void TestCliOutputs::whatCannotBeWrittenEndsWithFive_data()
{
    QTest::addColumn<QString>("script");
    const QString limited = QStringLiteral("ulimit -f 1; ");
    QTest::newRow("a full disk under a run") << cli() + QStringLiteral("simulate small.yaml --save /dev/full");
    QTest::newRow("a full disk under the result") << cli() + QStringLiteral("simulate small.yaml > /dev/full");
    QTest::newRow("a full disk under JSON") << cli() + QStringLiteral("simulate small.yaml --json > /dev/full");
    QTest::newRow("closed standard output") << cli() + QStringLiteral("simulate small.yaml >&-");
    QTest::newRow("all closed") << cli() + QStringLiteral("simulate small.yaml --save /dev/full <&- >&- 2>&-");
    QTest::newRow("a limit under a run") << limited + cli() + QStringLiteral("simulate small.yaml --save x.run");
    QTest::newRow("a limit under a report") << limited + cli() + QStringLiteral("simulate small.yaml --report x.html");
    QTest::newRow("a limit under a timeline") << limited + cli() + QStringLiteral("collective --topology 'Ring(64)' --bandwidth 50 --latency 500 --collective all_reduce --size 1MiB --ranks all --timeline x.json");
    QTest::newRow("a limit under a program") << limited + cli() + QStringLiteral("program --algorithm ring --axes 16 --out x.xml");
    QTest::newRow("a limit under graphs") << limited + cli() + QStringLiteral("program --algorithm ring --axes 64 --et x");
    QTest::newRow("a limit under a picture") << limited + cli() + QStringLiteral("program --algorithm ring --axes 16 --draw x.svg");
    QTest::newRow("a limit under a packed trace") << limited + cli() + QStringLiteral("convert long.et x.et.gz");
    QTest::newRow("a folder that is none") << cli() + QStringLiteral("simulate small.yaml --save small.yaml/x.run");
    QTest::newRow("a ring of links") << cli() + QStringLiteral("simulate small.yaml --save loop");
}

void TestCliOutputs::whatCannotBeWrittenEndsWithFive()
{
    QFETCH(QString, script);
    QTemporaryDir folder;
    QVERIFY(QFile::copy(m_inputs.filePath(QStringLiteral("small.yaml")), folder.filePath(QStringLiteral("small.yaml"))));
    QCOMPARE(::symlink("loop", folder.filePath(QStringLiteral("loop")).toUtf8().constData()), 0);
    // Sizes that do not pack well.
    std::vector<EtNode> nodes;
    std::uint64_t number = 1;
    for (std::uint64_t id = 1; id <= 2000; ++id) {
        number = number * 6364136223846793005U + 1442695040888963407U;
        nodes.push_back(computeNode(id, static_cast<std::int64_t>(number >> 1U), static_cast<std::int64_t>(number >> 20U)));
    }
    QVERIFY(writeFile(folder.filePath(QStringLiteral("long.et")), traceBytes(nodes)));
    const auto before = contentOf(folder.path());
    const CliResult result = shell(script, folder.path());
    QVERIFY2(result.exit == 5, (QByteArray::number(result.exit) + ": " + result.err).constData());
    if (!script.contains(QStringLiteral("2>&-")))
        QVERIFY2(result.err.contains("cannot be written"), result.err.constData());
    QCOMPARE(contentOf(folder.path()), before); // Neither a part under its name nor a temporary file.
}

void TestCliOutputs::aReaderThatLeftIsNoSignal()
{
    int ends[2];
    QCOMPARE(::pipe2(ends, O_CLOEXEC), 0);
    ::close(ends[0]);
    posix_spawn_file_actions_t actions;
    ::posix_spawn_file_actions_init(&actions);
    ::posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
    ::posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    std::string program = kCliPath;
    std::string command = "presets";
    char* arguments[] = {program.data(), command.data(), nullptr};
    pid_t child = 0;
    QCOMPARE(::posix_spawn(&child, program.c_str(), &actions, nullptr, arguments, environ), 0);
    ::posix_spawn_file_actions_destroy(&actions);
    ::close(ends[1]);
    int status = 0;
    QCOMPARE(::waitpid(child, &status, 0), child);
    QVERIFY(WIFEXITED(status));
    QCOMPARE(WEXITSTATUS(status), 5);
}

FABRICSCOPE_TEST(TestCliOutputs)
#include "tst_cli_outputs.moc"
