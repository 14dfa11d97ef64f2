// What the report of the window says beside the designs that Compare holds.
#include "app/desktop/exports/reportexport.h"
#include "app/desktop/resulthistory.h"
#include "core/insight/comparisonsection.h"
#include "core/report/html.h"
#include "core/report/runfile.h"
#include "tests/gui/support/patience.h"
#include "tests/gui/support/runresults.h"
#include "tests/gui/support/wholewindow.h"
#include "tests/unit/support/testprogram.h"
#include "widgets/base/actions.h"
#include "widgets/base/files/userfolders.h"
#include "widgets/compare/designsworkspace.h"
#include "widgets/design/document.h"
#include "widgets/report/pagesworkspace.h"

#include <QFile>
#include <QPushButton>
#include <QRegularExpression>
#include <QSettings>
#include <QTemporaryDir>
#include <QTreeView>
#include <QtTest>

#include <algorithm>

using namespace fabricscope;
using namespace fabricscope::test;

namespace {

using fabricscope::test::kLongMs;

} // namespace

class WindowReportCompareTest : public QObject
{
    Q_OBJECT
    QTemporaryDir m_home;
    std::unique_ptr<MainWindow> m_window;

    QAction& command(const char* id) { return *m_window->commands().action(QString::fromLatin1(id)); }
    CompareWorkspace& compare() { return part<CompareWorkspace>(*m_window); }
    ReportWorkspace& report() { return part<ReportWorkspace>(*m_window); }
    RunResultPtr result() { return m_window->history().current(); }
    QString page() { return QString::fromStdString(reportHtml(report().content())); }

    bool isWhole()
    {
        const QList<QPushButton*> buttons = report().findChildren<QPushButton*>();
        return std::any_of(buttons.begin(), buttons.end(), [](const QPushButton* button) { return button->text().startsWith(QStringLiteral("Export HTML")) && button->isEnabled(); });
    }

    bool hasComparison()
    {
        const auto& sections = report().content().sections;
        return std::any_of(sections.begin(), sections.end(), [](const ReportSection& section) { return section.part == ReportPart::Comparison; });
    }

    QModelIndex row()
    {
        const QAbstractItemModel& model = *part<QTreeView>(report()).model();
        for (int i = 0; i < model.rowCount(); ++i) {
            if (model.index(i, 0).data().toString() == QStringLiteral("Comparison"))
                return model.index(i, 0);
        }
        return {};
    }

    /// The section of a page, as it stands there.
    static QString section(const QString& page)
    {
        static const QRegularExpression form(QStringLiteral("<section>\\n<h2>\\d+ [^<]*Comparison</h2>.*?</section>"), QRegularExpression::DotMatchesEverythingOption);
        return form.match(page).captured();
    }

    void open(const QString& text, const QString& name)
    {
        const QString path = m_home.filePath(name);
        QFile file(path);
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(text.toUtf8());
        file.close();
        m_window->files().openPaths({path});
        QTRY_VERIFY_WITH_TIMEOUT(result() && m_window->document().displayName() == name && !m_window->runs().isBusy(), kLongMs);
    }

    /// Two files, the first pinned, the second on show, both in Compare.
    void openTwo()
    {
        open(QString::fromUtf8(kTwoRanks), QStringLiteral("two.yaml"));
        command("compare.pin").trigger();
        open(QString::fromUtf8(kTwoRanks).replace(QStringLiteral("50 GB/s"), QStringLiteral("25 GB/s")), QStringLiteral("slower.yaml"));
        command("view.compare").trigger();
        QTRY_VERIFY_WITH_TIMEOUT(compare().set() && !compare().runner()->isBusy(), kLongMs);
        QCOMPARE(compare().runs().size(), std::size_t{2});
    }

private slots:
    void initTestCase() { useOwnHome(m_home); }

    void init()
    {
        openSettings()->clear();
        m_window = shownWindow({1280, 800});
        QVERIFY(m_window);
    }

    void cleanup() { m_window.reset(); }

    void R5_withoutTwoDesignsTheBoxSaysWhatIsNeeded()
    {
        open(QString::fromUtf8(kTwoRanks), QStringLiteral("two.yaml"));
        command("view.report").trigger();
        QTRY_VERIFY_WITH_TIMEOUT(isWhole(), kLongMs);
        QVERIFY(!hasComparison());
        QVERIFY(row().isValid());
        QVERIFY(!row().flags().testFlag(Qt::ItemIsEnabled));
        QVERIFY(row().data(Qt::ToolTipRole).toString().contains(QStringLiteral("Compare")));
        QVERIFY(!row().data(Qt::AccessibleDescriptionRole).toString().isEmpty());
        QVERIFY(section(page()).isEmpty());
    }

    void R5_theReportComparesWithWhatCompareHolds()
    {
        openTwo();
        const RunResultPtr shown = result();
        const std::shared_ptr<const DesignSet> set = compare().set();
        command("view.report").trigger();
        QTRY_VERIFY_WITH_TIMEOUT(isWhole(), kLongMs);
        QVERIFY(hasComparison());
        QVERIFY(row().flags().testFlag(Qt::ItemIsEnabled) && row().data(Qt::CheckStateRole).toInt() == static_cast<int>(Qt::Checked));
        // Rank 1 is done at 250 + 41 + 41 us instead of 250 + 21 + 21 (kTwoRanks): 40 of 292 us more.
        const QString made = page();
        QVERIFY2(made.contains(QStringLiteral("<strong>One step takes 332.000\u202f\u00b5s, 13.7\u202f% slower than A, Two ranks (two.yaml), ")), qPrintable(made.section(QStringLiteral("class=\"answer\""), 1).left(300)));
        QVERIFY2(section(made).contains(QStringLiteral("A Two ranks (two.yaml): 292\u202f\u00b5s; 1  platform.dimensions[0].bandwidth: +40\u202f\u00b5s, 332\u202f\u00b5s; B Two ranks (slower.yaml): sum +40\u202f\u00b5s, 332\u202f\u00b5s")),
                 qPrintable(section(made).section(QStringLiteral("<desc>"), 1).left(400)));
        // Of the results that were there: nothing ran again.
        QCOMPARE(result(), shown);
        QCOMPARE(compare().set(), set);
        QVERIFY(!compare().runner()->isBusy() && !m_window->runs().isBusy());
    }

    void R5_aDesignBesideItselfBeforeIsToldByItsLetter()
    {
        open(QString::fromUtf8(kTwoRanks), QStringLiteral("two.yaml"));
        command("compare.pin").trigger();
        std::string text = m_window->document().text();
        text.replace(text.find("50 GB/s"), 7, "25 GB/s");
        const RunResultPtr before = result();
        QVERIFY(m_window->document().editText(QStringLiteral("slower"), text));
        QTRY_VERIFY_WITH_TIMEOUT(result() != before && !m_window->runs().isBusy(), kLongMs);
        command("view.compare").trigger();
        QTRY_VERIFY_WITH_TIMEOUT(compare().set() && !compare().runner()->isBusy(), kLongMs);
        command("view.report").trigger();
        QTRY_VERIFY_WITH_TIMEOUT(isWhole() && hasComparison(), kLongMs);
        QVERIFY(page().contains(QStringLiteral("13.7\u202f% slower than A, Two ranks (two.yaml), ")));
    }

    void F5_theSectionIsThatOfTheCommand()
    {
        openTwo();
        std::vector<SavedRun> runs;
        for (const NamedRun& run : compare().runs()) {
            SavedRun saved{run.run->summary, run.run->cost};
            QFile file(QString::fromStdString(saved.summary.designFile));
            QVERIFY2(file.open(QIODevice::ReadOnly), saved.summary.designFile.c_str());
            saved.summary.designText = file.readAll().toStdString();
            runs.push_back(std::move(saved));
        }
        const Result<ReportContent> content = comparedReport(runs[1], {runs[0]}, {});
        QVERIFY2(content, content ? "" : content.error().text().c_str());
        command("view.report").trigger();
        QTRY_VERIFY_WITH_TIMEOUT(isWhole(), kLongMs);
        QVERIFY(!section(page()).isEmpty());
        const QString shown = section(page());
        const QString wanted = section(QString::fromStdString(reportHtml(content.value())));
        const auto [a, b] = std::mismatch(shown.begin(), shown.end(), wanted.begin(), wanted.end());
        const qsizetype from = std::max<qsizetype>(a - shown.begin() - 100, 0);
        QVERIFY2(shown == wanted, qPrintable(QStringLiteral("%1\nnot\n%2").arg(shown.mid(from, 300), wanted.mid(from, 300))));
    }

    void F5_theProgramWithoutAWindowComparesSavedRuns()
    {
        const QString design = m_home.filePath(QStringLiteral("alone.yaml"));
        QStringList files;
        std::vector<SavedRun> runs;
        for (const char* const rate : {"50 GB/s", "25 GB/s"}) {
            const std::string text = QString::fromUtf8(kTwoRanks).replace(QStringLiteral("50 GB/s"), QString::fromUtf8(rate)).toStdString();
            const RunResultPtr run = runText(text);
            SavedRun saved{run->summary, run->cost};
            saved.summary.designText = text;
            files << m_home.filePath(QStringLiteral("%1.run").arg(runs.size()));
            QVERIFY(saveRun(files.back().toStdString(), saved.summary, saved.cost));
            runs.push_back(std::move(saved));
        }
        const Result<ReportContent> content = comparedReport(runs[1], {runs[0]}, {});
        QVERIFY2(content, content ? "" : content.error().text().c_str());
        const QString made = m_home.filePath(QStringLiteral("made.html"));
        QCOMPARE(exportReportHeadless(made, {files[1]}, {}, {files[0]}), 0);
        QFile file(made);
        QVERIFY(file.open(QIODevice::ReadOnly));
        QCOMPARE(QString::fromUtf8(file.readAll()), QString::fromStdString(reportHtml(content.value())));
        // Neither onto what it is made from, nor of what would have to be simulated first, nor of what is not there.
        QCOMPARE(exportReportHeadless(files[0], {files[1]}, {}, {files[0]}), 2);
        QFile text(design);
        QVERIFY(text.open(QIODevice::WriteOnly) && text.write(kTwoRanks) > 0);
        text.close();
        QCOMPARE(exportReportHeadless(made, {design}, {}, {files[0]}), 2);
        QCOMPARE(exportReportHeadless(made, {files[1]}, {}, {m_home.filePath(QStringLiteral("nowhere.run"))}), 2);
    }

    void R5_theSectionIsSwitchedOffWithItsSentence()
    {
        openTwo();
        command("view.report").trigger();
        QTRY_VERIFY_WITH_TIMEOUT(isWhole(), kLongMs);
        auto& tree = part<QTreeView>(report());
        tree.setFocus();
        tree.setCurrentIndex(row());
        QTest::keyClick(&tree, Qt::Key_Space);
        QVERIFY(section(page()).isEmpty());
        QVERIFY(!page().contains(QStringLiteral("slower than")));
        QTest::keyClick(&tree, Qt::Key_Space);
        QVERIFY(!section(page()).isEmpty() && page().contains(QStringLiteral("slower than")));
    }

    void R5_aResultThatCompareDoesNotHoldIsNotCompared()
    {
        openTwo();
        command("view.report").trigger();
        QTRY_VERIFY_WITH_TIMEOUT(isWhole() && hasComparison(), kLongMs);
        std::string text = m_window->document().text();
        text.replace(text.find("25 GB/s"), 7, "40 GB/s");
        QVERIFY(m_window->document().editText(QStringLiteral("faster"), text));
        QTRY_VERIFY_WITH_TIMEOUT(isWhole() && !hasComparison() && !m_window->runs().isBusy(), kLongMs);
        QVERIFY(!row().flags().testFlag(Qt::ItemIsEnabled));

        // Compare takes it when it is looked at, and so does the report then.
        command("view.compare").trigger();
        QTRY_VERIFY_WITH_TIMEOUT(compare().set() && !compare().runner()->isBusy(), kLongMs);
        command("view.report").trigger();
        QTRY_VERIFY_WITH_TIMEOUT(isWhole() && hasComparison(), kLongMs);
    }
};

FABRICSCOPE_GUI_TEST(WindowReportCompareTest)
#include "tst_window_reportcompare.moc"
