// One door tells and reads every form of a program, and designs and commands go through it.
#include "core/formats/fabrickind.h"
#include "core/formats/programload.h"
#include "core/generate/generate.h"
#include "core/run/programfile.h"
#include "sourcedir.h"
#include "tests/unit/support/testprogram.h"

#include <QDir>
#include <QDirIterator>
#include <QTemporaryDir>
#include <QtTest/QtTest>

using namespace fabricscope;

namespace {

const char* const kScript = "collective(\"all_reduce\", {ranks = 2, chunks = 1})\n"
                            "chunk(0, \"input\", 0):reduce(chunk(1, \"input\", 0))\nchunk(0, \"input\", 0):copy(1)\n";

std::string written(const QDir& folder, const QString& name, const QByteArray& text)
{
    QFile file(folder.filePath(name));
    return file.open(QIODevice::WriteOnly) && file.write(text) == text.size() ? file.fileName().toStdString() : std::string();
}

} // namespace

class ProgramFormsTest : public QObject {
    Q_OBJECT

private slots:
    void aFormIsOneRow()
    {
        for (const ProgramFormRow& row : kProgramForms) {
            QCOMPARE(&programFormRow(row.form), &row);
            QVERIFY(!row.key.empty() && row.ending.starts_with('.') && !row.text.empty());
            const Result<ProgramForm> form = programFormWritten("a" + std::string(row.ending));
            QCOMPARE(bool(form), row.written);
            QVERIFY(!row.written || form.value() == row.form);
        }
    }

    void aTextIsToldByHowItBegins()
    {
        QVERIFY(programFormOfText("\xEF\xBB\xBF \n<algo/>") == ProgramForm::Xml);
        QVERIFY(programFormOfText("<?xml version='1.0'?><algo>") == ProgramForm::Xml);
        QVERIFY(programFormOfText("\xEF\xBB\xBF\t{") == ProgramForm::Json);
        QVERIFY(programFormOfText("collective(\"all_gather\", {})") == ProgramForm::Script);
        QVERIFY(programFormOfText("") == ProgramForm::Script);
    }

    void aFileIsAProgramOnlyIfItSaysSo_data()
    {
        QTest::addColumn<QString>("name");
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<int>("form");
        const QByteArray far(100'000, ' ');
        QTest::newRow("script") << "a.lua" << QByteArray() << static_cast<int>(ProgramForm::Script);
        QTest::newRow("script in capitals") << "A.LUA" << QByteArray() << static_cast<int>(ProgramForm::Script);
        QTest::newRow("xml of any name") << "a.txt" << QByteArray("<!-- of NCCL --><algo name='x'>") << static_cast<int>(ProgramForm::Xml);
        QTest::newRow("ours") << "a" << QByteArray("{\"fabricscope_program\": 1}") << static_cast<int>(ProgramForm::Json);
        QTest::newRow("ours, the key behind much else") << "a.json" << "{\"explicit\": [" + far + "], \"fabricscope_program\": 1}" << static_cast<int>(ProgramForm::Json);
        QTest::newRow("plan") << "a.json" << QByteArray("{\"name\": \"p\", \"gpus\": [{\"threadblocks\": []}]}") << static_cast<int>(ProgramForm::Json);
        QTest::newRow("other xml") << "a.xml" << QByteArray("<system><algorithms/></system>") << -1;
        const auto xml = [](const char* row, const QByteArray& text, bool program) {
            QTest::newRow(row) << "a.xml" << text << (program ? static_cast<int>(ProgramForm::Xml) : -1);
        };
        xml("a comment names it", "<!-- made from an <algo> of mine -->\n<system version='1'/>", false);
        xml("an element inside", "<?xml version='1.0'?><system><algo name='x'/></system>", false);
        xml("text that names it", "to be read as <algo name='x'>", false);
        xml("a longer name", "<algorithm/>", false);
        xml("behind all that may stand before", "\xEF\xBB\xBF<?xml version='1.0'?>\n<!-- > <system> -->\n<!DOCTYPE algo [ <!-- it's ]> --> <!ENTITY a \"]>\"> ]>\n<?note <system>?><algo\n/>", true);
        xml("cut off in a comment", "<!-- <algo name='x'>", false);
        xml("cut off in a document type", "<!DOCTYPE algo [ <algo>", false);
        QTest::newRow("other json") << "a.json" << QByteArray("{\"gpus\": 8}") << -1;
        QTest::newRow("design") << "a.yaml" << QByteArray("fabricscope: 1\n") << -1;
        QTest::newRow("nothing") << "a.xml" << QByteArray() << -1;
    }
    void aFileIsAProgramOnlyIfItSaysSo()
    {
        QFETCH(const QString, name);
        QFETCH(const QByteArray, text);
        QFETCH(const int, form);
        const QTemporaryDir folder;
        const std::optional<ProgramForm> found = programFormOfFile(written(folder.path(), name, text));
        QCOMPARE(found ? static_cast<int>(*found) : -1, form);
    }

    /// A fabric is told by its root too.
    void aTopologyOfNcclIsToldByItsRoot()
    {
        QVERIFY(fabricKindOf("<!-- of NCCL -->\n<system version='1'>") == FabricKind::Nccl);
        QVERIFY(!fabricKindOf("<!-- for a <system> of mine -->\n<algo name='x'>"));
        QVERIFY(!fabricKindOf("<systems>"));
    }

    void everyFormIsReadByTheSameFunction()
    {
        const QTemporaryDir folder;
        const std::string stem = folder.filePath(QStringLiteral("ring")).toStdString();
        GenerateRequest request;
        request.algorithm = "ring";
        request.op = CollectiveOp::AllGather;
        request.axes = {4};
        const auto made = generateProgram(request);
        QVERIFY(made);
        for (const ProgramFormRow& row : kProgramForms) {
            if (!row.written)
                continue;
            const bool graphs = row.form == ProgramForm::Graphs;
            const std::string path = graphs ? stem : stem + std::string(row.ending);
            QVERIFY(writeProgramAs(row.form, made.value(), path));
            QVERIFY(programFormOfFile(path) == row.form);
            Diagnostics findings;
            const auto loaded = loadProgram(path, findings);
            QVERIFY2(loaded, loaded ? "" : loaded.error().text().c_str());
            QVERIFY(firstError(findings));
            QVERIFY(loaded.value().form == row.form);
            QCOMPARE(loaded.value().hasLines(), row.form == ProgramForm::Xml);
            QCOMPARE(loaded.value().program->ranks, 4);
            QVERIFY(loaded.value().program->op == CollectiveOp::AllGather);
        }
        Diagnostics findings;
        const auto script = loadProgram(written(folder.path(), QStringLiteral("two.lua"), kScript), findings);
        QVERIFY2(script, script ? "" : script.error().text().c_str());
        QVERIFY(script.value().form == ProgramForm::Script && script.value().hasLines());
        QCOMPARE(script.value().program->ranks, 2);
    }

    void whatIsNotThereIsSaid()
    {
        const QTemporaryDir folder;
        Diagnostics findings;
        const auto absent = loadProgram(folder.filePath(QStringLiteral("absent")).toStdString(), findings);
        QVERIFY(!absent && absent.error().code == ErrorCode::NotReadable);
        const auto inside = loadProgram(folder.path().toStdString(), findings);
        QVERIFY(!inside && inside.error().code == ErrorCode::NotReadable);
        const auto broken = loadProgram(written(folder.path(), QStringLiteral("b.json"), "{\"gpus\": 8}"), findings);
        QVERIFY(!broken && broken.error().code == ErrorCode::InvalidInput);
    }

    /// Whoever tells forms by himself tells them otherwise one day.
    void nobodyElseTellsOrReadsThem()
    {
        const QDir root(QStringLiteral(FABRICSCOPE_SOURCE_DIR));
        int readers = 0;
        for (const char* const part : {"core", "widgets", "app"}) {
            QDirIterator files(root.filePath(QString::fromLatin1(part)), {QStringLiteral("*.h"), QStringLiteral("*.cpp")}, QDir::Files, QDirIterator::Subdirectories);
            while (files.hasNext()) {
                const QString name = root.relativeFilePath(files.next());
                if (name.startsWith(QStringLiteral("core/programio/")) || name.startsWith(QStringLiteral("core/language/")))
                    continue;
                QFile file(root.filePath(name));
                QVERIFY(file.open(QIODevice::ReadOnly));
                const QByteArray text = file.readAll();
                for (const char* const sign : {"\"algo\"", "isProgramJson(", "isJsonFile(", "parseMsccl(", "readMsccl(", "compileScript(", "parseJsonProgram(", "parseProgramJson("}) {
                    readers += text.contains(sign) ? 1 : 0;
                    QVERIFY2(!text.contains(sign) || name.startsWith(QStringLiteral("core/formats/program")), qPrintable(name + QStringLiteral(": ") + QString::fromLatin1(sign)));
                }
            }
        }
        QVERIFY(readers >= 6);
    }
};

FABRICSCOPE_TEST(ProgramFormsTest)
#include "tst_programforms.moc"
