// What scripts rely on: exit codes, which stream says what, reproducible results, files whole or not at all.
#include "tests/unit/support/clirun.h"
#include "tests/unit/support/testprogram.h"

#include <QDir>
#include <QRegularExpression>
#include <QTemporaryDir>
#include <QtTest>
#include <csignal>

using namespace fabricscope;
using namespace fabricscope::test;
using nlohmann::json;

namespace {

/// A collective that runs in a millisecond.
const char* const kSmall = "collective --topology Ring(8) --bandwidth 50 --latency 500 --collective all_reduce --size 1MiB --algorithm ring";
/// One that takes minutes.
const char* const kHuge = "collective --topology Ring(512) --bandwidth 50 --latency 500 --collective all_reduce --size 1GiB --algorithm ring --chunks 256 --engine events";

QStringList words(const QString& text)
{
    return text.split(QLatin1Char(' '), Qt::SkipEmptyParts);
}

CliResult run(const QString& arguments, const QString& folder = {})
{
    return runCli(words(arguments), folder);
}

QString small(const char* more)
{
    return QString::fromUtf8(kSmall) + QLatin1Char(' ') + QString::fromUtf8(more);
}

/// The object "result" of a JSON output as bytes.
QByteArray resultBytes(const QByteArray& out)
{
    const qsizetype begin = out.indexOf("\"result\":");
    return out.mid(begin, out.indexOf("\"run\":") - begin);
}

/// Input files of the base case of reference/astra_sim/README.md (43000 ns) in a folder.
bool writeAstraInputs(const QTemporaryDir& folder)
{
    bool good = writeFile(folder.filePath(QStringLiteral("net.yml")), "topology: [ Ring ]\nnpus_count: [ 4 ]\nbandwidth: [ 50.0 ]\nlatency: [ 500.0 ]\n")
        && writeFile(folder.filePath(QStringLiteral("sys.json")),
                     "{\"endpoint-delay\": 10, \"active-chunks-per-dimension\": 1, \"preferred-dataset-splits\": 4, \"collective-optimization\": \"localBWAware\",\n"
                     "\"local-mem-bw\": 1600, \"all-reduce-implementation\": [\"ring\"], \"reduce-scatter-implementation\": [\"ring\"]}\n")
        && writeFile(folder.filePath(QStringLiteral("mem.json")), "{\"memory-type\": \"NO_MEMORY_EXPANSION\"}");
    for (int rank = 0; rank < 4; ++rank)
        good = good && writeFile(folder.filePath(QStringLiteral("t.%1.et").arg(rank)), traceBytes({collectiveNode(1, 0, 1 << 20)}));
    return good;
}

const char* const kAstra = "astra --workload-configuration=t --system-configuration=sys.json --network-configuration=net.yml --remote-memory-configuration mem.json";
const char* const kSimulate = "simulate --workload t --system sys.json --network net.yml";

} // namespace

class TestCliContract : public QObject {
    Q_OBJECT

private slots:
    /// A word longer than a line keeps one for itself; what an option does stays in its column.
    void helpIsAHundredColumnsWide()
    {
        const CliResult help = run(QStringLiteral("--help-all"));
        QCOMPARE(help.exit, 0);
        int more = 0;
        for (const QByteArray& line : help.out.split('\n')) {
            QVERIFY2(line.size() <= 100 || !line.trimmed().contains(' '), line.constData());
            more += line.startsWith(QByteArray(30, ' ')) ? 1 : 0;
        }
        QVERIFY(more > 20);
        // Nothing is lost on the way.
        const QByteArray collective = run(QStringLiteral("collective --help")).out.simplified();
        QVERIFY(collective.contains("auto simulates all of them and takes the fastest (default standard) --program TEXT A program to run instead"));
    }

    void helpAndVersionAreResults()
    {
        const CliResult version = run(QStringLiteral("--version"));
        QCOMPARE(version.exit, 0);
        QVERIFY2(QRegularExpression(QStringLiteral("^fabricscope-cli \\d+\\.\\d+\\.\\d+ \\([^)]+\\)\\n(clang|g)\\+\\+ [^\\n]+, assertions (on|off)\\n$")).match(QString::fromUtf8(version.out)).hasMatch(), version.out);
        QCOMPARE(version.err, QByteArray());

        for (const char* const way : {"--help", "help"}) {
            const CliResult help = run(QString::fromUtf8(way));
            QCOMPARE(help.exit, 0);
            for (const char* const command : {"simulate", "collective", "astra", "lint", "convert", "report", "presets", "examples"})
                QVERIFY2(help.out.contains(command), command);
            QVERIFY(help.out.contains("70 a bug"));
        }
        const CliResult own = run(QStringLiteral("collective --help"));
        QCOMPARE(own.exit, 0);
        QVERIFY(own.out.contains("--npu-bandwidth"));
        QVERIFY(run(QStringLiteral("astra --help")).out.contains("--num-queues-per-dim"));
    }

    void wrongUsageIsRefusedInWords_data()
    {
        QTest::addColumn<QString>("arguments");
        QTest::addColumn<QByteArray>("says");
        const auto row = [](const char* name, const QString& arguments, const char* says) { QTest::newRow(name) << arguments << QByteArray(says); };
        row("no command", QString(), "the command is missing");
        row("unknown command", QStringLiteral("explode"), "explode");
        row("unknown option", small("--speed 3"), "--speed");
        row("option without value", QStringLiteral("collective --topology"), "--topology");
        row("nothing to simulate", QStringLiteral("simulate"), "DESIGN.yaml");
        row("half of the ASTRA-sim inputs", QStringLiteral("simulate --network n.yml"), "--system");
        row("design and ASTRA-sim inputs", QStringLiteral("simulate d.yaml --network n.yml"), "cannot be mixed");
        row("design that is not there", QStringLiteral("simulate /nonexistent/d.yaml"), "/nonexistent/d.yaml");
        row("unknown model", small("--model magic"), "links, ideal, flow, astra-unaware or astra-aware");
        row("unknown engine", small("--engine magic"), "--engine");
        row("unknown rows", small("--ranks some"), "all, classes or none");
        row("threads", small("--threads -1"), "--threads");
        row("memory limit without unit", small("--memory-limit 8"), "--memory-limit");
        row("report of unknown kind", small("--report r.docx"), ".html or .pdf");
        row("timeline of unknown kind", small("--timeline t.png"), "--timeline");
        row("topology", QStringLiteral("collective --topology Mesh(4) --bandwidth 1 --latency 1 --collective all_reduce --size 1MiB"), "--topology");
        row("bandwidth 0", QStringLiteral("collective --topology Ring(4) --bandwidth 0 --latency 1 --collective all_reduce --size 1MiB"), "--bandwidth");
        row("no bandwidth", QStringLiteral("collective --topology Ring(4) --latency 1 --collective all_reduce --size 1MiB"), "--npu-bandwidth");
        row("too many latencies", QStringLiteral("collective --topology Ring(4) --bandwidth 1 --latency 1,2 --collective all_reduce --size 1MiB"), "--latency");
        row("collective", QStringLiteral("collective --topology Ring(4) --bandwidth 1 --latency 1 --collective scatter --size 1MiB"), "all_reduce, all_gather, reduce_scatter, all_to_all or broadcast");
        row("size", QStringLiteral("collective --topology Ring(4) --bandwidth 1 --latency 1 --collective all_reduce --size big"), "--size");
        row("algorithm", small("--algorithm magic").replace(QStringLiteral("--algorithm ring "), QString()), "--algorithm");
        row("one dimension over all under links", small("--algorithm oneRing").replace(QStringLiteral("--algorithm ring "), QString()), "--model astra-unaware");
        row("chunks", small("--chunks 0"), "--chunks");
        row("set without value", QStringLiteral("simulate d.yaml --set platform"), "--set");
        row("astra without its files", QStringLiteral("astra --network-configuration=n.yml"), "--workload-configuration");
        row("astra back end", QString::fromUtf8(kAstra) + QStringLiteral(" --backend=other"), "unaware or aware");
        row("convert to an unknown form", QStringLiteral("convert a.et b.txt"), ".et.gz or .json");
        row("example", QStringLiteral("examples nothing-like-it"), "nothing-like-it");
    }
    void wrongUsageIsRefusedInWords()
    {
        QFETCH(const QString, arguments);
        QFETCH(const QByteArray, says);

        const CliResult result = run(arguments);

        QCOMPARE(result.exit, 2);
        QCOMPARE(result.out, QByteArray());
        QVERIFY2(result.err.contains(says), result.err);
        QVERIFY(result.err.startsWith("error: "));
    }

    void theTextResultIsOnStdoutAlone()
    {
        const CliResult result = run(QString::fromUtf8(kSmall));
        QCOMPARE(result.exit, 0);
        QCOMPARE(result.err, QByteArray());
        QVERIFY(result.out.contains("41179.698 ns"));
        QVERIFY(result.out.contains("1 MiB (1048576 B) on the large side, 128 KiB (131072 B) per rank's shard"));
        // Both ways of counting bandwidth, and what the command assumed.
        QVERIFY(result.out.contains("50 GiB/s  100 GiB/s"));
        QVERIFY(result.out.contains("1600 GB/s"));
    }

    void equalRunsGiveEqualResultBytes_data()
    {
        QTest::addColumn<QString>("arguments");
        QTest::newRow("links") << small("--json --chunks 8 --ranks all");
        QTest::newRow("astra-unaware") << small("--json --chunks 8 --model astra-unaware");
        QTest::newRow("astra-aware") << small("--json --chunks 8 --model astra-aware");
        QTest::newRow("ideal") << small("--json --chunks 8 --model ideal");
    }
    void equalRunsGiveEqualResultBytes()
    {
        QFETCH(const QString, arguments);
        const CliResult first = run(arguments + QStringLiteral(" --threads 1"));
        const CliResult second = run(arguments + QStringLiteral(" --threads 2"));
        QVERIFY2(first.exit == 0, first.err);
        QVERIFY(resultBytes(first.out).size() > 200);
        QCOMPARE(resultBytes(first.out), resultBytes(second.out));
        QCOMPARE(jsonOf(second).at("run").at("threads"), json(2));
    }

    void warningsFailOnlyWhenStrict()
    {
        const QTemporaryDir folder;
        QVERIFY(writeAstraInputs(folder));
        QVERIFY(writeFile(folder.filePath(QStringLiteral("t.4.et")), traceBytes({collectiveNode(1, 0, 1 << 20)})));
        const QString command = QString::fromUtf8(kSimulate) + QStringLiteral(" --model astra-unaware");

        const CliResult mild = run(command, folder.path());
        QCOMPARE(mild.exit, 0);
        QVERIFY(mild.out.contains("Warnings"));
        QVERIFY(mild.out.contains("43000 ns"));
        const CliResult strict = run(command + QStringLiteral(" --strict --json"), folder.path());
        QCOMPARE(strict.exit, 1);
        QCOMPARE(jsonOf(strict).at("result").at("finish_ns"), json(43000));
        QVERIFY(strict.err.startsWith("warning: "));
        QVERIFY(jsonOf(strict).at("result").at("warnings").size() >= 1);
    }

    void aRunThatCannotFinishEndsWithItsWaits()
    {
        const QTemporaryDir folder;
        QVERIFY(writeAstraInputs(folder));
        QVERIFY(writeFile(folder.filePath(QStringLiteral("t.1.et")), traceBytes({messageNode(7, false, 0, 1, 64)})));
        for (const char* const model : {"links", "astra-unaware"}) {
            const CliResult result = run(QString::fromUtf8(kSimulate) + QStringLiteral(" --json --model ") + QString::fromUtf8(model), folder.path());
            QVERIFY2(result.exit == 3 || result.exit == 2, result.err);
            QVERIFY2(result.err.contains("rank 1") || result.err.contains("rank 0"), result.err);
            if (result.exit == 3) {
                QVERIFY(jsonOf(result).at("result").at("finish_ns").is_null());
                QVERIFY(jsonOf(result).at("result").at("waits").size() >= 1);
            }
        }
    }

    void ctrlCEndsARunSoon()
    {
        QProcess process;
        process.start(QString::fromUtf8(kCliPath), words(QString::fromUtf8(kHuge)));
        QVERIFY(process.waitForStarted());
        QVERIFY(waitUntil(process, [&] { return takesInterrupts(process); }));

        QCOMPARE(::kill(static_cast<pid_t>(process.processId()), SIGINT), 0);

        QVERIFY(process.waitForFinished(30'000));
        QCOMPARE(process.exitStatus(), QProcess::NormalExit);
        QCOMPARE(process.exitCode(), 4);
        QVERIFY(process.readAllStandardError().contains("cancelled"));
        QCOMPARE(process.readAllStandardOutput(), QByteArray());
    }

    void tooLittleMemoryEndsARun()
    {
        const CliResult result = run(QString::fromUtf8(kHuge) + QStringLiteral(" --memory-limit 1MiB"));
        QCOMPARE(result.exit, 6);
        QVERIFY2(result.err.contains("memory"), result.err);
        QCOMPARE(result.out, QByteArray());
    }

    void outputThatCannotBeWrittenIsReported()
    {
        for (const char* const option : {"--save /nonexistent/r.json", "--timeline /nonexistent/t.csv", "--et /nonexistent/t", "--report /nonexistent/r.html"}) {
            const CliResult result = run(small(option));
            QCOMPARE(result.exit, 5);
            QVERIFY2(result.err.contains("/nonexistent/"), result.err);
            QVERIFY(result.out.contains("41179.698"));
        }
        QProcess process;
        process.setStandardOutputFile(QStringLiteral("/dev/full"));
        process.start(QString::fromUtf8(kCliPath), words(QString::fromUtf8(kSmall)));
        QVERIFY(process.waitForFinished(60'000));
        QCOMPARE(process.exitCode(), 5);
    }

    void aSavedRunCanBeReportedLater()
    {
        const QTemporaryDir folder;
        const QString names = QStringLiteral(" --save run.json --report direct.html --timeline tasks.json");
        const CliResult direct = run(small("--json") + names, folder.path());
        QVERIFY2(direct.exit == 0, direct.err);
        const CliResult printed = run(QStringLiteral("report run.json --json"), folder.path());
        QVERIFY2(printed.exit == 0, printed.err);
        QCOMPARE(resultBytes(printed.out), resultBytes(direct.out));
        QCOMPARE(run(QStringLiteral("report run.json --out later.html"), folder.path()).exit, 0);
        const auto content = [&](const char* name) {
            QFile file(folder.filePath(QString::fromUtf8(name)));
            return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
        };
        QVERIFY(content("direct.html").startsWith("<!DOCTYPE html>"));
        QCOMPARE(content("later.html"), content("direct.html"));
        QVERIFY(content("tasks.json").contains("\"cat\": \"all_reduce\""));
        QCOMPARE(QDir(folder.path()).entryList(QDir::Files | QDir::Hidden).size(), qsizetype{4});
        // The desktop program paints it, where there is one.
        const CliResult painted = run(QStringLiteral("report run.json --out later.pdf"), folder.path());
        QVERIFY2(painted.exit == 0 ? content("later.pdf").startsWith("%PDF") : painted.err.contains("desktop program"), painted.err);
    }

    void astraUnderstandsTheReferencesOwnOptions()
    {
        const QTemporaryDir folder;
        QVERIFY(writeAstraInputs(folder));

        const CliResult plain = run(QString::fromUtf8(kAstra) + QStringLiteral(" --comm-group-configuration=empty --injection-scale=1 --rendezvous-protocol=false"), folder.path());
        QVERIFY2(plain.exit == 0, plain.err);
        QCOMPARE(plain.err, QByteArray());
        QVERIFY(QRegularExpression(QStringLiteral("^\\[\\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d:\\d\\d\\.\\d{3}\\] \\[workload\\] \\[info\\] sys\\[0\\] finished, 43000 cycles, "
                                                  "exposed communication 43000 cycles\\.\\n")).match(QString::fromUtf8(plain.out)).hasMatch());
        QVERIFY(!QDir(folder.filePath(QStringLiteral("log"))).exists());

        // Three messages of endpoint-delay per rank step: doubling it adds 7 x 10 ns in each of 4 chunks.
        const CliResult scaled = run(QString::fromUtf8(kAstra) + QStringLiteral(" --injection-scale 2"), folder.path());
        QCOMPARE(finishLines(scaled.out).front().second, 43280LL);

        QCOMPARE(run(QString::fromUtf8(kAstra) + QStringLiteral(" --logging-folder=log/deep"), folder.path()).exit, 0);
        QFile log(folder.filePath(QStringLiteral("log/deep/log.log")));
        QVERIFY(log.open(QIODevice::ReadOnly));
        QCOMPARE(finishLines(log.readAll()).size(), std::size_t{4});
    }

    void theAwareBackEndWarnsAboutSeveralDimensions()
    {
        const QTemporaryDir folder;
        QVERIFY(writeAstraInputs(folder));
        QVERIFY(writeFile(folder.filePath(QStringLiteral("net.yml")), "topology: [ Ring, Ring ]\nnpus_count: [ 2, 2 ]\nbandwidth: [ 50, 50 ]\nlatency: [ 500, 500 ]\n"));
        QVERIFY(writeFile(folder.filePath(QStringLiteral("sys.json")),
                          "{\"preferred-dataset-splits\": 4, \"local-mem-bw\": 1600, \"all-reduce-implementation\": [\"ring\", \"ring\"]}\n"));

        const CliResult aware = run(QString::fromUtf8(kAstra) + QStringLiteral(" --backend=aware"), folder.path());

        QCOMPARE(aware.exit, 0);
        QVERIFY2(aware.err.contains("more than one dimension"), aware.err);
        QVERIFY(!run(QString::fromUtf8(kAstra), folder.path()).err.contains("more than one dimension"));
    }

    void theNameOfTheProgramChoosesTheBackEnd()
    {
        // manual: formats 2.3, the validated example: 57426 ns with congestion.
        const QTemporaryDir folder;
        QVERIFY(writeFile(folder.filePath(QStringLiteral("net.yml")), "topology: [ Switch ]\nnpus_count: [ 8 ]\nbandwidth: [ 400.0 ]\nlatency: [ 936.25 ]\n"));
        QVERIFY(writeFile(folder.filePath(QStringLiteral("sys.json")),
                          "{\"scheduling-policy\": \"LIFO\", \"endpoint-delay\": 10, \"active-chunks-per-dimension\": 2, \"preferred-dataset-splits\": 4,\n"
                          "\"collective-optimization\": \"localBWAware\", \"local-mem-bw\": 3350, \"all-reduce-implementation\": [\"ring\"]}\n"));
        QVERIFY(writeFile(folder.filePath(QStringLiteral("mem.json")), "{\"memory-type\": \"NO_MEMORY_EXPANSION\"}"));
        for (int rank = 0; rank < 8; ++rank)
            QVERIFY(writeFile(folder.filePath(QStringLiteral("t.%1.et").arg(rank)), traceBytes({collectiveNode(1, 0, 1 << 20)})));
        const QString aware = folder.filePath(QStringLiteral("AstraSim_Analytical_Congestion_Aware"));
        QVERIFY(QFile::link(QString::fromUtf8(kCliPath), aware));
        QStringList arguments = words(QString::fromUtf8(kAstra));
        arguments.removeFirst();

        const CliResult named = runCli(arguments, folder.path(), aware);
        QVERIFY2(named.exit == 0, named.err);
        QCOMPARE(finishLines(named.out).back().second, 57426LL);
        const CliResult option = run(QString::fromUtf8(kAstra) + QStringLiteral(" --backend aware"), folder.path());
        QCOMPARE(finishLines(option.out).back().second, 57426LL);
        QVERIFY(finishLines(run(QString::fromUtf8(kAstra), folder.path()).out).back().second < 57426LL);
    }

    void tracesConvertBetweenTheirForms()
    {
        const QTemporaryDir folder;
        QVERIFY(writeAstraInputs(folder));
        EtNode odd = collectiveNode(3, 7, 1 << 20, {1});
        odd.inputs = {"[1, \"two\"]", "[]", "float"};
        odd.attributes.push_back({"weights", EtKind::DoubleList, {}, {0.1, -2.5e300}, {}, "doc"});
        odd.attributes.push_back({"raw", EtKind::Bytes, {}, {}, {std::string("\0\xff", 2)}, {}});
        odd.attributes.push_back({"big", EtKind::Uint64, {-1}, {}, {}, {}});
        const QByteArray bytes = traceBytes({collectiveNode(1, 0, 1 << 20), odd});
        QVERIFY(writeFile(folder.filePath(QStringLiteral("a.et")), bytes));
        const auto content = [&](const char* name) {
            QFile file(folder.filePath(QString::fromUtf8(name)));
            return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
        };

        const auto convert = [&](const char* files) { return run(QStringLiteral("convert ") + QString::fromUtf8(files), folder.path()); };
        QCOMPARE(convert("a.et a.et.gz").exit, 0);
        QVERIFY(content("a.et.gz").startsWith("\x1f\x8b"));
        QCOMPARE(convert("a.et.gz b.et").exit, 0);
        QCOMPARE(content("b.et"), bytes);

        QCOMPARE(convert("a.et a.json").exit, 0);
        const QByteArray text = content("a.json");
        for (const char* const part : {"\"version\": \"0.0.4\"", "\"type\": \"COMM_COLL_NODE\"", "\"int64Val\": \"1048576\"", "\"dataDeps\": [\"1\"]",
                                       "\"uint64Val\": \"18446744073709551615\"", "\"bytesVal\": \"AP8=\"", "\"doubleList\": {\"values\": [0.1, -2.5e"})
            QVERIFY2(text.contains(part), part);
        // What a run uses survives the way back.
        QCOMPARE(convert("a.json c.et").exit, 0);
        for (int rank = 0; rank < 4; ++rank) {
            QVERIFY(writeFile(folder.filePath(QStringLiteral("x.%1.et").arg(rank)), bytes));
            QVERIFY(writeFile(folder.filePath(QStringLiteral("y.%1.et").arg(rank)), content("c.et")));
        }
        const auto finish = [&](const char* prefix) {
            const CliResult result = run(QStringLiteral("simulate --system sys.json --network net.yml --json --workload ") + QString::fromUtf8(prefix), folder.path());
            return result.exit == 0 ? jsonOf(result).at("result").at("finish_ns") : json(result.err.toStdString());
        };
        QVERIFY2(finish("x").is_number(), finish("x").dump().c_str());
        QCOMPARE(finish("x"), finish("y"));

        const CliResult broken = convert("net.yml d.et");
        QCOMPARE(broken.exit, 2);
        QVERIFY(!QFile::exists(folder.filePath(QStringLiteral("d.et"))));
    }

    void lintTellsGoodFromBad()
    {
        const QTemporaryDir folder;
        QVERIFY(writeAstraInputs(folder));
        const CliResult good = run(QStringLiteral("lint t"), folder.path());
        QVERIFY2(good.exit == 0, good.out + good.err);
        QVERIFY(good.out.contains("0 errors"));

        QVERIFY(writeFile(folder.filePath(QStringLiteral("t.2.et")), traceBytes({collectiveNode(1, 0, 1 << 20, {99})})));
        const CliResult bad = run(QStringLiteral("lint t --json"), folder.path());
        QCOMPARE(bad.exit, 1);
        const json findings = jsonOf(bad);
        QVERIFY(findings.at("errors").get<int>() >= 1);
        const auto dangling = std::find_if(findings.at("findings").begin(), findings.at("findings").end(), [](const json& entry) { return entry.value("rank", -1) == 2; });
        QVERIFY(dangling != findings.at("findings").end());
        QCOMPARE(dangling->at("node"), json(1));

        QVERIFY(writeFile(folder.filePath(QStringLiteral("t.2.et")), "\x05" "ab"));
        const CliResult cut = run(QStringLiteral("lint t"), folder.path());
        QCOMPARE(cut.exit, 1);
        QVERIFY2(cut.out.contains("t.2.et"), cut.out);
        QCOMPARE(run(QStringLiteral("lint nothing-here"), folder.path()).exit, 2);
    }

    void presetsAndExamplesAreListed()
    {
        const CliResult presets = run(QStringLiteral("presets"));
        QCOMPARE(presets.exit, 0);
        QVERIFY(presets.out.contains("hgx-h100-8"));
        QVERIFY(jsonOf(run(QStringLiteral("presets --json"))).at("result").at(0).contains("source"));

        const CliResult examples = run(QStringLiteral("examples"));
        QCOMPARE(examples.exit, 0);
        QVERIFY(examples.out.contains("two-level-hgx"));
        const QTemporaryDir folder;
        const CliResult one = run(QStringLiteral("examples two-level-hgx"));
        QVERIFY(writeFile(folder.filePath(QStringLiteral("d.yaml")), one.out));
        const CliResult result = run(QStringLiteral("simulate d.yaml --json"), folder.path());
        QVERIFY2(result.exit == 0, result.err);
        QVERIFY(jsonOf(result).at("result").at("finish_ns").get<double>() > 0);
        for (const char* const name : {"shard/megatron", "shard/attention", "transform/adam", "place/mlp"}) {
            const QByteArray command = QByteArray(name).split('/')[0];
            QVERIFY2(QString::fromUtf8(examples.out).contains(QRegularExpression(QStringLiteral("(^|\n)%1 +%2 +\\S").arg(QString::fromUtf8(name), QString::fromUtf8(command)))), examples.out);
            const QString file = QStringLiteral("example") + (QByteArray(name) == "shard/attention" ? ".mlir" : ".yaml");
            QVERIFY(writeFile(folder.filePath(file), run(QStringLiteral("examples ") + name).out));
            const CliResult read = run(QString::fromUtf8(command) + ' ' + file, folder.path());
            QVERIFY2(read.exit == 0, read.err);
        }
    }
};

FABRICSCOPE_TEST(TestCliContract)
#include "tst_cli_contract.moc"
