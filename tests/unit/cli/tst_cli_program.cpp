// Programs on the command line: scripts and generators, checked, drawn and written.
#include "tests/unit/support/cases/scriptcase.h"
#include "tests/unit/support/clirun.h"

#include "tests/unit/support/canonical.h"
#include "core/programio/mscclxml.h"
#include "core/workload/customcollective.h"
#include "tests/unit/support/testprogram.h"

#include <QDir>
#include <QTemporaryDir>
#include <QtTest>

using namespace fabricscope;
using namespace fabricscope::test;
using nlohmann::json;

class TestCliProgram : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() { QVERIFY(m_folder.isValid()); }

    void listsTheGenerators()
    {
        const CliResult text = program({QStringLiteral("list")});
        QVERIFY2(text.exit == 0, text.err);
        QVERIFY(text.out.contains("recursive_doubling"));
        const json list = jsonOf(program({QStringLiteral("list"), QStringLiteral("--json")})).value("result", json());
        QVERIFY(list.size() > 5);
        QVERIFY(!list[0]["algorithm"].get<std::string>().empty() && !list[0]["collectives"].empty() && !list[0]["sizes"].get<std::string>().empty());
    }

    void saysWhatAScriptMakes()
    {
        const CliResult text = program({QStringLiteral("--script"), example("allreduce_ring")});
        QVERIFY2(text.exit == 0, text.err);
        QVERIFY2(text.out.contains("all_reduce of 8 ranks in 8 chunks") && text.out.contains("valid, postcondition holds"), text.out);

        // A ring sends 2 (n - 1) / n of the size from every rank in 2 (n - 1) steps.
        const json facts = jsonOf(program({QStringLiteral("--script"), example("allreduce_ring"), QStringLiteral("--param"), QStringLiteral("ranks=5"),
                                           QStringLiteral("--param"), QStringLiteral("channels=2"), QStringLiteral("--json")}));
        QCOMPARE(facts["ranks"].get<int>(), 5);
        QCOMPARE(facts["transfers"].get<int>(), 40);
        QCOMPARE(facts["operations"].get<int>(), 80);
        QCOMPARE(facts["steps"].get<int>(), 8);
        QCOMPARE(facts["most_sent_share"].get<double>(), 1.6);
        QCOMPARE(facts["least_sent_share"].get<double>(), 1.6);
        QCOMPARE(facts["verdict"].get<std::string>(), std::string("valid"));
        QCOMPARE(facts["parameters"][1]["name"].get<std::string>(), std::string("channels"));
        QCOMPARE(facts["parameters"][1]["value"].get<int>(), 2);
    }

    void saysWhatAGeneratorMakes()
    {
        const json facts = jsonOf(program({QStringLiteral("--algorithm"), QStringLiteral("recursive_doubling"), QStringLiteral("--op"), QStringLiteral("all_gather"),
                                           QStringLiteral("--axes"), QStringLiteral("8"), QStringLiteral("--json")}));
        QCOMPARE(facts["ranks"].get<int>(), 8);
        QCOMPARE(facts["verdict"].get<std::string>(), std::string("valid"));
        QCOMPARE(facts["steps"].get<int>(), 3);
        QCOMPARE(facts["most_sent_share"].get<double>(), 0.875);
    }

    void wrongProgramsExitWithOne()
    {
        const QString half = write("half.lua", "collective('all_reduce', {ranks = 2, chunks = 1})\nchunk(0, 'input', 0):reduce(chunk(1, 'input', 0))\n");
        const CliResult result = program({QStringLiteral("--script"), half});
        QCOMPARE(result.exit, 1);
        QVERIFY2(result.out.contains("invalid, postcondition fails"), result.out);
        QVERIFY2(result.err.contains("half.lua:1") && result.err.contains("[postcondition]"), result.err);
    }

    void brokenScriptsExitWithTwoAndTheirLine()
    {
        const QString broken = write("broken.lua", "collective('all_reduce', {ranks = 2})\nfor r = 0, 2 do\n  chunk(r, 'input', 0)\nend\n");
        const CliResult result = program({QStringLiteral("--script"), broken});
        QCOMPARE(result.exit, 2);
        QVERIFY2(result.err.contains("broken.lua:3") && result.err.contains("There is no rank 2") && result.err.contains("loop of line 2: r = 2"), result.err);
        QCOMPARE(program({QStringLiteral("--script"), m_folder.filePath(QStringLiteral("absent.lua"))}).exit, 2);
    }

    void refusesWhatMakesNoSense_data()
    {
        QTest::addColumn<QStringList>("arguments");
        QTest::addColumn<QString>("word");
        const QString ring = example("allreduce_ring");
        QTest::newRow("nothing") << QStringList{} << QStringLiteral("--script");
        QTest::newRow("both") << QStringList{"--script", ring, "--algorithm", "ring"} << QStringLiteral("--script");
        QTest::newRow("no group") << QStringList{"--algorithm", "ring"} << QStringLiteral("--axes");
        QTest::newRow("bad group") << QStringList{"--algorithm", "ring", "--axes", "8x"} << QStringLiteral("--axes");
        QTest::newRow("algorithm") << QStringList{"--algorithm", "rings_of_saturn", "--axes", "8"} << QStringLiteral("--algorithm");
        QTest::newRow("collective") << QStringList{"--algorithm", "ring", "--axes", "8", "--op", "all_red"} << QStringLiteral("all_reduce");
        QTest::newRow("parameter") << QStringList{"--script", ring, "--param", "ranks"} << QStringLiteral("NAME=NUMBER");
        QTest::newRow("number") << QStringList{"--script", ring, "--param", "ranks=4x"} << QStringLiteral("--param");
        QTest::newRow("parameter twice") << QStringList{"--script", ring, "--param", "ranks=4", "--param", "ranks=5"} << QStringLiteral("twice");
        QTest::newRow("parameter of none") << QStringList{"--algorithm", "ring", "--axes", "4", "--param", "ranks=4"} << QStringLiteral("--param");
        QTest::newRow("size without graphs") << QStringList{"--script", ring, "--size", "1MiB"} << QStringLiteral("--et");
        QTest::newRow("size without unit") << QStringList{"--script", ring, "--et", "x", "--size", "64"} << QStringLiteral("--size");
        QTest::newRow("form") << QStringList{"--script", ring, "--out", "x.txt"} << QStringLiteral("x.txt");
    }
    void refusesWhatMakesNoSense()
    {
        QFETCH(QStringList, arguments);
        QFETCH(QString, word);
        const CliResult result = program(arguments);
        QCOMPARE(result.exit, 2);
        QVERIFY2(result.err.contains(word.toUtf8()), result.err);
    }

    void writesMscclXmlThatReadsBack()
    {
        const QString file = m_folder.filePath(QStringLiteral("two.xml"));
        const CliResult result = program({QStringLiteral("--script"), example("alltoall_twostep"), QStringLiteral("--out"), file});
        QVERIFY2(result.exit == 0, result.err);
        const Result<MscclFile> back = readMsccl(file.toStdString());
        QVERIFY(back && back.value().valid());
        QCOMPARE(back.value().program->ranks, 8);
        QCOMPARE(wrongResult(*back.value().program), std::string());
    }

    void writesChakraGraphsThatReadBack()
    {
        // A prefix, from a script; the size fixes comm_size.
        const QString prefix = m_folder.filePath(QStringLiteral("graph"));
        const CliResult result = program({QStringLiteral("--script"), example("alltoall_twostep"), QStringLiteral("--et"), prefix, QStringLiteral("--size"), QStringLiteral("64 KiB")});
        QVERIFY2(result.exit == 0, result.err);
        const Result<ProgramPtr> back = readGraphProgram(prefix.toStdString());
        QVERIFY(back);
        QCOMPARE(back.value()->ranks, 8);
        QCOMPARE(wrongResult(*back.value()), std::string());
        const Result<ProgramPtr> nodes = readCustomProgram(prefix.toStdString());
        QVERIFY(nodes);
        const ExplicitBody& body = nodes.value()->asExplicit();
        std::int64_t sent = 0;
        for (std::uint32_t op = 0; op < body.rankBegin[1]; ++op)
            sent += body.kind[op] == OpKind::Send ? body.bytesOf(op) : 0;
        // Rank 0 sends one chunk (1/8) to each of 3 in its node and 4 inside its node for the others, then 4 chunks to its fellow: that is at least 7/8.
        QVERIFY2(sent >= 7 * 8192 && sent % 8192 == 0, QByteArray::number(static_cast<qlonglong>(sent)));
        // The same program as the XML.
        const QString xml = m_folder.filePath(QStringLiteral("same.xml"));
        QCOMPARE(program({QStringLiteral("--script"), example("alltoall_twostep"), QStringLiteral("--out"), xml}).exit, 0);
        QVERIFY(canonicalDigest(*readMsccl(xml.toStdString()).value().program) == canonicalDigest(*back.value()));

        // A folder, from a template; what is lost is said, sizes left open too.
        const QString folder = m_folder.filePath(QStringLiteral("graphs"));
        QVERIFY(QDir().mkpath(folder));
        const CliResult ring = program({QStringLiteral("--algorithm"), QStringLiteral("ring"), QStringLiteral("--axes"), QStringLiteral("4"), QStringLiteral("--et"), folder});
        QVERIFY2(ring.exit == 0, ring.err);
        QVERIFY(readGraphProgram((folder + QStringLiteral("/program")).toStdString()));
        QVERIFY2(ring.err.contains("[graph-sums]") && ring.err.contains("12 sums") && ring.err.contains("[graph-sizes]"), ring.err);
        QVERIFY2(!result.err.contains("graph-sizes"), result.err);
        QCOMPARE(program({QStringLiteral("--algorithm"), QStringLiteral("ring"), QStringLiteral("--axes"), QStringLiteral("4"), QStringLiteral("--et"), m_folder.filePath(QStringLiteral("no/where"))}).exit, 5);
    }

    void draws()
    {
        const QString file = m_folder.filePath(QStringLiteral("tree.svg"));
        const CliResult result = program({QStringLiteral("--script"), example("broadcast_tree"), QStringLiteral("--draw"), file});
        QVERIFY2(result.exit == 0, result.err);
        QFile svg(file);
        QVERIFY(svg.open(QIODevice::ReadOnly));
        QVERIFY(svg.readAll().contains("tree broadcast"));
        QCOMPARE(program({QStringLiteral("--script"), example("broadcast_tree"), QStringLiteral("--draw"), m_folder.filePath(QStringLiteral("no/where.svg"))}).exit, 5);
    }

private:
    static QString example(const char* name) { return QString::fromStdString(exampleFolder() + '/' + name + ".lua"); }
    QString write(const char* name, const char* text)
    {
        const QString path = m_folder.filePath(QLatin1String(name));
        return writeFile(path, text) ? path : QString();
    }
    static CliResult program(const QStringList& arguments) { return runCli(QStringList{QStringLiteral("program")} + arguments); }

    QTemporaryDir m_folder;
};

FABRICSCOPE_TEST(TestCliProgram)
#include "tst_cli_program.moc"
