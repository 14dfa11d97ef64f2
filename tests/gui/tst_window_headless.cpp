// A report made without a window replaces nothing it is made from: neither what was given nor what that refers to.
#include "app/desktop/arguments.h"
#include "app/desktop/exports/reportexport.h"
#include "core/report/contentfile.h"
#include "core/report/html.h"
#include "tests/unit/support/testprogram.h"

#include <QtTest>

#include <QFile>
#include <QTemporaryDir>

using namespace fabricscope;

class WindowHeadlessTest : public QObject
{
    Q_OBJECT

    QTemporaryDir m_home;

    QString path(const QString& name) const { return m_home.filePath(name); }

    void write(const QString& name, const QByteArray& text) const
    {
        QFile file(path(name));
        QVERIFY(file.open(QIODevice::WriteOnly) && file.write(text) == text.size());
    }

    QByteArray content(const QString& name) const
    {
        QFile file(path(name));
        return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray("unreadable");
    }

private slots:
    void initTestCase()
    {
        QVERIFY(m_home.isValid());
        write(QStringLiteral("net.yml"), "topology: [ Ring ]\nnpus_count: [ 4 ]\nbandwidth: [ 50.0 ]\nlatency: [ 500.0 ]\n");
        write(QStringLiteral("ring.lua"),
              "collective('all_reduce', {ranks = 4, chunks = 4})\nfor s = 1, 3 do for c = 0, 3 do\nchunk((c + s) % 4, 'input', c):reduce(chunk((c + s - 1) % 4, 'input', c))\nend end\n"
              "for s = 0, 2 do for c = 0, 3 do\nchunk((c + s + 3) % 4, 'input', c):copy((c + s) % 4)\nend end\n");
        write(QStringLiteral("d.yaml"),
              "fabricscope: 1\nplatform: {file: net.yml, kind: astra-sim}\nworkload: {collective: all_reduce, size: 1 MiB}\ncollectives: {default: {script: ring.lua}}\n");
    }

    void noReportOnTopOfWhatItIsMadeFrom_data()
    {
        QTest::addColumn<QString>("target");
        QTest::newRow("the design") << QStringLiteral("d.yaml");
        QTest::newRow("the platform it names") << QStringLiteral("net.yml");
        QTest::newRow("the script it names") << QStringLiteral("ring.lua");
    }

    void noReportOnTopOfWhatItIsMadeFrom()
    {
        QFETCH(QString, target);
        const QByteArray before = content(target);
        const QString report = path(QStringLiteral("r.html"));
        QVERIFY(QFile::link(target, report));

        const int exit = exportReportHeadless(report, {path(QStringLiteral("d.yaml"))});

        QVERIFY(QFile::remove(report));
        QCOMPARE(exit, 2);
        QCOMPARE(content(target), before);
    }

    void whatToCompareWithIsOfAReport()
    {
        const QStringList words{QStringLiteral("fabricscope"), QStringLiteral("b.run"), QStringLiteral("--compare"), QStringLiteral("a.run")};
        const Arguments alone = parseArguments(words);
        QCOMPARE(alone.exitCode, 2);
        QVERIFY(alone.message.contains(QStringLiteral("--compare")));
        QVERIFY(parseArguments(words + QStringList{QStringLiteral("--export-report"), QStringLiteral("r.html")}).message.isEmpty());
    }

    /// What fabricscope-cli hands over is printed as it is: the options of this program choose nothing of it.
    void whatIsHandedOverIsPrintedAsItIs()
    {
        ReportContent handed;
        handed.title = "Handed over";
        handed.paper = ReportPaper::Letter;
        handed.sections.push_back({ReportPart::Findings, "Findings", false, true, {ReportText{"Nothing else is known."}}});
        handed.sections.push_back({ReportPart::Inputs, "Exact inputs", false, false, {}});
        const std::string text = contentFileText(handed);
        write(QStringLiteral("handed.report"), QByteArray::fromStdString(text));
        QCOMPARE(exportReportHeadless(path(QStringLiteral("handed.html")), {path(QStringLiteral("handed.report"))}), 0);
        QCOMPARE(content(QStringLiteral("handed.html")), QByteArray::fromStdString(reportHtml(handed)));
        QCOMPARE(exportReportHeadless(path(QStringLiteral("handed.pdf")), {path(QStringLiteral("handed.report"))}), 0);
        QVERIFY(content(QStringLiteral("handed.pdf")).startsWith("%PDF"));
        QVERIFY(content(QStringLiteral("handed.pdf")).contains("/MediaBox [0 0 612") || content(QStringLiteral("handed.pdf")).contains("/MediaBox [0.000000 0.000000 612"));

        write(QStringLiteral("cut.report"), QByteArray::fromStdString(text.substr(0, text.size() / 2)));
        QCOMPARE(exportReportHeadless(path(QStringLiteral("cut.html")), {path(QStringLiteral("cut.report"))}), 2);
        QVERIFY(!QFile::exists(path(QStringLiteral("cut.html"))));
        QVERIFY(QFile::link(path(QStringLiteral("handed.report")), path(QStringLiteral("same.html"))));
        QCOMPARE(exportReportHeadless(path(QStringLiteral("same.html")), {path(QStringLiteral("handed.report"))}), 2);
        QCOMPARE(content(QStringLiteral("handed.report")), QByteArray::fromStdString(text));
    }

    void theLanguageIsGermanOrEnglish()
    {
        const auto with = [](const char* code) { return parseArguments({QStringLiteral("fabricscope"), QStringLiteral("--language"), QString::fromLatin1(code)}); };
        QVERIFY(with("de").language == WindowLanguage::German);
        QVERIFY(with("en").language == WindowLanguage::English);
        QVERIFY(!parseArguments({QStringLiteral("fabricscope")}).language);
        const Arguments other = with("fr");
        QCOMPARE(other.exitCode, 2);
        QVERIFY2(other.message.contains(QStringLiteral("--language fr: expected de or en")), qPrintable(other.message));
    }

    void anotherNameIsWritten()
    {
        QCOMPARE(exportReportHeadless(path(QStringLiteral("r.html")), {path(QStringLiteral("d.yaml"))}), 0);
        QVERIFY(content(QStringLiteral("r.html")).startsWith("<!DOCTYPE html>"));
    }
};

FABRICSCOPE_GUI_TEST(WindowHeadlessTest)
#include "tst_window_headless.moc"
