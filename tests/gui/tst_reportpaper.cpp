// A report on paper as its readers find it: the words that stand on its pages.
#include "core/design/file/readdesign.h"
#include "core/insight/explainsection.h"
#include "core/report/contentfile.h"
#include "core/report/reportchoice.h"
#include "core/run/rundesign.h"
#include "sourcedir.h"
#include "tests/gui/support/writtenwords.h"
#include "tests/unit/support/testprogram.h"
#include "widgets/report/pages.h"
#include "widgets/report/wrappedtext.h"

#include <QDir>
#include <QFile>
#include <QPainter>
#include <QRegularExpression>
#include <QTemporaryDir>
#include <QtTest>

#include <algorithm>
#include <map>

using namespace fabricscope;

namespace {

const QString kExamples = QStringLiteral(FABRICSCOPE_SOURCE_DIR "/resources/examples");

ReportContent contentOf(const QString& path)
{
    auto loaded = readDesign(path.toStdString());
    if (!loaded)
        qFatal("%s", loaded.error().text().c_str());
    const auto run = runDesign(std::make_shared<const Design>(std::move(loaded.value().design)), loaded.value().diagnostics, {});
    if (!run)
        qFatal("%s", run.error().text().c_str());
    ReportSource source;
    source.summary = &run.value()->summary;
    source.scenario = run.value()->scenario;
    source.timeline = run.value()->timeline;
    return reportContent(source);
}

const ReportContent& hgxContent()
{
    static const ReportContent content = contentOf(kExamples + QStringLiteral("/two-level-hgx.yaml"));
    return content;
}

std::vector<QString> linesOfPage(const ReportPages& pages, int page)
{
    test::WrittenPage paper(pages.paper().toSize());
    QPainter painter(&paper);
    pages.paintPage(painter, page);
    painter.end();
    return paper.lines();
}

/// Blanks of any width are one; ends of lines, too.
QString plain(QString text)
{
    return text.replace(QRegularExpression(QStringLiteral("[\\s\\x{00A0}\\x{2002}\\x{202F}]+")), QStringLiteral(" ")).trimmed();
}

QStringList wordsOf(const QString& text)
{
    return text.split(QRegularExpression(QStringLiteral("[ \\n\\x{2002}]+")), Qt::SkipEmptyParts);
}

/// Every text of a report that stands on its pages as words.
QStringList textsOf(const ReportContent& content)
{
    QStringList out;
    const auto add = [&out](const std::string& text) { out << QString::fromStdString(text); };
    const std::string lead = content.lead();
    for (const std::string* const text : {&content.title, &content.question, &lead, &content.answer})
        add(*text);
    for (const ReportSection* section : content.shownSections()) {
        add(section->title);
        for (const ReportBlock& block : section->blocks) {
            if (const auto* table = std::get_if<ReportTable>(&block)) {
                for (const ReportColumn& column : table->columns)
                    add(column.title);
                for (const auto& row : table->rows)
                    for (const ReportCell& cell : row)
                        add(cell.text);
                add(table->note);
            } else if (const auto* text = std::get_if<ReportText>(&block)) {
                add(text->text);
            } else if (const auto* list = std::get_if<ReportList>(&block)) {
                for (const std::string& item : list->items)
                    add(item);
            } else if (const auto* figure = std::get_if<ReportFigure>(&block)) {
                add(figure->caption);
            } else if (const auto* code = std::get_if<ReportCode>(&block)) {
                add(code->text);
            }
        }
    }
    return out;
}

/// Page of each entry of the contents, by what stands behind its dots; and the page its heading is found on.
struct Contents {
    std::map<QString, int> promised;
    std::map<QString, int> found;
};

Contents contentsOf(const std::vector<std::vector<QString>>& pages, const ReportContent& content)
{
    Contents contents;
    const std::vector<const ReportSection*> shown = content.shownSections();
    for (std::size_t i = 0; i < shown.size(); ++i) {
        const QString entry = QStringLiteral("%1 %2").arg(i + 1).arg(QString::fromStdString(shown[i]->title));
        const QRegularExpression promise(QStringLiteral("^%1 (\\d+)$").arg(QRegularExpression::escape(entry)));
        const QRegularExpression heading(QStringLiteral("(^| )%1($| \\d+ [A-Z])").arg(QRegularExpression::escape(entry)));
        for (std::size_t page = 0; page < pages.size(); ++page) {
            for (const QString& line : pages[page]) {
                if (const auto match = promise.match(plain(line)); match.hasMatch())
                    contents.promised[entry] = match.captured(1).toInt();
                else if (heading.match(plain(line)).hasMatch())
                    contents.found[entry] = static_cast<int>(page) + 1;
            }
        }
    }
    return contents;
}

std::vector<std::vector<QString>> linesOf(const ReportPages& pages)
{
    std::vector<std::vector<QString>> out;
    for (int page = 0; page < pages.pageCount(); ++page)
        out.push_back(linesOfPage(pages, page));
    return out;
}

/// Columns that need more room than paper has.
ReportContent wideContent()
{
    ReportContent content;
    content.title = "Wide";
    ReportSection section{ReportPart::Results, "Results", false, true, {}};
    ReportTable table;
    for (int i = 0; i < 10; ++i)
        table.columns.push_back({i % 2 ? "Share of it" : "Algorithm_of_it", i % 2 == 1, 1});
    table.rows.push_back({"halving_doubling", "100.0\xE2\x80\xAF%", "double_binary_tree", "12.000\xE2\x80\xAFms", "halving_doubling x halving_doubling", "1 408", "bruck", "0", "ring", "7"});
    section.blocks.emplace_back(std::move(table));
    content.sections.push_back(std::move(section));
    return content;
}

} // namespace

class ReportPaperTest : public QObject
{
    Q_OBJECT

private slots:
    void F5_contentsNameThePagesTheSectionsBeginOn_data()
    {
        QTest::addColumn<bool>("letter");
        QTest::addColumn<QString>("sections");
        QTest::newRow("A4, all") << false << QString::fromStdString(reportPartKeys());
        QTest::newRow("Letter, all") << true << QString::fromStdString(reportPartKeys());
        QTest::newRow("A4, two") << false << QStringLiteral("inputs,platform");
        QTest::newRow("Letter, halves") << true << QStringLiteral("assumptions,method,timeline");
    }
    void F5_contentsNameThePagesTheSectionsBeginOn()
    {
        QFETCH(bool, letter);
        QFETCH(QString, sections);
        ReportContent content = hgxContent();
        ReportChoice choice;
        choice.sections = reportPartsOf(sections.toStdString()).value();
        choice.paper = letter ? ReportPaper::Letter : ReportPaper::A4;
        choose(choice, content);
        const ReportPages pages(content);
        const std::vector<std::vector<QString>> lines = linesOf(pages);

        const Contents contents = contentsOf(lines, content);

        // There is nothing to compare with, and nothing is placed.
        const auto empty = std::count_if(choice.sections->begin(), choice.sections->end(), [](ReportPart part) { return part == ReportPart::Comparison || part == ReportPart::Placement; });
        QCOMPARE(contents.promised.size(), choice.sections->size() - static_cast<std::size_t>(empty));
        QCOMPARE(contents.promised, contents.found);
        for (std::size_t page = 0; page < lines.size(); ++page)
            QCOMPARE(std::count_if(lines[page].begin(), lines[page].end(), [&](const QString& line) { return plain(line).endsWith(QStringLiteral("Page %1 of %2").arg(page + 1).arg(lines.size())); }), 1);
    }

    void oneSectionNeedsNoContents()
    {
        ReportContent content = hgxContent();
        ReportChoice choice;
        choice.sections = std::vector{ReportPart::Findings};
        choose(choice, content);
        for (const QString& line : linesOfPage(ReportPages(content), 0))
            QVERIFY(line != QStringLiteral("Contents"));
    }

    /// Read as a reader does: from the end of the file by its tables, the newest first.
    /// Handed over by fabricscope-cli --explain: the words stand on the pages.
    void F5_whatIsHandedOverIsPrinted()
    {
        auto loaded = readDesign((kExamples + QStringLiteral("/two-level-hgx.yaml")).toStdString());
        QVERIFY(loaded);
        const Result<Explanation> explanation = explainDesign(std::make_shared<const Design>(std::move(loaded.value().design)), {}, {}, {});
        QVERIFY(explanation);
        ReportContent content = hgxContent();
        addExplanation(explanation.value(), content);
        const Result<ReportContent> handed = readContentFile(contentFileText(content));
        QVERIFY(handed);
        const ReportPages pages(handed.value());
        QString words;
        for (int page = 0; page < pages.pageCount(); ++page) {
            for (const QString& line : linesOfPage(pages, page))
                words += line + QLatin1Char(' ');
        }
        words = plain(words);
        QVERIFY(words.contains(QStringLiteral("The critical path of the run takes")));
        QVERIFY(words.contains(QStringLiteral("the dimension 1 bandwidth (Switch, 50 GB/s) bounds")));
        QVERIFY(words.contains(QStringLiteral("all_reduce gradient sum of rank 0")));
    }

    void F5_theContentsOfThePdfLeadToTheirSections()
    {
        const QTemporaryDir folder;
        const QString path = folder.filePath(QStringLiteral("report.pdf"));
        QVERIFY(writePdf(path, hgxContent()));
        QFile file(path);
        QVERIFY(file.open(QIODevice::ReadOnly));
        const QByteArray pdf = file.readAll();
        std::map<int, qsizetype> offsets;
        qsizetype at = pdf.mid(pdf.lastIndexOf("startxref") + 9).split('%').front().trimmed().toLongLong();
        for (int tables = 0; tables < 2; ++tables) {
            QCOMPARE(pdf.mid(at, 5), QByteArray("xref\n"));
            const qsizetype trailer = pdf.indexOf("trailer", at);
            const QList<QByteArray> lines = pdf.mid(at + 5, trailer - at - 5).split('\n');
            int number = 0;
            for (const QByteArray& line : lines) {
                const QList<QByteArray> words = line.simplified().split(' ');
                if (words.size() == 2)
                    number = words[0].toInt();
                else if (words.size() == 3)
                    offsets.emplace(number++, words[0].toLongLong());
            }
            const qsizetype previous = pdf.indexOf("/Prev ", trailer);
            at = tables == 0 ? pdf.mid(previous + 6, pdf.indexOf('\n', previous) - previous - 6).toLongLong() : at;
        }
        QVERIFY(offsets.size() > 10);
        std::vector<int> pages;
        for (const auto& [number, offset] : offsets) {
            if (number == 0)
                continue;
            QVERIFY2(pdf.mid(offset).startsWith(QByteArray::number(number) + " 0 obj"), qPrintable(QString::number(number)));
            if (pdf.mid(offset, 40).startsWith(QByteArray::number(number) + " 0 obj\n<<\n/Type /Page\n"))
                pages.push_back(number);
        }
        const ReportPages report(hgxContent());
        QCOMPARE(static_cast<int>(pages.size()), report.pageCount());
        // In the order of the file pages are those of the report.
        std::ranges::sort(pages, {}, [&](int number) { return offsets.at(number); });
        const QByteArray first = pdf.mid(offsets.at(pages.front()), 300);
        const int list = first.mid(first.indexOf("/Annots ") + 8).split(' ').front().toInt();
        const QByteArray annotations = pdf.mid(offsets.at(list), pdf.indexOf("endobj", offsets.at(list)) - offsets.at(list));
        QList<QByteArray> targets = annotations.split('[');
        targets.removeIf([](const QByteArray& part) { return !part.contains(" 0 R /XYZ"); });
        QCOMPARE(static_cast<std::size_t>(targets.size()), hgxContent().shownSections().size());
        for (qsizetype section = 0; section < targets.size(); ++section) {
            const auto page = static_cast<std::size_t>(report.sectionPages()[static_cast<std::size_t>(section)]);
            QCOMPARE(targets[section].split(' ').front().toInt(), pages[page]);
        }
    }

    void F5_aFileThatIsNoneOfQtGetsNoLinks()
    {
        const std::vector<ReportLink> one{{0, QRectF(0, 0, 10, 10), 0, 0}};
        for (const QByteArray& text : {QByteArray(), QByteArray("%PDF-1.4\n"), QByteArray("6 0 obj\n<<\n/Type /Page\nendobj\ntrailer\n/Size 3\nstartxref\n4\n")})
            QCOMPARE(withPdfLinks(text, one), text);
    }

    void F5_noWordOfAShippedExampleIsBroken_data()
    {
        QTest::addColumn<QString>("path");
        for (const QFileInfo& file : QDir(kExamples).entryInfoList({QStringLiteral("*.yaml")}, QDir::Files, QDir::Name))
            if (file.baseName() != QStringLiteral("reference"))
                QTest::newRow(qPrintable(file.baseName())) << file.filePath();
        QVERIFY(QDir(kExamples).entryList({QStringLiteral("*.yaml")}).size() > 10);
    }
    void F5_noWordOfAShippedExampleIsBroken()
    {
        QFETCH(QString, path);
        ReportContent content = contentOf(path);
        for (const ReportPaper paper : {ReportPaper::A4, ReportPaper::Letter}) {
            content.paper = paper;
            std::map<QString, int> written;
            for (const std::vector<QString>& page : linesOf(ReportPages(content)))
                for (const QString& line : page)
                    for (const QString& word : wordsOf(line))
                        ++written[word];
            int looked = 0;
            for (const QString& text : textsOf(content)) {
                for (const QString& word : wordsOf(text)) {
                    if (word.size() > kBreakableWord)
                        continue; // names of files
                    QVERIFY2(--written[word] >= 0, qPrintable(QStringLiteral("\"%1\" of \"%2\"").arg(word, text.left(80))));
                    ++looked;
                }
            }
            QVERIFY(looked > 200);
        }
    }

    void wideTablesGetSmallerTypeBeforeWordsBreak()
    {
        const ReportContent content = wideContent();
        QStringList words;
        for (const QString& line : linesOfPage(ReportPages(content), 0))
            words << wordsOf(line);
        for (const char* const word : {"halving_doubling", "double_binary_tree", "Algorithm_of_it"})
            QVERIFY2(words.contains(QString::fromUtf8(word)), word);
        QCOMPARE(words.count(QStringLiteral("halving_doubling")), 3);
    }

    void linesBreakAtBlanksThenBehindSeparators()
    {
        QFont font(QStringLiteral("Noto Sans"));
        font.setPixelSize(80);
        const QFontMetricsF metrics(font);
        const auto wide = [&](const char* text) { return metrics.horizontalAdvance(QString::fromUtf8(text)) + 1; };
        QCOMPARE(wrappedLines(QStringLiteral("one two three"), font, wide("one two")), QStringList({QStringLiteral("one two"), QStringLiteral("three")}));
        QCOMPARE(wrappedLines(QStringLiteral("a\n\n  b  c"), font, 1e5), QStringList({QStringLiteral("a"), QString(), QStringLiteral("  b  c")}));
        QCOMPARE(wrappedLines(QString(), font, 100), QStringList({QString()}));
        QCOMPARE(wrappedLines(QStringLiteral("halving_doubling"), font, std::max(wide("halving_"), wide("doubling"))), QStringList({QStringLiteral("halving_"), QStringLiteral("doubling")}));
        // Nothing is lost where even single letters are too wide.
        QCOMPARE(wrappedLines(QStringLiteral("abc"), font, 1).join(QString()), QStringLiteral("abc"));
        // A character of two code units (U+1F600, U+1D538) stays one.
        QCOMPARE(wrappedLines(QStringLiteral("\U0001F600\U0001D538b"), font, 1), QStringList({QStringLiteral("\U0001F600"), QStringLiteral("\U0001D538"), QStringLiteral("b")}));
        // Each line is no wider than it may be, and all words are there in order.
        const QString text = QStringLiteral("It waits for nothing that 16 links of 450 GB/s carry in all of its steps");
        for (double width = wide("nothing"); width < 3000; width += 37) {
            const QStringList lines = wrappedLines(text, font, width);
            QCOMPARE(lines.join(u' '), text);
            for (const QString& line : lines)
                QVERIFY(metrics.horizontalAdvance(line) <= width);
        }
    }

    void letterPaperIsLetter()
    {
        QTemporaryDir folder;
        ReportContent content = hgxContent();
        content.paper = ReportPaper::Letter;
        QVERIFY(writePdf(folder.filePath(QStringLiteral("letter.pdf")), content));
        QFile file(folder.filePath(QStringLiteral("letter.pdf")));
        QVERIFY(file.open(QIODevice::ReadOnly));
        const QString pdf = QString::fromLatin1(file.readAll());
        // 8.5 by 11 inches of 72 points.
        QVERIFY(QRegularExpression(QStringLiteral("/MediaBox \\[0(\\.0+)? 0(\\.0+)? 612(\\.0+)? 792(\\.0+)?\\]")).match(pdf).hasMatch());
        QVERIFY(!pdf.contains(QStringLiteral("/MediaBox [0 0 595")));
    }
};

FABRICSCOPE_GUI_TEST(ReportPaperTest)
#include "tst_reportpaper.moc"
