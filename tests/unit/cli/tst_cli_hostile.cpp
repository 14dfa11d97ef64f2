// Inputs made to overflow the stack, to take memory far beyond their size, or to fill the terminal: refused in a sentence (or answered),
// with at most 64 MiB and 40 times the file.
#include "tests/unit/support/clirun.h"
#include "tests/unit/support/measuredrun.h"
#include "tests/unit/support/testprogram.h"

#include <QTemporaryDir>
#include <QtTest>
#include <functional>

using namespace fabricscope;
using namespace fabricscope::test;

namespace {

constexpr int kDeep = 100'000;
// Under a sanitizer memory is not compared with the size of the input, and a tenth of it asks the same of the readers.
constexpr int kMega = kSanitized ? 100'000 : 1'000'000;

QByteArray nested(const char* open, const char* close, const QByteArray& inside = {}, int levels = kDeep)
{
    return QByteArray(open).repeated(levels) + inside + QByteArray(close).repeated(levels);
}

/// `make(i)` for i = 0, 1, ... until there are `bytes`.
QByteArray numbered(qsizetype bytes, const std::function<QByteArray(int)>& make)
{
    QByteArray out;
    out.reserve(bytes + 100);
    for (int i = 0; out.size() < bytes; ++i)
        out += make(i);
    return out;
}

const QByteArray kSteps = "workload: {steps: [{collective: all_reduce, size: 1 MiB}]}\n";
const QByteArray kRing = "fabricscope: 1\nplatform:\n  dimensions: [{shape: ring, size: 4, bandwidth: 50 GB/s, latency: 1 us}]\n" + kSteps;

} // namespace

class TestCliHostile : public QObject {
    Q_OBJECT

private:
    QTemporaryDir m_folder;
    int m_kept = 0;
    QString path(const QString& name) const { return m_folder.filePath(name); }

    /// Inputs lie on the disk until they are used: a child's largest memory is never less than its parent's when it was forked.
    QString keep(const QByteArray& text)
    {
        const QString name = QStringLiteral("kept%1").arg(++m_kept);
        return writeFile(path(name), text) ? name : QString();
    }
    /// Gives it its name; its size.
    qint64 use(const QString& kept, const QString& name)
    {
        QFile::remove(path(name));
        return QFile::rename(path(kept), path(name)) ? QFileInfo(path(name)).size() : -1;
    }

    static QByteArray text(const MeasuredRun& run) { return run.err + run.out; }

    /// What holds for every answer.
    void check(const MeasuredRun& run, qint64 inputBytes, const QList<int>& exits)
    {
        QVERIFY2(exits.contains(run.exit), (QByteArray::number(run.exit) + ": " + run.err.left(2000)).constData());
        QVERIFY2(run.err.size() < 10'000, QByteArray::number(run.err.size()).constData());
        const qint64 most = (qint64{64} << 20) + 40 * inputBytes;
        if (!kSanitized)
            QVERIFY2(run.peakBytes <= most, (QByteArray::number(run.peakBytes >> 20) + " MiB of " + QByteArray::number(most >> 20)).constData());
    }

private slots:
    void initTestCase()
    {
        QVERIFY(writeFile(path(QStringLiteral("net.yml")), "topology: [ Ring ]\nnpus_count: [ 4 ]\nbandwidth: [ 50.0 ]\nlatency: [ 500.0 ]\n"));
        QVERIFY(writeFile(path(QStringLiteral("sys.json")), "{\"endpoint-delay\": 10, \"all-reduce-implementation\": [\"ring\"]}\n"));
        QVERIFY(writeFile(path(QStringLiteral("perNode.json")), "{\"per-node-custom-implementation\": \"in\"}\n"));
        for (int rank = 0; rank < 4; ++rank)
            QVERIFY(writeFile(path(QStringLiteral("t.%1.et").arg(rank)), traceBytes({collectiveNode(1, 0, 1 << 20)})));
    }

    void yamlTakesMemoryInProportionToItsSize_data()
    {
        QTest::addColumn<QString>("made");
        QTest::addColumn<QList<int>>("exits");

        const auto row = [this](const char* name, const QByteArray& text, const QList<int>& exits = {2}) { QTest::newRow(name) << keep(text) << exits; };
        QByteArray anchors;
        for (int level = 0; level < 60; ++level)
            anchors += "&a" + QByteArray::number(level) + " [";
        row("nested anchors", "a: " + anchors + QByteArray("x, ").repeated(130'000) + QByteArray("]").repeated(60) + '\n');
        row("nested anchors in blocks", [] {
            QByteArray text;
            for (int level = 0; level < 60; ++level)
                text += QByteArray(level, ' ') + "k: &a" + QByteArray::number(level) + '\n';
            return text + (QByteArray(60, ' ') + "- x\n").repeated(6'000);
        }());
        row("15 MB of brackets", QByteArray("[").repeated(15 * kMega));
        row("15 MB of braces", QByteArray("{").repeated(15 * kMega));
        row("brackets and braces", QByteArray("[{a: ").repeated(kMega / 2));
        row("brackets that close", nested("[", "]", {}, kMega));
        row("short values in one bracket", "a: [" + QByteArray("0,").repeated(kMega) + "0]\n");
        row("on lines of their own", "a: [\n" + QByteArray("0,\n").repeated(kMega) + "0]\n");
        row("empty brackets", "a: [" + QByteArray("[],").repeated(kMega) + "0]\n");
        row("empty braces", "a: [" + QByteArray("{},").repeated(kMega) + "0]\n");
        row("quotes side by side", "a: [" + QByteArray("\"\"").repeated(kMega) + "]\n");
        row("anchors side by side", "a: [" + QByteArray("&a ").repeated(kMega) + "]\n");
        row("keys in one brace", "a: {" + numbered(2 * kMega, [](int i) { return 'k' + QByteArray::number(i) + ": 0, "; }) + "}\n");
        row("list in block form", "a:\n" + QByteArray("- 0\n").repeated(kMega));
        row("empty items", "a:\n" + QByteArray("-\n").repeated(kMega));
        row("keys in block form", numbered(2 * kMega, [](int i) { return 'k' + QByteArray::number(i) + ": 0\n"; }));
        row("anchors on every value", "a:\n" + numbered(2 * kMega, [](int i) { return "- &" + QByteArray::number(i) + " 0\n"; }));
        row("one anchor on every value", "a:\n" + QByteArray("- &a 0\n").repeated(300'000));
        row("aliases of a long text", "a: &a " + QByteArray("x").repeated(kMega) + "\nb: [" + QByteArray("*a,").repeated(50'000) + "]\n");
        row("aliases of aliases", "a: &a [x,x,x,x,x,x,x,x,x]\n" + numbered(700, [](int i) {
            const QByteArray name(1, static_cast<char>('b' + i % 24));
            const QByteArray before(1, static_cast<char>('a' + i % 24));
            return name + QByteArray::number(i) + ": &" + name + " [" + ("*" + before + ",").repeated(8) + "]\n";
        }));
        row("dashes in one line", QByteArray("- ").repeated(kMega) + "a\n");
        row("question marks", QByteArray("? ").repeated(kMega) + "a\n");
        row("colons", QByteArray("a: ").repeated(kMega) + "a\n");
        row("ever deeper", numbered(kMega, [](int i) { return QByteArray(i, ' ') + "a:\n"; }));
        row("a key of a megabyte", QByteArray("k").repeated(kMega) + ": 0\n");
        row("a quoted key of a megabyte", '"' + QByteArray("k").repeated(kMega) + "\": 0\n");
        row("an unknown key of 1,000 letters", kRing + QByteArray("k").repeated(1'000) + ": 0\n");
        row("more than 64 MiB", QByteArray("#").repeated((64 << 20) + 1));
        row("a comment of brackets", kRing + QByteArray("# [{[{[{\n").repeated(200'000), {0});
        row("a text of brackets", kRing + "notes: |\n" + QByteArray("  it's [a {b \"c\n").repeated(2'000), {0});
        row("quoted brackets", kRing + "notes: '" + QByteArray("[{").repeated(20'000) + "'\n", {0});
        row("anchors that are used", "x: &x 4\n" + QByteArray(kRing).replace("size: 4", "size: *x"), {2}); // "x" is no key of a design
        row("an anchor within", QByteArray(kRing).replace("size: 4,", "size: &n 4,") + "name: *n\n", {0});
    }
    void yamlTakesMemoryInProportionToItsSize()
    {
        QFETCH(QString, made);
        QFETCH(QList<int>, exits);
        const qint64 bytes = use(made, QStringLiteral("in.yaml"));
        check(runMeasured({QStringLiteral("simulate"), QStringLiteral("in.yaml")}, m_folder.path()), bytes, exits);
    }

    void filesOfOtherProgramsTakeMemoryInProportionToTheirSize_data()
    {
        QTest::addColumn<QString>("file");
        QTest::addColumn<QString>("made");
        QTest::addColumn<QString>("command");

        const auto row = [this](const char* name, const char* file, const QByteArray& text, const char* command) {
            QTest::newRow(name) << QString::fromUtf8(file) << keep(text) << QString::fromUtf8(command);
        };
        const char* const network = "simulate --network in.yml --system sys.json --workload t";
        const char* const system = "simulate --network net.yml --system in.json --workload t";
        const QByteArray head = "topology: [ Ring ]\nnpus_count: [ 4 ]\nlatency: [ 500.0 ]\n";
        row("network of short values", "in.yml", head + "bandwidth: [" + QByteArray("0,").repeated(450'000) + "1]\n", network);
        row("network of lines", "in.yml", head + "bandwidth:\n" + QByteArray("- 0\n").repeated(200'000), network);
        row("network of brackets", "in.yml", head + "bandwidth: " + QByteArray("[").repeated(kMega), network);
        row("network of anchors", "in.yml", head + "bandwidth: " + QByteArray("&a [").repeated(200'000), network);
        row("custom implementations per node", "in", numbered(2 * kMega, [](int i) { return QByteArray::number(i) + ": a\n"; }), "simulate --network net.yml --system perNode.json --workload t");
        row("custom implementations in brackets", "in", QByteArray("[").repeated(2 * kMega), "simulate --network net.yml --system perNode.json --workload t");
        row("system of short values", "in.json", "{\"all-reduce-implementation\": [" + QByteArray("0,").repeated(kMega) + "0]}", system);
        row("system of empty objects", "in.json", "{\"x\": [" + QByteArray("{},").repeated(kMega) + "{}]}", system);
        row("program of empty lists", "in.json", "{\"fabricscope_program\": [" + QByteArray("[],").repeated(kMega) + "0]}", "verify in.json");
        row("program of keys", "in.json", "{\"fabricscope_program\": 1" + numbered(2 * kMega, [](int i) { return ",\"" + QByteArray::number(i) + "\":0"; }) + "}", "verify in.json");
        row("plan of empty texts", "in.json", "{\"threadblocks\": 0, \"gpus\": [" + QByteArray("\"\",").repeated(kMega) + "0]}", "verify in.json");
        row("JSON program above 64 MiB", "in.json", "{\"fabricscope_program\": 1" + QByteArray(64 << 20, ' ') + '}', "verify in.json");
        row("groups", "in.json", '{' + numbered(2 * kMega, [](int i) { return '"' + QByteArray::number(i) + "\":[0],"; }) + "\"\":[]}", "simulate --network net.yml --system sys.json --comm-group in.json --workload t");
        row("InfraGraph in JSON", "in.json", "{\t\"devices\": " + nested("[", "]", QByteArray("0,").repeated(kMega) + '0', 60) + '}', "lint in.json");
        row("XML of empty elements", "in.xml", "<algo>" + QByteArray("<a/>").repeated(kMega) + "</algo>", "verify in.xml");
        row("XML of attributes", "in.xml", "<algo " + QByteArray("a='' ").repeated(kMega) + "></algo>", "verify in.xml");
        row("dump of empty elements", "in.xml", "<system>" + QByteArray("<a/>").repeated(kMega) + "</system>", "lint in.xml");
        row("long texts in a script", "in.lua", "return \"" + QByteArray("x").repeated(kMega) + "\"", "verify in.lua");
    }
    void filesOfOtherProgramsTakeMemoryInProportionToTheirSize()
    {
        QFETCH(QString, file);
        QFETCH(QString, made);
        QFETCH(QString, command);
        const qint64 bytes = use(made, file);
        check(runMeasured(command.split(QLatin1Char(' ')), m_folder.path()), bytes, {1, 2});
        QVERIFY(QFile::remove(path(file)));
    }

    void deepNestingEndsInASentence_data()
    {
        QTest::addColumn<QString>("file");
        QTest::addColumn<QString>("made");
        QTest::addColumn<QString>("command");

        const auto row = [this](const char* name, const char* file, const QByteArray& text, const char* command) {
            QTest::newRow(name) << QString::fromUtf8(file) << keep(text) << QString::fromUtf8(command);
        };
        const QByteArray list = nested("[", "]");
        const QByteArray object = nested("{\"a\":", "}", "0");
        row("trace alone", "n.0.json", list, "lint n");
        row("trace: type", "n.0.json", "{\"nodes\":[{\"id\":1,\"type\":" + list + "}]}", "lint n");
        row("trace: type of objects", "n.0.json", "{\"nodes\":[{\"id\":1,\"type\":" + object + "}]}", "lint n");
        row("trace: id", "n.0.json", "{\"nodes\":[{\"id\":" + list + ",\"type\":4}]}", "lint n");
        row("trace: name", "n.0.json", "{\"nodes\":[{\"id\":1,\"type\":4,\"name\":" + list + "}]}", "lint n");
        row("trace: dependencies", "n.0.json", "{\"nodes\":[{\"id\":1,\"type\":4,\"data_deps\":" + list + "}]}", "lint n");
        row("trace: attributes", "n.0.json", "{\"nodes\":[{\"id\":1,\"type\":4,\"attr\":[{\"name\":\"comm_size\",\"int64_val\":" + list + "}]}]}", "lint n");
        row("trace: attribute beside", "n.0.json", "{\"nodes\":[{\"id\":1,\"type\":4,\"comm_size\":" + object + "}]}", "lint n");
        row("trace: inputs", "n.0.json", "{\"nodes\":[{\"id\":1,\"type\":4,\"inputs\":{\"values\":" + list + "}}]}", "lint n");
        row("trace: beside the nodes", "n.0.json", "{\"schema\":" + list + ",\"nodes\":[]}", "lint n");
        row("trace: among the nodes", "n.0.json", "{\"nodes\":[" + list + "]}", "lint n");
        row("trace: of objects in a row", "n.0.json", "{\"version\":" + list + "}\n{\"id\":1,\"type\":4}\n", "lint n");
        row("trace: table of groups", "n.0.json", "{\"nodes\":[{\"id\":1,\"type\":\"METADATA_NODE\",\"inputs\":{\"values\":\"[{" + list + "}]\"}}]}", "lint n");
        row("trace: converted", "n.0.json", "{\"nodes\":[{\"id\":1,\"type\":" + list + "}]}", "convert n.0.json out.et");
        row("system", "in.json", "{\"x\":" + list + '}', "simulate --network net.yml --system in.json --workload t");
        row("system alone", "in.json", object, "simulate --network net.yml --system in.json --workload t");
        row("memory", "in.json", "{\"memory-type\":" + object + '}', "simulate --network net.yml --system sys.json --memory in.json --workload t");
        row("groups", "in.json", "{\"1\":" + list + '}', "simulate --network net.yml --system sys.json --comm-group in.json --workload t");
        row("program", "in.json", "{\"fabricscope_program\":1,\"name\":" + list + '}', "verify in.json");
        row("plan", "in.json", "{\"gpus\":" + object + ",\"threadblocks\":0}", "verify in.json");
        row("saved run", "in.run", "{\"fabricscope_run\":1,\"design\":" + object + '}', "report in.run");
        row("saved run alone", "in.run", "{\"fabricscope_run\":" + list + '}', "report in.run");
        row("InfraGraph", "in.json", "{\t\"devices\":" + object + '}', "lint in.json");
        row("any JSON", "in.json", object, "lint in.json");
        row("MSCCL XML", "in.xml", "<algo>" + nested("<gpu>", "</gpu>") + "</algo>", "verify in.xml");
        row("dump of NCCL", "in.xml", "<system><cpu>" + nested("<pci>", "</pci>") + "</cpu></system>", "lint in.xml");
        row("network", "in.yml", "topology: " + list, "lint in.yml");
        row("design", "in.yaml", "fabricscope: 1\nplatform: " + object, "lint in.yaml");
        row("script: brackets", "in.lua", "return " + nested("(", ")", "1"), "verify in.lua");
        row("script: tables", "in.lua", "return " + nested("{", "}"), "verify in.lua");
        row("script: functions", "in.lua", nested("return (function() ", " end)()"), "verify in.lua");
        row("script: signs", "in.lua", "return " + QByteArray("- ").repeated(kDeep) + '1', "verify in.lua");
        row("script: texts joined", "in.lua", "return " + QByteArray("'a' .. ").repeated(kDeep) + "'a'", "verify in.lua");
        row("script: calls itself", "in.lua", "local function f(x) return 1 + f({x}) end\nreturn f()", "verify in.lua");
    }
    void deepNestingEndsInASentence()
    {
        QFETCH(QString, file);
        QFETCH(QString, made);
        QFETCH(QString, command);
        const qint64 bytes = use(made, file);
        const MeasuredRun run = runMeasured(command.split(QLatin1Char(' ')), m_folder.path());
        const bool table = text(run).contains("group-table"); // Others can do without it: a warning.
        const qint64 ownLimits = file.endsWith(QStringLiteral(".lua")) ? 4 * kMega : 0; // Scripts may have more memory.
        check(run, bytes + ownLimits, table ? QList<int>{0} : QList<int>{1, 2});
        QVERIFY2(table || text(run).contains("error"), run.out.constData());
        QVERIFY(QFile::remove(path(file)));
    }

    void aNumberOfAMillionDigitsIsCalledTooLarge()
    {
        QVERIFY(writeFile(path(QStringLiteral("in.json")), "{\"fabricscope_program\":1,\"name\":" + QByteArray("1").repeated(kMega) + '}'));
        const MeasuredRun run = runMeasured({QStringLiteral("verify"), QStringLiteral("in.json")}, m_folder.path());
        check(run, kMega, {2});
        QVERIFY2(run.err.contains("not valid JSON: a number here is too large"), run.err.constData());
    }

    /// Reading it took time with the square of the number of objects.
    void aListOfManyObjectsIsReadInTheTimeOfItsLength()
    {
        QVERIFY(writeFile(path(QStringLiteral("in.json")), "{\"fabricscope_program\":1,\"name\":[" + QByteArray("{},").repeated(kMega) + "0]}"));
        check(runMeasured({QStringLiteral("verify"), QStringLiteral("in.json")}, m_folder.path()), 3 * kMega, {2}); // killed after 120 s of processor time
        QVERIFY(writeFile(path(QStringLiteral("many.0.json")), "{\"schema\":[" + QByteArray("{},").repeated(kMega) + "0],\"nodes\":[]}"));
        check(runMeasured({QStringLiteral("lint"), QStringLiteral("many")}, m_folder.path()), 3 * kMega, {0, 1});
    }

    void argumentsMayNestAndBeLongToo_data()
    {
        QTest::addColumn<QStringList>("arguments");
        const QString deep = QStringLiteral("[").repeated(kDeep);
        QTest::newRow("--set") << QStringList{QStringLiteral("simulate"), QStringLiteral("d.yaml"), QStringLiteral("--set"), QStringLiteral("name=") + deep};
        QTest::newRow("path of --set") << QStringList{QStringLiteral("simulate"), QStringLiteral("d.yaml"), QStringLiteral("--set"), QStringLiteral("a.").repeated(kDeep / 2) + QStringLiteral("b=1")};
        QTest::newRow("topology") << QStringList{QStringLiteral("collective"), QStringLiteral("--topology"), QStringLiteral("Ring(").repeated(kDeep / 5), QStringLiteral("--collective"), QStringLiteral("all_reduce"), QStringLiteral("--size"), QStringLiteral("1MiB")};
        QTest::newRow("size") << QStringList{QStringLiteral("collective"), QStringLiteral("--topology"), QStringLiteral("Ring(4)"), QStringLiteral("--collective"), QStringLiteral("all_reduce"), QStringLiteral("--size"), QStringLiteral("9").repeated(kDeep)};
        QTest::newRow("file") << QStringList{QStringLiteral("simulate"), QStringLiteral("x").repeated(kDeep)};
        QTest::newRow("command") << QStringList{QStringLiteral("x").repeated(kDeep)};
    }
    void argumentsMayNestAndBeLongToo()
    {
        QFETCH(QStringList, arguments);
        QVERIFY(writeFile(path(QStringLiteral("d.yaml")), kRing));
        check(runMeasured(arguments, m_folder.path()), 0, {2});
    }

    void aRankWithASignIsNobodysTrace()
    {
        QVERIFY(writeFile(path(QStringLiteral("signed.-0.et")), traceBytes({collectiveNode(1, 0, 1 << 20)})));
        const CliResult lint = runCli({QStringLiteral("lint"), QStringLiteral("signed")}, m_folder.path());
        QCOMPARE(lint.exit, 2);
        QVERIFY2(lint.err.contains("no trace files found"), lint.err.constData());
        QCOMPARE(runCli({QStringLiteral("step"), QStringLiteral("signed.-0.et")}, m_folder.path()).exit, 2);
    }

    /// The last rank of 64 bits, and one that is no number of 64 bits any more: a trace is missing, or the file is surplus.
    void anyNumberMayStandInTheNameOfATrace_data()
    {
        QTest::addColumn<QString>("command");
        QTest::addColumn<QList<int>>("exits");
        QTest::newRow("lint") << "lint big" << QList<int>{1, 2};
        QTest::newRow("verify") << "verify big" << QList<int>{1, 2};
        QTest::newRow("surplus file") << "simulate --network net.yml --system sys.json --workload big" << QList<int>{2};
        QTest::newRow("step") << "step net.yml sys.json big.9223372036854775807.et" << QList<int>{2};
        QTest::newRow("few ranks of a design") << "simulate big.yaml" << QList<int>{2};
    }
    void anyNumberMayStandInTheNameOfATrace()
    {
        QFETCH(QString, command);
        QFETCH(QList<int>, exits);
        for (const char* const name : {"big.0.et", "big.9223372036854775807.et", "big.9223372036854775808.et", "big.4294967296.et"})
            QVERIFY(writeFile(path(QString::fromUtf8(name)), traceBytes({collectiveNode(1, 0, 1 << 20)})));
        QVERIFY(writeFile(path(QStringLiteral("big.yaml")), QByteArray(kRing).replace(kSteps, "workload: {trace: big}\n")));
        const MeasuredRun run = runMeasured(command.split(QLatin1Char(' ')), m_folder.path());
        check(run, 1000, exits);
        QVERIFY2(text(run).contains("9223372036854775807") || text(run).contains("is 4294967296 (expected ranks below 1048576)"), text(run).constData());
    }
};

FABRICSCOPE_TEST(TestCliHostile)
#include "tst_cli_hostile.moc"
