// Every command under every small limit of memory: it does its work or says in a sentence that memory ran out (exit code 6). It never ends by
// a signal, never passes want of memory off as a fault of the input, and leaves no part of a file.
#include "tests/unit/support/cases.h"
#include "tests/unit/support/clirun.h"
#include "tests/unit/support/sanitized.h"
#include "sourcedir.h"
#include "tests/unit/support/testprogram.h"

#include <QDir>
#include <QTemporaryDir>
#include <QtTest>
#include <functional>
#include <sys/resource.h>

using namespace fabricscope;
using namespace fabricscope::test;

namespace {

constexpr qint64 kKiB = 1024;
constexpr qint64 kLeastMeant = 1024 * kKiB; ///< Of --memory-limit; what is less is refused as an option.

struct Ended {
    int exit = -1; ///< -1: by a signal, or not within two minutes.
    QByteArray out;
    QByteArray err;
    QMap<QString, QByteArray> files; ///< What it wrote.
};

/// 0: no limit of address space.
Ended runIn(const QString& folder, const QStringList& arguments, qint64 addressSpace)
{
    const QDir dir(folder);
    const QStringList before = dir.entryList(QDir::Files | QDir::Hidden);
    QProcess process;
    process.setWorkingDirectory(folder);
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    environment.insert(QStringLiteral("TMPDIR"), folder);
    environment.insert(QStringLiteral("QT_QPA_PLATFORM"), QStringLiteral("offscreen"));
    process.setProcessEnvironment(environment);
    if (addressSpace > 0) {
        process.setChildProcessModifier([addressSpace] {
            const rlimit limit{static_cast<rlim_t>(addressSpace), static_cast<rlim_t>(addressSpace)};
            ::setrlimit(RLIMIT_AS, &limit);
        });
    }
    process.start(QString::fromUtf8(kCliPath), arguments);
    Ended ended;
    if (!process.waitForFinished(120'000)) {
        process.kill();
        process.waitForFinished();
    } else if (process.exitStatus() == QProcess::NormalExit) {
        ended.exit = process.exitCode();
    }
    ended.out = process.readAllStandardOutput();
    ended.err = process.readAllStandardError();
    for (const QString& name : dir.entryList(QDir::Files | QDir::Hidden)) {
        if (before.contains(name))
            continue;
        QFile file(dir.filePath(name));
        if (file.open(QIODevice::ReadOnly))
            ended.files[name] = file.readAll();
        file.remove();
    }
    return ended;
}

/// Least address space, to 64 KiB, with which the program says its version.
qint64 leastAddressSpace(const QString& folder)
{
    qint64 low = 0;
    qint64 high = qint64{1} << 32;
    while (high - low > 64 * kKiB) {
        const qint64 middle = (low + high) / 2;
        (runIn(folder, {QStringLiteral("--version")}, middle).exit == 0 ? high : low) = middle;
    }
    return high;
}

/// Empty, or what is wrong about how a limited run ended. `whole`: the same without a limit.
QString problemOf(const Ended& ended, const Ended& whole)
{
    const QString said = QString::fromUtf8(ended.err.right(400));
    if (ended.exit != whole.exit && ended.exit != 6)
        return QStringLiteral("exit %1 instead of %2 or 6: %3").arg(ended.exit).arg(whole.exit).arg(said);
    for (const auto& [name, content] : ended.files.asKeyValueRange()) {
        if (!whole.files.contains(name))
            return QStringLiteral("the file %1 is left").arg(name);
        // Wall time and memory of the run stand in some: equal but for few bytes, and to the end.
        const QByteArray& all = whole.files[name];
        if (qAbs(content.size() - all.size()) > 100 + all.size() / 50 || content.right(8) != all.right(8))
            return QStringLiteral("%1 is not whole: %2 bytes of %3").arg(name).arg(content.size()).arg(all.size());
    }
    if (ended.exit == whole.exit) {
        if (ended.files.keys() != whole.files.keys())
            return QStringLiteral("it wrote %1").arg(QStringList(ended.files.keys()).join(QLatin1Char(' ')));
        if (qAbs(ended.out.size() - whole.out.size()) > 100)
            return QStringLiteral("the result has %1 bytes instead of %2").arg(ended.out.size()).arg(whole.out.size());
        return {};
    }
    // Under --json the want of memory is the answer.
    const bool answered = ended.out.startsWith("{\"schema\":1,\"error\":{\"code\":" + QByteArray::number(ended.exit) + ',') && ended.out.endsWith("}}\n") && ended.out.count('\n') == 1;
    if (!ended.out.isEmpty() && !answered)
        return QStringLiteral("part of a result: %1").arg(QString::fromUtf8(ended.out.left(200)));
    if (!ended.err.contains("error: ") || !ended.err.endsWith('\n') || !ended.err.contains("emory"))
        return QStringLiteral("no sentence: \"%1\"").arg(said);
    return {};
}

/// Runs with ever larger limits until one is enough, then between the last two. Every problem is a line.
QString sweep(qint64 from, const Ended& whole, const std::function<Ended(qint64)>& run)
{
    QString problems;
    int refused = 0;
    const auto look = [&](qint64 limit) {
        const Ended ended = run(limit);
        if (const QString problem = problemOf(ended, whole); !problem.isEmpty())
            problems += QStringLiteral("%1 KiB: %2\n").arg(limit / kKiB).arg(problem);
        refused += ended.exit == 6 ? 1 : 0;
        return ended.exit == whole.exit;
    };
    look(from + 1);
    qint64 more = 64 * kKiB;
    while (more < (qint64{8} << 30) && !look(from + more))
        more *= 2;
    const int between = std::max(2, cases(4));
    for (int i = 1; i < between; ++i)
        look(from + more / 2 + more / 2 * i / between);
    if (more >= (qint64{8} << 30))
        problems += QStringLiteral("8 GiB are not enough\n");
    return problems;
}

QStringList words(const QString& text)
{
    return text.split(QLatin1Char(' '), Qt::SkipEmptyParts);
}

} // namespace

class TestCliMemory : public QObject {
    Q_OBJECT

private slots:
    void initTestCase()
    {
        QVERIFY(m_folder.isValid());
        const QDir folder(m_folder.path());
        QVERIFY(writeFile(folder.filePath(QStringLiteral("net.yml")), "topology: [ Ring ]\nnpus_count: [ 4 ]\nbandwidth: [ 50.0 ]\nlatency: [ 500.0 ]\n"));
        QVERIFY(writeFile(folder.filePath(QStringLiteral("sys.json")),
                          "{\"scheduling-policy\": \"LIFO\", \"active-chunks-per-dimension\": 1, \"preferred-dataset-splits\": 4, \"endpoint-delay\": 10,"
                          " \"local-mem-bw\": 1600, \"collective-optimization\": \"localBWAware\", \"all-reduce-implementation\": [\"ring\"],"
                          " \"all-gather-implementation\": [\"ring\"], \"reduce-scatter-implementation\": [\"ring\"], \"all-to-all-implementation\": [\"ring\"]}\n"));
        QVERIFY(writeFile(folder.filePath(QStringLiteral("mem.json")), "{\"memory-type\": \"NO_MEMORY_EXPANSION\"}"));
        for (int rank = 0; rank < 4; ++rank)
            QVERIFY(writeFile(folder.filePath(QStringLiteral("t.%1.et").arg(rank)), traceBytes({collectiveNode(1, 0, 1 << 20)})));
        QVERIFY(QFile::copy(QStringLiteral(FABRICSCOPE_SOURCE_DIR "/resources/examples/programs/allreduce_ring.lua"), folder.filePath(QStringLiteral("ring.lua"))));
        QVERIFY(QDir().mkdir(folder.filePath(QStringLiteral("made"))));
        for (const char* const make : {"program --script ring.lua --param ranks=4 --out made/ring.xml", "convert made/ring.xml made/ring.json",
                                       "convert t.0.et made/t.json", "convert t.0.et made/t.et.gz",
                                       "collective --topology Ring(8) --bandwidth 50 --latency 500 --collective all_reduce --size 1MiB --algorithm ring --save made/run.json"}) {
            const CliResult made = runCli(words(QString::fromUtf8(make)), m_folder.path());
            QVERIFY2(made.exit == 0, made.err);
        }
        if (!kSanitized)
            m_least = leastAddressSpace(m_folder.path());
    }

    void everyCommandEndsWithResultOrSentence_data()
    {
        QTest::addColumn<QStringList>("arguments");
        const auto row = [](const char* name, const char* arguments) {
            QStringList list = words(QString::fromUtf8(arguments));
            for (QString& word : list) {
                if (word.startsWith(QStringLiteral("EXAMPLE/")))
                    word = QStringLiteral(FABRICSCOPE_SOURCE_DIR "/resources/examples/") + word.mid(8);
            }
            QTest::newRow(name) << list;
        };
        row("help of all commands", "--help-all");
        row("no such command", "explode");
        row("simulate, design", "simulate EXAMPLE/reference.yaml");
        row("simulate, traces and steps", "simulate EXAMPLE/pipeline.yaml --json --ranks all");
        row("simulate, remote memory", "simulate EXAMPLE/moe-remote-memory.yaml");
        row("simulate, algorithm chosen", "collective --topology Ring(8)_Switch(4) --bandwidth 50,20 --latency 500,500 --collective all_reduce --size 16MiB --algorithm auto");
        row("simulate, seeds", "simulate EXAMPLE/failing-link.yaml --seeds 6 --threads 4");
        row("simulate, all outputs", "simulate EXAMPLE/two-level-hgx.yaml --timeline tl.json --report r.html --save s.json");
        row("simulate, timeline as table", "simulate EXAMPLE/pipeline.yaml --timeline tl.csv");
        row("simulate, ASTRA-sim inputs", "simulate --workload t --system sys.json --network net.yml");
        for (const char* const model : {"links", "ideal", "flow", "astra-unaware", "astra-aware"})
            row(model, (std::string("collective --topology Ring(16) --bandwidth 50 --latency 500 --collective all_reduce --size 16MiB --algorithm ring --chunks 8 --model ") + model).c_str());
        for (const char* const engine : {"memo", "symmetry", "sweep", "events"})
            row(engine, (std::string("collective --topology Ring(16) --bandwidth 50 --latency 500 --collective all_gather --size 16MiB --algorithm ring --chunks 8 --engine ") + engine).c_str());
        row("astra", "astra --workload-configuration=t --system-configuration=sys.json --network-configuration=net.yml --remote-memory-configuration mem.json");
        row("lint", "lint t");
        row("verify", "verify made/ring.xml --slots 1,2,8");
        row("verify, JSON", "verify made/ring.json --json");
        row("convert, trace to JSON", "convert t.0.et o.json");
        row("convert, JSON to trace", "convert made/t.json o.et");
        row("convert, packed trace", "convert made/t.et.gz o.et.gz");
        row("convert, XML to JSON", "convert made/ring.xml o.json");
        row("convert, JSON to XML", "convert made/ring.json o.xml");
        row("convert, program to graphs", "convert made/ring.xml --to et o --size 64MiB");
        row("program, script", "program --script ring.lua --param ranks=8 --draw d.svg --out o.xml");
        row("program, generator", "program --algorithm ring --axes 8");
        row("program, list", "program list");
        for (const char* const method : {"greedy", "forest", "auto"})
            row((std::string("synthesize, ") + method).c_str(),
                (std::string("synthesize --topology Ring(4)_Ring(2) --bandwidth 50 --latency 500 --size 16MiB --collective all_gather --chunks 2 --threads 4 --out o.json --method ") + method + (std::string(method) == "forest" ? "" : " --tries 4")).c_str());
        row("synthesize, exact", "synthesize --topology Ring(4) --bandwidth 50 --latency 500 --size 1MiB --collective all_gather --method exact --out o.json");
        row("synthesize, packed trees", "synthesize EXAMPLE/dgx1-trees.yaml --collective broadcast --size 1GiB --method trees");
        row("tune", "tune --topology Switch(8) --bandwidth 50 --latency 1000 --collective all_reduce --sizes 1KiB..1MiB --threads 4 --out tuner.csv");
        row("compare models", "compare EXAMPLE/pipeline.yaml --models astra-unaware,links");
        row("compare designs", "compare EXAMPLE/reference.yaml EXAMPLE/two-level-hgx.yaml");
        row("step", "step EXAMPLE/reference.yaml --instance 0");
        row("step, program", "step made/ring.xml --at 3");
        row("subsets", "subsets EXAMPLE/dgx1-trees.yaml");
        row("presets", "presets");
        row("examples", "examples reference");
        row("report", "report made/run.json --out r.html");
        row("report, compared", "report made/run.json --compare made/run.json --out r.html");
        row("report, PDF", "report made/run.json --out r.pdf");
    }
    void everyCommandEndsWithResultOrSentence()
    {
        QFETCH(const QStringList, arguments);
        const Ended whole = runIn(m_folder.path(), arguments, 0);
        // Without the desktop program there is no PDF.
        const bool refused = arguments[0] == QLatin1String("explode") || (arguments.last().endsWith(QLatin1String(".pdf")) && whole.err.contains("not installed"));
        QVERIFY2(whole.exit == (refused ? 2 : 0), whole.err);

        // What the program allows itself. The first commands take no options.
        if (arguments[0] != QLatin1String("--help-all") && arguments[0] != QLatin1String("explode")) {
            const QString problems = sweep(kLeastMeant - 1, whole, [&](qint64 limit) {
                return runIn(m_folder.path(), arguments + QStringList{QStringLiteral("--memory-limit"), QStringLiteral("%1 B").arg(limit)}, 0);
            });
            QVERIFY2(problems.isEmpty(), qPrintable(QStringLiteral("--memory-limit ") + problems));
        }
        if (kSanitized)
            return;
        const QString problems = sweep(m_least, whole, [&](qint64 limit) { return runIn(m_folder.path(), arguments, limit); });
        QVERIFY2(problems.isEmpty(), qPrintable(QStringLiteral("address space of ") + problems));
    }

    void sentenceNamesTheLimitAndHowToRaiseIt()
    {
        if (kSanitized)
            return; // The program sets itself no limit then.
        const QStringList simulate = words(QStringLiteral("collective --topology Ring(512) --bandwidth 50 --latency 500 --collective all_reduce --size 1GiB --algorithm ring --chunks 256 --engine events"));
        const Ended own = runIn(m_folder.path(), simulate + QStringList{QStringLiteral("--memory-limit"), QStringLiteral("24 MiB")}, 0);
        QCOMPARE(own.exit, 6);
        QVERIFY2(own.err.contains("24 MiB") && own.err.contains("--memory-limit"), own.err);
        const Ended outside = runIn(m_folder.path(), simulate, m_least + 512 * kKiB);
        QCOMPARE(outside.exit, 6);
        QVERIFY2(outside.err.contains(QByteArray::number((m_least + 512 * kKiB) >> 20) + " MiB of address space"), outside.err);
    }

    /// No run fits into them: taken for a slip of the unit, not for a limit that was met.
    void limitsThatNobodyMeansAreRefused()
    {
        for (const qint64 limit : {qint64{1}, 64 * kKiB, kLeastMeant - 1}) {
            const Ended ended = runIn(m_folder.path(), words(QStringLiteral("examples reference --memory-limit")) + QStringList{QStringLiteral("%1 B").arg(limit)}, 0);
            QCOMPARE(ended.exit, 2);
            QVERIFY2(ended.err.contains("--memory-limit") && ended.err.contains("at least 1 MiB"), ended.err);
            QVERIFY(ended.out.isEmpty());
        }
    }

    void limitIsTakenByEveryCommand()
    {
        for (const char* const command : {"lint t", "verify made/ring.xml", "convert t.0.et o.json", "presets", "examples reference", "program list"}) {
            const Ended ended = runIn(m_folder.path(), words(QString::fromUtf8(command)) + QStringList{QStringLiteral("--memory-limit"), QStringLiteral("8")}, 0);
            QCOMPARE(ended.exit, 2);
            QVERIFY2(ended.err.contains("--memory-limit"), ended.err);
        }
    }

private:
    QTemporaryDir m_folder;
    qint64 m_least = 0;
};

FABRICSCOPE_TEST(TestCliMemory)
#include "tst_cli_memory.moc"
