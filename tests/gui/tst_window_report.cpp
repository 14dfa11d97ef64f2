// The workspace Report in the whole window: the same page as the command makes, chosen sections, a typed question.
#include "app/desktop/exports/reportexport.h"
#include "app/desktop/filecommands.h"
#include "app/desktop/mainwindow.h"
#include "app/desktop/resulthistory.h"
#include "app/desktop/runcontroller.h"
#include "core/report/html.h"
#include "core/trace/traceset.h"
#include "sourcedir.h"
#include "tests/gui/support/heldthreads.h"
#include "tests/gui/support/patience.h"
#include "tests/gui/support/wholewindow.h"
#include "tests/unit/support/testprogram.h"
#include "widgets/base/actions.h"
#include "widgets/base/files/userfolders.h"
#include "widgets/design/document.h"
#include "widgets/report/pagesworkspace.h"

#include <QApplication>
#include <QComboBox>
#include <QFileDialog>
#include <QLineEdit>
#include <QPushButton>
#include <QTemporaryDir>
#include <QTimer>
#include <QTreeView>
#include <QtTest>

using namespace fabricscope;

namespace {
using fabricscope::test::kLongMs;
const QString kExample = QStringLiteral(FABRICSCOPE_SOURCE_DIR "/resources/examples/two-level-hgx.yaml");
const std::string kSmall = "fabricscope: 1\nname: Small\nplatform: {dimensions: [{shape: ring, size: 4, bandwidth: 50 GB/s, latency: 500 ns}]}\nworkload: {collective: all_reduce, size: 1 MiB}\n";
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

    void open(const QString& file)
    {
        m_window = test::shownWindow({1280, 800});
        QVERIFY(m_window);
        m_window->files().openPaths({file});
        QTRY_VERIFY_WITH_TIMEOUT(m_window->history().current() && !m_window->runs().isBusy(), kLongMs);
    }
    void show(const QString& file)
    {
        open(file);
        m_window->setWorkspace(QStringLiteral("report"));
    }

    /// The command of the menu, with this name typed into its dialog.
    void exportTo(const QString& path, const char* command = "file.exportReport")
    {
        QTimer answer;
        connect(&answer, &QTimer::timeout, this, [&answer, &path] {
            auto* dialog = qobject_cast<QFileDialog*>(QApplication::activeModalWidget());
            if (!dialog)
                return;
            answer.stop();
            if (auto* name = dialog->findChild<QLineEdit*>(QStringLiteral("fileNameEdit"))) // selectFile() leaves a name alone that has the focus.
                name->setText(path);
            QMetaObject::invokeMethod(dialog, "accept");
        });
        answer.start(10);
        m_window->commands().action(QString::fromLatin1(command))->trigger();
    }
    static QByteArray textOf(const QString& path)
    {
        QFile file(path);
        return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
    }

private slots:
    void initTestCase() { test::useOwnHome(m_home); }
    void init() { openSettings()->clear(); }
    void cleanup() { m_window.reset(); }

    /// The name of the first trace stands for all; what the tasks took stands in them.
    void tracesWithTimesAreExported()
    {
        open(kExample);
        QTRY_VERIFY_WITH_TIMEOUT(m_window->commands().action(QStringLiteral("file.exportTraces"))->isEnabled(), kLongMs);
        exportTo(m_home.filePath(QStringLiteral("tasks.0.et")), "file.exportTraces");
        QVERIFY(!m_window->isAtRest()); // It is written beside the window, and can be stopped.
        QVERIFY(!m_window->commands().action(QStringLiteral("file.exportTraces"))->isEnabled());
        QVERIFY(m_window->commands().action(QStringLiteral("run.stop"))->isEnabled());
        QTRY_VERIFY_WITH_TIMEOUT(m_window->isAtRest(), kLongMs);
        QVERIFY(m_window->commands().action(QStringLiteral("file.exportTraces"))->isEnabled());
        QVERIFY(!m_window->commands().action(QStringLiteral("run.stop"))->isEnabled());
        const std::string prefix = m_home.filePath(QStringLiteral("tasks")).toStdString();
        const RunResultPtr run = m_window->history().current();
        const Workload& workload = *run->scenario->structure->workload;
        const auto traces = TraceSet::load(prefix, {workload.rankCount});
        QVERIFY2(traces, traces ? "" : traces.error().text().c_str());
        QCOMPARE(traces.value().nodeCount(), workload.taskCount());
        std::int64_t last = 0;
        for (std::uint32_t node = 0; node < traces.value().rank(0).size(); ++node)
            last = std::max(last, traces.value().rank(0).value(node, EtField::Start) + traces.value().rank(0).value(node, EtField::Duration));
        QVERIFY(std::abs(last * 1'000'000 - run->record().classes.front().times.finish.ps) <= 1'500'000);
    }

    /// Stopped, it leaves all of the files or none.
    void tracesAreStoppedAsAWhole()
    {
        open(kExample);
        QTRY_VERIFY_WITH_TIMEOUT(m_window->commands().action(QStringLiteral("file.exportTraces"))->isEnabled(), kLongMs);
        exportTo(m_home.filePath(QStringLiteral("stopped.0.et")), "file.exportTraces");
        m_window->commands().action(QStringLiteral("run.stop"))->trigger();
        QTRY_VERIFY_WITH_TIMEOUT(m_window->isAtRest(), kLongMs);
        const QStringList written = QDir(m_home.path()).entryList({QStringLiteral("*stopped*")}, QDir::Files | QDir::Hidden);
        const auto ranks = m_window->history().current()->scenario->structure->workload->rankCount;
        QVERIFY2(written.isEmpty() || written.filter(QStringLiteral(".et")).size() == ranks, qPrintable(written.join(QLatin1Char(' '))));
    }

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

    void thePaperIsRememberedAndSectionsAreOfOneDesign()
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
        QCOMPARE(report().content().shownSections().size(), std::size_t{kRunPartCount - 1});
        // An edit of the same design leaves them out too.
        QVERIFY(m_window->document().edit(QStringLiteral("faster"), [](YamlDocument& yaml) { return yaml.set("platform.dimensions[1].bandwidth", std::string("60 GB/s")); }));
        QTRY_VERIFY_WITH_TIMEOUT(!m_window->runs().isBusy() && isWhole(), kLongMs);
        QCOMPARE(report().content().shownSections().size(), std::size_t{kRunPartCount - 1});

        // Another design does not, nor what is exported of it without looking at the page.
        m_window->setWorkspace(QStringLiteral("explore"));
        QVERIFY(m_window->document().setText(kSmall, QStringLiteral("small.yaml")));
        QTRY_VERIFY_WITH_TIMEOUT(m_window->history().current() && !m_window->runs().isBusy(), kLongMs);
        const QString small = m_home.filePath(QStringLiteral("small.html"));
        exportTo(small);
        QTRY_VERIFY_WITH_TIMEOUT(QFile::exists(small), kLongMs);
        QCOMPARE(report().content().title, std::string("Small"));
        QCOMPARE(report().content().shownSections().size(), report().content().sections.size());
        m_window.reset();

        show(kExample);
        QTRY_VERIFY_WITH_TIMEOUT(isWhole(), kLongMs);
        QVERIFY(report().content().paper == ReportPaper::Letter);
        QCOMPARE(report().content().shownSections().size(), static_cast<std::size_t>(kRunPartCount));
        QVERIFY(!openSettings()->contains(QStringLiteral("report/sections")));
    }

    void F5_whatWaitsForItsStepsIsWrittenOfItsOwnDesign()
    {
        open(kExample);
        QVERIFY(test::settles(*m_window, kLongMs));
        const QString one = m_home.filePath(QStringLiteral("one.html"));
        const QString two = m_home.filePath(QStringLiteral("two.html"));
        {
            const test::HeldThreads held; // The steps are not collected.
            QVERIFY(held.areHeld());
            m_window->setWorkspace(QStringLiteral("report"));
            exportTo(one);
            exportTo(two);
            QVERIFY(!isWhole() && !QFile::exists(one) && !QFile::exists(two));
            const QByteArray title = QByteArray::fromStdString(report().content().title);
            QVERIFY(!title.isEmpty());
            QVERIFY(m_window->document().setText(kSmall, QStringLiteral("small.yaml")));
            for (const QString& path : {one, two}) {
                const QByteArray written = textOf(path);
                QVERIFY(written.contains("<title>" + title));
                QVERIFY(written.contains("The report was written before the steps were collected."));
                QVERIFY(!written.contains("The steps are being collected."));
            }
        }
        const QByteArray written = textOf(one);
        QTRY_VERIFY_WITH_TIMEOUT(m_window->history().current() && !m_window->runs().isBusy() && isWhole(), kLongMs);
        QCOMPARE(report().content().title, std::string("Small"));
        QCOMPARE(textOf(one), written);
        QCOMPARE(textOf(two), written);
    }

    void F5_whatWaitsForItsStepsIsWrittenWithThem()
    {
        open(kExample);
        QVERIFY(test::settles(*m_window, kLongMs));
        const QString path = m_home.filePath(QStringLiteral("whole.html"));
        {
            const test::HeldThreads held;
            QVERIFY(held.areHeld());
            m_window->setWorkspace(QStringLiteral("report"));
            exportTo(path);
            QVERIFY(!isWhole() && !QFile::exists(path));
        }
        QTRY_VERIFY_WITH_TIMEOUT(QFile::exists(path) && isWhole(), kLongMs);
        QCOMPARE(textOf(path), page());
        QVERIFY(!textOf(path).contains("steps are being collected") && !textOf(path).contains("before the steps were collected"));
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

        // The design keeps it under another name and in another file.
        QVERIFY(m_window->document().saveAs(m_home.filePath(QStringLiteral("saved-as.yaml"))));
        std::string text = m_window->document().text();
        text.replace(text.find("name: Two-level HGX pod"), 23, "name: Renamed");
        QVERIFY(m_window->document().editText(QStringLiteral("Rename"), text));
        QTRY_VERIFY_WITH_TIMEOUT(report().content().title == "Renamed" && report().content().file == "saved-as.yaml" && isWhole(), kLongMs);
        QCOMPARE(report().content().question, std::string("Again?"));
        QCOMPARE(field.text(), QStringLiteral("Again?"));
        // Another one does not get it, also where the page is hidden when it comes.
        m_window->setWorkspace(QStringLiteral("explore"));
        QVERIFY(m_window->document().setText(text, QStringLiteral("other.yaml")));
        QVERIFY(field.text().isEmpty());
        QTRY_VERIFY_WITH_TIMEOUT(m_window->history().current() && !m_window->runs().isBusy(), kLongMs);
        m_window->setWorkspace(QStringLiteral("report"));
        QCOMPARE(report().content().title, std::string("Renamed"));
        QCOMPARE(report().content().question, notes);
    }

    void F5_closingTheWindowWritesWhatWaits()
    {
        open(kExample);
        QVERIFY(test::settles(*m_window, kLongMs));
        const QString path = m_home.filePath(QStringLiteral("closed.html"));
        const test::HeldThreads held;
        QVERIFY(held.areHeld());
        m_window->setWorkspace(QStringLiteral("report"));
        exportTo(path);
        QVERIFY(!isWhole() && !QFile::exists(path));
        QVERIFY(m_window->close());
        QVERIFY(textOf(path).contains("The report was written before the steps were collected."));
    }
};

FABRICSCOPE_GUI_TEST(WindowReportTest)
#include "tst_window_report.moc"
