// The workspace Report in the whole window: the same page as the command makes, chosen sections, a typed question.
#include "app/desktop/filecommands.h"
#include "app/desktop/mainwindow.h"
#include "app/desktop/reportexport.h"
#include "app/desktop/resulthistory.h"
#include "app/desktop/runcontroller.h"
#include "core/report/html.h"
#include "sourcedir.h"
#include "tests/gui/support/wholewindow.h"
#include "tests/unit/support/testprogram.h"
#include "widgets/base/files/userfolders.h"
#include "widgets/report/pagesworkspace.h"

#include <QComboBox>
#include <QLineEdit>
#include <QPushButton>
#include <QTemporaryDir>
#include <QTreeView>
#include <QtTest>

using namespace fabricscope;

namespace {
constexpr int kLongMs = 60'000;
const QString kExample = QStringLiteral(FABRICSCOPE_SOURCE_DIR "/resources/examples/two-level-hgx.yaml");
} // namespace

class WindowReportTest : public QObject
{
    Q_OBJECT

    QTemporaryDir m_home;
    std::unique_ptr<MainWindow> m_window;

    ReportWorkspace& report() const { return test::part<ReportWorkspace>(*m_window); }
    QByteArray page() const { return QByteArray::fromStdString(reportHtml(report().content())); }
    QPushButton& button(const QString& text) const
    {
        for (QPushButton* one : report().findChildren<QPushButton*>())
            if (one->text().startsWith(text))
                return *one;
        qFatal("no such button");
    }
    bool isWhole() const { return !report().content().title.empty() && button(QStringLiteral("Export HTML")).isEnabled(); }

    void show(const QString& file)
    {
        m_window = test::shownWindow({1280, 800});
        QVERIFY(m_window);
        m_window->files().openPaths({file});
        QTRY_VERIFY_WITH_TIMEOUT(m_window->history().current() && !m_window->runs().isBusy(), kLongMs);
        m_window->setWorkspace(QStringLiteral("report"));
    }

private slots:
    void initTestCase() { test::useOwnHome(m_home); }
    void init() { openSettings()->clear(); }
    void cleanup() { m_window.reset(); }

    void F5_theWindowMakesThePageOfTheCommand()
    {
        show(kExample);
        QTRY_VERIFY_WITH_TIMEOUT(isWhole(), kLongMs);
        const QString made = m_home.filePath(QStringLiteral("made.html"));
        QCOMPARE(exportReportHeadless(made, {kExample}), 0);
        QFile file(made);
        QVERIFY(file.open(QIODevice::ReadOnly));
        const QByteArray command = file.readAll();
        QVERIFY(command.contains("Storyboard of the longest collective"));
        const QByteArray window = page();
        qsizetype same = 0;
        while (same < std::min(window.size(), command.size()) && window[same] == command[same])
            ++same;
        QVERIFY2(window == command, "window: " + window.mid(same - 60, 200) + "\ncommand: " + command.mid(same - 60, 200));
    }

    void sectionsAndPaperAreRemembered()
    {
        show(kExample);
        QTRY_VERIFY_WITH_TIMEOUT(isWhole(), kLongMs);
        auto& tree = test::part<QTreeView>(report());
        tree.setFocus();
        tree.setCurrentIndex(tree.model()->index(1, 0)); // the platform
        QTest::keyClick(&tree, Qt::Key_Space);
        auto& paper = test::part<QComboBox>(report());
        paper.setFocus();
        QTest::keyClick(&paper, Qt::Key_Down);
        QVERIFY(report().content().paper == ReportPaper::Letter);
        QCOMPARE(report().content().shownSections().size(), std::size_t{kReportPartCount - 1});
        m_window.reset();

        show(kExample);
        QTRY_VERIFY_WITH_TIMEOUT(isWhole(), kLongMs);
        QVERIFY(report().content().paper == ReportPaper::Letter);
        QVERIFY(report().content().shownSections().front()->part == ReportPart::Results);
        QCOMPARE(report().content().shownSections().size(), std::size_t{kReportPartCount - 1});
        report().setChoice({});
        QCOMPARE(report().content().shownSections().size(), static_cast<std::size_t>(kReportPartCount));
    }

    void aTypedQuestionStaysWithItsDesign()
    {
        show(kExample);
        QTRY_VERIFY_WITH_TIMEOUT(isWhole(), kLongMs);
        const std::string notes = report().content().question;
        QVERIFY(!notes.empty());
        auto& field = test::part<QLineEdit>(report());
        QVERIFY(!field.accessibleName().isEmpty());
        QCOMPARE(field.placeholderText(), QString::fromStdString(notes));
        field.setFocus();
        QTest::keyClicks(&field, QStringLiteral("Do rails pay?"));
        QTRY_COMPARE_WITH_TIMEOUT(report().content().question, std::string("Do rails pay?"), kLongMs); // when typing pauses
        QVERIFY(page().contains("<p class=\"question\">Do rails pay?</p>"));
        field.clear();
        QTest::keyClick(&field, Qt::Key_Return);
        QCOMPARE(report().content().question, notes);
        QTest::keyClicks(&field, QStringLiteral("Again?"));
        QTest::keyClick(&field, Qt::Key_Return);
        QCOMPARE(report().content().question, std::string("Again?"));

        // The next result of the same design keeps it, that of another one does not.
        ReportContent next = report().content();
        next.question = notes;
        report().setContent(next);
        QCOMPARE(report().content().question, std::string("Again?"));
        next.title = "Another design";
        next.question = "Its own notes";
        report().setContent(next);
        QVERIFY(field.text().isEmpty());
        QCOMPARE(report().content().question, std::string("Its own notes"));
    }
};

FABRICSCOPE_GUI_TEST(WindowReportTest)
#include "tst_window_report.moc"
