// What `report` puts on a page, as it is asked.
#include "core/report/contentfile.h"
#include "core/report/html.h"
#include "tests/unit/support/clirun.h"
#include "tests/unit/support/testprogram.h"

#include <QDir>
#include <QFile>
#include <QRegularExpression>
#include <QTemporaryDir>
#include <QtTest/QtTest>

using namespace fabricscope::test;

namespace {

const QByteArray kReportedDesign = "fabricscope: 1\nname: Ring of eight\nnotes: Is a ring enough?\n"
                           "platform: {dimensions: [{shape: ring, size: 8, bandwidth: 50 GB/s, latency: 1 us}]}\nworkload: {collective: all_reduce, size: 8 MiB}\n"
                           "collectives: {default: {algorithm: ring, chunks: 1}}\n";

} // namespace

class TestCliReport : public QObject
{
    Q_OBJECT

    QTemporaryDir m_folder;

    QByteArray content(const QString& name) const
    {
        QFile file(m_folder.filePath(name));
        return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
    }

    CliResult run(QStringList arguments) const { return runCli(QStringList{QStringLiteral("report")} + arguments, m_folder.path()); }

    /// Titles of the numbered sections.
    QStringList headings(const QString& name) const
    {
        QStringList out;
        static const QRegularExpression heading(QStringLiteral("<h2>(\\d+) [^A-Z]*([^<]+)</h2>"));
        for (auto match = heading.globalMatch(QString::fromUtf8(content(name))); match.hasNext();) {
            const auto one = match.next();
            if (one.captured(1).toInt() == out.size() + 1)
                out << one.captured(2);
        }
        return out;
    }

private slots:
    void initTestCase()
    {
        QFile file(m_folder.filePath(QStringLiteral("ring.yaml")));
        QVERIFY(file.open(QIODevice::WriteOnly) && file.write(kReportedDesign) == kReportedDesign.size());
    }

    void sectionsStandInTheirOrderWhateverTheWordsAre()
    {
        QCOMPARE(run({QStringLiteral("ring.yaml"), QStringLiteral("--out"), QStringLiteral("all.html")}).exit, 0);
        QCOMPARE(headings(QStringLiteral("all.html")).size(), qsizetype{10});
        QCOMPARE(run({QStringLiteral("ring.yaml"), QStringLiteral("--out"), QStringLiteral("some.html"), QStringLiteral("--sections"), QStringLiteral("inputs,links,results")}).exit, 0);
        QCOMPARE(headings(QStringLiteral("some.html")), QStringList({QStringLiteral("Results"), QStringLiteral("Busiest links"), QStringLiteral("Exact inputs")}));
        QCOMPARE(run({QStringLiteral("ring.yaml"), QStringLiteral("--out"), QStringLiteral("none.html"), QStringLiteral("--sections"), QStringLiteral("none")}).exit, 0);
        QCOMPARE(headings(QStringLiteral("none.html")).size(), qsizetype{0});
        QVERIFY(content(QStringLiteral("none.html")).contains("The all-reduce of 8 MiB takes"));
    }

    void theQuestionIsThatOfTheNotesOrTheTypedOne()
    {
        QCOMPARE(run({QStringLiteral("ring.yaml"), QStringLiteral("--out"), QStringLiteral("notes.html"), QStringLiteral("--sections"), QStringLiteral("none")}).exit, 0);
        QVERIFY(content(QStringLiteral("notes.html")).contains("<p class=\"question\">Is a ring enough?</p>"));
        QCOMPARE(run({QStringLiteral("ring.yaml"), QStringLiteral("--out"), QStringLiteral("typed.html"), QStringLiteral("--sections"), QStringLiteral("none"), QStringLiteral("--question"),
                      QStringLiteral("Are <8> & \"more\" enough?")}).exit, 0);
        QVERIFY(content(QStringLiteral("typed.html")).contains("<p class=\"question\">Are &lt;8&gt; &amp; &quot;more&quot; enough?</p>"));
        QVERIFY(!content(QStringLiteral("typed.html")).contains("Is a ring enough?"));
    }

    void paperIsThatOfThePage()
    {
        for (const auto& [paper, size] : {std::pair{"a4", "size: A4;"}, {"letter", "size: letter;"}}) {
            QCOMPARE(run({QStringLiteral("ring.yaml"), QStringLiteral("--out"), QStringLiteral("paper.html"), QStringLiteral("--paper"), QString::fromUtf8(paper)}).exit, 0);
            QCOMPARE(content(QStringLiteral("paper.html")).count(size), qsizetype{1});
            QCOMPARE(content(QStringLiteral("paper.html")).count("size: A4;") + content(QStringLiteral("paper.html")).count("size: letter;"), qsizetype{1});
        }
    }

    /// Fifteen equal links of a ring are one row; the other direction carries nothing.
    void equalLinksAreOneRow()
    {
        QCOMPARE(run({QStringLiteral("ring.yaml"), QStringLiteral("--out"), QStringLiteral("links.html"), QStringLiteral("--sections"), QStringLiteral("links")}).exit, 0);
        const QString page = QString::fromUtf8(content(QStringLiteral("links.html")));
        QCOMPARE(page.count(QStringLiteral("<tbody>")), qsizetype{1});
        const QString rows = page.section(QStringLiteral("<tbody>"), 1).section(QStringLiteral("</tbody>"), 0, 0);
        QVERIFY(rows.count(QStringLiteral("<tr>")) <= 2);
        // A ring all-reduce sends 2 * 7 messages over each of its 8 links.
        QVERIFY2(rows.contains(QStringLiteral("<td class=\"n\">8</td><td>0\u20137 \u2192 0\u20137</td>")) && rows.contains(QStringLiteral("<td class=\"n\">14</td>")), qPrintable(rows));
    }

    void theSameTwiceAndOfASavedRun()
    {
        QCOMPARE(runCli({QStringLiteral("simulate"), QStringLiteral("ring.yaml"), QStringLiteral("--save"), QStringLiteral("saved.run"), QStringLiteral("--report"), QStringLiteral("direct.html")}, m_folder.path()).exit, 0);
        QCOMPARE(run({QStringLiteral("saved.run"), QStringLiteral("--out"), QStringLiteral("saved.html")}).exit, 0);
        QCOMPARE(run({QStringLiteral("ring.yaml"), QStringLiteral("--out"), QStringLiteral("design.html")}).exit, 0);
        QVERIFY(content(QStringLiteral("direct.html")).contains("Storyboard"));
        QCOMPARE(content(QStringLiteral("saved.html")), content(QStringLiteral("direct.html")));
        QCOMPARE(content(QStringLiteral("design.html")), content(QStringLiteral("direct.html")));
    }

    /// Which a run does not keep.
    void aSavedRunIsPrintedWithItsPlacement()
    {
        const QByteArray design = "fabricscope: 1\nplatform:\n  dimensions: [{shape: switch, size: 4, bandwidth: 12 GB/s, latency: 3 us}]\n  npu: {peak: 1 TFLOP/s, memory: 4 GB}\n"
                                  "  overrides: {npus: [{npu: 0, peak: 3 TFLOP/s, memory: 8 GB}]}\nworkload:\n  model:\n    transformer: {layers: 1, hidden: 256, heads: 4, ff: 1024, vocab: 1000, seq: 64}\n"
                                  "    train: {global_batch: 32}\n    dtype: {param: fp32, act: fp32, grad: fp32}\n  plan: {placement: hap}\n";
        QVERIFY(writeFile(m_folder.filePath(QStringLiteral("mixed.yaml")), design));
        const CliResult direct = runCli({QStringLiteral("simulate"), QStringLiteral("mixed.yaml"), QStringLiteral("--save"), QStringLiteral("mixed.run"), QStringLiteral("--json")}, m_folder.path());
        QVERIFY2(direct.exit == 0, direct.err.constData());
        QVERIFY(jsonOf(direct)["result"].contains("placement"));
        const CliResult saved = run({QStringLiteral("mixed.run"), QStringLiteral("--json")});
        QCOMPARE(saved.exit, 0);
        QCOMPARE(saved.out, direct.out);
        // Their last lines say how long each of them took.
        const auto table = [](const QByteArray& text) { return text.left(text.indexOf("\nEngine")); };
        const QByteArray printed = run({QStringLiteral("mixed.run")}).out;
        QVERIFY2(printed.contains("DP-EV"), printed.constData());
        QCOMPARE(table(printed), table(runCli({QStringLiteral("simulate"), QStringLiteral("mixed.yaml")}, m_folder.path()).out));
    }

    /// A placement that is found now would be another model's.
    void aSavedRunWhoseFilesChangedSaysThatItsPlacementIsNotShown()
    {
        const auto network = [this](const char* bandwidth) {
            return writeFile(m_folder.filePath(QStringLiteral("network.yml")), QByteArray("topology: [ Switch ]\nnpus_count: [ 4 ]\nbandwidth: [ ") + bandwidth + " ]\nlatency: [ 3000.0 ]\n");
        };
        QVERIFY(network("12.0"));
        QVERIFY(writeFile(m_folder.filePath(QStringLiteral("named.yaml")),
                          "fabricscope: 1\nplatform:\n  file: network.yml\n  npu: {peak: 1 TFLOP/s, memory: 4 GB}\n"
                          "workload:\n  model:\n    transformer: {layers: 1, hidden: 256, heads: 4, ff: 1024, vocab: 1000, seq: 64}\n"
                          "    train: {global_batch: 32}\n    dtype: {param: fp32, act: fp32, grad: fp32}\n  plan: {placement: hap}\n"));
        const CliResult direct = runCli({QStringLiteral("simulate"), QStringLiteral("named.yaml"), QStringLiteral("--save"), QStringLiteral("named.run")}, m_folder.path());
        QVERIFY2(direct.exit == 0, direct.err.constData());
        const CliResult same = run({QStringLiteral("named.run")});
        QVERIFY(same.out.contains("DP-EV") && same.err.isEmpty());
        QVERIFY(network("6.0"));
        for (const bool gone : {false, true}) {
            if (gone)
                QVERIFY(QFile::remove(m_folder.filePath(QStringLiteral("network.yml"))));
            const CliResult changed = run({QStringLiteral("named.run")});
            QCOMPARE(changed.exit, 0);
            QVERIFY(!changed.out.contains("DP-EV"));
            QCOMPARE(changed.err, QByteArray("note: the placement is not shown: files that the design names have changed since it was run\n"));
        }
    }

    /// In the place of the desktop program stands one that keeps what it is handed, and counts: the content of the page, with the placement that the run searched and
    /// its explanation, once, and nothing that could be searched or run again.
    void aPdfIsHandedItsContentOnce()
    {
        const QString program = m_folder.filePath(QStringLiteral("bin/fabricscope-cli"));
        QVERIFY(QDir(m_folder.path()).mkdir(QStringLiteral("bin")) && QFile::copy(QString::fromUtf8(kCliPath), program));
        const QString printer = m_folder.filePath(QStringLiteral("bin/fabricscope"));
        QVERIFY(writeFile(printer, "#!/bin/sh\necho \"$# $1\" >> calls\ncp \"$3\" handed\nprintf '%%PDF-1.4 printed' > \"$2\"\n"));
        QVERIFY(QFile::setPermissions(printer, QFile::ReadOwner | QFile::ExeOwner));
        QVERIFY(writeFile(m_folder.filePath(QStringLiteral("placed.yaml")),
                          "fabricscope: 1\nplatform:\n  dimensions: [{shape: switch, size: 4, bandwidth: 12 GB/s, latency: 3 us}]\n  npu: {peak: 1 TFLOP/s, memory: 4 GB}\n"
                          "workload:\n  model:\n    transformer: {layers: 1, hidden: 64, heads: 4, ff: 256, vocab: 100, seq: 16}\n    train: {global_batch: 32}\n"
                          "    dtype: {param: fp32, act: fp32, grad: fp32}\n  plan: {placement: hap}\n"));
        const CliResult printed = runCli({QStringLiteral("report"), QStringLiteral("placed.yaml"), QStringLiteral("--explain"), QStringLiteral("--paper"), QStringLiteral("letter"), QStringLiteral("--sections"),
                                          QStringLiteral("placement,findings"), QStringLiteral("--out"), QStringLiteral("placed.pdf")}, m_folder.path(), program);
        QVERIFY2(printed.exit == 0, printed.err.constData());
        QCOMPARE(content(QStringLiteral("placed.pdf")), QByteArray("%PDF-1.4 printed"));
        QCOMPARE(content(QStringLiteral("calls")), QByteArray("3 --export-report\n"));
        const fabricscope::Result<fabricscope::ReportContent> handed = fabricscope::readContentFile(content(QStringLiteral("handed")).toStdString());
        QVERIFY(handed);
        QCOMPARE(handed.value().shownSections().size(), std::size_t{2});
        QVERIFY(handed.value().paper == fabricscope::ReportPaper::Letter);
        const std::string page = fabricscope::reportHtml(handed.value());
        QVERIFY(page.find("DP-EV") != std::string::npos);
        QVERIFY(page.find("The critical path of the run takes") != std::string::npos);
    }

    void whatIsNoChoiceIsRefusedBeforeTheRun_data()
    {
        QTest::addColumn<QStringList>("words");
        QTest::addColumn<QString>("message");
        const auto row = [](const char* name, const QStringList& words, const char* message) { QTest::newRow(name) << words << QString::fromUtf8(message); };
        row("section", {QStringLiteral("--out"), QStringLiteral("x.html"), QStringLiteral("--sections"), QStringLiteral("platform,chart")}, "\"chart\" is no section of a report");
        row("twice", {QStringLiteral("--out"), QStringLiteral("x.html"), QStringLiteral("--sections"), QStringLiteral("links,links")}, "\"links\" is there twice");
        row("paper", {QStringLiteral("--out"), QStringLiteral("x.html"), QStringLiteral("--paper"), QStringLiteral("A5")}, "a4 or letter");
        row("no page", {QStringLiteral("--sections"), QStringLiteral("links")}, "--sections is not used without --out");
    }
    void whatIsNoChoiceIsRefusedBeforeTheRun()
    {
        QFETCH(QStringList, words);
        QFETCH(QString, message);
        const CliResult result = run(QStringList{QStringLiteral("ring.yaml")} + words);
        QCOMPARE(result.exit, 2);
        QVERIFY2(result.err.contains(message.toUtf8()), result.err.constData());
        QVERIFY(!QFile::exists(m_folder.filePath(QStringLiteral("x.html"))));
    }
};

FABRICSCOPE_TEST(TestCliReport)
#include "tst_cli_report.moc"
